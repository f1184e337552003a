"""A stream of JSON objects, as Go's decoder reads it before it tries YAML."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tazuna_core.objects.yaml_limits import MAX_DEPTH
from tazuna_core.objects.yaml_resolver import INT64_MAX, INT64_MIN, ScalarError, json_float

_BLANKS = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """One value of the stream and its text; ``repeats`` when one of its objects holds a key twice."""

    data: dict[str, Any] | None
    start: int
    end: int
    repeats: bool


@dataclass(frozen=True, slots=True)
class JsonStream:
    """What could be read: the documents, and where and why reading stopped (-1 when all was read)."""

    documents: tuple[JsonDocument, ...]
    stopped_at: int = -1
    problem: str = ""


def read_json_stream(text: str) -> JsonStream:
    """Reads objects (or nulls) one after another, as far as they are JSON. Raises RecursionError for deep nesting.

    Numbers are exact: integers within int64 are ints, others float64; a number beyond float64 stops the stream, as it
    does in Go. The standard library's parser is used because orjson can't tell repeated keys, which must be reported.
    """
    documents: list[JsonDocument] = []
    repeats: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = {_valid(key): _valid(value) for key, value in pairs}
        if len(data) < len(pairs):
            repeats.append("")
        return data

    decoder = json.JSONDecoder(
        object_pairs_hook=collect, parse_int=_integer, parse_float=_float, parse_constant=_no_constant
    )
    position = _skip_blanks(text, 0)
    while position < len(text):
        repeats.clear()
        try:
            data, end = decoder.raw_decode(text, position)
        except ValueError as error:
            return JsonStream(tuple(documents), position, str(error))
        if data is not None and not isinstance(data, dict):
            return JsonStream(tuple(documents), position, "the value is no object")
        if data and text.count("{", position, end) + text.count("[", position, end) > MAX_DEPTH and _is_too_deep(data):
            raise RecursionError
        documents.append(JsonDocument(data, position, end, bool(repeats)))
        position = _skip_blanks(text, end)
    return JsonStream(tuple(documents))


def _is_too_deep(data: Any) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for value in level
            for member in (value.values() if isinstance(value, dict) else value)
            if isinstance(member, dict | list)
        ]
        if not level:
            return False
    return True


def _skip_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _valid(value: Any) -> Any:
    """Go decodes half a surrogate pair as U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        for index, member in enumerate(value):
            if isinstance(member, str | list):
                value[index] = _valid(member)
    return value


def _integer(text: str) -> int | float:
    if text == "-0":
        return -0.0  # Go's float64 keeps the sign, and the hash shows it
    if len(text) <= 20:
        value = int(text)
        if INT64_MIN <= value <= INT64_MAX:
            return value
    return _float(text)


def _float(text: str) -> int | float:
    try:
        return json_float(float(text))
    except ScalarError:
        raise ValueError(f"the number {text} is no float64") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
