"""The store: writes in an order that leaves the old or the new readable, wherever a run dies; two runs; folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.cluster.api_server import ServerAnswer
from tazuna_core.cluster.reader import Answer, Reason, Unavailable
from tazuna_core.errors import RefusedError, StateError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.state.configmap_store import ClusterConfigMaps
from tazuna_core.state.folder_store import FolderConfigMaps
from tazuna_core.state.model import RecordedObject
from tazuna_core.state.record import NewerRecordError
from tazuna_core.state.store import ConfigMaps, ConflictError, StateStore
from tests.unit.state.factories import CrashError, MemoryConfigMaps, key, record, recorded, state
from tests.unit.state.test_record import large


def test_what_is_saved_is_loaded() -> None:
    store = StateStore(MemoryConfigMaps())
    saved = store.save(store.load(["m"])["m"], state(recorded()), record(recorded()))
    assert store.load(["m", "other"])["m"] == saved
    assert store.load(["other"])["other"].state is None
    assert list(store.load_all()) == ["m"]
    store.delete("m")
    assert store.load_all() == {}


def generation(number: int, big: bool) -> list[RecordedObject]:
    content = [recorded(key("a"), f"hash{number}")]
    return content + large(number, 1000) if big else content


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tazuna_core.state.record.SHARD_LIMIT", 4000)


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("big_before", [False, True])
@pytest.mark.parametrize("big_after", [False, True])
def test_a_run_that_dies_at_any_write_leaves_the_old_or_the_new_readable(big_before: bool, big_after: bool) -> None:
    old, new = generation(1, big_before), generation(2, big_after)
    maps = MemoryConfigMaps()
    StateStore(maps).save(StateStore(maps).load(["m"])["m"], state(*old), record(*old))
    before, steps = dict(maps.stored), None
    for dies_after in range(20):
        maps.stored, maps.log, maps.dies_after = dict(before), [], dies_after
        store = StateStore(maps)
        try:
            store.save(store.load(["m"])["m"], state(*new), record(*new))
        except CrashError:
            pass
        else:
            steps = dies_after
        maps.dies_after = None
        found = StateStore(maps).load(["m"])["m"]
        assert (found.problem, found.record in (record(*old), record(*new))) == ("", True)
        usable = found.recorded(str(key("a")))
        expected = {found.hashes()[str(key("a"))]} if usable is not None else {None}
        assert {usable.content_hash if usable else None} == expected
        if steps is not None:
            assert found.record == record(*new)
            break
        # the next run finishes the work
        store.save(found, state(*new), record(*new))
        assert StateStore(maps).load(["m"])["m"].record == record(*new)
    assert steps is not None


@pytest.mark.usefixtures("small_shards")
def test_the_record_goes_before_the_state_and_shard_0_after_the_others() -> None:
    maps = MemoryConfigMaps()
    store = StateStore(maps)
    first = store.save(store.load(["m"])["m"], state(*generation(1, True)), record(*generation(1, True)))
    assert [name.partition(" ")[2] for name in maps.log][-2:] == ["tazuna-record-m.0", "tazuna-state-m"]
    parts = [name.replace("write", "delete") for name in maps.log[:-2]]
    maps.log.clear()
    store.save(first, state(recorded()), record(recorded()))
    assert maps.log == ["write tazuna-record-m.0", *parts, "write tazuna-state-m"]


def test_of_two_runs_the_second_is_told_and_loses_nothing_of_the_first() -> None:
    store = StateStore(MemoryConfigMaps())
    before = store.load(["m"])["m"]
    store.save(before, state(recorded(content_hash="one")), record(recorded(content_hash="one")))
    with pytest.raises(ConflictError):
        store.save(before, state(recorded(content_hash="two")), record(recorded(content_hash="two")))
    found = store.load(["m"])["m"].recorded(str(key("a")))
    assert found is not None
    assert found.content_hash == "one"


@pytest.mark.usefixtures("small_shards")
def test_two_first_runs_with_large_records_never_tear_one() -> None:
    store = StateStore(MemoryConfigMaps())
    before = store.load(["m"])["m"]
    first = store.save(before, state(*large(1, 1000)), record(*large(1, 1000)))
    with pytest.raises(ConflictError):
        store.save(before, state(*large(2, 1000)), record(*large(2, 1000)))
    assert store.load(["m"])["m"].record == first.record


def test_a_damaged_record_is_no_record_said_aloud_and_a_newer_one_stops() -> None:
    maps = MemoryConfigMaps()
    store = StateStore(maps)
    store.save(store.load(["m"])["m"], state(recorded()), record(recorded()))
    header = maps.stored["tazuna-record-m.0"]["data"]
    good = header["record.json"]
    header["record.json"] = "{"
    found = store.load(["m"])["m"]
    assert (found.record, "cannot be read" in found.problem) == (None, True)
    assert store.save(found, state(recorded()), record(recorded())).record is not None
    header = maps.stored["tazuna-record-m.0"]["data"]
    header["record.json"] = good.replace('"format":1', '"format":9')
    with pytest.raises(NewerRecordError):
        store.load(["m"])


def test_leftover_shards_are_no_manifest() -> None:
    maps = MemoryConfigMaps()
    maps.write({"metadata": {"name": "tazuna-record-gone.3"}}, "")
    assert StateStore(maps).load_all() == {}


def test_a_folder_keeps_what_a_cluster_keeps(tmp_path: Path) -> None:
    store = StateStore(FolderConfigMaps(tmp_path / "state"))
    saved = store.save(store.load(["m"])["m"], state(recorded()), record(*large()))
    assert store.load(["m"])["m"] == saved
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == [
        "tazuna-record-m.0.json",
        "tazuna-state-m.json",
    ]
    assert list(store.load_all()) == ["m"]
    with pytest.raises(ConflictError):
        store.save(store.load(["other"])["other"].__class__("m"), state(recorded()), record(recorded()))
    store.delete("m")
    assert list((tmp_path / "state").iterdir()) == []


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = FolderConfigMaps(tmp_path)
    maps.write({"metadata": {"name": "tazuna-state-m"}, "data": {"k": "old"}}, "")
    before = maps.load(["tazuna-state-m"])["tazuna-state-m"]

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StateError, match="No space left"):
        maps.write({"metadata": {"name": "tazuna-state-m"}, "data": {}}, before["metadata"]["resourceVersion"])
    assert maps.load(None) == {"tazuna-state-m": before}
    assert [path.name for path in tmp_path.iterdir()] == ["tazuna-state-m.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"metadata": 3}', "\xff"])
def test_a_file_that_is_no_config_map_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "tazuna-state-m.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(StateError, match=r"tazuna-state-m\.json"):
        FolderConfigMaps(tmp_path).load(None)


def test_a_folder_where_a_folder_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "tazuna-state-m.json").mkdir()
    maps = FolderConfigMaps(tmp_path)
    for action in (
        lambda: maps.load(["tazuna-state-m"]),
        lambda: maps.write({"metadata": {"name": "tazuna-state-m"}}, ""),
        lambda: maps.delete("tazuna-state-m"),
        lambda: maps.load(["../etc"]),
    ):
        with pytest.raises(StateError):
            action()


class FakeCluster:
    """The ConfigMaps of a cluster as reader and API server see them."""

    def __init__(self, *, namespace: bool = True) -> None:
        self.objects: dict[str, JsonObject] = {}
        self.namespace = namespace
        self.fails: dict[str, ServerAnswer] = {}
        self.refused: Unavailable | None = None

    def read(self, refs: Iterable[ObjectRef]) -> dict[ObjectRef, Answer]:
        gone = self.refused or Unavailable(Reason.NOT_FOUND)
        return {ref: self.objects.get(ref.name, gone) if not self.refused else gone for ref in refs}

    def list_kind(self, _api_version: str, _kind: str, _namespace: str = "") -> list[JsonObject] | Unavailable:
        return self.refused or list(self.objects.values())

    def create(self, ref: ObjectRef, body: JsonObject, *, field_manager: str) -> ServerAnswer:
        assert field_manager == "tazuna"
        if ref.kind == "Namespace":
            self.namespace = True
            return ServerAnswer(201, body)
        if not self.namespace:
            return ServerAnswer(404, {"message": "namespaces 'tazuna' not found"})
        return ServerAnswer(409, {}) if ref.name in self.objects else self._store(ref, body, 201)

    def replace(self, ref: ObjectRef, body: JsonObject, *, field_manager: str) -> ServerAnswer:
        current = self.objects.get(ref.name)
        if current is None:
            return ServerAnswer(404, {})
        same = current["metadata"]["resourceVersion"] == body["metadata"]["resourceVersion"]
        return self._store(ref, body, 200) if same else ServerAnswer(409, {})

    def delete(self, ref: ObjectRef) -> ServerAnswer:
        return ServerAnswer(200, {}) if self.objects.pop(ref.name, None) else ServerAnswer(404, {})

    def _store(self, ref: ObjectRef, body: JsonObject, status: int) -> ServerAnswer:
        if ref.name in self.fails:
            return self.fails[ref.name]
        version = str(int(body["metadata"].get("resourceVersion", "0")) + 1)
        self.objects[ref.name] = {**body, "metadata": {**body["metadata"], "resourceVersion": version}}
        return ServerAnswer(status, self.objects[ref.name])


def in_cluster(cluster: Any, *, writable: bool = True) -> ConfigMaps:
    return ClusterConfigMaps(cluster, cluster if writable else None)


def test_a_cluster_gets_its_namespace_with_the_first_write_and_conflicts_are_told() -> None:
    cluster = FakeCluster(namespace=False)
    store = StateStore(in_cluster(cluster))
    nothing = store.load(["m"])["m"]
    saved = store.save(nothing, state(recorded()), record(recorded()))
    assert store.load(["m"])["m"] == store.load_all()["m"] == saved
    with pytest.raises(ConflictError):
        store.save(nothing, state(recorded()), record(recorded()))
    again = store.save(saved, state(recorded()), record(recorded(), commit="c2"))
    cluster.objects.clear()
    with pytest.raises(ConflictError):
        store.save(again, state(recorded()), record(recorded()))


def test_what_the_server_refuses_is_an_error_with_its_words() -> None:
    cluster = FakeCluster()
    cluster.fails["tazuna-state-m"] = ServerAnswer(403, {"message": "you may not"})
    with pytest.raises(StateError, match="you may not"):
        StateStore(in_cluster(cluster)).save(StateStore(in_cluster(cluster)).load(["m"])["m"], state(), record())


def test_a_state_that_cannot_be_read_is_never_a_state_that_is_not_there() -> None:
    cluster = FakeCluster()
    cluster.refused = Unavailable(Reason.FORBIDDEN, "forbidden")
    for load in (lambda: StateStore(in_cluster(cluster)).load(["m"]), StateStore(in_cluster(cluster)).load_all):
        with pytest.raises(StateError, match="forbidden") as raised:
            load()
        assert "tazuna rbac" in raised.value.advice


def test_a_snapshot_is_read_and_never_written() -> None:
    maps = in_cluster(FakeCluster(), writable=False)
    assert StateStore(maps).load(["m"])["m"].state is None
    with pytest.raises(RefusedError):
        maps.delete("tazuna-state-m")
