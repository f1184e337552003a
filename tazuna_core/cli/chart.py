"""`tazuna chart list`."""

from __future__ import annotations

import sys

import click

from tazuna_core.cli.context import Globals, print_json, require_form
from tazuna_core.errors import worst_exit_code


@click.group("chart")
def chart_group() -> None:
    """The charts that helmfile manifests use."""


@chart_group.command("list")
@click.option("--check-latest", is_flag=True, help="Ask each chart's repository for the latest version; takes seconds.")
@click.pass_obj
def list_command(given: Globals, check_latest: bool) -> int:
    """List chart, release, file and version of every release; no cluster is asked."""
    from tazuna_core.operations.chart_list import chart_list
    from tazuna_core.report.text_lists import chart_list_text

    require_form(given, "chart list", "text", "json")
    found = chart_list(given.options, check_latest=check_latest)
    if given.output == "json":
        print_json("chart list", {"charts": found.rows}, found.errors)
    else:
        sys.stdout.write(chart_list_text(found.rows, check_latest=check_latest))
    for error in found.errors:
        sys.stderr.write(f"tazuna: {error}\n")
    return worst_exit_code(error.exit_code for error in found.errors)
