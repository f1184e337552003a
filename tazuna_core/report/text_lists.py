"""The frames of ``tags`` and ``chart list`` over simple rows; as the Go CLI prints them, because people grep it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tazuna_core.report.values import clean

_NONE, _FAILED = "-", "(error)"
_GAP = 2


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag and the names of the manifests that have it."""

    tag: str
    manifests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A release and its chart. ``latest`` is None where it was not asked for or is not known (``error`` says why).

    ``outdated`` is None where the two versions cannot be compared.
    """

    manifest: str
    chart: str
    release: str
    file: str
    version: str
    latest: str | None = None
    outdated: bool | None = None
    error: str = ""


def tags_text(rows: Iterable[TagRow]) -> str:
    """Returns each tag with its manifests below it."""
    lines = [line for row in rows for line in (f"{row.tag}:", *(f"- {name}" for name in row.manifests))]
    return "".join(f"{clean(line)}\n" for line in lines)


def chart_list_text(rows: Iterable[ChartRow], *, check_latest: bool) -> str:
    """Returns the table, with the column LATEST where it was asked for."""
    table = [["CHART", "RELEASE", "FILE", "VERSION", *(["LATEST"] if check_latest else [])]]
    for row in rows:
        newest = [_FAILED if row.error else row.latest or _NONE] if check_latest else []
        table.append([row.chart or _NONE, row.release, row.file, row.version or _NONE, *newest])
    return _aligned([[clean(cell) for cell in row] for row in table])


def _aligned(table: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) + _GAP for column in zip(*table, strict=True)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)) + row[-1] + "\n"
        for row in table
    )
