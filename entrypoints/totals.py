"""What a run amounts to, pure: one result, summed counts, the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from tazuna_core.errors import worst_exit_code
from tazuna_core.report.exit_code import exit_code, failing_classes
from tazuna_core.report.model import Counts, Report, Reports, Result

_BY_WEIGHT: tuple[Result, ...] = tuple(reversed(get_args(Result)))


@dataclass(frozen=True, slots=True)
class Totals:
    """Result and counts over all targets; ``changed`` when any object differs in any class.

    ``applied`` is None where nothing was to be applied.
    """

    result: Result
    counts: Counts
    changed: bool
    applied: int | None


def reports_of(report: Report | Reports) -> Sequence[Report]:
    """Returns the single reports."""
    return report.reports if isinstance(report, Reports) else (report,)


def totals(report: Report | Reports) -> Totals:
    """Sums a run up: the heaviest result, each count added."""
    reports = reports_of(report)
    held = {one.result for one in reports}
    counts = Counts(**{name: sum(getattr(one.counts, name) for one in reports) for name in Counts.model_fields})
    return Totals(
        result=next((result for result in _BY_WEIGHT if result in held), "clean"),
        counts=counts,
        changed=any(obj.classes for one in reports for _, obj in one.objects()),
        applied=sum(one.applied or 0 for one in reports) if any(one.applied is not None for one in reports) else None,
    )


def step_exit_code(report: Report | Reports, fail_on_drift: str) -> int:
    """Returns the step's exit code; what a bare ``true`` fails for depends on each report's command."""
    return worst_exit_code(exit_code(one, failing_classes(one.command, fail_on_drift)) for one in reports_of(report))
