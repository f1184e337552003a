"""`tazuna plan`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, report_of
from tazuna_core.cli.tags import tags_option

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("plan")
@tags_option
@click.pass_obj
def plan_command(given: Globals, tags: tuple[str, ...]) -> None:
    """Show what applying would change, field by field, and where it meets a change made by hand. Reads only."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.plan import plan

        return plan(replace(options, tags=tags))

    report_of(given, "plan", work)
