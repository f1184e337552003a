"""Renders one field as text: ``path: recorded -> live   (manager, time)``, long values by lines beneath."""

from __future__ import annotations

from collections.abc import Iterator

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.colour import Line, Span, Tone, line
from tazuna_core.report.line_diff import LineDiff, line_diff, needs_lines
from tazuna_core.report.model import FieldChange, ObjectReport
from tazuna_core.report.values import clean
from tazuna_core.report.views import DRIFT_COMMANDS, FieldView, Sided, view
from tazuna_core.report.words import has_owner_words, left_out, note_of, owner_words, values_in_words

WIDTH = 120
"""Characters of a value on a field line."""
MOST_LINES = 40
"""Lines shown of one long value; how many more there are is said."""
_LINE_TONES: dict[str, Tone] = {"+": "new", "-": "bad", "@": "quiet", " ": "quiet"}


def field_lines(field: FieldChange, obj: ObjectReport, command: str, lang: Lang) -> Iterator[Line]:
    """Yields the lines of one field of an object, indented six blanks."""
    seen = view(field, obj)
    path = clean(field.path) or say(lang, "field.whole")
    owner = f"   ({owner_words(field.owner, lang)})" if has_owner_words(seen) else ""
    tag = _tag(seen, command, lang)
    tail = [Span(owner, "quiet")]
    if tag:
        tail.append(Span(f"   [{tag}]", "alarm" if field.verdict == "conflict" else "quiet"))
    if seen.secret:
        yield line(f"      {path}: ", Span(say(lang, f"secret.{seen.secret}"), "changed"), *tail)
        return
    compared = [_compared(seen.before, seen.after, lang)]
    compared += [_compared(seen.before, seen.other, lang)] if seen.other else []
    if not any(compared):
        before, after, *other = values_in_words([side.value for side in seen.sides()], WIDTH, lang, seen.absent)
        live: list[Span | str] = [f", {say(lang, 'side.live')}: ", Span(other[0], "alarm")] if other else []
        yield line(f"      {path}: ", Span(before, "bad"), " -> ", Span(after, "new"), *live, *tail)
        return
    sizes = [
        _size(side, diff, lang, seen.absent)
        for side, diff in zip(seen.sides(), _diffs_of_sides(compared), strict=False)
    ]
    live_size = f", {say(lang, 'side.live')}: {sizes[2]}" if len(sizes) > 2 else ""
    remarks = say(lang, "list.comma").join(
        dict.fromkeys(say(lang, f"remark.{diff.remark}") for diff in compared if diff and diff.remark)
    )
    yield line(f"      {path}: {sizes[0]} -> {sizes[1]}{live_size}", f", {remarks}" if remarks else "", *tail)
    names = ["", say(lang, "side.live")] if seen.other else [""]
    for name, diff in zip(names, compared, strict=True):
        if name and diff:
            yield line(Span(f"        @ {name}", "quiet"))
        yield from _lines(diff, lang) if diff else ()


def _compared(before: Sided, after: Sided, lang: Lang) -> LineDiff | None:
    if not needs_lines(before.value, after.value):
        return None
    return line_diff(before.value, after.value, say(lang, "value.unit"))


def _diffs_of_sides(compared: list[LineDiff | None]) -> list[tuple[LineDiff | None, str]]:
    first, last = compared[0], compared[-1]
    return [(first or last, "before"), (first, "after"), (last, "after")]


def _size(side: Sided, diff: tuple[LineDiff | None, str], lang: Lang, absent: str) -> str:
    compared, which = diff
    if side.value is ABSENT or compared is None or not isinstance(side.value, (str, dict, list)):
        return values_in_words([side.value], WIDTH, lang, absent)[0]
    number = compared.before if which == "before" else compared.after
    return f"({say(lang, 'lines.count', n=number)})"


def _lines(diff: LineDiff, lang: Lang) -> Iterator[Line]:
    for one in diff.lines[:MOST_LINES]:
        content = f"@ {left_out(one, lang)}" if one.mark == "@" else one.mark + one.text
        yield line(Span(f"        {content}", _LINE_TONES[one.mark]))
    rest = sum(max(one.skipped, one.rest, 1) for one in diff.lines[MOST_LINES:])
    if rest:
        yield line(Span(f"        @ {say(lang, 'lines.more', n=rest)}", "quiet"))


def _tag(seen: FieldView, command: str, lang: Lang) -> str:
    """What a field line can't show by its values: the verdict where it is not the usual one, and what merging does."""
    field = seen.change
    usual = "drifted" if command in DRIFT_COMMANDS else "planned"
    words = [] if field.verdict == usual else [say(lang, f"verdict.{field.verdict}")]
    if seen.fate:
        words.append(say(lang, f"fate.was.{seen.fate}" if command == "apply" else f"fate.{seen.fate}"))
    note = note_of(seen)
    if note:
        words.append(clean(note))
    return say(lang, "list.comma").join(words)
