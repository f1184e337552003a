"""Cases of plans: desired against live by meaning, where no record answers."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.diff.plan import NEEDS_REPLACE
from tazuna_core.diff.plan_unrecorded import REWRITTEN
from tazuna_core.diff.walk import TYPE_CHANGED
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import JsonObject
from tests.unit.diff.factories import (
    AFTER,
    APPLIED,
    config_map,
    deployment,
    entry,
    f,
    field,
    live,
    obj,
    plan,
    recorded,
    secret,
    shown,
    subject,
)
from tests.unit.diff.test_drift_cases import crd_schema

APP = "spec.template.spec.containers[name=app]"
QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def unrecorded(built: JsonObject, now: JsonObject, *entries: JsonObject, **how: Any) -> dict[str, str]:
    """Plans what was applied by somebody else's tool: the state has the hash of the build, there is no record."""
    return shown(plan(built, live(now, *entries), stored=content_hash(built), **how))


def task(**spec: Any) -> JsonObject:
    return obj("example.com/v1", "Task", spec=spec)


def network_policy(selector: JsonObject) -> JsonObject:
    return obj("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": selector})


def claiming(template: JsonObject) -> JsonObject:
    return obj("apps/v1", "StatefulSet", spec={"volumeClaimTemplates": [template]})


EQUAL = {
    "c01_quantities": (
        deployment({"resources": {"requests": {"cpu": "1000m", "memory": "1000M"}}}),
        deployment({"resources": {"requests": {"cpu": "1", "memory": "1G"}}}),
    ),
    "c07_empty_lists": (deployment({"ports": [], "env": []}), deployment()),
    "c10_preserve_unknown_fields_false": (
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"preserveUnknownFields": False, "group": "x"}),
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"group": "x"}),
    ),
    "c11_defaults_and_status": (
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"group": "x"}, status={"storedVersions": []}),
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"group": "x", "scope": "Namespaced"}),
    ),
    "c12_creation_timestamp_null": (
        deployment(metadata={"creationTimestamp": None}, status={}),
        deployment(),
    ),
    "c12_creation_timestamp_null_in_claim_templates": (
        claiming({"metadata": {"name": "d", "creationTimestamp": None}}),
        claiming({"metadata": {"name": "d"}, "status": {}}),
    ),
    "c13_null": (deployment(strategy={"rollingUpdate": None}), deployment(strategy={"rollingUpdate": {"maxSurge": 1}})),
    "c14_empty_maps": (config_map(labels={}, annotations={}), config_map()),
    "c15_false_null_empty": (deployment(pod={"hostNetwork": False, "nodeSelector": None}), deployment()),
    "c19_key_defaults": (
        deployment({"ports": [{"containerPort": 80}]}),
        deployment({"ports": [{"containerPort": 80, "protocol": "TCP"}]}),
    ),
    "c24_sidecar": (
        obj("v1", "Pod", spec={"containers": [{"name": "app"}]}),
        obj("v1", "Pod", spec={"containers": [{"name": "proxy"}, {"name": "app"}], "volumes": [{"name": "t"}]}),
    ),
    "c30_undeclared_annotation": (config_map(), config_map(annotations={"prometheus-operator-validated": "true"})),
    "c34_status": (obj("apps/v1", "DaemonSet", status={"numberReady": 0}), obj("apps/v1", "DaemonSet")),
    "c35_helm_labels": (config_map(), config_map(labels={"app.kubernetes.io/managed-by": "Helm"})),
    "defaults_inside_an_atomic_struct": (
        deployment({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}),
        deployment(
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}]}
        ),
    ),
    "a_service_selector_without_entries": (obj("v1", "Service", spec={"selector": {}}), obj("v1", "Service", spec={})),
}  # fmt: skip

