"""The tables on top of a markdown report: counts by manifest, and counts by target where there are several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.markdown_escape import code, plain
from tazuna_core.report.model import ManifestReport, ObjectReport, Report
from tazuna_core.report.words import headline, target_place

_COLUMNS = ("conflict", "removed", "missing", "drifted", "modified", "added", "unknown-extra")


def counts_table(rows: Sequence[tuple[ManifestReport, list[ObjectReport]]], lang: Lang) -> str:
    """Returns counts by manifest; the columns are the classes that occur."""
    columns = [one for one in _COLUMNS if any(one in obj.classes for _, objects in rows for obj in objects)]
    if not columns:
        return ""
    heads = [say(lang, "manifest"), *(_column(one, lang) for one in columns)]
    lines = [_cells(heads), _cells(["---", *("--:" for _ in columns)])]
    for manifest, objects in rows:
        numbers = [sum(column in obj.classes for obj in objects) for column in columns]
        lines.append(_cells([code(manifest.name, cell=True), *(str(number or "") for number in numbers)]))
    return "\n".join(lines) + "\n\n"


def targets_table(reports: Iterable[Report], lang: Lang) -> str:
    """Returns a row for each target: what it is, how much of it was checked, what was found."""
    lines = [
        _cells([say(lang, "target"), say(lang, "checked.title"), say(lang, "found")]),
        _cells(["---", "--:", "---"]),
    ]
    for report in reports:
        coverage = report.coverage
        checked = f"{coverage.checked:,} / {coverage.expected:,}"
        place = target_place(report, lambda text: code(text, cell=True))
        lines.append(_cells([place, checked, plain(headline(report, lang))]))
    return "\n".join(lines) + "\n\n"


def _column(name: str, lang: Lang) -> str:
    # The words of the counts without their number.
    words = say(lang, f"count.{name.replace('-', '_')}", n=2)
    return re.sub(r"\s*2\s*", "", words)


def _cells(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
