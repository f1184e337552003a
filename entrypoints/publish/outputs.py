"""Writes the step's outputs: names from one list, values that can't break out of their line."""

from __future__ import annotations

from collections.abc import Mapping

from actions_toolkit import core

NAMES = (
    "result",
    "exit-code",
    "changed",
    "added",
    "modified",
    "removed",
    "drifted",
    "missing",
    "conflicts",
    "unchecked",
    "report-path",
    "html-path",
    "comment-posted",
    "comment-url",
    "issue-number",
    "applied",
    "repo-commit",
)
"""All outputs, as action.yml has them."""


def write_outputs(values: Mapping[str, str | int | bool]) -> None:
    """Appends to the file in GITHUB_OUTPUT. Raises KeyError for an unknown name."""
    for name, value in values.items():
        if name not in NAMES:
            raise KeyError(name)
        core.set_output(name, str(value).lower() if isinstance(value, bool) else str(value))
