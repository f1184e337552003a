"""The reader against a cluster that is broken in part: an API that is down, a webhook that is, a CRD that is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.discovery import discover
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.reader import Answer, Reason, Unavailable
from tazuna_core.objects.identity import ObjectRef
from tests.harness.cluster import LocalCluster

MANAGER = "broken-test"
CRD = "apiextensions.k8s.io/v1"
CONFIG = ObjectRef("v1", "ConfigMap", "default", "kube-root-ca.crt")


@pytest.fixture(scope="module")
def broken() -> Iterator[LocalCluster]:
    """A cluster for this file alone; its tests add one defect each and do not repair it."""
    with LocalCluster() as running:
        yield running


@pytest.fixture
def reader(broken: LocalCluster) -> KubeReader:
    return KubeReader(ApiServer.open(broken.kubeconfig))


def reason_of(answer: Answer) -> Reason | None:
    return answer.reason if isinstance(answer, Unavailable) else None


def until(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.1)


def apply(api: ApiServer, api_version: str, kind: str, name: str, namespace: str = "", **content: Any) -> None:
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **content}
    answer = api.apply(ObjectRef(api_version, kind, namespace, name), body, field_manager=MANAGER)
    assert answer.ok, answer.body


def define(reader: KubeReader, group: str, *versions: str, **spec: Any) -> None:
    """Creates a CRD for `Thing` and waits until it is served; the first version is the stored one."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    listed = [
        {"name": version, "served": True, "storage": version == versions[0], "schema": schema} for version in versions
    ]
    names = {"kind": "Thing", "plural": "things"}
    body = {"group": group, "scope": "Namespaced", "names": names, "versions": listed, **spec}
    apply(reader.api, CRD, "CustomResourceDefinition", f"things.{group}", spec=body)
    last = f"{group}/{versions[-1]}"
    until("the CRD is served", lambda: reader.kinds(refresh=True).get(last, "Thing") is not None)
    path = f"/apis/{last}/namespaces/default/things"
    until("its objects can be listed", lambda: reader.api.request("GET", path, {"limit": 1}).status != 404)


def test_a_crd_that_is_gone(reader: KubeReader) -> None:
    define(reader, "gone.example", "v1")
    thing = ObjectRef("gone.example/v1", "Thing", "default", "a")
    apply(reader.api, *thing[:2], thing.name, thing.namespace, spec={"n": 1})
    assert reason_of(reader.read([thing])[thing]) is None
    crd = ObjectRef(CRD, "CustomResourceDefinition", "", "things.gone.example")
    assert reader.api.delete(crd).ok
    path = "/apis/gone.example/v1/namespaces/default/things"
    until("the CRD is gone", lambda: reader.api.request("GET", path).status == 404)
    many = [thing._replace(name=f"t{number}") for number in range(6)]
    before = reader.read([thing, *many, CONFIG])
    assert {reason_of(before[ref]) for ref in (thing, *many)} == {Reason.NOT_SERVED}, "discovery was read before"
    assert reason_of(before[CONFIG]) is None
    reader.kinds(refresh=True)
    assert reason_of(reader.read([thing])[thing]) is Reason.NOT_SERVED


def test_an_api_whose_own_server_is_down(reader: KubeReader) -> None:
    group = {"group": "metrics.example", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100}
    service = {"name": "no-such-service", "namespace": "default"}
    spec = {**group, "service": service, "insecureSkipTLSVerify": True}
    apply(reader.api, "apiregistration.k8s.io/v1", "APIService", "v1.metrics.example", spec=spec)
    reading = ObjectRef("metrics.example/v1", "Reading", "default", "r")

    def noticed() -> bool:
        return "metrics.example/v1" in reader.kinds(refresh=True).failed

    until("discovery tells that the API is down", noticed)
    answers = reader.read([reading, CONFIG])
    assert reason_of(answers[reading]) is Reason.SERVER_ERROR
    assert reason_of(answers[CONFIG]) is None
    plain = discover(reader.api, aggregated=False)
    down = plain.unavailable("metrics.example/v1", "Reading")
    assert down is not None
    assert down.reason is Reason.SERVER_ERROR


def test_a_conversion_webhook_that_does_not_answer(reader: KubeReader) -> None:
    define(reader, "converted.example", "v1", "v2")
    stored = [ObjectRef("converted.example/v1", "Thing", "default", f"t{number}") for number in range(6)]
    for ref in stored:
        apply(reader.api, *ref[:2], ref.name, ref.namespace, spec={"n": 1})
    service = {"name": "no-such-service", "namespace": "default", "path": "/convert"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    define(reader, "converted.example", "v1", "v2", conversion={"strategy": "Webhook", "webhook": webhook})
    # Without a limit the server answers 429 "storage is (re)initializing" for as long as the webhook is down.
    path = "/apis/converted.example/v2/namespaces/default/things"
    until("the webhook is asked", lambda: reader.api.request("GET", path, {"limit": 500}).status >= 500)
    asked = [ref._replace(api_version="converted.example/v2") for ref in stored]
    answers = reader.read([*asked, *stored, CONFIG])
    assert {reason_of(answers[ref]) for ref in asked} == {Reason.SERVER_ERROR}
    assert {reason_of(answers[ref]) for ref in stored} == {None}, "the stored version needs no conversion"
    assert reason_of(answers[CONFIG]) is None


def test_a_server_that_was_restarted(broken: LocalCluster, reader: KubeReader) -> None:
    assert reason_of(reader.read([CONFIG])[CONFIG]) is None
    broken.restart_api_server()
    assert reason_of(reader.read([CONFIG])[CONFIG]) is None, "connections kept from before are dead"
