"""`tazuna destroy`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, progress, report_of
from tazuna_core.cli.tags import tags_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tazuna_core.operations.options import Options
    from tazuna_core.operations.remove import Doomed
    from tazuna_core.report.model import Report

_SHOWN = 20


@click.command("destroy")
@tags_option
@click.option("--force", is_flag=True, help="Do not ask.")
@click.option(
    "--prune-with-content",
    multiple=True,
    metavar="KIND/NAME",
    help="Said a second time: this namespace or definition may take along what is not in our state.",
)
@click.option("--break-lock", is_flag=True, help="Take the lock from a run that is known to be dead.")
@click.pass_obj
def destroy_command(
    given: Globals, tags: tuple[str, ...], force: bool, prune_with_content: tuple[str, ...], break_lock: bool
) -> None:
    """Delete every object of the state, in reverse order. Needs TAZUNA_DESTROY_EXECUTABLE=true."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.destroy import DestroyOptions, destroy

        how = DestroyOptions(
            executable=os.environ.get("TAZUNA_DESTROY_EXECUTABLE") == "true",
            confirmed=(lambda _doomed: True) if force else _asked,
            prune_with_content=prune_with_content,
            break_lock=break_lock,
            context_name=os.environ.get("TAZUNA_CONTEXT"),
        )
        return destroy(replace(options, tags=tags), how, progress)

    report_of(given, "destroy", work)


def _asked(doomed: Sequence[Doomed]) -> bool:
    for one in doomed[:_SHOWN]:
        sys.stderr.write(f"  {one.key}\n")
    if len(doomed) > _SHOWN:
        sys.stderr.write(f"  ... and {len(doomed) - _SHOWN} more\n")
    try:
        these = "this object" if len(doomed) == 1 else f"these {len(doomed)} objects"
        return click.confirm(f"Delete {these}?", err=True)
    except click.Abort:  # nobody there to answer
        return False
