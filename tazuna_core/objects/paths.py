"""Typed paths into objects: map keys, keyed list items, set values, indexes, as in structured-merge-diff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from tazuna_core.objects.comparable import same
from tazuna_core.objects.schema import ANY, Schema


class Absent:
    """The type of ABSENT: a side that does not have the field, which null is not."""

    _instance: Absent | None = None

    def __new__(cls) -> Absent:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Key:
    """A map entry or struct field."""

    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list that is keyed: its key fields in schema order with defaults filled in.

    ``nth`` counts earlier items with the same key (duplicates keep their position).
    """

    keys: tuple[tuple[str, Any], ...]
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """A member of a set."""

    value: Any


@dataclass(frozen=True, slots=True)
class Index:
    """An item of an atomic list."""

    index: int


Element = Key | Item | Value | Index
Path = tuple[Element, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./:-]+\Z")
_NUMBER_LIKE = re.compile(
    r"[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?\Z|[+-]?0[xXoObB][0-9a-fA-F_]+\Z|[-+]?\.(inf|nan)\Z"
)
_WORD_LIKE = frozenset({"true", "false", "null"})


def path_text(path: Path) -> str:
    """Returns the path as people and other programs read it (contract, section 4).

    >>> path_text((Key("spec"), Key("ports"), Item((("port", 80), ("protocol", "TCP")))))
    'spec.ports[port=80,protocol=TCP]'
    """
    parts: list[str] = []
    for element in path:
        match element:
            case Key(name) if _PLAIN_KEY.match(name):
                parts.append(f".{name}" if parts else name)
            case Key(name):
                parts.append(f"[{_json(name)}]")
            case Item(keys, nth):
                inner = ",".join(f"{key}={_scalar_text(value)}" for key, value in keys)
                parts.append(f"[{inner}]" + (f"#{nth}" if nth else ""))
            case Value(value):
                parts.append(f"[={_json(value)}]")
            case Index(index):
                parts.append(f"[{index}]")
    return "".join(parts)


def path_pointer(path: Path, document: Any, schema: Schema = ANY) -> str:
    """Returns the RFC 6901 pointer of ``path`` in ``document``, as far as it leads there.

    Keyed items and set values become the index they have in ``document``; what is not there gets the index after the
    last (``-`` in JSON Pointer).
    """
    tokens: list[str] = []
    here, node = document, schema
    for element in path:
        index = _position(here, element, node)
        tokens.append(index)
        here, node = step(here, element, node)
    return "".join(f"/{token}" for token in tokens)


def _position(here: Any, element: Element, schema: Schema) -> str:
    match element:
        case Key(name):
            return name.replace("~", "~0").replace("/", "~1")
        case Index(index):
            return str(index)
        case Item():
            found = (position for position, (key, _) in enumerate(keyed_items(here, schema)) if key == element)
        case Value(value):
            members = here if isinstance(here, list) else []
            found = (position for position, item in enumerate(members) if same(item, value))
    return str(next(found, "-"))


def step(here: Any, element: Element, schema: Schema) -> tuple[Any, Schema]:
    """Follows one element: returns the value there (ABSENT where there is none) and its schema."""
    match element:
        case Key(name):
            value = here.get(name, ABSENT) if isinstance(here, dict) else ABSENT
            return value, schema.child(name)
        case Index(index):
            inside = isinstance(here, list) and index < len(here)
            return here[index] if inside else ABSENT, schema.item
        case Item():
            return next(
                (item for key, item in keyed_items(here, schema, element) if key == element), ABSENT
            ), schema.item
        case Value(value):
            inside = isinstance(here, list) and any(same(item, value) for item in here)
            return value if inside else ABSENT, schema.item


def lookup(document: Any, path: Path, schema: Schema) -> Any:
    """Returns the value at ``path``, or ABSENT."""
    here, node = document, schema
    for element in path:
        here, node = step(here, element, node)
        if here is ABSENT:
            return ABSENT
    return here


def with_value(document: Any, path: Path, value: Any, schema: Schema) -> Any:
    """Returns a copy of ``document`` with ``value`` at ``path``: ABSENT takes it out, a new list item goes last.

    Maps and lists on the way that are not there are made; where the way leads through something else (or ABSENT is to
    be taken out of nothing), the document comes back as it is.
    """
    if not path:
        return value
    element, rest = path[0], path[1:]
    inner, node = step(document, element, schema)
    if inner is ABSENT and (value is ABSENT or not _may_hold(document, element)):
        return document
    new = with_value(inner, rest, value, node)
    if rest and isinstance(element, Item) and inner is ABSENT and isinstance(new, dict):
        new = {**dict(element.keys), **new}
    if isinstance(element, Key):
        out = {**document} if isinstance(document, dict) else {}
        if new is ABSENT:
            out.pop(element.name, None)
        else:
            out[element.name] = new
        return out
    position = _position(document, element, schema)
    items = list(document) if isinstance(document, list) else []
    if position == "-" or int(position) >= len(items):
        return items if new is ABSENT else [*items, new]
    replacement = [] if new is ABSENT else [new]
    return [*items[: int(position)], *replacement, *items[int(position) + 1 :]]


def _may_hold(document: Any, element: Element) -> bool:
    return document is ABSENT or isinstance(document, dict if isinstance(element, Key) else list)


def schema_at(schema: Schema, path: Path) -> Schema:
    """Returns the schema at ``path``."""
    for element in path:
        schema = schema.child(element.name) if isinstance(element, Key) else schema.item
    return schema


def keyed_items(items: Any, schema: Schema, like: Item | None = None) -> Iterator[tuple[Item, Any]]:
    """Yields the items of a keyed list with their keys, defaults filled in and duplicates counted.

    ``like`` gives the key names where ``schema`` does not know them.
    """
    if not isinstance(items, list):
        return
    names = schema.list_keys or tuple(key for key, _ in like.keys) if like else schema.list_keys
    seen: dict[Any, int] = {}
    for item in items:
        key = item_key(item, names, schema) if isinstance(item, dict) else ()
        nth = seen.get(key, 0)
        seen[key] = nth + 1
        yield Item(key, nth), item


def item_key(item: dict[str, Any], names: tuple[str, ...], schema: Schema) -> tuple[tuple[str, Any], ...]:
    """Returns the key of a list item: key fields in schema order, defaults filled in (C19), absent ones left out."""
    pairs = ((name, item.get(name, schema.key_defaults.get(name, ABSENT))) for name in names)
    return tuple((name, _hashable(value)) for name, value in pairs if value is not ABSENT)


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None))) else _json(value)


def _scalar_text(value: Any) -> str:
    if not isinstance(value, str):
        return _json(value)
    plain = _PLAIN_VALUE.match(value) and not _NUMBER_LIKE.match(value) and value.lower() not in _WORD_LIKE
    return value if plain else _json(value)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
