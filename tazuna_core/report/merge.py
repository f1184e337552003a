"""Puts several reports into one file."""

from __future__ import annotations

from collections.abc import Iterable

from tazuna_core.report.model import Report, Reports


def merge(reports: Iterable[Report | Reports]) -> Reports:
    """Returns all reports as one, in the order given; a report given twice is kept once."""
    result: list[Report] = []
    for one in reports:
        for report in one.reports if isinstance(one, Reports) else (one,):
            if report not in result:
                result.append(report)
    return Reports(reports=tuple(result))
