"""Prepares fields for the HTML page: one cell a side, long values as lines side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tazuna_core.diff.verdicts import Side
from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.line_diff import LineDiff, line_diff, needs_lines
from tazuna_core.report.model import FieldChange, ObjectReport
from tazuna_core.report.values import clean
from tazuna_core.report.views import FieldView, Sided, view
from tazuna_core.report.words import has_owner_words, left_out, note_of, owner_words, values_in_words

WIDTH = 400
MOST_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of one side: ``kind`` is ``same``, ``from``, ``to``, ``other`` or ``absent``."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A line on both sides; a mark of ``@`` stands for lines left out."""

    left: str
    right: str
    left_mark: str
    right_mark: str


@dataclass(frozen=True, slots=True)
class Split:
    """Two values side by side; ``single`` names the only side that has the field."""

    left: str
    right: str
    remark: str
    single: Literal["", "left", "right"]
    rows: tuple[SplitRow, ...]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field: its cells by side, or its values side by side, and who and what about it."""

    path: str
    verdict: str
    word: str
    cells: tuple[Cell, ...]
    secret: str
    splits: tuple[Split, ...]
    who: str
    fate: str
    note: str


def field_row(field: FieldChange, obj: ObjectReport, sides: tuple[Side, ...], lang: Lang) -> FieldRow:
    """Returns a field of an object as the page shows it."""
    seen = view(field, obj)
    pairs = [(seen.before, seen.after)] + ([(seen.before, seen.other)] if seen.other else [])
    secret = say(lang, f"secret.{seen.secret}") if seen.secret else ""
    long = not secret and any(needs_lines(one.value, other.value) for one, other in pairs)
    return FieldRow(
        path=clean(field.path) or say(lang, "field.whole"),
        verdict=field.verdict,
        word=say(lang, f"verdict.{field.verdict}"),
        cells=() if secret or long else _cells(seen, sides, lang),
        secret=secret,
        splits=tuple(_split(one, other, lang) for one, other in pairs) if long else (),
        who=owner_words(field.owner, lang) if has_owner_words(seen) else "",
        fate=say(lang, f"fate.{seen.fate}") if seen.fate else "",
        note=clean(note_of(seen)),
    )


def _cells(seen: FieldView, sides: tuple[Side, ...], lang: Lang) -> tuple[Cell, ...]:
    field, changed = seen.change, (seen.before.side, seen.after.side)
    values = [getattr(field, side) if field.has(side) else ABSENT for side in sides]
    texts = values_in_words(values, WIDTH, lang, seen.absent)
    start = texts[sides.index(changed[0])] if changed[0] in sides else None
    cells = []
    for side, value, text in zip(sides, values, texts, strict=True):
        if value is ABSENT:
            kind = "absent"
        elif side == changed[0]:
            kind = "from"
        elif side == changed[1]:
            kind = "to"
        else:
            kind = "same" if text == start else "other"
        cells.append(Cell(text, kind))
    return tuple(cells)


def _split(before: Sided, after: Sided, lang: Lang) -> Split:
    diff = line_diff(before.value, after.value, say(lang, "value.unit"))
    remark = say(lang, f"remark.{diff.remark}") if diff.remark else ""
    single: Literal["", "left", "right"] = (
        "right" if before.value is ABSENT else "left" if after.value is ABSENT else ""
    )
    return Split(_label(before, lang), _label(after, lang), remark, single, tuple(_rows(diff, lang)))


def _label(side: Sided, lang: Lang) -> str:
    return say(lang, f"side.{side.side}")


def _rows(diff: LineDiff, lang: Lang) -> Iterator[SplitRow]:
    removed: list[str] = []
    added: list[str] = []
    shown = diff.lines[:MOST_ROWS]
    for one in (*shown, None):
        if one is None:
            yield from _change(removed, added)
        elif one.mark == "-":
            removed.append(one.text)
        elif one.mark == "+":
            added.append(one.text)
        else:
            yield from _change(removed, added)
            removed, added = [], []
            if one.mark == "@":
                yield SplitRow(left_out(one, lang), "", "@", "@")
            else:
                yield SplitRow(one.text, one.text, " ", " ")
    rest = sum(max(one.skipped, one.rest, 1) for one in diff.lines[MOST_ROWS:])
    if rest > 0:
        yield SplitRow(say(lang, "lines.more", n=rest), "", "@", "@")


def _change(removed: list[str], added: list[str]) -> Iterator[SplitRow]:
    for number in range(max(len(removed), len(added))):
        left, right = number < len(removed), number < len(added)
        yield SplitRow(
            removed[number] if left else "", added[number] if right else "", "-" if left else "", "+" if right else ""
        )
