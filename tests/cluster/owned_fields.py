"""What server-side apply must record for an object if its schema is right: managedFields computed from the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tazuna_core.objects.schema import Schema

Trie = dict[str, Any]

_NEVER_OWNED = {"f:apiVersion", "f:kind", "f:status"}
_NEVER_OWNED_METADATA = {"f:name", "f:namespace", "f:creationTimestamp"}


def owned_fields(obj: dict[str, Any], schema: Schema) -> Trie:
    """The `fieldsV1` of an applied object, as `schema` says."""
    trie = {key: part for key, part in _owned(obj, schema).items() if key not in _NEVER_OWNED}
    metadata = {key: part for key, part in trie.pop("f:metadata", {}).items() if key not in _NEVER_OWNED_METADATA}
    return {**trie, "f:metadata": metadata} if metadata else trie


def differences(ours: Trie, servers: Trie, path: str = "") -> Iterator[str]:
    """The paths that only one of two tries has."""
    for key in sorted({*ours, *servers}):
        here = f"{path}/{key}"
        if key not in ours:
            yield f"only the server: {here}"
        elif key not in servers:
            yield f"only the schema: {here}"
        else:
            yield from differences(ours[key], servers[key], here)


def _owned(value: Any, schema: Schema) -> Trie:
    if isinstance(value, dict) and schema.type in {"object", "any"} and not schema.atomic:
        # An empty keyed list leaves no trace.
        fields = {key: item for key, item in value.items() if item != [] or schema.child(key).list_type == "atomic"}
        return {f"f:{key}": _entry(key, item, schema) for key, item in fields.items()}
    if isinstance(value, list) and schema.type == "list" and schema.list_type == "map":
        whole = schema.item.atomic
        return {_key(item, schema): {} if whole else {".": {}, **_owned(item, schema.item)} for item in value}
    if isinstance(value, list) and schema.type == "list" and schema.list_type == "set":
        return {f"v:{_compact(item)}": {} for item in value}
    return {}


def _entry(key: str, value: Any, schema: Schema) -> Trie:
    """A field or map entry; map entries that hold more are owned themselves, fields are not."""
    inside = _owned(value, schema.child(key))
    return {".": {}, **inside} if inside and key not in schema.properties else inside


def _key(item: dict[str, Any], schema: Schema) -> str:
    found = {key: item.get(key, schema.key_defaults.get(key)) for key in schema.list_keys}
    return "k:" + _compact({key: value for key, value in found.items() if value is not None})


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
