"""`tazuna check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, report_of

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("check")
@click.option("--strict", is_flag=True, help="Lints, and what could not be linted, are errors; charts are fetched.")
@click.option("--fix", is_flag=True, help="First mend what has one clear answer: names, misspelt fields and words.")
@click.pass_obj
def check_command(given: Globals, strict: bool, fix: bool) -> None:
    """Validate tazuna.yaml and the files beside it, and lint what makes a rebuild differ; without a cluster."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.check import check

        return check(options, strict=strict, fix=fix)

    report_of(given, "check", work)
