"""`tazuna apply`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, progress, report_of
from tazuna_core.cli.tags import tags_option

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("apply")
@tags_option
@click.option("--recreate", is_flag=True, help="Delete and create Jobs and Pods anew though they are unchanged.")
@click.option("--take-over", is_flag=True, help="Apply manifests that were applied from another source.")
@click.option("--break-lock", is_flag=True, help="Take the lock from a run that is known to be dead.")
@click.pass_obj
def apply_command(given: Globals, tags: tuple[str, ...], recreate: bool, take_over: bool, break_lock: bool) -> None:
    """Apply every manifest in order by server-side apply, and save state and record."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.apply import ApplyOptions, apply

        how = ApplyOptions(recreate, take_over, break_lock, os.environ.get("TAZUNA_CONTEXT"))
        return apply(replace(options, tags=tags), how, progress)

    report_of(given, "apply", work)
