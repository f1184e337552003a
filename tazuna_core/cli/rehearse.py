"""`tazuna rehearse`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, progress, report_of

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("rehearse")
@click.option("--no-wait", is_flag=True, help="Do not wait until objects are ready: for a cluster without nodes.")
@click.pass_obj
def rehearse_command(given: Globals, no_wait: bool) -> None:
    """Prove on an empty cluster, to be thrown away, that it can be built from this file: apply, test, apply, drift."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.rehearse import rehearse

        return rehearse(options, no_wait=no_wait, context_name=os.environ.get("TAZUNA_CONTEXT"), progress=progress)

    report_of(given, "rehearse", work)
