"""`tazuna schema`."""

from __future__ import annotations

import json
import sys

import click

from tazuna_core.cli.context import Globals, require_form


@click.command("schema")
@click.argument("what", type=click.Choice(["tazuna", "report"]))
@click.pass_obj
def schema_command(given: Globals, what: str) -> None:
    """Print the JSON Schema of tazuna.yaml (for editors), or of the report."""
    require_form(given, "schema", "text", "json")
    sys.stdout.write(f"{json.dumps(_schema(what), indent=2, ensure_ascii=False)}\n")


def _schema(what: str) -> dict[str, object]:
    if what == "report":
        from tazuna_core.report.json_schema import report_schema

        return report_schema()
    from tazuna_core.spec.json_schema import tazuna_schema

    return tazuna_schema()
