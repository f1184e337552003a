"""Objects that came by a client-side `kubectl apply`: fields that are no longer declared go away (verdicts 7)."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.harness.applying import Place, config_map, deployment, namespace_object
from tests.harness.cluster import LocalCluster


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


def test_what_kubectl_applied_is_taken_over(place: Place) -> None:
    place.cluster.create_namespace(place.namespace)
    old = config_map("c", place.namespace, kept="1", dropped="1")
    web = deployment("web", place.namespace, replicas=2, paused=False, minReadySeconds=7)
    for obj in (old, web):
        place.cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps(obj).decode())
    place.cluster.kubectl("-n", place.namespace, "label", "configmap/c", "team=night")
    name = place.name("m")
    wanted = [
        namespace_object(place.namespace),
        config_map("c", place.namespace, kept="2"),
        deployment("web", place.namespace, replicas=2),
    ]
    place.repository.write({name: wanted})
    assert place.tazuna("apply").code == 0
    live = place.config_map("c")
    assert live["data"] == {"kept": "2"}, "a field that nobody declares any more is gone"
    assert live["metadata"]["labels"] == {"team": "night"}, "what kubectl label did was never kubectl apply's"
    assert "annotations" not in live["metadata"], "and so is kubectl's own annotation"
    managers = {(entry["manager"], entry["operation"]) for entry in live["metadata"]["managedFields"]}
    assert managers == {("tazuna", "Apply"), ("kubectl-label", "Update")}
    spec = place.get(f"/apis/apps/v1/namespaces/{place.namespace}/deployments/web")["spec"]
    assert "minReadySeconds" not in spec
    assert place.tazuna("state", "drift", "--fail-on-drift").code == 0


def test_a_client_side_apply_over_an_object_of_ours_is_a_change_by_hand(place: Place) -> None:
    name = place.name("m")
    place.repository.write({name: [namespace_object(place.namespace), config_map("c", place.namespace, a="1")]})
    assert place.tazuna("apply").code == 0
    hand = config_map("c", place.namespace, a="2", b="extra")
    place.cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps(hand).decode())
    assert set(place.tazuna("state", "drift", "-o", "json").fields()) >= {"ConfigMap/c data.a", "ConfigMap/c data.b"}
    assert place.tazuna("apply").code == 0
    assert place.config_map("c")["data"] == {"a": "1", "b": "extra"}, "an extra is kept and stays reported"
    assert "ConfigMap/c data.b" in place.tazuna("state", "drift", "-o", "json").fields()


def test_a_field_that_another_manager_set_too_goes_when_it_is_no_longer_declared(place: Place) -> None:
    name = place.name("m")
    both = [namespace_object(place.namespace), config_map("c", place.namespace, a="1", b="1")]
    place.repository.write({name: both})
    assert place.tazuna("apply").code == 0
    place.cluster.kubectl("-n", place.namespace, "patch", "configmap/c", "-p", '{"data": {"b": "2"}}')
    place.repository.write({name: [both[0], config_map("c", place.namespace, a="1")]})
    assert place.tazuna("apply").code == 0
    assert place.config_map("c")["data"] == {"a": "1"}
