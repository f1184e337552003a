"""Places in an object, and other values for them that a server is likely to accept."""

from __future__ import annotations

import base64
import copy
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench.mutations.schema import Json, Node
from tests.bench.mutations.truth import MISSING, Path, at, content, keyed

_FIXED = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
_DURATION = re.compile(r"(\d+)(ms|s|m|h)")
_SKIPPED_FIELDS = {"$ref", "managedFields", "status"}


@dataclass(frozen=True)
class Place:
    """A value in an object, with its path and its schema."""

    path: Path
    node: Node
    value: Any

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step[1] for step in self.path if step[0] == "f")


def places(obj: Json, node: Node) -> Iterator[Place]:
    """Yields every place of an object's content that may be edited."""
    yield from _places(content(obj), node, ())


def _places(value: Any, node: Node, path: Path) -> Iterator[Place]:
    if path:
        yield Place(path, node, value)
    if isinstance(value, dict):
        for name, item in value.items():
            if (*(step[1] for step in path), name) not in _FIXED:
                yield from _places(item, node.field(name), (*path, ("f", name)))
    elif isinstance(value, list):
        if node.list_keys and all(isinstance(item, dict) for item in value):
            for step, item in keyed(node, value).items():
                yield from _places(item, node.item, (*path, step))
        elif not node.is_set:
            for index, item in enumerate(value):
                yield from _places(item, node.item, (*path, ("i", index)))


def with_value(obj: Json, node: Node, path: Path, value: Any) -> Json:
    """A copy of the object with another value at a path, or nothing there."""
    out = copy.deepcopy(obj)
    here: Any = out
    for step in path[:-1]:
        here, node = at(node, here, (step,)), (node.field(step[1]) if step[0] == "f" else node.item)
    last = path[-1]
    if last[0] == "f":
        if value is MISSING:
            here.pop(last[1], None)
        else:
            here[last[1]] = value
        return out
    index = list(keyed(node, here)).index(last) if last[0] == "k" else last[1]
    here[index : index + 1] = [] if value is MISSING else [value]
    return out


def other(value: Any, place: Place, rng: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.choice((1, 2, 10))
    choices = [one for one in place.node.raw.get("enum", ()) if one != value]
    if choices:
        return rng.choice(choices)
    if place.node.raw.get("format") == "byte" or place.names[:1] == ("binaryData",):
        return base64.b64encode(f"bench-{rng.randrange(10**6)}".encode()).decode()
    if match := _DURATION.fullmatch(value):
        return f"{int(match[1]) + 1}{match[2]}"
    if "requests" in place.names or "limits" in place.names:
        return rng.choice(("77m", "300m")) if "cpu" in place.names[-1] else rng.choice(("77Mi", "300Mi"))
    if value.isdigit():
        return str(int(value) + 1)
    if "\n" in value:
        return value + f"# bench {rng.randrange(1000)}\n"
    return rng.choice((f"{value}x", f"{value}-b{rng.randrange(100)}"))


def new_value(node: Node, rng: random.Random, depth: int = 0) -> Any:
    """A value that fits a schema, as far as a schema can tell."""
    raw = node.raw
    if raw.get("enum"):
        return rng.choice(raw["enum"])
    if raw.get("x-kubernetes-int-or-string") or raw.get("format") == "int-or-string" or "oneOf" in raw:
        return rng.choice((1, "25%"))
    kind = raw.get("type", "object" if "properties" in raw else "string")
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return rng.choice((1, 2, 7))
    if kind == "array":
        return [new_value(node.item, rng, depth + 1)]
    if kind == "object":
        return _new_object(node, rng, depth)
    if raw.get("format") == "byte":
        return base64.b64encode(b"bench").decode()
    return f"bench-{rng.randrange(100)}"


def _new_object(node: Node, rng: random.Random, depth: int) -> Json:
    if node.is_map:
        return {f"bench-{rng.randrange(100)}": new_value(node.field(""), rng, depth + 1)}
    names = list(node.raw.get("required", ()))
    optional = sorted(set(node.properties) - set(names) - _SKIPPED_FIELDS)
    if optional and depth < 3:
        names.append(rng.choice(optional))
    return {name: new_value(node.field(name), rng, depth + 1) for name in names} if depth < 6 else {}
