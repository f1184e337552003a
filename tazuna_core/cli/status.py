"""`tazuna status`."""

from __future__ import annotations

import sys

import click

from tazuna_core.cli.context import Globals, require_form
from tazuna_core.errors import ClusterError


@click.command("status")
@click.pass_obj
def status_command(given: Globals) -> int:
    """Show whether the objects of the state are ready."""
    from tazuna_core.operations.status import status_rows
    from tazuna_core.report.text_tables import status_text

    require_form(given, "status", "text")
    manifests, rows = status_rows(given.options)
    sys.stdout.write(status_text(rows, manifests, lang=given.lang, colour=given.colour))
    return ClusterError.exit_code if any(row.status == "Error" for row in rows) else 0
