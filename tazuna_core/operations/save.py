"""Writes down what an apply left: a manifest at a time, or under `--atomic` all at the end or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tazuna_core.operations.session import Session
from tazuna_core.state.model import Applied, ManifestState, Record, RecordedObject
from tazuna_core.state.store import ConflictError


class StateWriter:
    """State and record of manifests as they were read, and as they become. Manifests may be written by many threads."""

    def __init__(self, session: Session, stored: Mapping[str, Applied], *, atomic: bool = False) -> None:
        self._session = session
        self._current = dict(stored)
        self._atomic = atomic
        self._pending: dict[str, tuple[Applied, ManifestState, Record] | None] = {}

    def current(self, manifest: str) -> Applied:
        """Returns what is stored of a manifest, what waits to be written included."""
        return self._current.get(manifest) or Applied(manifest)

    def update(
        self, manifest: str, done: Mapping[str, tuple[str, RecordedObject | None]], gone: Iterable[str] = ()
    ) -> None:
        """Sets entries (content hash and record by state key) and removes others; all the rest stays as it is.

        Objects that are no longer built stay as entries until they are pruned, so that they are shown as removed.
        """
        before = self.current(manifest)
        hashes = before.hashes()
        recorded = before.record.objects if before.record else {}
        objects = {key: obj for key, obj in recorded.items() if key in hashes}
        for key, (content_hash, obj) in done.items():
            hashes[key] = content_hash
            objects.pop(key, None)
            if obj is not None:
                objects[key] = obj
        for key in gone:
            hashes.pop(key, None)
            objects.pop(key, None)
        now = self._session.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        commit = self._session.checkout.commit if self._session.checkout else ""
        state = ManifestState(manifest, hashes, commit, now)
        record = Record(manifest, self._session.source, commit, now, objects)
        if self._atomic:
            self._pending[manifest] = (before, state, record)
            self._current[manifest] = replace(before, state=state, record=record)
        else:
            self._current[manifest] = self._session.store.save(before, state, record)

    def drop(self, manifest: str) -> None:
        """Removes state and record of a manifest that has no entry left."""
        if self._atomic:
            self._pending[manifest] = None
        else:
            self._session.store.delete(manifest)
        self._current.pop(manifest, None)

    def flush(self) -> None:
        """Writes what waits. Raises ConflictError before the first write where another run wrote any of it."""
        fresh = self._session.store.load(self._pending)
        for manifest, pending in self._pending.items():
            now = fresh[manifest]
            if pending is not None and _versions(pending[0]) != _versions(now):
                raise ConflictError(
                    f"the state of manifest '{manifest}' was written by another run meanwhile, so none is written",
                    advice="Run this command again.",
                )
        for manifest, pending in self._pending.items():
            if pending is None:
                self._session.store.delete(manifest)
            else:
                self._session.store.save(*pending)
        self._pending.clear()


def _versions(applied: Applied) -> tuple[str, str]:
    return applied.state_version, applied.record_version
