"""Turns values of a report into one line of text: quoting, masks, shortening, control characters made harmless.

The rules, decided once for every form:

- a string stands bare when it holds only ``[A-Za-z0-9_./:@+%=-]`` and does not read like a number, a boolean or null
  in YAML; every other string is quoted as in JSON, so ``"3"`` and ``3`` never look alike;
- maps and lists are compact JSON in the order they have;
- a side that lacks the field is ``(absent)``, a secret value is ``(secret)``: neither can be a quoted string;
- control characters, invisible and direction-changing ones are written ``\\u001b``, other text as it is;
- what is too long is cut around the first character that differs, with its size: unequal values never look equal.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.model import MASKED

ABSENT_TEXT: Final = "(absent)"
SECRET: Final = "(secret)"  # noqa: S105 - what is shown instead of one

MaskedWord = Literal["added", "removed", "changed"]

_BARE = re.compile(r"[A-Za-z0-9_./:@+%=-]+")
# Words and numbers of YAML 1.1: bare, they would be taken for something that is no string.
_NOT_A_STRING = re.compile(
    r"(?i:~|null|true|false|yes|no|on|off|y|n|[-+]?(0x[0-9a-f_]+|0o?[0-7_]+|0b[01_]+|[0-9][0-9_]*|\.inf)"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)(e[-+]?[0-9]+)?|\.nan|[-+]?[0-9]+(:[0-5]?[0-9])+)"
)
# Control characters (C0 but tab and newline, DEL, C1), zero-width and direction-changing ones, line and paragraph
# separators, lone surrogates, interlinear marks, tags.
_HARMFUL_CLASS = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff"
    "\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e007f"
)
HARMFUL: Final = re.compile(f"[{_HARMFUL_CLASS}]")
_HARMFUL_ON_A_LINE = re.compile(f"[\\t\\n{_HARMFUL_CLASS}]")
_ANSI = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_])")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def clean(text: str) -> str:
    """Returns a name or a message as one harmless line: ANSI sequences and control characters gone, blanks joined."""
    return " ".join(HARMFUL.sub(" ", _ANSI.sub("", text)).split())


def escape_harmful(text: str, pattern: re.Pattern[str] = _HARMFUL_ON_A_LINE) -> str:
    """Writes what ``pattern`` matches as backslash escapes; the caller has doubled backslashes where that matters."""
    return pattern.sub(lambda match: _escaped(match.group()), text)


def is_masked(value: Any) -> bool:
    """Tells whether ``value`` stands for a secret one."""
    return bool(value == MASKED)


def one_line(value: Any) -> str:
    """Returns ``value`` in full on one line; different values give different lines."""
    if isinstance(value, str) and _BARE.fullmatch(value) and not _NOT_A_STRING.fullmatch(value):
        return value
    return _json(value)


def one_line_each(values: Sequence[Any], width: int, unit: str = "characters") -> list[str]:
    """Returns each of ``values`` on one line of about ``width`` characters; unequal values give unequal lines.

    What is too long is cut around the first place where it differs from another, and says its full size in ``unit``.
    """
    full = [one_line(value) for value in values]
    if all(len(text) <= width for text in full):
        return full
    different = sorted(set(full))
    # In sorted order the neighbours share the longest prefixes, so these places tell all of them apart.
    places = [common_prefix(a, b) for a, b in pairwise(different)]
    start = max(0, min(places, default=0) - width // 4)
    short = {text: window(text, start, width, unit) for text in different}
    if len(set(short.values())) < len(short):
        short = {text: f"{shown} [sha256 {fingerprint(text)}]" for text, shown in short.items()}
    return [short[text] for text in full]


def window(text: str, start: int, width: int, unit: str = "characters") -> str:
    """Returns ``width`` characters of ``text`` from ``start``, marked where it is cut, with its size."""
    if len(text) <= width:
        return text
    start = min(start, len(text) - width)
    end = start + width
    head, tail = ("…" if start else ""), ("…" if end < len(text) else "")
    return f"{head}{text[start:end]}{tail} ({len(text):,} {unit})"


def common_prefix(a: str, b: str) -> int:
    """Returns how many characters ``a`` and ``b`` share at their start."""
    limit = min(len(a), len(b))
    if a[:limit] == b[:limit]:
        return limit
    low, high = 0, limit  # a[:low] equal, a[:high] not: halving beats a loop over 400 kB
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle)
    return low


def fingerprint(text: str) -> str:
    """Returns eight hex digits that tell two shortened texts apart. Never used on secret values."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def masked_word(before: Any, after: Any) -> MaskedWord | None:
    """Returns what happened to a secret value, or None where neither side is one."""
    if not (is_masked(before) or is_masked(after)):
        return None
    if before is ABSENT:
        return "added"
    return "removed" if after is ABSENT else "changed"


def _json(value: Any) -> str:
    if value is ABSENT:
        return ABSENT_TEXT
    if is_masked(value):
        return SECRET
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json_string(str(key))}:{_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_json(item) for item in value) + "]"
    return _json_string(value) if isinstance(value, str) else json.dumps(value)


def _json_string(text: str) -> str:
    return escape_harmful(json.dumps(text, ensure_ascii=False))


def _escaped(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short:
        return short
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
