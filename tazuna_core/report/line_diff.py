"""Differences of long values as lines: texts by line, maps and lists as YAML, texts that hold JSON formatted first.

The work is bounded: what is far longer than anybody reads is neither matched line by line nor made prettier, and only
its first lines are given; the report's JSON has all of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any, Literal

import orjson
import yaml

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.values import (
    HARMFUL,
    SECRET,
    common_prefix,
    escape_harmful,
    fingerprint,
    is_masked,
    one_line,
    window,
)

Mark = Literal[" ", "+", "-", "@"]
Remark = Literal["line-endings", "final-newline", "trailing-blanks", "json-layout", "escaped", "json"]

ONE_LINE_WIDTH = 100
"""A value longer than this, or of several lines, is shown by lines."""
LINE_WIDTH = 200
_CONTEXT = 3
_MOST_LINES_MATCHED = 20_000
_MOST_LINES_SHOWN = 60_000
_MOST_JSON = 1_500_000
"""Characters: more than an object of a cluster can hold, so what is longer is formatted by nobody's need."""
_MOST_NODES = 10_000
"""Keys and items that are written as YAML; more are written as JSON, which is quicker."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: unchanged (blank), added, removed, or ``@`` for lines left out.

    Those are ``skipped`` unchanged ones, or ``rest`` lines of any kind where there are too many.
    """

    mark: Mark
    text: str = ""
    skipped: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class LineDiff:
    """Two values by lines. ``remark`` says what kind of difference it is; ``before``/``after`` count lines."""

    lines: tuple[DiffLine, ...]
    before: int
    after: int
    remark: Remark | None = None


def needs_lines(before: Any, after: Any) -> bool:
    """Tells whether a pair of values is better read by lines than on one."""
    return any(_is_long(value) for value in (before, after) if value is not ABSENT and not is_masked(value))


def line_diff(before: Any, after: Any, unit: str = "characters") -> LineDiff:
    """Compares two values by lines. Unchanged lines have a blank for a mark (B31), so YAML dashes stay harmless.

    What is cut out of a very long line says the line's size in ``unit``.
    """
    if before is after or (type(before) is type(after) and before == after):
        return LineDiff((), 0, 0)
    if isinstance(before, str) and isinstance(after, str):
        only = _only_difference(before, after)
        if only:
            return LineDiff((), before.count("\n") + 1, after.count("\n") + 1, only)
    remark: Remark | None = None
    texts = _json_texts(before, after)
    if texts:
        before, after = texts
        remark = "json"
        if before == after:
            return LineDiff((), before.count("\n") + 1, after.count("\n") + 1, "json-layout")
    old, new = _as_text(before), _as_text(after)
    if (before is ABSENT or old.endswith("\n")) and (after is ABSENT or new.endswith("\n")):
        old, new = old.removesuffix("\n"), new.removesuffix("\n")
    if any(HARMFUL.search(text) for text in (old, new)):
        # Backslashes are doubled on both sides, so that an escape can't be taken for text that looks like one.
        old, new = (escape_harmful(text.replace("\\", "\\\\"), HARMFUL) for text in (old, new))
        remark = "escaped"
    a = [] if before is ABSENT else old.split("\n")
    b = [] if after is ABSENT else new.split("\n")
    return LineDiff(tuple(_shortened(list(_first_lines(_compared(a, b))), unit)), len(a), len(b), remark)


def _is_long(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" in value.rstrip("\n") or (len(value) > ONE_LINE_WIDTH and _parsed_json(value) is not None)
    if not isinstance(value, (dict, list)):
        return False
    # Each key or item is a character at least, and a comma or a bracket.
    return _more_nodes(value, ONE_LINE_WIDTH) or len(one_line(value)) > ONE_LINE_WIDTH


def _more_nodes(value: Any, limit: int) -> bool:
    """Whether ``value`` has more than ``limit`` keys and items in all, without looking at more of them than that."""
    left, waiting = limit, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (dict, list)):
            left -= len(one)
            if left < 0:
                return True
            waiting.extend(one.values() if isinstance(one, dict) else one)
    return False


def _only_difference(before: str, after: str) -> Remark | None:
    if before.replace("\r\n", "\n") == after.replace("\r\n", "\n"):
        return "line-endings"
    if before.rstrip("\n") == after.rstrip("\n"):
        return "final-newline"
    if [line.rstrip(" \t") for line in before.split("\n")] == [line.rstrip(" \t") for line in after.split("\n")]:
        return "trailing-blanks"
    return None


def _json_texts(before: Any, after: Any) -> tuple[Any, Any] | None:
    """Both sides formatted, where every side that is there is a text that holds JSON on one long line (dashboards)."""
    sides: list[Any] = []
    for value in (before, after):
        if value is ABSENT:
            sides.append(value)
            continue
        parsed = _parsed_json(value) if isinstance(value, str) and "\n" not in value.strip() else None
        if parsed is None:
            return None
        sides.append(json.dumps(parsed, indent=2, ensure_ascii=False))
    return sides[0], sides[1]


