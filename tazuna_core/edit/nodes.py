"""A YAML or JSON document as a tree that knows where in the text each value stands.

Values are read as everywhere here (go-yaml's scalars, `<<` copies); positions are offsets into the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml
from yaml.events import AliasEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from tazuna_core.objects.yaml_resolver import json_value, key_text, resolve_plain, resolve_tagged

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the latter only where PyYAML has no libyaml
BLOCKS = ("|", ">")


class CannotEditError(Exception):
    """Text that cannot be changed in place; the message says why, ``line`` (from 1, 0 where unknown) where.

    ``file`` is for whoever knows it, "" until then.
    """

    def __init__(self, message: str, line: int = 0, file: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.file = message, line, file


@dataclass(slots=True)
class Node:
    """One value: ``text[start:end]``, without the comments and line breaks after it.

    ``anchor`` is the name that it is given, ``alias`` the one that stands for it.
    """

    kind: Literal["map", "list", "scalar", "alias"]
    start: int
    end: int
    data: Any = None
    flow: bool = False
    style: str = ""
    anchor: str = ""
    alias: str = ""
    entries: list[Entry] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yields the node and all below it."""
        yield self
        for one in self.items:
            yield from one.walk()
        for entry in self.entries:
            yield from entry.key.walk()
            yield from entry.value.walk()


@dataclass(slots=True)
class Entry:
    """A key and its value. The value of a ``merge`` key (`<<`) is what it copies from."""

    name: str
    key: Node
    value: Node
    merge: bool = False


def parse(text: str) -> Node:
    """Returns the tree of the one document that ``text`` is. Raises CannotEditError for what it cannot follow."""
    try:
        return _Parser(text).document()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise CannotEditError(f"it cannot be read as YAML: {error.problem}", line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise CannotEditError(f"it cannot be read as YAML: {error}") from None


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._next: Callable[[], Any] = _LOADER(text).get_event
        self._anchors: dict[str, Any] = {}

    def document(self) -> Node:
        self._next()  # the stream's start
        if not isinstance(self._next(), yaml.DocumentStartEvent):
            raise CannotEditError("it is empty")
        return self._node(self._next())

    def _node(self, event: Any) -> Node:
        kind = type(event)
        if kind is AliasEvent:
            data = self._anchors.get(event.anchor)
            return Node("alias", event.start_mark.index, event.end_mark.index, data, alias=event.anchor)
        if kind is ScalarEvent:
            node = self._scalar(event)
        elif kind is MappingStartEvent:
            node = self._mapping(event)
        else:
            node = self._sequence(event)
        if event.anchor:
            node.anchor = event.anchor
            self._anchors[event.anchor] = node.data
        return node

    def _scalar(self, event: Any) -> Node:
        start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
        if style in BLOCKS:  # ends where the next line begins, blank lines included
            body = self._text[start:end]
            header = body.partition("\n")[0]
            body = body.removesuffix("\n").removesuffix("\r") if "+" in header else body.rstrip()
            end = start + len(body)
        if event.tag is not None:
            data = resolve_tagged(event.tag, event.value)
        else:
            data = resolve_plain(event.value) if event.implicit[0] else event.value
        return Node("scalar", start, end, json_value(data), style=style)

    def _mapping(self, event: Any) -> Node:
        node = Node("map", event.start_mark.index, event.end_mark.index, {}, flow=bool(event.flow_style))
        first: Any = None
        while not self._ends(first := self._next(), yaml.MappingEndEvent):
            key, value = self._node(first), self._node(self._next())
            entry = Entry(self._name(key), key, value, self._is_merge(key))
            node.entries.append(entry)
            if entry.merge:
                sources = value.data[::-1] if isinstance(value.data, list) else [value.data]
                for source in sources:
                    node.data.update(source if isinstance(source, dict) else {})
            else:
                node.data[entry.name] = value.data
        if node.flow:
            node.end = first.end_mark.index
        elif node.entries:
            last = node.entries[-1]
            node.end = max(last.value.end, last.key.end)
        return node

    def _sequence(self, event: Any) -> Node:
        node = Node("list", event.start_mark.index, event.end_mark.index, [], flow=bool(event.flow_style))
        first: Any = None
        while not self._ends(first := self._next(), SequenceEndEvent):
            node.items.append(self._node(first))
        node.data = [item.data for item in node.items]
        if node.flow:
            node.end = first.end_mark.index
        elif node.items:
            node.end = node.items[-1].end
        return node

    @staticmethod
    def _ends(event: Any, end: type[Any]) -> bool:
        return type(event) is end

    def _is_merge(self, key: Node) -> bool:
        return key.kind == "scalar" and not key.style and self._text[key.start : key.end] == "<<"

    def _name(self, key: Node) -> str:
        if key.kind not in ("scalar", "alias") or isinstance(key.data, (dict, list)):
            raise CannotEditError("a key is no text", self._text.count("\n", 0, key.start) + 1)
        return key_text(key.data)
