"""`apply` as a user runs it: order, waits, tests, failures, what it reverts, and what state says afterwards."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.harness.applying import Place, config_map, deployment, namespace_object
from tests.harness.cluster import LocalCluster
from tests.harness.go_tools import go_tool


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


def until(namespace: str, name: str, condition: str, **more: Any) -> dict[str, Any]:
    asked = {"resource": {"apiVersion": "v1", "kind": "ConfigMap"}, "namespace": namespace, "name": name}
    return {"type": "WaitUntil", "waitUntil": {**asked, "condition": condition}, **more}


def exists(namespace: str, name: str, should: bool, **more: Any) -> dict[str, Any]:
    asked = {"resource": {"apiVersion": "v1", "kind": "ConfigMap"}, "namespace": namespace, "name": name}
    return {"type": "ExistNonExist", "existNonExist": {**asked, "shouldExist": should}, **more}


def test_layers_go_in_order_and_a_failure_ends_after_its_layer(place: Place) -> None:
    base, good, bad, last = (place.name(name) for name in ("base", "good", "bad", "last"))
    broken = deployment("broken", place.namespace, selector={"matchLabels": {"app": "another"}})
    place.repository.write(
        {
            last: [config_map("last", place.namespace)],
            bad: [broken, config_map("beside", place.namespace)],
            good: [config_map("good", place.namespace)],
            base: [namespace_object(place.namespace)],
        },
        {last: {"dependsOn": [good, bad]}, good: {"dependsOn": [base]}, bad: {"dependsOn": [base]}},
    )
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 6
    (error,) = ran.json()["errors"]
    assert "Deployment" in error["message"] and "spec.template.metadata.labels" in error["message"]
    assert error["file"].endswith("000.json")
    # the rest of the layer, of its manifest too, is there, the next layer did not start
    assert place.config_map("good") and place.config_map("beside") and not place.config_map("last")
    assert set(place.state("bad") or {}) == {"beside"}
    assert set(place.state("good") or {}) == {"good"}
    assert place.state("last") is None
    lines = [line.split()[0] for line in ran.stderr.splitlines() if line]
    assert lines[0] == "created" and "failed" in lines
    place.repository.write(
        {
            last: [config_map("last", place.namespace)],
            bad: [deployment("broken", place.namespace)],
            good: [config_map("good", place.namespace)],
            base: [namespace_object(place.namespace)],
        },
        {last: {"dependsOn": [good, bad]}, good: {"dependsOn": [base]}, bad: {"dependsOn": [base]}},
    )
    assert place.tazuna("apply").code == 0
    # what is built no longer stays known until it is pruned
    assert set(place.state("bad") or {}) == {"beside", "broken"}
    assert place.tazuna("apply", "-o", "json").json()["applied"] == 4


def test_a_layer_runs_side_by_side(place: Place) -> None:
    base, left, right = (place.name(name) for name in ("base", "left", "right"))
    never = {"timeoutSeconds": 20, "intervalSeconds": 0}
    place.repository.write(
        {
            base: [namespace_object(place.namespace)],
            left: [config_map("left", place.namespace)],
            right: [config_map("right", place.namespace)],
        },
        {
            # each waits for the object of the other, which only exists if both were begun
            left: {"dependsOn": [base], "tests": [exists(place.namespace, "right", True, **never)]},
            right: {"dependsOn": [base], "tests": [exists(place.namespace, "left", True, **never)]},
        },
    )
    ran = place.tazuna("apply")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert ran.stderr.count("passed ") == 2


def test_tests_are_counted_and_decide_whether_state_is_saved(place: Place) -> None:
    name = place.name("tested")
    condition = "has(object.data.ready) && object.data.ready == 'yes'"
    test = until(place.namespace, "c", condition, minConsecutiveSuccessCount=3, minConsecutiveFailureCount=4)
    objects = [namespace_object(place.namespace), config_map("c", place.namespace, a="1")]
    place.repository.write({name: objects}, {name: {"tests": [test]}})
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 7
    (error,) = ran.json()["errors"]
    assert error["code"] == "test-failed" and "4 failures in a row" in error["message"]
    assert place.config_map("c") is not None
    assert place.state("tested") is None, "a manifest whose tests fail does not count as applied"
    helper = threading.Timer(
        1.0, place.cluster.kubectl, ["-n", place.namespace, "patch", "configmap/c", "-p", '{"data": {"ready": "yes"}}']
    )
    slow = until(place.namespace, "c", condition, timeoutSeconds=60, intervalSeconds=1)
    place.repository.write({name: objects}, {name: {"tests": [slow]}})
    helper.start()
    assert place.tazuna("apply").code == 0
    helper.join()
    assert set(place.state("tested") or {}) == {"c", place.namespace}


def test_a_failing_test_under_sync_fails_the_next_sync_too(place: Place) -> None:
    name = place.name("tested")
    gone = exists(place.namespace, "c", False, timeoutSeconds=1)
    objects = [namespace_object(place.namespace), config_map("c", place.namespace)]
    place.repository.write({name: objects}, tests=[gone])
    first, second = place.tazuna("apply", "--sync", "-o", "json"), place.tazuna("apply", "--sync", "-o", "json")
    assert (first.code, second.code) == (7, 7)
    assert "spec.tests: test 1 (ConfigMap" in first.json()["errors"][0]["message"]
    assert place.state("tested") is not None, "under --sync state is saved before the tests"


def test_a_condition_that_is_no_cel_is_found_before_anything_is_written(place: Place) -> None:
    name = place.name("wrong")
    objects = [namespace_object(place.namespace)]
    place.repository.write({name: objects}, {name: {"tests": [until(place.namespace, "c", "object.data ==")]}})
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 2
    assert ran.json()["errors"][0]["code"] == "condition"
    assert place.get(f"/api/v1/namespaces/{place.namespace}") is None
    number = until(place.namespace, "kube-root-ca.crt", "size(object.metadata.name)")
    place.repository.write({name: objects}, {name: {"tests": [number]}})
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 7
    assert "gives int, not true or false" in ran.json()["errors"][0]["message"]


def test_what_apply_reverts_is_listed_field_by_field(place: Place) -> None:
    name = place.name("web")
    objects = [
        namespace_object(place.namespace),
        deployment("web", place.namespace, replicas=3),
        config_map("c", place.namespace, a="1", b="2"),
        config_map("lost", place.namespace),
    ]
    place.repository.write({name: objects})
    assert place.tazuna("apply").code == 0
    kubectl = place.cluster.kubectl
    kubectl("-n", place.namespace, "scale", "deployment/web", "--replicas=5")
    kubectl("-n", place.namespace, "patch", "configmap/c", "-p", '{"data": {"a": "9", "extra": "x"}}')
    kubectl("-n", place.namespace, "delete", "configmap/lost")
    objects[2] = config_map("c", place.namespace, a="2", b="2")
    place.repository.write({name: objects})
    before = place.config_map("c")
    refused = place.tazuna("apply", "--on-drift=refuse", "-o", "json")
    assert refused.code == 5
    assert place.config_map("c") == before, "nothing was written"
    (error,) = refused.json()["errors"]
    assert error["code"] == "drift" and all(name in error["message"] for name in ("/web", "/c", "/lost"))
    assert {field["onMerge"] for field in refused.fields().values()} == {"kept"}
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 0
    fields = ran.fields()
    assert ran.json()["command"] == "apply"
    scaled = fields["Deployment/web spec.replicas"]
    assert (scaled["verdict"], scaled["recorded"], scaled["live"], scaled["onMerge"]) == ("drifted", 3, 5, "reverted")
    assert scaled["owner"]["manager"] == "kubectl"
    assert fields["ConfigMap/c data.a"]["verdict"] == "conflict"
    assert fields["ConfigMap/c data.a"]["onMerge"] == "reverted"
    assert fields["ConfigMap/c data.extra"]["onMerge"] == "kept"
    assert ran.statuses()["ConfigMap/lost"] == "live-missing"
    assert place.config_map("c")["data"] == {"a": "2", "b": "2", "extra": "x"}
    drift = place.tazuna("state", "drift", "-o", "json")
    assert set(drift.fields()) == {"ConfigMap/c data.extra"}, "an extra is never blessed"
    # a single object is put back, what was added to it included
    key = f"{name}//v1/ConfigMap/{place.namespace}/c"
    only = place.tazuna("apply", "--only", key, f"Deployment/{place.namespace}/web", "-o", "json")
    assert only.code == 0 and only.json()["applied"] == 2
    assert only.fields()["ConfigMap/c data.extra"]["onMerge"] == "reverted"
    assert place.config_map("c")["data"] == {"a": "2", "b": "2"}
    assert place.tazuna("state", "drift", "--fail-on-drift").code == 0
    assert place.tazuna("apply", "--only", "ConfigMap/x/y").code == 2


def test_wait_polls_until_ready_or_says_what_is_not(place: Place) -> None:
    path = os.pathsep.join([str(go_tool("helm").parent), os.environ["PATH"]])
    tazuna = replace(place.tazuna, environment={**place.tazuna.environment, "PATH": path})
    name = place.name("chart")
    chart = place.repository.folder / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: waits\nversion: 0.1.0\n")
    objects = [namespace_object(place.namespace), deployment("slow", place.namespace)]
    for number, obj in enumerate(objects):
        (chart / "templates" / f"{number}.yaml").write_bytes(orjson.dumps(obj))
    release = {"name": "waits", "namespace": place.namespace, "chart": "./chart"}
    (place.repository.folder / "helmfile.yaml").write_bytes(orjson.dumps({"releases": [release]}))
    helmfile = {"wait": True, "timeoutSeconds": 3}
    manifest = {"name": name, "type": "helmfile", "path": "helmfile.yaml", "helmfile": helmfile}
    tazuna_yaml = place.repository.folder / "tazuna.yaml"
    tazuna_yaml.write_bytes(orjson.dumps({"spec": {"manifests": [manifest]}}))
    ran = tazuna("apply", "-o", "json")
    assert ran.code == 6, ran.stdout
    (error,) = ran.json()["errors"]
    assert error["code"] == "not-ready" and "0 of 1" in error["message"] and "after 3 s" in error["message"]
    assert place.state("chart") is None
    assert tazuna("apply", "--no-wait").code == 0
    helmfile["timeoutSeconds"] = 60
    tazuna_yaml.write_bytes(orjson.dumps({"spec": {"manifests": [manifest]}}))
    # there is no kubelet: the test says in its place that the pod runs
    pods = f"/api/v1/namespaces/{place.namespace}/pods"

    def ready() -> None:
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        for pod in place.get(pods)["items"]:
            path = f"{pods}/{pod['metadata']['name']}/status"
            place.cluster.request("PATCH", path, {"status": status}, "application/strategic-merge-patch+json")

    helper = threading.Timer(2.0, ready)
    helper.start()
    ran = tazuna("apply")
    helper.join()
    assert ran.code == 0, ran.stdout + ran.stderr
    assert set(place.state("chart") or {}) == {"slow", place.namespace}


def test_a_folder_for_state_is_made_by_apply_alone(place: Place) -> None:
    place.repository.write({place.name("m"): [namespace_object(place.namespace)]})
    folder = place.repository.folder / "kept" / "state"
    for command in ("plan", "destroy"):
        ours = replace(place.tazuna, environment={**place.tazuna.environment, "TAZUNA_DESTROY_EXECUTABLE": "true"})
        ran = ours(command, "--state", f"dir:{folder}")
        assert (ran.code, "does not exist" in ran.stdout) == (4, True), command
        assert not folder.exists()
    assert place.tazuna("apply", "--state", f"dir:{folder}").code == 0
    assert max(path.name for path in folder.iterdir()) == f"tazuna-state-{place.name('m')}.json"
    assert place.state("m") is None
    assert place.tazuna("plan", "--state", f"dir:{folder}").stdout == "No changes detected.\n"
