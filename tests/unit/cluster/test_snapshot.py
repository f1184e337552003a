from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.cluster.discovery import ServedKind, ServedKinds
from tazuna_core.cluster.open import open_cluster
from tazuna_core.cluster.reader import Answer, KindInfo, Reason, Unavailable
from tazuna_core.cluster.snapshot import (
    MASK,
    ListRef,
    Snapshot,
    SnapshotReader,
    load_snapshot,
    snapshot_of,
    without_secret_values,
)
from tazuna_core.errors import UsageError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.schema import Schema

TASK = ObjectRef("example.com/v1", "Task", "a", "t")
CONFIG = ObjectRef("v1", "ConfigMap", "a", "c")
SECRET = ObjectRef("v1", "Secret", "a", "s")
GONE = ObjectRef("v1", "ConfigMap", "a", "gone")
HIDDEN = ObjectRef("v1", "ConfigMap", "a", "hidden")
STATE = ListRef("v1", "ConfigMap", "tazuna")


def live(ref: ObjectRef, **content: Any) -> JsonObject:
    metadata = {"name": ref.name, "namespace": ref.namespace, "uid": "1", "resourceVersion": "7"}
    return {"apiVersion": ref.api_version, "kind": ref.kind, "metadata": metadata, **content}


class Live:
    """A cluster with a few objects."""

    name = "prod"
    objects: Mapping[ObjectRef, Answer] = {
        TASK: live(TASK, spec={"n": 1}),
        CONFIG: live(CONFIG, data={"k": "v"}),
        SECRET: live(SECRET, data={"password": "aHVudGVyMg=="}),
        GONE: Unavailable(Reason.NOT_FOUND, "gone"),
        HIDDEN: Unavailable(Reason.FORBIDDEN, "may not get configmaps/hidden in namespace a"),
    }

    def kinds(self) -> ServedKinds:
        kinds = {("example.com/v1", "Task"): "tasks", ("v1", "ConfigMap"): "configmaps", ("v1", "Secret"): "secrets"}
        return ServedKinds({key: ServedKind(KindInfo(plural, True)) for key, plural in kinds.items()})

    def read(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        return {ref: self.objects[ref] for ref in refs}

    read_metadata = read

    def list_kind(self, api_version: str, kind: str, namespace: str = "") -> list[JsonObject] | Unavailable:
        if kind == "ScaledObject":
            return Unavailable(Reason.NOT_SERVED, "no such kind")
        return [live(ObjectRef(api_version, kind, namespace, name)) for name in ("tazuna-state-x", "tazuna-record-x.0")]

    def schema(self, api_version: str, kind: str) -> Schema | None:
        return None

    def server_version(self) -> str:
        return "v1.36.3"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lists = [STATE, ListRef("keda.sh/v1alpha1", "ScaledObject", "a")]
    file = tmp_path / "snapshot.json"
    file.write_bytes(snapshot_of(Live(), Live.objects, lists).to_json())
    return file


def test_a_snapshot_answers_as_the_cluster_did(path: Path) -> None:
    reader = open_cluster(f"snapshot:{path}")
    answers = reader.read(Live.objects)
    assert {ref: answer for ref, answer in answers.items() if ref != SECRET} == {
        ref: answer for ref, answer in Live.objects.items() if ref != SECRET
    }
    assert reader.kinds().get("example.com/v1", "Task") == KindInfo("tasks", True)
    assert reader.server_version() == "v1.36.3"
    assert reader.name is None
    assert reader.schema("example.com/v1", "Task") is None


def test_what_it_does_not_mention_is_unknown_and_never_missing(path: Path) -> None:
    other = CONFIG._replace(name="other")
    answer = open_cluster(f"snapshot:{path}").read([other])[other]
    assert isinstance(answer, Unavailable)
    assert answer.reason is Reason.NOT_IN_SNAPSHOT
    assert not answer.missing


def test_only_lists_that_were_read_are_complete(path: Path) -> None:
    reader = open_cluster(f"snapshot:{path}")
    listed = reader.list_kind(*STATE)
    assert isinstance(listed, list)
    assert [obj["metadata"]["name"] for obj in listed] == ["tazuna-record-x.0", "tazuna-state-x"]
    assert reader.list_kind("keda.sh/v1alpha1", "ScaledObject", "a") == Unavailable(Reason.NOT_SERVED, "no such kind")
    unknown = reader.list_kind("v1", "ConfigMap", "a")
    assert isinstance(unknown, Unavailable)
    assert unknown.reason is Reason.NOT_IN_SNAPSHOT


def test_c55_no_secret_value_is_in_the_file(path: Path) -> None:
    assert "aHVudGVyMg==" not in path.read_text()
    assert "hunter2" not in path.read_text()
    answer = open_cluster(f"snapshot:{path}").read([SECRET])[SECRET]
    assert isinstance(answer, dict)
    assert answer["data"] == {"password": MASK}


def test_c55_last_applied_holds_the_values_too() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"p":"clear"}}', "note": "x"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "annotations": annotations}}
    masked = without_secret_values(secret)
    assert "clear" not in json.dumps(masked)
    assert masked["metadata"]["annotations"]["note"] == "x"
    assert "clear" in json.dumps(secret), "the object given is not changed"


