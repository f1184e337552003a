"""From a report to an exit code, in one place, so that text, JSON and code can never disagree (contract, section 3)."""

from __future__ import annotations

from typing import get_args

from tazuna_core.diff.verdicts import ObjectClass
from tazuna_core.errors import ClusterError, UsageError, worst_exit_code
from tazuna_core.report.model import Report, Reports

OBJECT_CLASSES: tuple[ObjectClass, ...] = get_args(ObjectClass)

DEFAULT_FAILING: dict[str, frozenset[ObjectClass]] = {
    "plan": frozenset({"drifted", "missing", "conflict"}),
    "state drift": frozenset({"drifted", "missing"}),
    "state diff": frozenset({"added", "modified", "removed"}),
}
"""What a bare ``--fail-on-drift`` means, by command."""


def failing_classes(command: str, fail_on_drift: str | None) -> frozenset[ObjectClass]:
    """Reads a ``--fail-on-drift`` value: None or "false" (never), "" or "true" (the command's default), or classes.

    Raises UsageError for a word that is no class.
    """
    text = None if fail_on_drift is None else fail_on_drift.strip()
    if text is None or text.lower() == "false":
        return frozenset()
    if text == "" or text.lower() == "true":
        return DEFAULT_FAILING.get(command, frozenset())
    words = text.replace(",", " ").split()
    unknown = [word for word in words if word not in OBJECT_CLASSES]
    if unknown:
        raise UsageError(
            f"'{unknown[0]}' is not a class of --fail-on-drift", advice=f"Use any of: {', '.join(OBJECT_CLASSES)}."
        )
    return frozenset(word for word in OBJECT_CLASSES if word in words)


def exit_code(report: Report | Reports, failing: frozenset[ObjectClass] | None = None) -> int:
    """Returns the process's exit code for ``report``.

    ``failing`` holds the classes that the user wants a failure for; 1 is returned exactly when an object of one of
    them is listed and nothing worse happened.
    """
    if isinstance(report, Reports):
        return worst_exit_code(exit_code(one, failing) for one in report.reports)
    codes = [line.exit_code for line in report.errors]
    if not report.coverage.complete:
        codes.append(ClusterError.exit_code)
    if failing and any(failing.intersection(obj.classes) for _, obj in report.objects()):
        codes.append(1)
    return worst_exit_code(codes)
