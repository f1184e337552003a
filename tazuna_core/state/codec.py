"""State as a ConfigMap, byte for byte as the Go CLI writes it (format reference, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.state.model import NAMESPACE, ManifestState, data_key, storable

PREFIX = "tazuna-state-"
METADATA_KEY = "_metadata"
SIZE_LIMIT = 1_000_000
"""Bytes of data above which a ConfigMap is refused by the server (1 MiB with its metadata)."""


def encode_state(state: ManifestState) -> JsonObject:
    """Returns the ConfigMap of a state. Keys that a ConfigMap cannot hold are left to the record.

    Raises StateError when the state is too large for one ConfigMap; nothing has been changed then.
    """
    data = {METADATA_KEY: _compact({"gitCommitHash": state.git_commit, "lastSyncedAt": state.last_synced_at})}
    for text, content_hash in sorted(state.hashes.items()):
        key = StateKey.parse(text)
        if storable(key):
            data[data_key(key)] = _compact({"contentHash": content_hash})
    size = sum(len(key) + len(value) for key, value in data.items())
    if size > SIZE_LIMIT:
        raise StateError(
            f"the state of manifest '{state.manifest}' is {size:,} bytes, more than a ConfigMap holds",
            advice=f"Split the manifest: it has {len(state.hashes)} objects.",
        )
    metadata = {"name": PREFIX + state.manifest, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def decode_state(config_map: JsonObject, known: Iterable[StateKey] = ()) -> ManifestState:
    """Reads a state ConfigMap. Unknown fields of an entry are ignored, as the Go CLI does.

    ``known`` are state keys from elsewhere (the record): a data key that could mean several takes theirs. Raises
    StateError naming the entry that is no JSON object with a contentHash.
    """
    spelled = {data_key(key): key for key in known}
    name = str(config_map["metadata"]["name"])
    manifest = name.removeprefix(PREFIX)
    data: dict[str, str] = config_map.get("data") or {}  # a ConfigMap that somebody emptied has none
    metadata = _parsed(name, METADATA_KEY, data[METADATA_KEY]) if METADATA_KEY in data else {}
    hashes: dict[str, str] = {}
    for key, value in data.items():
        if key == METADATA_KEY:
            continue
        content_hash = _parsed(name, key, value).get("contentHash")
        if not isinstance(content_hash, str):
            raise StateError(f"entry '{key}' of ConfigMap {NAMESPACE}/{name} has no contentHash", advice=_ADVICE)
        hashes[str(spelled.get(key) or _state_key(manifest, key))] = content_hash
    return ManifestState(
        manifest, hashes, str(metadata.get("gitCommitHash") or ""), str(metadata.get("lastSyncedAt") or "")
    )


_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_ADVICE = "Apply the manifest again to write its state anew."


def _state_key(manifest: str, key: str) -> StateKey:
    """Undoes ``data_key``: ``__`` stands for ``/``, but a manifest's or an object's own name may hold it too."""
    prefix = f"{manifest}__"
    rest = key.removeprefix(prefix) if key.startswith(prefix) else key.partition("__")[2]
    parts = rest.split("__", 3)
    if len(parts) != 4:
        raise StateError(f"'{key}' of the state of manifest '{manifest}' is not a state key", advice=_ADVICE)
    group, version, kind, tail = parts
    namespace, separator, name = tail.partition("__")
    # a default namespace is in the keys of cluster-scoped objects too, so what can be a namespace is one; of all names
    # those of RBAC objects alone may hold "_"
    if not separator or not name or not _NAMESPACE.fullmatch(namespace):
        return StateKey(manifest, group, version, kind, "", tail)
    return StateKey(manifest, group, version, kind, namespace, name)


def _parsed(config_map: str, key: str, value: str) -> dict[str, Any]:
    try:
        parsed = orjson.loads(value)
    except orjson.JSONDecodeError as error:
        parsed, problem = None, str(error)
    else:
        problem = "not an object"
    if not isinstance(parsed, dict):
        raise StateError(f"entry '{key}' of ConfigMap {NAMESPACE}/{config_map} is no JSON ({problem})", advice=_ADVICE)
    return parsed


def _compact(value: dict[str, str]) -> str:
    return orjson.dumps(value).decode()
