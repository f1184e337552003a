"""Reports of what never came to a report: an error of the user's or of ours, as one that is rendered like any other."""

from __future__ import annotations

import traceback
from pathlib import Path

from tazuna_core import __version__
from tazuna_core.errors import TazunaError
from tazuna_core.report.model import Counts, Coverage, ErrorLine, Report, Run, Target
from tazuna_core.spec.problems import SpecError

REPORT_COMMANDS = {"drift": "state drift", "diff": "state diff", "sync": "apply"}
"""What the report calls a command, where the action's word is shorter."""


def failure_report(command: str, target: Target, error: Exception) -> Report:
    """Returns the report of a command that raised ``error``; anything but a TazunaError is a defect (exit 70)."""
    return Report(
        command=REPORT_COMMANDS.get(command, command),
        target=target,
        sides=(),
        result="error",
        counts=Counts(),
        coverage=Coverage(),
        errors=tuple(_lines(error)),
        run=Run(version=__version__),
    )


def defect_line(error: Exception) -> ErrorLine:
    """Returns type and place of a defect. Neither message nor traceback: both may hold what a manifest held."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return ErrorLine(
        code=TazunaError.default_code,
        message=f"A defect of tazuna {__version__}: {type(error).__name__}{place}.",
        advice="Please report it with this line.",
        exit_code=TazunaError.exit_code,
    )


def _lines(error: Exception) -> list[ErrorLine]:
    if isinstance(error, SpecError):
        return [ErrorLine.of(one) for one in error.errors]
    return [ErrorLine.of(error) if isinstance(error, TazunaError) else defect_line(error)]
