"""Text to documents: splits a YAML or JSON stream and reads it as kubectl and the Go CLI read it (verdicts, 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.errors import BuildError, InvalidObjectError, Place
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.json_stream import JsonDocument, read_json_stream
from tazuna_core.objects.model import Notice
from tazuna_core.objects.yaml_cache import ScalarCache
from tazuna_core.objects.yaml_composer import Composer
from tazuna_core.objects.yaml_limits import MAX_DEPTH

_GO_BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What Go's unicode.IsSpace holds for blank; Python's strip() takes some controls too."""

_SEPARATOR = "---"


@dataclass(frozen=True, slots=True)
class Document:
    """One document that is a mapping: its data (never to be changed), its first line, and its place."""

    data: JsonObject
    line: int
    place: Place


@dataclass(frozen=True, slots=True)
class Documents:
    """The mappings of a stream in order, and what the user should see although it loads (repeated keys)."""

    documents: tuple[Document, ...]
    notices: tuple[Notice, ...]


def load_documents(text: bytes | str, source: str) -> Documents:
    """Returns the documents of a YAML or JSON stream, without blank and null ones; ``source`` names it in messages.

    Raises BuildError with the place when the text cannot be read as the Go tools read it, InvalidObjectError when a
    document is no mapping or repeats apiVersion, kind or metadata (C66, C67, C69).
    """
    # A byte that is not UTF-8 becomes a lone surrogate: JSON reads it as U+FFFD, YAML refuses it.
    rest, line = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"), 1
    reader = _Reader(source)
    if rest.lstrip(_GO_BLANKS).startswith("{"):
        rest, line = reader.read_json(rest)
    reader.read_yaml(rest, line)
    return Documents(tuple(reader.documents), tuple(reader.notices))


class _Reader:
    """Collects the documents of one stream; ``number`` counts them for messages."""

    def __init__(self, source: str) -> None:
        self.documents: list[Document] = []
        self.notices: list[Notice] = []
        self._source, self._number, self._cache = source, 0, ScalarCache()

    def read_json(self, text: str) -> tuple[str, int]:
        """Reads JSON objects; returns what is left for YAML and its first line.

        As in Go: when the first or the second value is no JSON, the stream goes on as YAML; after two it must be JSON.
        """
        try:
            stream = read_json_stream(text)
        except RecursionError:
            raise self._too_deep(1) from None
        for document in stream.documents:
            self._number += 1
            self._add_json(document, text)
        if stream.stopped_at < 0:
            return "", 1
        if len(stream.documents) > 1:
            raise BuildError(
                f"document {self._number + 1} is not valid JSON: {stream.problem}",
                advice="A stream that begins with JSON objects must go on with them.",
                place=Place(self._source, _line(text, stream.stopped_at)),
            )
        # Go eats blanks up to the line's end, so that a separator in the next line begins its line.
        end = stream.documents[-1].end if stream.documents else 0
        newline = text.find("\n", end, stream.stopped_at)
        start = stream.stopped_at if newline < 0 else newline + 1
        return text[start:], _line(text, start)

    def read_yaml(self, text: str, first_line: int) -> None:
        """Reads YAML documents."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BuildError(
                "the text is not valid UTF-8",
                advice="Save the file as UTF-8, or put binary data into binaryData as base64.",
                place=Place(self._source, first_line + text.count("\n", 0, error.start)),
            ) from None
        for chunk, line in chunks(text, self._source, first_line):
            self._number += 1
            composer = Composer(chunk, self._source, line, self._number, self._cache)
            composed = composer.compose()
            self.notices += composer.notices
            self._add(composed.data, Place(self._source, composed.line, composed.column))

    def _add_json(self, document: JsonDocument, text: str) -> None:
        line = _line(text, document.start)
        if document.repeats:
            # As YAML the repeated keys have lines; text that is JSON alone (escaped slashes) keeps the document's.
            written = text[document.start : document.end].encode("utf-8", "replace").decode()
            composer = Composer(written, self._source, line, self._number, self._cache)
            try:
                composer.compose()
                self.notices += composer.notices
            except InvalidObjectError:
                raise
            except BuildError:
                message = f"document {self._number} repeats a key in one object; the last one wins"
                self.notices.append(Notice("duplicate-key", message, Place(self._source, line)))
        self._add(document.data, Place(self._source, line))

    def _add(self, data: Any, place: Place) -> None:
        if isinstance(data, dict):
            self.documents.append(Document(data, place.line, place))
        elif data is not None:
            what = "a list" if isinstance(data, list) else "a single value"
            raise InvalidObjectError(
                f"document {self._number} is {what}, not an object",
                advice="An object is a mapping with apiVersion, kind and metadata; list objects with kind: List.",
                place=place,
            )

    def _too_deep(self, line: int) -> BuildError:
        return BuildError(
            f"the JSON is nested deeper than {MAX_DEPTH} levels",
            advice="Kubernetes objects nest some tens of levels; look for a template that includes itself.",
            place=Place(self._source, line),
        )


def chunks(text: str, source: str, first_line: int) -> Iterator[tuple[str, int]]:
    """Yields each document's text and first line (verdicts 8.3; C66).

    As in Go's line reader: CRLF is LF, the last line ends with a newline, and a separator before any other line stays
    in the chunk. A blank chunk is left out.
    """
    text = text.replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n"
    start, line = 0, first_line
    position = 0 if text.startswith(_SEPARATOR) else text.find("\n" + _SEPARATOR) + 1 or len(text)
    while start < len(text):
        if position < len(text):
            end = text.index("\n", position)
            trailing = text[position + len(_SEPARATOR) : end].strip(_GO_BLANKS)
            if trailing and not trailing.startswith("#"):
                raise BuildError(
                    f"'{_SEPARATOR}' separates documents, but '{trailing[:40]}' follows it in the same line",
                    advice="Put the document on a line of its own; only a comment may follow the separator.",
                    place=Place(source, line + text.count("\n", start, position), 4),
                )
        else:
            end = len(text)
        if position > start:
            chunk = text[start:position]
            if chunk.strip(" \n"):
                yield chunk, line
            line += chunk.count("\n") + 1
            start = end + 1
        position = text.find("\n" + _SEPARATOR, end) + 1 or len(text)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
