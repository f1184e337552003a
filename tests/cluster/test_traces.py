"""Traces of commands against a real API server: what is in them, under what, and what is never in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.test_apply import until
from tests.harness.applying import Place, config_map, deployment, namespace_object
from tests.harness.cluster import LocalCluster
from tests.harness.needles import needles_of
from tests.harness.otlp import Received, receiver

VALUE, SECRET = "planted-in-a-trace-5b1e77d0", "the-name-of-a-secret"
TEMPLATE = re.compile(r"/(api|apis|openapi|version)(/[a-z0-9.{}-]+)*")


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


@pytest.fixture
def received() -> Iterator[Received]:
    with receiver() as running:
        yield running


def secret(namespace: str, **data: str) -> dict[str, Any]:
    metadata = {"name": SECRET, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}


def write(place: Place, **more: Any) -> tuple[str, str]:
    """Two manifests side by side after one with their namespace, a test each; returns the two."""
    base, one, two = (place.name(name) for name in ("base", "one", "two"))
    objects = [config_map(f"map-{number}", place.namespace, key=VALUE) for number in range(4)]
    place.repository.write(
        {
            base: [namespace_object(place.namespace)],
            one: [*objects, secret(place.namespace, password=VALUE)],
            two: [config_map("other", place.namespace, **more)],
        },
        {
            one: {"dependsOn": [base], "tests": [until(place.namespace, "map-0", "has(object.data)")]},
            two: {"dependsOn": [base]},
        },
    )
    return one, two


def test_an_apply_and_its_drift(place: Place, received: Received, cluster: LocalCluster) -> None:
    one, two = write(place)
    flag = f"--otlp-endpoint={received.endpoint}"
    assert place.tazuna("apply", flag).code == 0
    root = received.root()
    assert (root.name, root.error, root.attributes["tazuna.applied"]) == ("tazuna apply", None, 7)
    assert root.attributes["tazuna.written"] == 7
    assert root.attributes["tazuna.context"] == place.tazuna("plan", "-o", "json").json()["target"]["context"]
    # what threads do stands below who gave it to them
    for name in (one, two):
        assert received.above(received.one(f"apply {name}")) == ["tazuna apply"]
    sent = {span.attributes["tazuna.object"]: received.above(span) for span in received.of("send ConfigMap")}
    assert sent == {
        **{f"{one}//v1/ConfigMap/{place.namespace}/map-{n}": [f"apply {one}", "tazuna apply"] for n in range(4)},
        f"{two}//v1/ConfigMap/{place.namespace}/other": [f"apply {two}", "tazuna apply"],
    }
    patch = "PATCH /api/v1/namespaces/{namespace}/configmaps/{name}"
    assert {tuple(received.above(span)) for span in received.of(patch)} == {
        ("send ConfigMap", f"apply {one}", "tazuna apply"),
        ("send ConfigMap", f"apply {two}", "tazuna apply"),
    }
    assert {span.attributes["http.response.status_code"] for span in received.of(patch)} == {201}
    assert received.above(received.one("test")) == [f"apply {one}", "tazuna apply"]
    assert {"take the lock", "read state", "write state", f"build {one}", "read cluster"} <= received.names()
    requests = [span for span in received.spans if span.kind == "client"]
    assert all(TEMPLATE.fullmatch(span.attributes["url.template"]) for span in requests)
    assert not [span for span in requests if place.word in span.name]
    # a missing object is an answer, no failure; this folder is no checkout
    assert {span.name for span in received.spans if span.error} == {"run git"}

    cluster.kubectl("patch", "configmap/other", "-n", place.namespace, "--type=merge", "-p", '{"data": {"by": "hand"}}')
    received.spans.clear()
    assert place.tazuna("state", "drift", "--fail-on-drift", flag).code == 1
    root = received.root()
    assert (root.error, root.attributes["tazuna.result"], root.attributes["tazuna.count.drifted"]) == (
        None,
        "drifted",
        1,
    )
    lists = received.of("GET /api/v1/namespaces/{namespace}/configmaps")
    assert ["read cluster", "tazuna state drift"] in [received.above(span) for span in lists]

    told = b"".join(received.raw)
    for form, needle in needles_of(VALUE).items():
        assert needle not in told, form
    assert SECRET.encode() not in told
    assert received.one(f"compare {one}").attributes["tazuna.objects"] == 5


def test_a_refused_object_and_a_failed_test(place: Place, received: Received) -> None:
    base, one, two = (place.name(name) for name in ("base", "one", "two"))
    broken = deployment("broken", place.namespace, selector={"matchLabels": {"app": VALUE}})
    never = until(place.namespace, "never", "has(object.data)", minConsecutiveFailureCount=1)
    place.repository.write(
        {
            base: [namespace_object(place.namespace)],
            one: [broken],
            two: [config_map("other", place.namespace)],
        },
        {one: {"dependsOn": [base]}, two: {"dependsOn": [base], "tests": [never]}},
    )
    assert place.tazuna("apply", f"--otlp-endpoint={received.endpoint}").code == 6
    root = received.root()
    # in declared order, whichever failed first
    assert (root.error, root.attributes["tazuna.errors"]) == ("exit code 6", ["apply-refused", "test-failed"])
    failed = {span.name: span.error for span in received.spans if span.error and span.name != "run git"}
    assert failed == {
        "PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name}": "422",
        "send Deployment": "apply-refused",
        f"apply {one}": "apply-refused",
        "test": "test-failed",
        f"apply {two}": "test-failed",
        "tazuna apply": "exit code 6",
    }
    assert VALUE.encode() not in b"".join(received.raw)


def test_who_may_not_read_and_who_cannot(place: Place, received: Received, cluster: LocalCluster) -> None:
    write(place)
    assert place.tazuna("apply").code == 0
    flag = f"--otlp-endpoint={received.endpoint}"
    stranger = replace(place.tazuna, kubeconfig=cluster.kubeconfig_for("stranger"))
    assert stranger("state", "drift", flag).code == 4
    assert "403" in {span.error for span in received.spans if span.kind == "client"}
    assert received.root().error == "exit code 4"
