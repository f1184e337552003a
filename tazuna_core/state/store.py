"""Where state and record are kept: one store over anything that holds ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from tazuna_core import tracing
from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.state.codec import PREFIX as STATE_PREFIX
from tazuna_core.state.codec import decode_state, encode_state
from tazuna_core.state.model import Applied, ManifestState, Record
from tazuna_core.state.record import decode_record, encode_record, parse_shard_name, parts_of, shard_name


class ConfigMaps(Protocol):
    """The ConfigMaps of namespace ``tazuna``, wherever they are. Every failure is a StateError or ClusterError."""

    packed: bool
    """Whether large content should be compressed."""

    def load(self, names: Iterable[str] | None) -> dict[str, JsonObject]:
        """Returns the ConfigMaps of these names that exist; with None all of them."""

    def write(self, config_map: JsonObject, version: str) -> str:
        """Creates (``version`` empty) or replaces a ConfigMap whose resourceVersion is ``version``.

        Returns the new version. Raises ConflictError when somebody else wrote it meanwhile.
        """

    def delete(self, name: str) -> None:
        """Deletes a ConfigMap; one that is gone is no error."""


class ConflictError(StateError):
    """Another run wrote the same state meanwhile."""

    default_code = "state-conflict"


class StateStore:
    """State and record of manifests. Reads are whole or an error; writes never lose what somebody else wrote."""

    def __init__(self, config_maps: ConfigMaps) -> None:
        self._config_maps = config_maps

    @tracing.traced(lambda *_: ("read state", {}))
    def load(self, manifests: Iterable[str]) -> dict[str, Applied]:
        """Returns what is stored of each manifest (an empty Applied where there is nothing)."""
        names = list(dict.fromkeys(manifests))
        found = self._found(names)
        return {manifest: _applied(manifest, found) for manifest in names}

    def names(self, manifests: Iterable[str]) -> list[str]:
        """Returns the names of the ConfigMaps that hold state and record of the manifests, or would."""
        names = list(dict.fromkeys(manifests))
        return list(dict.fromkeys([*_wanted(names), *self._found(names)]))

    def _found(self, names: list[str]) -> dict[str, JsonObject]:
        found = self._config_maps.load(_wanted(names))
        parts = [
            shard_name(manifest, number)
            for manifest in names
            if shard_name(manifest, 0) in found
            for number in _parts(found[shard_name(manifest, 0)])
        ]
        missing = [name for name in parts if name not in found]
        if missing:
            found |= self._config_maps.load(missing)
        return found

    @tracing.traced(lambda *_: ("read state", {}))
    def load_all(self) -> dict[str, Applied]:
        """Returns what is stored of every manifest that has a state or a record."""
        found = self._config_maps.load(None)
        manifests = {name.removeprefix(STATE_PREFIX) for name in found if name.startswith(STATE_PREFIX)}
        shards = (parse_shard_name(name) for name in found)
        manifests |= {shard[0] for shard in shards if shard is not None and shard[1] == 0}
        return {manifest: _applied(manifest, found) for manifest in sorted(manifests)}

    @tracing.traced(lambda _self, _before, state, _record: ("write state", {"tazuna.manifest": state.manifest}))
    def save(self, before: Applied, state: ManifestState, record: Record | None) -> Applied:
        """Writes record and state of a manifest that was read as ``before``; returns them as they are now.

        The record goes first: an entry of the state without its record is "no record", an entry of the record that the
        state does not confirm is void, so a run that dies between the two is never believed. Raises ConflictError when
        either was written since ``before`` was read.
        """
        encoded = encode_state(state)
        record_version = before.record_version
        if record is not None:
            record_version = self._write_record(before, record)
        state_version = self._config_maps.write(encoded, before.state_version)
        return Applied(state.manifest, state, record or before.record, state_version, record_version)

    @tracing.traced(lambda _self, _before, record: ("write state", {"tazuna.manifest": record.manifest}))
    def save_record(self, before: Applied, record: Record) -> Applied:
        """Writes the record alone, the state stays as whoever wrote it left it. Raises ConflictError as ``save``."""
        return replace(before, record=record, record_version=self._write_record(before, record), problem="")

    def delete(self, manifest: str) -> None:
        """Removes state and record of a manifest."""
        found = self._config_maps.load([STATE_PREFIX + manifest, shard_name(manifest, 0)])
        self._config_maps.delete(STATE_PREFIX + manifest)
        shard0 = found.get(shard_name(manifest, 0))
        for number in [0, *(_parts(shard0) if shard0 else ())]:
            self._config_maps.delete(shard_name(manifest, number))

    def _write_record(self, before: Applied, record: Record) -> str:
        current = self._config_maps.load([shard_name(record.manifest, 0)]).get(shard_name(record.manifest, 0))
        old = _parts(current) if current else []  # also of a record that another run made meanwhile
        *parts, shard0 = encode_record(record, old, packed=self._config_maps.packed)
        leftovers = self._config_maps.load([part["metadata"]["name"] for part in parts]) if parts else {}
        for part in parts:
            leftover = leftovers.get(part["metadata"]["name"])  # of a run that died before its shard 0
            self._config_maps.write(part, _version(leftover) if leftover else "")
        version = self._config_maps.write(shard0, before.record_version)
        for number in old:
            self._config_maps.delete(shard_name(record.manifest, number))
        return version


def _wanted(manifests: Iterable[str]) -> list[str]:
    return [name for manifest in manifests for name in (STATE_PREFIX + manifest, shard_name(manifest, 0))]


def _applied(manifest: str, found: Mapping[str, JsonObject]) -> Applied:
    state = found.get(STATE_PREFIX + manifest)
    shard0 = found.get(shard_name(manifest, 0))
    record, problem = None, ""
    if shard0 is not None:
        shards = {0: shard0}
        for number in _parts(shard0):
            if shard_name(manifest, number) in found:
                shards[number] = found[shard_name(manifest, number)]
        try:
            record = decode_record(shards)
        except StateError as error:
            if error.code == "newer-record":
                raise
            problem = error.message  # a damaged record is "no record", said aloud
    return Applied(
        manifest,
        decode_state(state, (obj.key for obj in record.objects.values()) if record else ()) if state else None,
        record,
        _version(state) if state is not None else "",
        _version(shard0) if shard0 is not None else "",
        problem,
    )


def _parts(shard0: JsonObject) -> list[int]:
    try:
        return parts_of(shard0)
    except StateError:
        return []


def _version(config_map: JsonObject) -> str:
    return str(config_map["metadata"].get("resourceVersion", ""))
