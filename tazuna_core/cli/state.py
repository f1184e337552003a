"""`tazuna state list`, `state record`, `state diff`, `state drift`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from tazuna_core.cli.context import Globals, progress, report_of, require_form
from tazuna_core.cli.tags import tags_option

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.group("state")
def state_group() -> None:
    """What was applied: list it, compare it with the build, compare it with the cluster."""


@state_group.command("list")
@click.pass_obj
def list_command(given: Globals) -> None:
    """List the objects of the state with their content hashes."""
    from tazuna_core.operations.state_list import state_tables
    from tazuna_core.report.text_tables import state_list_text

    require_form(given, "state list", "text")
    tables = state_tables(given.options)
    sys.stdout.write(
        state_list_text(
            tables, show_secret_hashes=given.options.show_secret_hashes, lang=given.lang, colour=given.colour
        )
    )


@state_group.command("record")
@tags_option
@click.pass_obj
def record_command(given: Globals, tags: tuple[str, ...]) -> None:
    """Write the record for what the Go CLI or an older version applied, after proving it. Our ConfigMaps only."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.record import state_record

        return state_record(replace(options, tags=tags), os.environ.get("TAZUNA_CONTEXT"), progress)

    report_of(given, "state record", work)


@state_group.command("diff")
@tags_option
@click.pass_obj
def diff_command(given: Globals, tags: tuple[str, ...]) -> None:
    """Compare what the repository builds to with what was applied. Live objects are not read."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.diff import state_diff

        return state_diff(replace(options, tags=tags))

    report_of(given, "state diff", work)


@state_group.command("drift")
@click.option(
    "--compare", default="record", type=click.Choice(["record", "hash"]), help="hash is the Go CLI's literal rule."
)
@click.option("--all-state", is_flag=True, help="Every state of the namespace; needs no tazuna.yaml.")
@click.pass_obj
def drift_command(given: Globals, compare: Literal["record", "hash"], all_state: bool) -> None:
    """Compare what was applied with the cluster: which field, who, when. Builds nothing."""

    def work(options: Options) -> Report:
        from tazuna_core.operations.drift import state_drift

        return state_drift(options, all_state=all_state, compare=compare)

    report_of(given, "state drift", work)


@state_group.command("sync")
@tags_option
@click.option("--atomic", is_flag=True, help="Save the state of all manifests at the end, or of none.")
@click.pass_obj
def sync_command(given: Globals, tags: tuple[str, ...], atomic: bool) -> None:
    """The older spelling of `apply --sync`; TAZUNA_STATE_SYNC_DELETE=true is its --prune."""
    from tazuna_core.cli.apply import run_apply
    from tazuna_core.operations.apply_options import ApplyOptions

    prune = os.environ.get("TAZUNA_STATE_SYNC_DELETE") == "true"
    context_name = os.environ.get("TAZUNA_CONTEXT")
    run_apply(given, tags, ApplyOptions(sync=True, prune=prune, atomic=atomic, context_name=context_name))
