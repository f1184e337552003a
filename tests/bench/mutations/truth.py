"""The truth about an edit: the smallest paths that differ between two stored objects, and who holds them afterwards."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench.mutations.schema import Json, Node

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__bool__": lambda self: False})()
Step = tuple[Any, ...]
"""``("f", name)``, ``("k", ((key, value), ...), nth)``, ``("v", value)`` or ``("i", index)``."""
Path = tuple[Step, ...]

_BOOKKEEPING = {
    "resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink", "deletionTimestamp",
    "deletionGracePeriodSeconds",
}  # fmt: skip
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_ORDERED = {"containers", "initContainers", "ephemeralContainers", "env"}
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./:-]+")


@dataclass(frozen=True)
class Change:
    """One path, what was there, what is there now (MISSING for nothing), and the atomic ancestor that owns it."""

    path: Path
    before: Any
    after: Any
    atomic: Path | None = None
    order: bool = False


@dataclass(frozen=True)
class Holder:
    """Who holds a path, as managedFields says."""

    manager: str
    operation: str
    subresource: str
    time: str | None


def content(obj: Json) -> Json:
    """What of a stored object is content: not status, and not the server's or kubectl's own notes."""
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in _BOOKKEEPING}
    if _LAST_APPLIED in metadata.get("annotations", {}):
        metadata["annotations"] = {k: v for k, v in metadata["annotations"].items() if k != _LAST_APPLIED}
        if not metadata["annotations"]:
            del metadata["annotations"]
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def changes(node: Node, before: Json, after: Json) -> list[Change]:
    """The smallest paths that differ between two stored objects of one kind."""
    found = _walk(node, content(before), content(after), (), None)
    mutating = before.get("kind") == "MutatingWebhookConfiguration"
    return [one for one in found if not (one.order and one.path == (("f", "webhooks"),) and not mutating)]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _equal(one: Any, two: Any) -> bool:
    return one is two or (one is not MISSING and two is not MISSING and _text(one) == _text(two))


def _walk(node: Node, one: Any, two: Any, path: Path, atomic: Path | None) -> Iterator[Change]:
    if _equal(one, two):
        return
    if one is MISSING or two is MISSING:
        present = two if one is MISSING else one
        entries = list(_entries(node, present))
        if not entries and not (present in ({}, []) and _has_entries(node)):
            yield Change(path, one, two, atomic)
        for step, value in entries:
            gone = one is not MISSING
            yield Change((*path, step), value if gone else MISSING, MISSING if gone else value, atomic)
    elif isinstance(one, dict) and isinstance(two, dict):
        owned = path if atomic is None and node.atomic else atomic
        for name in dict.fromkeys([*one, *two]):
            step = ("f", name)
            yield from _walk(node.field(name), one.get(name, MISSING), two.get(name, MISSING), (*path, step), owned)
    elif isinstance(one, list) and isinstance(two, list):
        yield from _walk_list(node, one, two, path, atomic)
    else:
        yield Change(path, one, two, atomic)


def _has_entries(node: Node) -> bool:
    """Whether a place is a map, keyed list or set: an empty one is as good as none."""
    return (node.is_map and not node.atomic) or bool(node.list_keys) or node.is_set


def _entries(node: Node, value: Any) -> Iterator[tuple[Step, Any]]:
    """What an added or removed map or keyed list is made of: each entry is a change of its own."""
    if isinstance(value, dict) and node.is_map and not node.atomic:
        yield from ((("f", name), entry) for name, entry in value.items())
    elif isinstance(value, list) and node.list_keys:
        yield from keyed(node, value).items()
    elif isinstance(value, list) and node.is_set:
        yield from ((("v", _text(entry)), entry) for entry in value)


def _walk_list(node: Node, one: list[Any], two: list[Any], path: Path, atomic: Path | None) -> Iterator[Change]:
    if node.list_keys:
        ours, theirs = keyed(node, one), keyed(node, two)
        shared = [step for step in ours if step in theirs]
        ordered = path[-1][1] in _ORDERED or path == (("f", "webhooks"),)
        if ordered and shared != [step for step in theirs if step in ours]:
            yield Change(path, one, two, atomic, order=True)
        for step in dict.fromkeys([*ours, *theirs]):
            yield from _walk(node.item, ours.get(step, MISSING), theirs.get(step, MISSING), (*path, step), atomic)
    elif node.is_set:
        have, now = {_text(entry): entry for entry in one}, {_text(entry): entry for entry in two}
        for text in dict.fromkeys([*have, *now]):
            if (text in have) != (text in now):
                yield Change((*path, ("v", text)), have.get(text, MISSING), now.get(text, MISSING), atomic)
    else:
        owned = path if atomic is None else atomic
        if len(one) != len(two):
            yield Change(path, one, two, owned)
        elif Counter(map(_text, one)) == Counter(map(_text, two)):
            yield Change(path, one, two, owned, order=True)
        else:
            for index, (left, right) in enumerate(zip(one, two, strict=True)):
                yield from _walk(node.item, left, right, (*path, ("i", index)), owned)


def keyed(node: Node, items: list[Any]) -> dict[Step, Any]:
    """The items of a keyed list by step, defaults of keys filled in, further items of one key counted."""
    out: dict[Step, Any] = {}
    for item in items:
        pairs = tuple((key, item.get(key, node.key_default(key))) for key in node.list_keys)
        pairs = tuple((key, value) for key, value in pairs if value is not None)
        nth = 0
        while ("k", pairs, nth) in out:
            nth += 1
        out["k", pairs, nth] = item
    return out


def at(node: Node, value: Any, path: Path) -> Any:
    """The value at a path, MISSING where there is none."""
    for step in path:
        kind, name = step[0], step[1]
        if kind == "f":
            value, node = (value.get(name, MISSING) if isinstance(value, dict) else MISSING), node.field(name)
            continue
        items = value if isinstance(value, list) else []
        if kind == "k":
            value = keyed(node, items).get(step, MISSING)
        elif kind == "v":
            value = next((item for item in items if _text(item) == name), MISSING)
        else:
            value = items[name] if name < len(items) else MISSING
        node = node.item
    return value


def path_text(path: Path) -> str:
    """A path as reports write it (contract, section 4)."""
    out = ""
    for step in path:
        if step[0] == "f":
            plain = _PLAIN_KEY.fullmatch(step[1])
            out += (f".{step[1]}" if out else step[1]) if plain else f"[{json.dumps(step[1], ensure_ascii=False)}]"
        elif step[0] == "k":
            out += "[" + ",".join(f"{key}={_key_value(value)}" for key, value in step[1]) + "]"
            out += f"#{step[2]}" if step[2] else ""
        elif step[0] == "v":
            out += f"[={step[1]}]"
        else:
            out += f"[{step[1]}]"
    return out


def _key_value(value: Any) -> str:
    if isinstance(value, str) and _PLAIN_VALUE.fullmatch(value) and value.lower() not in {"true", "false", "null"}:
        try:
            float(value)
        except ValueError:
            return value
    return json.dumps(value)


def holders(obj: Json, change: Change) -> tuple[Holder | None, ...]:
    """Who may be named for a change: the entries that list its path, else its atomic ancestor, else nobody.

    Several entries that list one path share it; the newest is named, and where that is no order any of them. A
    structure that is new and listed by its parts alone belongs to the one entry that lists parts of it. What was
    written at another version of the API is held by an entry of that version, and a Secret's value by one of its text.
    """
    if change.after is MISSING:
        return (None,)
    every = [entry for entry in obj["metadata"].get("managedFields", ()) if "fieldsV1" in entry]
    entries = [entry for entry in every if entry.get("apiVersion") == obj["apiVersion"]]
    others = [entry for entry in every if entry not in entries]
    text = (("f", "stringData"), *change.path[1:]) if obj["kind"] == "Secret" and change.path[0][1] == "data" else None
    for known, paths in ((entries, (change.path, text)), (entries, (change.atomic,)), (others, (change.path,))):
        listing = [e for e in known if any(path and _lists(e["fieldsV1"], path) for path in paths)]
        if listing:
            newest = max(entry.get("time", "") for entry in listing)
            return tuple(_holder(entry) for entry in listing if entry.get("time", "") == newest)
    if change.before is MISSING:
        parts = [entry for entry in entries if _node(entry["fieldsV1"], change.path)]
        if len(parts) == 1:
            return (_holder(parts[0]),)
    return (None,)


def _holder(entry: Json) -> Holder:
    return Holder(entry["manager"], entry["operation"], entry.get("subresource", ""), entry.get("time"))


def _lists(fields: Json, path: Path) -> bool:
    node = _node(fields, path)
    return node is not None and (not node or "." in node)


def _node(fields: Json, path: Path) -> Json | None:
    here: Json | None = fields
    for step in path:
        if here is None:
            return None
        if step[0] == "f":
            here = here.get(f"f:{step[1]}")
        elif step[0] == "i":
            here = here.get(f"i:{step[1]}")
        else:
            prefix = "k:" if step[0] == "k" else "v:"
            wanted = dict(step[1]) if step[0] == "k" else json.loads(step[1])
            here = next((v for k, v in here.items() if k.startswith(prefix) and json.loads(k[2:]) == wanted), None)
    return here
