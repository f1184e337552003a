"""`tazuna report render` and `report merge`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tazuna_core.cli.context import Globals, finish
from tazuna_core.errors import UsageError


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
    """Print several reports as one."""
    from tazuna_core.report.merge import merge
    from tazuna_core.report.model import load_report

    finish(given, merge(load_report(_read(source), str(source)) for source in sources))


def _read(source: Path) -> bytes:
    if str(source) == "-":
        return sys.stdin.buffer.read()
    try:
        return source.read_bytes()
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from None
