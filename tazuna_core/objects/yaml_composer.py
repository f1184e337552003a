"""One YAML document's events to JSON data: mappings, merges, anchors and keys as go-yaml v2 and sigs.k8s.io/yaml do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from tazuna_core.objects.model import Notice
from tazuna_core.objects.yaml_cache import MERGE, NO_JSON, NO_KEY, ScalarCache
from tazuna_core.objects.yaml_failures import Failures
from tazuna_core.objects.yaml_limits import MAX_ALIASED_TEXT, MAX_DEPTH, is_excessive, unfolded_text
from tazuna_core.objects.yaml_resolver import (
    MERGE_TAG,
    ScalarError,
    json_value,
    key_text,
    resolve_plain,
    resolve_tagged,
)

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the latter only where PyYAML has no libyaml

_LOST_IF_REPEATED = frozenset({"apiVersion", "kind", "metadata"})

_QUOTED_REST = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
_MOST_REWRITES = 100
_RAW_TAG = re.compile(r"(?:&\S+\s+)?!(?:<[^>\s]*>)?[^\s]*?[,\[\]{}]")
_SLASH_ESCAPE = re.compile(r"(?:[^\\]|\\[^/])*?\\/", re.DOTALL)


@dataclass(slots=True)
class _Anchor:
    value: Any = None  # a scalar is kept as resolved, because as a key it may read otherwise than as a value
    size: int = 0  # nodes that go-yaml decodes when it is named
    is_scalar: bool = False
    is_open: bool = True  # its own content is being read


@dataclass(frozen=True, slots=True)
class Composed:
    """The data of one chunk and where it begins; ``line`` is 0 when the chunk holds no document."""

    data: Any
    line: int = 0
    column: int = 0


class Composer:
    """Reads one chunk of a stream. ``first_line`` is its first line in the file, ``number`` counts documents from 1."""

    def __init__(self, text: str, source: str, first_line: int, number: int, cache: ScalarCache) -> None:
        # libyaml skips a byte order mark without counting it, and offsets into the text would be off by one.
        self._text, self._cache = text.removeprefix("\ufeff"), cache
        self._fail = Failures(self._text, source, first_line, number)
        self._begin()

    def compose(self) -> Composed:
        """Returns the chunk's document as JSON data.

        Raises BuildError with the line for text that is no YAML, that Go refuses (unknown anchors, self-reference,
        infinities, odd keys, excessive aliases), that is nested deeper than MAX_DEPTH, or that goes on after the
        document; InvalidObjectError for a repeated apiVersion, kind or metadata.
        """
        for _ in range(_MOST_REWRITES):
            self._begin()
            try:
                return self._compose()
            except yaml.YAMLError as error:
                if not self._rewritten(error):
                    raise self._fail.syntax(error) from None
        raise self._fail.escape(self._text.index("\\'"), "'")

    def _begin(self) -> None:
        self.notices: list[Notice] = []
        self._anchors: dict[str, _Anchor] = {}
        self._decoded = self._aliased = 0
        self._in_flow = False
        self._next: Callable[[], Any]

    def _compose(self) -> Composed:
        inside = 0 if self._text.startswith("\ufeff") else self._text.find("\n\ufeff") + 1
        if self._text.startswith("\ufeff", inside):
            raise self._fail.byte_order_mark(inside)
        self._next = _LOADER(self._text).get_event
        self._next()  # the stream's start
        if type(self._next()) is StreamEndEvent:
            return Composed(None)
        first = self._next()
        data = self._node(first, 0)
        self._next()  # the document's end
        self._check_end()
        if "\\/" in self._text:
            self._check_slashes()
        if self._aliased and (is_excessive(self._decoded, self._aliased) or unfolded_text(data) > MAX_ALIASED_TEXT):
            raise self._fail.unfolds()
        place = self._fail.place(first)
        return Composed(data, place.line, place.column)

    def _mapping(self, start: Any, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise self._fail.too_deep(start)
        result: dict[str, Any] = {}
        merged: set[str] = set()
        cache, next_event = self._cache, self._next
        keys, values = (cache.flow_keys, cache.flow_values) if self._in_flow else (cache.keys, cache.values)
        while True:
            event = next_event()
            if type(event) is MappingEndEvent:
                break
            if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                key = keys[event.value] if event.implicit[0] else event.value
            else:
                key = self._odd_key(event)
            if type(key) is not str:
                if key is NO_KEY:
                    raise self._fail.bad_key(event)
                merged.update(self._merge(result, depth))
                continue
            key_event, event = event, next_event()
            if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                value = values[event.value] if event.implicit[0] else event.value
                if value is NO_JSON:
                    raise self._fail.no_json(event)
            else:
                value = self._node(event, depth)
            if key in result and key not in merged:
                self._repeated(key, key_event, depth)
            result[key] = value
            if merged:
                merged.discard(key)
        self._decoded += 2 * len(result)
        return result

    def _sequence(self, start: Any, depth: int) -> list[Any]:
        if depth > MAX_DEPTH:
            raise self._fail.too_deep(start)
        result: list[Any] = []
        values = self._cache.flow_values if self._in_flow else self._cache.values
        next_event = self._next
        while True:
            event = next_event()
            if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                value = values[event.value] if event.implicit[0] else event.value
                if value is NO_JSON:
                    raise self._fail.no_json(event)
            elif type(event) is SequenceEndEvent:
                break
            else:
                value = self._node(event, depth)
            result.append(value)
        self._decoded += len(result)
        return result

    def _node(self, event: Any, depth: int) -> Any:
        """Returns the value that ``event`` begins, inside ``depth`` collections."""
        kind = type(event)
        if kind is AliasEvent:
            anchor = self._alias(event)
            return self._json(anchor.value, event) if anchor.is_scalar else anchor.value
        if kind is ScalarEvent:
            return self._json(self._scalar(event), event)
        if event.flow_style and not self._in_flow:
            self._in_flow = True
            value = self._collection(event, depth)
            self._in_flow = False
            return value
        return self._collection(event, depth)

    def _collection(self, event: Any, depth: int) -> Any:
        build = self._mapping if type(event) is MappingStartEvent else self._sequence
        if event.anchor is None:
            return build(event, depth + 1)
        # Later anchors of the same name may come inside; they then stay the ones that later aliases mean.
        anchor = self._anchors[event.anchor] = _Anchor()
        before = self._decoded
        anchor.value = build(event, depth + 1)
        anchor.size = self._decoded - before + 1
        anchor.is_open = False
        return anchor.value

    def _scalar(self, event: Any) -> Any:
        """Returns a scalar as resolved, not yet as JSON, and remembers its anchor."""
        text = event.value
        if self._in_flow and "?" in text and not event.style:
            raise self._fail.question_mark(event)
        if event.tag is not None:
            if _RAW_TAG.match(self._text, event.start_mark.index, event.end_mark.index + 1):
                raise self._fail.tag_end(event)
            try:
                value: Any = resolve_tagged(event.tag, text)
            except ScalarError as error:
                raise self._fail.scalar(str(error), event) from None
        else:
            value = resolve_plain(text) if event.implicit[0] else text
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchor(value, 1, is_scalar=True, is_open=False)
        return value

    def _json(self, value: Any, event: Any) -> Any:
        try:
            return json_value(value)
        except ScalarError:
            raise self._fail.no_json(event) from None

    def _alias(self, event: Any) -> _Anchor:
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise self._fail.unknown_anchor(event)
        if anchor.is_open:
            raise self._fail.cycle(event)
        self._decoded += anchor.size
        self._aliased += anchor.size
        return anchor

    def _odd_key(self, event: Any) -> Any:
        """Returns the key that an alias, an anchored or a tagged scalar, or a collection is."""
        if type(event) is ScalarEvent:
            if event.value == "<<" and (event.implicit[0] or event.tag == MERGE_TAG):
                return MERGE
            value = self._scalar(event)
        elif type(event) is AliasEvent and (anchor := self._alias(event)).is_scalar:
            value = anchor.value
        else:
            return NO_KEY
        try:
            return key_text(value)
        except ScalarError:
            return NO_KEY

    def _merge(self, result: dict[str, Any], depth: int) -> set[str]:
        """Copies what a ``<<`` names over the keys in ``result``; returns the keys it set (verdicts, 8.6)."""
        event = self._next()
        value = self._node(event, depth)
        sources = [value]
        if isinstance(value, list) and type(event) is SequenceStartEvent:
            sources = value[::-1]  # the first of a list wins
        keys: set[str] = set()
        for source in sources:
            if not isinstance(source, dict):
                raise self._fail.bad_merge(event)
            result.update(source)
            keys.update(source)
        return keys

    def _repeated(self, key: str, event: Any, depth: int) -> None:
        written = f" (written '{event.value}')" if getattr(event, "value", key) != key else ""
        if depth == 1 and key in _LOST_IF_REPEATED:
            raise self._fail.lost_object(key, written, event)
        self.notices.append(
            Notice(
                "duplicate-key",
                f"document {self._fail.number} repeats the key '{key}'{written} in one mapping; the last one wins",
                self._fail.place(event),
            )
        )

    def _check_end(self) -> None:
        try:
            event = self._next()
        except yaml.MarkedYAMLError as error:
            raise self._fail.text_after(error.problem_mark or error.context_mark) from None
        if type(event) is not StreamEndEvent:
            raise self._fail.text_after(event.start_mark)

    def _rewritten(self, error: yaml.YAMLError) -> bool:
        """Writes ``\\'`` in double quotes as ``'``, which it is for go-yaml v2; libyaml has dropped that escape."""
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        start = mark.index if mark else -1
        if start < 0 or not self._text.startswith("\\'", start):
            return False
        rest = _QUOTED_REST.match(self._text, start)
        end = rest.end() if rest else len(self._text)
        literal = re.sub(r"\\(.)", lambda m: "'" if m[1] == "'" else m[0], self._text[start:end], flags=re.DOTALL)
        self._text = self._text[:start] + literal + self._text[end:]
        return True

    def _check_slashes(self) -> None:
        """Refuses an escaped slash in double quotes, which libyaml has learnt since go-yaml v2 took its code."""
        parser: Any = _LOADER(self._text)
        while type(event := parser.get_event()) is not StreamEndEvent:
            scalar: Any = event
            if type(event) is ScalarEvent and scalar.style == '"':
                found = _SLASH_ESCAPE.match(self._text, scalar.start_mark.index, scalar.end_mark.index)
                if found:
                    raise self._fail.escape(found.end() - 2, "/")
