"""What the server itself writes into objects, and what it forgets when one is created anew; each with its twin."""

from __future__ import annotations

import base64

import pytest

from tazuna_core.objects.identity import JsonObject
from tests.unit.diff.factories import drift, entry, f, hidden, live, obj, owner, recorded, secret, shown

GENERATION = "deprecated.daemonset.template.generation"
STATUS = "autoscaling.alpha.kubernetes.io/conditions"
UID_LABEL = "batch.kubernetes.io/controller-uid"


def annotated(api_version: str, kind: str, **annotations: str) -> JsonObject:
    return obj(api_version, kind, metadata={"annotations": annotations}, spec={})


@pytest.mark.parametrize("manager", ["", "kubectl-create"])
@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [("apps/v1", "DaemonSet", GENERATION), ("autoscaling/v1", "HorizontalPodAutoscaler", STATUS)],
)
def test_annotations_that_the_server_keeps_are_in_the_ledger(
    api_version: str, kind: str, name: str, manager: str
) -> None:
    record = recorded(annotated(api_version, kind), annotated(api_version, kind, **{name: "1"}))
    held = [entry(manager, f("metadata", "annotations", name))] if manager else []
    found = drift(live(annotated(api_version, kind, **{name: "2"}), *held), record)
    assert (found.fields, list(hidden(found).values())) == ((), ["kept by the server"])


def test_twins_other_annotations_and_other_kinds_are_reported() -> None:
    metrics = "autoscaling.alpha.kubernetes.io/metrics"  # encodes the spec of autoscaling/v2
    for api_version, kind, name in (
        ("apps/v1", "DaemonSet", "mine"),
        ("apps/v1", "StatefulSet", GENERATION),
        ("autoscaling/v1", "HorizontalPodAutoscaler", metrics),
        ("autoscaling/v2", "HorizontalPodAutoscaler", STATUS),
    ):
        found = drift(live(annotated(api_version, kind, **{name: "2"})), recorded(annotated(api_version, kind)))
        assert list(shown(found).values()) == ["extra"], (kind, name)


def test_the_revision_comes_along_with_an_export_of_a_deployment() -> None:
    name = "deployment.kubernetes.io/revision"
    record = recorded(annotated("apps/v1", "Deployment"))
    creator = entry("kubectl-replace", f("metadata", "annotations", name))
    now = annotated("apps/v1", "Deployment", **{name: "1"})
    assert drift(live(now, creator, uid="u2"), record).fields == ()
    assert list(shown(drift(live(now, creator), record)).values()) == ["extra"]


def job(uid: str, **labels: str) -> JsonObject:
    template = {"metadata": {"labels": {UID_LABEL: uid, **labels}}, "spec": {"containers": [{"name": "a"}]}}
    return obj("batch/v1", "Job", spec={"selector": {"matchLabels": {UID_LABEL: uid}}, "template": template})


def test_a_re_created_job_has_another_uid_in_its_labels_and_that_is_all() -> None:
    built = obj("batch/v1", "Job", spec={"template": {"spec": {"containers": [{"name": "a"}]}}})
    record = recorded(built, job("u1"))
    assert drift(live(job("u2"), uid="u2"), record).fields == ()
    assert list(shown(drift(live(job("u2", team="x"), uid="u2"), record)).values()) == ["extra"]
    copied = live(job("u1"), labels={UID_LABEL: "u1", "job-name": "a"})
    assert drift(copied, record).fields == ()
    assert len(shown(drift(live(job("u1"), labels={"job-name": "other"}), record))) == 1
    forged = drift(live(job("other")), record)
    assert shown(forged) == {f'spec.template.metadata.labels["{UID_LABEL}"]': "extra"}


def values(**texts: str) -> dict[str, str]:
    return {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}


def test_of_a_re_created_secret_the_server_does_not_know_which_value_changed() -> None:
    record = recorded(secret(values(a="1", b="2", c="3")))
    creator = entry("kubectl-create", {"f:data": {".": {}, **{f"f:{key}": {} for key in "abc"}}})
    found = drift(live(secret(values(a="1", b="2", c="other")), creator, uid="u2"), record)
    assert (shown(found), owner(found, "data")) == ({"data": "drifted"}, "kubectl-create")
    assert drift(live(secret(values(a="1", b="2", c="3")), creator, uid="u2"), record).fields == ()
    edited = drift(live(secret(values(a="x", b="y", c="3")), entry("kubectl-edit", {"f:data": {"f:a": {}, "f:b": {}}}),
                        entry("tazuna", f("data", "c"), "Apply", time=None)), record)  # fmt: skip
    assert shown(edited) == {"data.a": "drifted", "data.b": "drifted"}
