"""What the global options say, and what every command does with its report: write it, print it, exit by it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import click

from tazuna_core import tracing
from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.operations.options import Options

if TYPE_CHECKING:
    from tazuna_core.report.model import Report, Reports

Form = Literal["text", "json", "markdown", "html"]
Lang = Literal["en", "ja"]


@dataclass(frozen=True, slots=True)
class Globals:
    """The global options of one call."""

    options: Options
    output: Form = "text"
    report_file: Path | None = None
    fail_on_drift: str | None = None
    lang: Lang = "en"
    no_color: bool = False

    @property
    def colour(self) -> bool:
        """Colour is for terminals that have it, and for people who want it (no-color.org: set and not empty)."""
        unwanted = self.no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return not unwanted and sys.stdout.isatty()


def cache_directory() -> Path | None:
    """Returns the user's cache folder for this program; None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and f"{os.environ['HOME']}/.cache")
    return Path(base) / "tazuna" if base else None


def report_of(given: Globals, command: str, work: Callable[[Options], Report]) -> NoReturn:
    """Runs a command that makes a report; prints it in the wanted form and exits by it.

    An error before there is anything to report becomes a report of its own, so that whoever reads JSON gets JSON.
    """
    from tazuna_core import __version__
    from tazuna_core.report.failed import failure_report
    from tazuna_core.report.model import Run, Target

    started = datetime.now(UTC)
    try:
        report = work(given.options)
    except TazunaError as error:
        target = Target(file=str(given.options.file), environment=given.options.environment)
        report = failure_report(command, target, error)
    seconds = round((datetime.now(UTC) - started).total_seconds(), 3)
    run = Run(started=started.strftime("%Y-%m-%dT%H:%M:%SZ"), seconds=seconds, version=__version__)
    finish(given, report.model_copy(update={"run": run}))


def require_form(given: Globals, command: str, *forms: Form) -> None:
    """Raises UsageError where another form is asked of a command that makes no report: no option is ignored."""
    if given.output not in forms or given.report_file is not None:
        raise UsageError(
            f"`{command}` prints {' or '.join(forms)} alone",
            advice="Other forms and --report-file are for commands that make a report.",
        )


def print_json(command: str, fields: Mapping[str, object], errors: Iterable[TazunaError] = ()) -> None:
    """Prints the JSON form of a command that makes no report: ``fields``, and ``errors`` as a report has them."""
    import orjson

    from tazuna_core.report.model import SCHEMA_VERSION, ErrorLine

    lines = [ErrorLine.of(error).model_dump(by_alias=True) for error in errors]
    data = {"schemaVersion": SCHEMA_VERSION, "command": command, **fields, "errors": lines}
    sys.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())


def finish(given: Globals, report: Report | Reports) -> NoReturn:
    """Writes the report file, prints the report, exits with its code."""
    from tazuna_core.report.exit_code import exit_code, failing_classes
    from tazuna_core.report.model import Reports
    from tazuna_core.report.render import render

    if tracing.is_on() and not isinstance(report, Reports):
        from tazuna_core.cli.otlp import report_attributes

        tracing.note(report_attributes(report))
    command = report.reports[0].command if isinstance(report, Reports) else report.command
    failing = failing_classes(command, given.fail_on_drift)
    options = given.options
    if given.report_file is not None:
        content = render(report, "json", given.lang, show_secret_hashes=options.show_secret_hashes)
        write(given.report_file, content)
    text = render(
        report,
        given.output,
        given.lang,
        colour=given.colour,
        show_all=options.all,
        show_secret_hashes=options.show_secret_hashes,
    )
    sys.stdout.write(text)
    raise click.exceptions.Exit(exit_code(report, failing))


def write(path: Path, content: str) -> None:
    """Writes a file whole. Raises UsageError where that is not possible."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def progress(line: str) -> None:
    """Prints a line of progress; reports go to stdout, this does not."""
    sys.stderr.write(f"{line}\n")
