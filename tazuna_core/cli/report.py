"""`tazuna report render` and `report merge`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, finish
from tazuna_core.errors import UsageError

if TYPE_CHECKING:
    from tazuna_core.report.model import Report, Reports


@click.group("report")
def report_group() -> None:
    """Show a report again in another form, or several as one."""


@report_group.command("render")
@click.option("--from", "source", required=True, type=click.Path(path_type=Path), help="A report in JSON; - is stdin.")
@click.pass_obj
def render_command(given: Globals, source: Path) -> None:
    """Print a report in another form, and exit as the command that made it did."""
    from tazuna_core.report.model import load_report

    finish(given, load_report(_read(source), str(source)))


@report_group.command("merge")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def merge_command(given: Globals, sources: tuple[Path, ...]) -> None:
    """Print several reports as one. One that is not there is an error of the whole, not the end of the others."""
    from tazuna_core.report.merge import merge

    finish(given, merge(_report(source) for source in sources))


def _report(source: Path) -> Report | Reports:
    """Returns the report of a file; a failed one where the file holds none, so that its target is not forgotten."""
    from tazuna_core.report.failed import failure_report
    from tazuna_core.report.model import Target, load_report

    try:
        return load_report(_read(source), str(source))
    except UsageError as error:
        return failure_report("report merge", Target(file=str(source)), error)


def _read(source: Path) -> bytes:
    if str(source) == "-":
        return sys.stdin.buffer.read()
    try:
        return source.read_bytes()
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from None
