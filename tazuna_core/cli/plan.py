"""`tazuna plan`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, report_of
from tazuna_core.cli.tags import tags_option
from tazuna_core.errors import UsageError

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report

_BASE = "base:"


@click.command("plan")
@tags_option
@click.option(
    "--against", default="live", metavar="live|base:REF", help="base:REF compares with the build of a commit."
)
@click.option("--dry-run", type=click.Choice(["server"]), help="Ask the server as well; needs the right to patch.")
@click.pass_obj
def plan_command(given: Globals, tags: tuple[str, ...], against: str, dry_run: str | None) -> None:
    """Show what merging would change, field by field, and where it meets a change made by hand. Reads only.

    Merging is `apply --sync`: it sends the objects that the repository changed. A plain `apply` sends every object, so
    it also puts back what was changed by hand in the others.
    """

    def work(options: Options) -> Report:
        options = replace(options, tags=tags)
        if against != "live" and dry_run:
            raise UsageError("--dry-run asks the cluster, and --against base:REF asks none", advice="Give one of them.")
        if against.startswith(_BASE):
            from tazuna_core.operations.base_plan import base_plan

            return base_plan(options, against.removeprefix(_BASE))
        if against != "live":
            raise UsageError(f"'{against}' is nothing to compare with", advice="--against is live or base:REF.")
        from tazuna_core.operations.plan import plan

        return plan(options, dry_run=dry_run is not None)

    report_of(given, "plan", work)
