"""`tazuna apply`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tazuna_core.cli.context import Globals, progress, report_of
from tazuna_core.cli.tags import tags_option

if TYPE_CHECKING:
    from tazuna_core.operations.apply_options import ApplyOptions, OnDrift
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("apply")
@tags_option
@click.option("--sync", is_flag=True, help="Send only what is built otherwise than it was applied, and secrets.")
@click.option("--prune", is_flag=True, help="With --sync: delete what no manifest declares any more.")
@click.option(
    "--prune-with-content",
    multiple=True,
    metavar="KIND/NAME",
    help="With --prune, said a second time: this namespace or definition may take along what is not in our state.",
)
@click.option("--atomic", is_flag=True, help="With --sync: save the state of all manifests at the end, or of none.")
@click.option("--sync-report", type=click.Path(path_type=Path), help="With --sync: write commit, drift and count here.")
@click.option("--allow-dirty", is_flag=True, help="With --sync-report: though the work tree has changes.")
@click.option("--only", multiple=True, metavar="KEY", help="Put this object back, its extra fields too; repeatable.")
@click.option(
    "--on-drift",
    default="overwrite",
    type=click.Choice(["overwrite", "refuse"]),
    help="What to do where a change made in the cluster would be undone.",
)
@click.option("--no-wait", is_flag=True, help="Do not wait until objects are ready.")
@click.option("--recreate", is_flag=True, help="Delete and create Jobs and Pods anew though they are unchanged.")
@click.option("--take-over", is_flag=True, help="Apply manifests that were applied from another source.")
@click.option("--break-lock", is_flag=True, help="Take the lock from a run that is known to be dead.")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.pass_obj
def apply_command(
    given: Globals, tags: tuple[str, ...], sync: bool, prune: bool, prune_with_content: tuple[str, ...], atomic: bool,
    sync_report: Path | None, allow_dirty: bool, only: tuple[str, ...], on_drift: OnDrift, no_wait: bool,
    recreate: bool, take_over: bool, break_lock: bool, keys: tuple[str, ...],
) -> None:  # fmt: skip
    """Apply every manifest in order by server-side apply, wait, test, and save state and record.

    KEYs belong to --only, which takes several.
    """
    from tazuna_core.operations.apply_options import ApplyOptions

    if keys and not only:
        raise click.UsageError(f"unexpected argument '{keys[0]}': objects are named by --only")
    how = ApplyOptions(
        recreate=recreate,
        take_over=take_over,
        break_lock=break_lock,
        context_name=os.environ.get("TAZUNA_CONTEXT"),
        no_wait=no_wait,
        on_drift=on_drift,
        sync=sync,
        prune=prune,
        atomic=atomic,
        only=(*only, *keys),
        prune_with_content=prune_with_content,
        sync_report=sync_report,
        allow_dirty=allow_dirty,
    )
    run_apply(given, tags, how)


def run_apply(given: Globals, tags: tuple[str, ...], how: ApplyOptions) -> NoReturn:
    """Applies, prints the report and exits by it."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.apply import apply

        return apply(replace(options, tags=tags), how, progress, _print_values if _may_print(given) else None)

    report_of(given, "apply", work)


def _may_print(given: Globals) -> bool:
    """Whether values of `stdout` outputs may be printed: not into a report of another form, not into a log of CI."""
    in_ci = os.environ.get("CI", "").casefold() not in ("", "0", "false") or "GITHUB_ACTIONS" in os.environ
    return given.output == "text" and not in_ci


def _print_values(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
