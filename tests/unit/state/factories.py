"""Small records and states, and ConfigMaps that live in memory and can fail at any write."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.state.model import Content, ManifestState, Parts, Record, RecordedObject, Source
from tazuna_core.state.store import ConflictError

SOURCE = Source("github.com/o/r", "tazuna.yaml", "prod")


def key(name: str = "a", kind: str = "ConfigMap", group: str = "", namespace: str = "n") -> StateKey:
    return StateKey("m", group, "v1", kind, namespace, name)


def recorded(at: StateKey | None = None, content_hash: str = "h", **more: Any) -> RecordedObject:
    at = at or key()
    metadata = {"name": at.name, "namespace": at.namespace}
    answer = {"apiVersion": at.api_version, "kind": at.kind, "metadata": metadata, "data": {"k": "v"}}
    fields: dict[str, Any] = {
        "key": at,
        "content_hash": content_hash,
        "uid": "u",
        "resource_version": "7",
        "generation": 1,
        "time": "2026-11-30T10:00:00Z",
        "manager": "tazuna",
        "answer": answer,
        "sent": answer,
    }
    fields |= more
    parts = Parts(fields.pop("answer"), fields.pop("sent"), fields.pop("secret_skeleton", None))
    return RecordedObject(content=Content(parts), **fields)


def record(*objects: RecordedObject, manifest: str = "m", commit: str = "c1") -> Record:
    return Record(manifest, SOURCE, commit, "2026-11-30T10:00:00Z", {str(obj.key): obj for obj in objects})


def state(*objects: RecordedObject, manifest: str = "m", commit: str = "c1") -> ManifestState:
    return ManifestState(manifest, {str(obj.key): obj.content_hash for obj in objects}, commit, "2026-11-30T10:00:00Z")


class CrashError(Exception):
    """The process died."""


class MemoryConfigMaps:
    """ConfigMaps in memory; ``dies_after`` writes and deletes have happened, nothing more does."""

    packed = True

    def __init__(self) -> None:
        self.stored: dict[str, JsonObject] = {}
        self.log: list[str] = []
        self.dies_after: int | None = None
        self._versions = 0

    def load(self, names: Iterable[str] | None) -> dict[str, JsonObject]:
        wanted = list(self.stored) if names is None else list(names)
        return {name: copy.deepcopy(self.stored[name]) for name in wanted if name in self.stored}

    def write(self, config_map: JsonObject, version: str) -> str:
        name = str(config_map["metadata"]["name"])
        self._act(f"write {name}")
        current = self.stored.get(name)
        if (current["metadata"]["resourceVersion"] if current else "") != version:
            raise ConflictError(f"{name} was written meanwhile")
        if len(str(config_map)) > 2_000_000:
            raise StateError(f"{name} is too large")
        self._versions += 1
        out = copy.deepcopy(config_map)
        out["metadata"]["resourceVersion"] = str(self._versions)
        self.stored[name] = out
        return str(self._versions)

    def delete(self, name: str) -> None:
        self._act(f"delete {name}")
        self.stored.pop(name, None)

    def _act(self, what: str) -> None:
        if self.dies_after is not None and len(self.log) >= self.dies_after:
            raise CrashError
        self.log.append(what)