def test_kinds_of_every_cluster_need_not_be_listed(tmp_path: Path) -> None:
    snapshot = Snapshot.model_validate(
        {"schemaVersion": 1, "kind": "ClusterSnapshot", "objects": [live(CONFIG._replace(namespace="default"))]}
    )
    reader = SnapshotReader(snapshot)
    ref = CONFIG._replace(namespace="")
    assert isinstance(reader.read([ref])[ref], dict)
    assert reader.kinds().get("rbac.authorization.k8s.io/v1", "ClusterRole") == KindInfo("clusterroles", False)


def test_yaml_is_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(
        "schemaVersion: 1\nkind: ClusterSnapshot\nobjects:\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}}\n"
    )
    assert isinstance(SnapshotReader.open(file).read([CONFIG])[CONFIG], dict)


def test_custom_resources_have_the_schema_of_their_definition() -> None:
    items = {"type": "object", "properties": {"name": {"type": "string"}}}
    steps = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items}
    root = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"steps": steps}}}}
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": root}}, {"name": "v2"}]
    spec = {"group": "example.com", "names": {"kind": "Task"}, "versions": versions}
    crd = live(ObjectRef("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "tasks.example.com"), spec=spec)
    broken = live(ObjectRef("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "x.example.com"), spec={})
    reader = SnapshotReader(Snapshot(schema_version=1, kind="ClusterSnapshot", objects=(crd, broken)))
    schema = reader.schema("example.com/v1", "Task")
    assert schema is not None
    assert schema.child("spec").child("steps").list_keys == ("name",)
    assert schema.child("metadata").child("finalizers").list_type == "set"
    assert not schema.knows("typo")
    assert reader.schema("example.com/v2", "Task") is not None
    assert reader.schema("example.com/v3", "Task") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "this file has 0"),
        ("{", ""),
        ("[]", ""),
        ("a: b\n---\nc: d\n", "this file has 2"),
        ('{"schemaVersion": 1}', "kind: Field required"),
        ('{"schemaVersion": 2, "kind": "ClusterSnapshot", "more": 1}', "Upgrade tazuna"),
        ('{"schemaVersion": 1, "kind": "Report"}', "kind: Input should be 'ClusterSnapshot'"),
        ('{"schemaVersion": 1, "kind": "ClusterSnapshot", "objekts": []}', "objekts: Extra inputs"),
        ('{"schemaVersion": 1, "kind": "ClusterSnapshot", "objects": [{"kind": "X"}]}', "objects[0]: an object needs"),
        ('{"schemaVersion": 1, "kind": "ClusterSnapshot", "objects": [3]}', "objects[0]: Input should be"),
        (
            '{"schemaVersion": 1, "kind": "ClusterSnapshot", "unavailable": [{"apiVersion": "v1", "kind": "X", '
            '"name": "x", "reason": "bored"}]}',
            "unavailable[0].reason: Input should be",
        ),
    ],
)
def test_a_bad_file_is_a_usage_error_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "s.json"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        SnapshotReader.open(file)
    assert str(caught.value).startswith(str(file))
    assert says in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        open_cluster(f"snapshot:{tmp_path / 'none'}")
    with pytest.raises(UsageError, match="Is a directory"):
        open_cluster(f"snapshot:{tmp_path}")


@pytest.mark.parametrize("cluster", ["snapshot", "snapshot:", "kubernetes", "", "file:x"])
def test_another_word_is_no_cluster(cluster: str) -> None:
    with pytest.raises(UsageError, match="is no cluster"):
        open_cluster(cluster)


scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), max_size=8)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner)
)


@given(spec=values)
def test_what_is_written_is_what_is_read(spec: Any) -> None:
    snapshot = Snapshot(schema_version=1, kind="ClusterSnapshot", objects=(live(TASK, spec=spec),))
    again = Snapshot.model_validate(json.loads(snapshot.to_json()))
    assert again == snapshot
    assert again.to_json() == snapshot.to_json()


def test_load_snapshot_gives_the_model(path: Path) -> None:
    snapshot = load_snapshot(path)
    assert snapshot.context == "prod"
    assert [item.ref for item in snapshot.unavailable] == [GONE, HIDDEN]
