"""A file of several documents: where each stands, and the file with one of them changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.edit.yaml_text import edited
from tazuna_core.objects.comparable import same
from tazuna_core.objects.json_stream import read_json_stream
from tazuna_core.objects.yaml_documents import load_documents

_SEPARATOR = "---"
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file: its data and ``text[start:end]``."""

    data: dict[str, Any]
    start: int
    end: int
    is_json: bool = False


def decoded(content: bytes) -> str:
    """Returns a file's text, byte order mark included. Raises CannotEditError where it is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise CannotEditError("it is not valid UTF-8") from None


def parts_of(text: str) -> list[Part]:
    """Returns the documents of a text that loads. Raises CannotEditError where it cannot tell where each one is."""
    begin = len(_MARK) if text.startswith(_MARK) else 0
    parts = _json_parts(text) if text[begin:].lstrip().startswith("{") else None
    if parts is None:
        parts = []
        for start, end in _spans(text, begin):
            found = load_documents(text[start:end], "text").documents
            parts += [Part(document.data, start, end) for document in found]
    whole = [document.data for document in load_documents(text, "text").documents]
    if not same([part.data for part in parts], whole):
        raise CannotEditError("its documents cannot be told apart")
    return parts


def with_document(text: str, part: Part, data: dict[str, Any]) -> str:
    """Returns the text with other data in one of its documents; every other byte of it stays."""
    above = text.count("\n", 0, part.start)
    new = edited(text[part.start : part.end], data, is_json=part.is_json, lines_above=above)
    return text[: part.start] + new + text[part.end :]


def _json_parts(text: str) -> list[Part] | None:
    """The documents of a stream of JSON; None where it is YAML in flow style after all."""
    stream = read_json_stream(text.removeprefix(_MARK))
    shift = len(text) - len(text.removeprefix(_MARK))
    if stream.stopped_at >= 0:
        return None
    found = [document for document in stream.documents if document.data is not None]
    return [Part(one.data or {}, one.start + shift, one.end + shift, is_json=True) for one in found]


def _spans(text: str, at: int) -> list[tuple[int, int]]:
    """The text between separators, as `yaml_documents` cuts it, but of the text as it is written."""
    spans, start = [], at
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if text.startswith(_SEPARATOR, at) and at > start:
            spans.append((start, at))
        if text.startswith(_SEPARATOR, at):
            start = end
        at = end
    return [*spans, (start, len(text))]