def _parsed_json(text: str) -> Any:
    if text[:1] not in ("{", "[") or len(text) > _MOST_JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is ABSENT:
        return ""
    if isinstance(value, (dict, list)) and value and not is_masked(value):
        if _more_nodes(value, _MOST_NODES):
            return _json_by_lines(_without_masks(value))
        text: str = yaml.dump(_without_masks(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**30)
        return text.rstrip("\n")
    return one_line(value)


def _json_by_lines(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # whole numbers beyond 64 bits, lone surrogates
        return json.dumps(value, indent=2)


class _Dumper(yaml.CSafeDumper):
    """YAML for reading: texts of several lines as blocks, list items indented, no anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text_node(dumper: yaml.CSafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text and not HARMFUL.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)


def _without_masks(value: Any) -> Any:
    if is_masked(value):
        return SECRET
    if isinstance(value, dict):
        return {key: _without_masks(item) for key, item in value.items()}
    return [_without_masks(item) for item in value] if isinstance(value, list) else value


def _compared(a: list[str], b: list[str]) -> Iterator[DiffLine]:
    start = _equal_at_start(a, b)
    end = _equal_at_start(a[start:][::-1], b[start:][::-1])
    old, new = a[start : len(a) - end], b[start : len(b) - end]
    yield from _context(a[:start], before=False, after=True)
    if len(old) + len(new) > _MOST_LINES_MATCHED:  # matching is quadratic at worst; nobody reads such a match
        yield from chain(_beginning("-", old), _beginning("+", new))
        codes = []
    else:
        codes = list(SequenceMatcher(None, old, new).get_opcodes())
    for tag, low, high, new_low, new_high in codes:
        if tag == "equal":
            yield from _context(old[low:high], before=True, after=True)
        else:
            yield from (DiffLine("-", line) for line in old[low:high])
            yield from (DiffLine("+", line) for line in new[new_low:new_high])
    yield from _context(a[len(a) - end :] if end else [], before=True, after=False)


def _beginning(mark: Mark, lines: list[str]) -> Iterator[DiffLine]:
    """The first of too many lines, so that those of the other side are seen too."""
    shown = _MOST_LINES_SHOWN // 2 - 2 * _CONTEXT - 2
    yield from (DiffLine(mark, line) for line in lines[:shown])
    if len(lines) > shown:
        yield DiffLine("@", rest=len(lines) - shown)


def _equal_at_start(a: list[str], b: list[str]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _context(lines: list[str], *, before: bool, after: bool) -> Iterator[DiffLine]:
    """Unchanged lines: some after the change before them, some before the next, the rest counted."""
    first, last = (_CONTEXT if before else 0), (_CONTEXT if after else 0)
    skipped = len(lines) - first - last
    if skipped <= 1:
        yield from (DiffLine(" ", line) for line in lines)
        return
    yield from (DiffLine(" ", line) for line in lines[:first])
    yield DiffLine("@", skipped=skipped)
    yield from (DiffLine(" ", line) for line in lines[first + skipped :])


def _first_lines(lines: Iterator[DiffLine]) -> Iterator[DiffLine]:
    """The first lines, and how many there are more."""
    yield from islice(lines, _MOST_LINES_SHOWN)
    rest = sum(max(line.skipped, line.rest, 1) for line in lines)
    if rest:
        yield DiffLine("@", rest=rest)


def _shortened(lines: list[DiffLine], unit: str) -> Iterator[DiffLine]:
    """Cuts very long lines: a removed and an added one around where they differ."""
    index = 0
    while index < len(lines):
        if lines[index].mark not in ("-", "+"):
            yield _cut(lines[index], None, unit)
            index += 1
            continue
        end = next((n for n in range(index, len(lines)) if lines[n].mark not in ("-", "+")), len(lines))
        yield from _shortened_change(lines[index:end], unit)
        index = end


def _shortened_change(lines: list[DiffLine], unit: str) -> Iterator[DiffLine]:
    old, new = [line for line in lines if line.mark == "-"], [line for line in lines if line.mark == "+"]
    for one, other in ((old, new), (new, old)):
        for number, line in enumerate(one):
            yield _cut(line, other[number].text if number < len(other) else None, unit)


def _cut(line: DiffLine, other: str | None, unit: str) -> DiffLine:
    if len(line.text) <= LINE_WIDTH:
        return line
    start = max(0, common_prefix(line.text, other) - LINE_WIDTH // 4) if other is not None else 0
    shown = window(line.text, start, LINE_WIDTH, unit)
    return DiffLine(line.mark, shown if line.mark == " " else f"{shown} [sha256 {fingerprint(line.text)}]")
