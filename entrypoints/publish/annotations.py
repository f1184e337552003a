"""The only module that prints workflow commands: annotations with file and line, and a fence around foreign output."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from actions_toolkit import command, core

from tazuna_core.report.model import ErrorLine

_SHOWN = 10  # GitHub shows ten of a kind in a step and drops the rest without a word
_LONGEST = 4000


def annotate(errors: Sequence[ErrorLine], warnings: Sequence[ErrorLine], *, places: bool) -> None:
    """Prints errors and warnings; with ``places`` as annotations of their file and line."""
    for lines, tell in ((errors, core.error), (warnings, core.warning)):
        for line in lines[:_SHOWN]:
            where = f"{line.file}:{line.line}: " if line.file and not places and line.line else ""
            properties = {"title": f"tazuna: {line.code}"}
            if places and line.file:
                properties["file"] = line.file
                if line.line:
                    properties["start_line"] = str(line.line)
            tell(_plain(f"{where}{line.message}\n{line.advice}".strip()), **properties)
        if len(lines) > _SHOWN:
            core.info(f"... and {len(lines) - _SHOWN} more, all in the report.")


def notice(message: str) -> None:
    """Prints a notice."""
    core.notice(_plain(message), title="tazuna")


def warning(message: str) -> None:
    """Prints a warning."""
    core.warning(_plain(message), title="tazuna")


def error(message: str) -> None:
    """Prints an error."""
    core.error(_plain(message), title="tazuna")


def mask(secret: str) -> None:
    """Has the runner hide ``secret`` in the log from here on."""
    for line in secret.splitlines():
        if line.strip():
            core.set_secret(line.strip())


@contextmanager
def foreign_output() -> Iterator[None]:
    """Within it, nothing printed is taken for a workflow command, whatever a manifest or another program says."""
    token = secrets.token_hex(16)
    command.issue("stop-commands", token)
    sys.stdout.flush()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # A line of its own even when the foreign output did not end its last one.
        sys.stdout.write("\n")
        command.issue(token)
        sys.stdout.flush()


def _plain(text: str) -> str:
    """Text without control characters; new lines stay, the toolkit encodes them."""
    kept = "".join(character for character in text if character.isprintable() or character == "\n")
    return kept if len(kept) <= _LONGEST else f"{kept[:_LONGEST]}..."