DIFFERENT = {
    "c04_plain_strings": (
        deployment({"env": [{"name": "TIMEOUT", "value": "1000m"}]}),
        deployment({"env": [{"name": "TIMEOUT", "value": "1"}]}),
        [f"{APP}.env[name=TIMEOUT].value"],
    ),
    "c01_other_quantity": (
        deployment({"resources": {"requests": {"cpu": "1000m"}}}),
        deployment({"resources": {"requests": {"cpu": "1001m"}}}),
        [f"{APP}.resources.requests.cpu"],
    ),
    "c07_a_list_that_is_not_empty": (deployment({"env": [{"name": "A"}]}), deployment(), [f"{APP}.env[name=A]"]),
    "c10_preserve_unknown_fields_true": (
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"preserveUnknownFields": True}),
        obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"group": "x"}),
        ["spec.preserveUnknownFields"],
    ),
    "c15_true_against_absent": (deployment(pod={"hostIPC": True}), deployment(), ["spec.template.spec.hostIPC"]),
    "c15_false_against_true": (
        deployment(pod={"hostIPC": False}), deployment(pod={"hostIPC": True}), ["spec.template.spec.hostIPC"],
    ),
    "c21_removed": (
        deployment({"env": [{"name": "MODE", "value": "qa"}, {"name": "REGION"}]}),
        deployment({"env": [{"name": "REGION"}]}),
        [f"{APP}.env[name=MODE]"],
    ),
    "c23_order": (deployment({"args": ["a", "b"]}), deployment({"args": ["b", "a"]}), [f"{APP}.args"]),
    "c23_order_of_init_containers": (
        deployment(pod={"initContainers": [{"name": "a"}, {"name": "b"}]}),
        deployment(pod={"initContainers": [{"name": "b"}, {"name": "x"}, {"name": "a"}]}),
        ["spec.template.spec.initContainers"],
    ),
    "an_emptyDir_that_is_gone": (
        deployment(pod={"volumes": [{"name": "v", "emptyDir": {}}]}),
        deployment(pod={"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}),
        ["spec.template.spec.volumes[name=v].emptyDir"],
    ),
    "every_pod_against_some": (
        network_policy({}), network_policy({"matchLabels": {"a": "b"}}), ["spec.podSelector.matchLabels"],
    ),
    "some_pods_against_fewer": (
        network_policy({"matchLabels": {"a": "b"}}),
        network_policy({"matchLabels": {"a": "b", "c": "d"}}),
        ["spec.podSelector.matchLabels.c"],
    ),
    "an_ingress_rule_for_everybody": (
        obj("networking.k8s.io/v1", "NetworkPolicy", spec={"ingress": [{}]}),
        obj("networking.k8s.io/v1", "NetworkPolicy", spec={}),
        ["spec.ingress"],
    ),
    "an_empty_text_is_a_label": (config_map(labels={"a": ""}), config_map(), ["metadata.labels.a"]),
    "an_empty_text_is_a_label_among_others": (
        config_map(labels={"a": "", "b": "c"}), config_map(labels={"b": "c"}), ["metadata.labels.a"],
    ),
    "an_atomic_map_excludes_what_it_does_not_say": (
        deployment(pod={"nodeSelector": {"disk": "ssd"}}),
        deployment(pod={"nodeSelector": {"disk": "ssd", "zone": ""}}),
        ["spec.template.spec.nodeSelector.zone"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", EQUAL)
def test_equal_by_meaning(case: str) -> None:
    assert unrecorded(*EQUAL[case]) == {}


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_by_meaning(case: str) -> None:
    built, now, paths = DIFFERENT[case]
    assert unrecorded(built, now) == dict.fromkeys(paths, "drifted")


def test_c03_quantities_of_custom_resources_by_schema_alone() -> None:
    number = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
    schema = crd_schema({"quota": {**number, "pattern": QUANTITY}, "port": number, "text": {"type": "string"}})
    built = task(quota="12000m", port="80", text="12000m")
    assert unrecorded(built, task(quota="12", port="80", text="12000m"), schema=schema) == {}
    found = unrecorded(built, task(quota="12", port=80, text="12"), schema=schema)
    assert found == {"spec.port": "drifted", "spec.text": "drifted"}


def test_durations_of_custom_resources_alone() -> None:
    assert unrecorded(task(interval="60m", n=1), task(interval="1h0m0s", n=1.0)) == {}
    assert unrecorded(task(interval="60m"), task(interval="61m")) == {"spec.interval": "drifted"}
    assert unrecorded(config_map({"k": "60m"}), config_map({"k": "1h0m0s"})) == {"data.k": "drifted"}


@pytest.mark.parametrize(("text", "value"), [("true", True), ("1", 1), ("1.5", 1.5)])
def test_c75_lost_quotes_are_a_difference_that_is_explained(text: str, value: Any) -> None:
    built, now = task(flag=value), task(flag=text)
    found = [plan(built, live(now), stored=content_hash(built)), plan(built, live(now), recorded(built))]
    assert [field(one, "spec.flag").note for one in found] == [TYPE_CHANGED] * 2
    assert field(plan(built, live(task(flag="no")), recorded(built)), "spec.flag").note == ""


def test_false_zero_and_empty_speak_in_custom_resources() -> None:
    found = unrecorded(task(a=False, b=0, c="", d=None), task())
    assert found == {"spec.a": "drifted", "spec.b": "drifted", "spec.c": "drifted"}


def test_c17_a_field_unknown_to_the_api_is_said_once() -> None:
    found = plan(deployment(replicas=2, replicsa=3), live(deployment(replicas=1)), recorded(deployment(replicas=1)))
    assert any("replicsa" in note and "replicas" in note for note in found.notes)
    again = plan(
        deployment({"image": "i:2"}, replicsa=3), live(deployment()), recorded(deployment(replicsa=3), deployment())
    )
    assert shown(again) == {f"{APP}.image": "planned"}
    assert [note for note in again.notes if "replicsa" in note] == [again.notes[0]]


def test_c17_without_a_schema_it_was_ignored_by_the_server() -> None:
    before, answer = task(n=1, typo=1), task(n=1)
    found = plan(task(n=2, typo=1), live(answer), recorded(before, answer))
    assert (shown(found), found.notes) == ({"spec.n": "planned"}, ("ignored by the server: spec.typo",))


def test_c18_c31_what_our_own_apply_entry_still_holds_was_rewritten_by_the_server() -> None:
    path = ("spec", "template", "spec", "containers", 'k:{"name":"app"}', "image")
    ours = entry("tazuna", f(*path), "Apply", time=APPLIED)
    built, now = deployment(), deployment({"image": "mirror/i:1"})
    found = plan(built, live(now, ours), stored=content_hash(built))
    assert (shown(found), found.status, field(found, f"{APP}.image").note) == (
        {f"{APP}.image": "normalised"}, "unchanged", REWRITTEN,
    )  # fmt: skip
    theirs = entry("kubectl-edit", f(*path))
    assert unrecorded(built, now, theirs) == {f"{APP}.image": "drifted"}


def test_c21_duplicates_in_what_is_desired_are_warned_of() -> None:
    built = deployment({"env": [{"name": "MODE", "value": "a"}, {"name": "MODE", "value": "b"}]})
    found = plan(built, live(deployment()), recorded(deployment()))
    assert any("two items with the same key: [name=MODE]" in note for note in found.notes)


def test_c29_c28_c78_by_design_rules_hold_in_plans_without_record() -> None:
    built = deployment(replicas=1)
    now = live(deployment(replicas=4))
    assert shown(plan(built, now, stored=content_hash(built))) == {"spec.replicas": "drifted"}
    scaled = [subject(now).ref.identity]
    assert plan(built, now, stored=content_hash(built), autoscaled=scaled).fields == ()


def test_c41_a_changed_job_says_that_it_is_replaced() -> None:
    def job(image: str) -> JsonObject:
        return obj(
            "batch/v1", "Job", spec={"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}
        )  # fmt: skip

    found = plan(job("i:2"), live(job("i:1")), recorded(job("i:1")))
    assert (list(shown(found).values()), found.notes) == (["planned"], (NEEDS_REPLACE,))
    assert plan(job("i:1"), live(job("i:1")), recorded(job("i:1"))).notes == ()


def test_an_atomic_list_that_somebody_else_took_over_is_compared_to_the_letter() -> None:
    built = deployment(pod={"tolerations": [{"key": "a"}]})
    now = deployment(pod={"tolerations": [{"key": "a", "effect": "NoSchedule"}]})
    path = ("spec", "template", "spec", "tolerations")
    assert unrecorded(built, now, entry("tazuna", f(*path), "Apply", time=APPLIED)) == {}
    taken = unrecorded(built, now, entry("kubectl-edit", f(*path)))
    assert taken == {"spec.template.spec.tolerations[0].effect": "drifted"}


def test_without_record_a_modified_object_says_what_it_cannot_know() -> None:
    by_hand = entry("kubectl-edit", f("data", "x"))
    found = plan(config_map({"k": "b"}), live(config_map({"k": "a", "x": "y"}), by_hand), stored="other")
    assert shown(found) == {"data.k": "planned", "data.x": "extra"}
    assert (found.unchecked, found.method, found.classes) == ("no-record", "built", {"modified", "drifted"})


def test_c06_base64_is_compared_as_bytes_and_what_is_none_is_said() -> None:
    assert unrecorded(secret({"k": "aGVsbG8=\n"}), secret({"k": "aGVsbG8="})) == {}
    assert unrecorded(secret({"k": "aGVsbG8="}), secret({"k": "aGVsbG9v"})) == {"data.k": "drifted"}
    found = plan(secret({"k": "%%%"}), live(secret({"k": "%%%"})), stored="other")
    assert (shown(found), field(found, "data.k").note) == ({"data.k": "planned"}, "invalid base64")


def test_order_by_hand_and_an_image_from_the_repository_are_two_fields() -> None:
    def pod(image: str, *names: str) -> JsonObject:
        return deployment(pod={"initContainers": [{"name": name, "image": image} for name in names]})

    found = plan(pod("i:2", "a", "b"), live(pod("i:1", "b", "a")), recorded(pod("i:1", "a", "b")))
    path = "spec.template.spec.initContainers"
    assert shown(found) == {
        path: "drifted", f"{path}[name=a].image": "planned", f"{path}[name=b].image": "planned",
    }  # fmt: skip
    assert (field(found, path).recorded, field(found, path).live) == (["a", "b"], ["b", "a"])


def test_a_changed_order_in_the_repository() -> None:
    def pod(*names: str) -> JsonObject:
        return deployment(pod={"initContainers": [{"name": name} for name in names]})

    record = recorded(pod("a", "b"))
    path = "spec.template.spec.initContainers"
    assert shown(plan(pod("b", "a"), live(pod("a", "b")), record)) == {path: "planned"}
    assert shown(plan(pod("b", "a"), live(pod("b", "a")), record)) == {path: "already-there"}


def test_helm_and_argo_cd_objects_that_are_taken_over() -> None:
    helm = entry("helm", f("data", "k"), time=APPLIED)
    argo = entry("argocd-controller", f("data", "k"), "Apply", time=AFTER)
    for held in (helm, argo):
        found = plan(config_map({"k": "v"}), live(config_map({"k": "other", "more": "x"}), held), stored=None)
        assert (shown(found), found.status) == ({"data.k": "conflict"}, "conflict")
