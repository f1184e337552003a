"""The objects that state knows, each with its effective reference, its record, and who owns it among manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tazuna_core.cluster.reader import Kinds
from tazuna_core.objects.identity import ObjectRef, StateKey
from tazuna_core.state.model import Applied, RecordedObject


@dataclass(frozen=True, slots=True)
class Tracked:
    """One object of the state."""

    key: StateKey
    ref: ObjectRef
    """With effective namespace."""
    stored_hash: str
    recorded: RecordedObject | None
    superseded_by: str = ""
    """The later manifest that declares the same identity, where there is one."""
    state_gone: bool = False
    """The record knows it, and the state that would confirm the record is gone."""
    synced_at: str = ""
    """When its manifest's state was written: without a record, older entries are from before our time."""


def _synced_at(applied: Applied) -> str:
    return applied.state.last_synced_at if applied.state else ""


def tracked_objects(stored: Mapping[str, Applied], kinds: Kinds) -> dict[str, list[Tracked]]:
    """Returns the objects of each manifest, in the order of ``stored`` (apply order).

    Of several manifests that declare one identity the last owns it (verdicts 2).
    """
    refs: dict[str, list[tuple[StateKey, ObjectRef, str]]] = {}
    owner: dict[object, str] = {}
    for manifest, applied in stored.items():
        refs[manifest] = []
        for text, stored_hash in applied.hashes().items():
            key = StateKey.parse(text)
            ref = kinds.effective(key.ref)
            refs[manifest].append((key, ref, stored_hash))
            owner[ref.identity] = manifest
    return {
        manifest: [
            Tracked(
                key,
                ref,
                stored_hash,
                stored[manifest].recorded(str(key)),
                owner[ref.identity] if owner[ref.identity] != manifest else "",
                stored[manifest].state is None,
                _synced_at(stored[manifest]),
            )
            for key, ref, stored_hash in objects
        ]
        for manifest, objects in refs.items()
    }
