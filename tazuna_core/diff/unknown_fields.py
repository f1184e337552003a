"""Fields that the API does not know, and list items with one key twice: server-side apply answers both with a 500."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.objects.paths import Index, Key, Path, Value, keyed_items, path_text
from tazuna_core.objects.schema import Schema
from tazuna_core.spec.problems import did_you_mean

_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A path that the server would refuse, and why."""

    path: Path
    message: str


def field_problems(schema: Schema, obj: Any) -> Iterator[FieldProblem]:
    """Yields what is wrong with an object by its schema (C17, C21; verdicts 3.6)."""
    yield from _walk(schema, obj, ())


def _walk(schema: Schema, value: Any, path: Path) -> Iterator[FieldProblem]:
    if isinstance(value, dict):
        for name, item in value.items():
            here = (*path, Key(name))
            if not schema.knows(name) and not ((schema.embedded or not path) and name in _OF_EVERY_OBJECT):
                hint = did_you_mean(name, schema.properties)
                yield FieldProblem(here, f"the API knows no field {path_text(here)}{f'. {hint}' if hint else ''}")
            else:
                yield from _walk(schema.child(name), item, here)
    elif isinstance(value, list):
        yield from _walk_list(schema, value, path)


def _walk_list(schema: Schema, items: list[Any], path: Path) -> Iterator[FieldProblem]:
    if schema.list_type == "map" and all(isinstance(item, dict) for item in items):
        for key, item in keyed_items(items, schema):
            here = (*path, key)
            if key.nth:
                yield FieldProblem(here, f"{path_text(here[:-1])} has two items with the same key: {path_text((key,))}")
            yield from _walk(schema.item, item, here)
        return
    for index, item in enumerate(items):
        if schema.list_type == "set" and item in items[:index]:
            yield FieldProblem((*path, Value(item)), f"{path_text(path)} holds {item!r} twice")
        yield from _walk(schema.item, item, (*path, Index(index)))
