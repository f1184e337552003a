"""Cases of false and missed drift where a record says what was there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tazuna_core.diff.drift import RE_CREATED, absent_verdict
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.openapi import Schemas, compile_openapi
from tazuna_core.objects.schema import Schema
from tests.unit.diff.factories import (
    AFTER,
    APPLIED,
    OURS,
    config_map,
    deployment,
    drift,
    entry,
    f,
    field,
    hidden,
    live,
    obj,
    owner,
    recorded,
    shown,
)

APP = "spec.template.spec.containers[name=app]"
IN_APP = ("spec", "template", "spec", "containers", 'k:{"name":"app"}')


def edited(*path: str, manager: str = "kubectl-edit", **more: Any) -> JsonObject:
    return entry(manager, f(*path), **more)


def ingress(*paths: str) -> JsonObject:
    rules = [{"http": {"paths": [{"path": path} for path in paths]}}]
    return obj("networking.k8s.io/v1", "Ingress", spec={"rules": rules})


def webhooks(how: str, *names: str) -> JsonObject:
    kind = f"{how}WebhookConfiguration"
    return obj("admissionregistration.k8s.io/v1", kind, webhooks=[{"name": name} for name in names])


def test_c11_status_and_undeclared_defaults_are_no_drift() -> None:
    built = obj(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        namespace="",
        spec={"group": "x.example"},
        status={"storedVersions": []},
    )
    answer = {**built, "spec": {"group": "x.example", "conversion": {"strategy": "None"}}}
    current = {**answer, "status": {"storedVersions": ["v1"]}}
    assert drift(live(current), recorded(built, answer)).status == "unchanged"
    by_hand = {**current, "spec": {"group": "x.example", "conversion": {"strategy": "Webhook"}}}
    assert shown(drift(live(by_hand, edited("spec", "conversion", "strategy")), recorded(built, answer))) == {
        "spec.conversion.strategy": "extra"
    }


def test_c13_null_means_no_opinion_and_its_default_changed_by_hand_is_extra() -> None:
    built = deployment(strategy={"type": "RollingUpdate", "rollingUpdate": None})

    def with_surge(surge: Any) -> JsonObject:
        return deployment(
            strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": "25%"}}
        )

    record = recorded(built, with_surge("25%"))
    assert drift(live(with_surge("25%")), record).fields == ()
    path = ("spec", "strategy", "rollingUpdate", "maxSurge")
    found = drift(live(with_surge(3), edited(*path)), record)
    assert shown(found) == {"spec.strategy.rollingUpdate.maxSurge": "extra"}
    assert found.classes == {"drifted"}


def test_c14_empty_labels_and_annotations_are_no_drift() -> None:
    record = recorded(config_map())
    assert drift(live(config_map(annotations={}, labels={})), record).fields == ()
    assert shown(drift(live(config_map(labels={"a": ""})), record)) == {"metadata.labels.a": "extra"}


def test_c15_false_null_and_empty_that_the_server_drops() -> None:
    built = deployment(pod={"securityContext": {}, "hostNetwork": False, "nodeSelector": None})
    answer = deployment(pod={"securityContext": {}})
    assert drift(live(answer), recorded(built, answer)).fields == ()
    by_hand = deployment(pod={"securityContext": {}, "hostNetwork": True})
    found = drift(live(by_hand, edited("spec", "template", "spec", "hostNetwork")), recorded(built, answer))
    assert shown(found) == {"spec.template.spec.hostNetwork": "drifted"}


def test_c17_a_field_that_the_server_dropped_is_no_drift_after_each_apply() -> None:
    built = deployment(replicas=2, replicsa=3)
    assert drift(live(deployment(replicas=2)), recorded(built, deployment(replicas=2))).fields == ()


@pytest.mark.parametrize("case", ["c18_resources_rewritten_at_admission", "c31_images_rewritten_at_admission"])
def test_c18_c31_what_admission_rewrote_is_no_drift_and_what_is_changed_later_is(case: str) -> None:
    def container(value: str) -> JsonObject:
        return deployment({"image": value} if "c31" in case else {"resources": {"limits": {"cpu": value}}})

    record = recorded(container("one"), container("rewritten"))
    assert drift(live(container("rewritten")), record).fields == ()
    path = f"{APP}.image" if "c31" in case else f"{APP}.resources.limits.cpu"
    assert shown(drift(live(container("one")), record)) == {path: "drifted"}


@pytest.mark.parametrize("field_name", ["containers", "initContainers"])
def test_c19_port_protocol_default(field_name: str) -> None:
    def pod(**port: Any) -> JsonObject:
        return deployment(pod={field_name: [{"name": "n", "image": "i", "ports": [{"containerPort": 80, **port}]}]})

    record = recorded(pod(name="http"), pod(name="http", protocol="TCP"))
    assert drift(live(pod(name="http", protocol="TCP")), record).fields == ()
    found = drift(live(pod(name="web", protocol="TCP")), record)
    assert shown(found) == {
        f"spec.template.spec.{field_name}[name=n].ports[containerPort=80,protocol=TCP].name": "drifted"
    }


def test_c21_the_last_of_two_duplicates_removed() -> None:
    record = recorded(deployment({"env": [{"name": "MODE", "value": "qa"}, {"name": "REGION", "value": "x"}]}))
    found = drift(live(deployment({"env": [{"name": "REGION", "value": "x"}]})), record)
    assert shown(found) == {f"{APP}.env[name=MODE]": "drifted"}
    assert owner(found, f"{APP}.env[name=MODE]") is None


def test_c21_duplicates_are_told_apart_by_position() -> None:
    twice = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    now = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "3"}]}
    assert shown(drift(live(deployment(now)), recorded(deployment(twice)))) == {f"{APP}.env[name=A]#1.value": "drifted"}


@pytest.mark.parametrize(
    ("before", "now", "path"),
    [
        (deployment({"args": ["a", "b"]}), deployment({"args": ["b", "a"]}), f"{APP}.args"),
        (
            deployment(pod={"tolerations": [{"key": "a"}, {"key": "b"}]}),
            deployment(pod={"tolerations": [{"key": "b"}, {"key": "a"}]}),
            "spec.template.spec.tolerations",
        ),
        (
            deployment({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}]}),
            deployment({"env": [{"name": "B", "value": "$(A)"}, {"name": "A", "value": "1"}]}),
            f"{APP}.env",
        ),
        (
            deployment(pod={"initContainers": [{"name": "a"}, {"name": "b"}]}),
            deployment(pod={"initContainers": [{"name": "b"}, {"name": "a"}]}),
            "spec.template.spec.initContainers",
        ),
        (
            ingress("/", "/a"),
            ingress("/a", "/"),
            "spec.rules[0].http.paths",
        ),
        (
            webhooks("Mutating", "a", "b"),
            webhooks("Mutating", "b", "a"),
            "webhooks",
        ),
    ],
)
def test_c23_order_changed(before: JsonObject, now: JsonObject, path: str) -> None:
    found = drift(live(now), recorded(before))
    assert shown(found) == {path: "drifted"}
    assert field(found, path).note == "order changed"


def test_c23_the_order_of_a_keyed_list_has_no_owner_whoever_holds_its_items() -> None:
    env = ("spec", "template", "spec", "containers", 'k:{"name":"app"}', "env")
    ours = {"f:spec": {"f:template": {"f:spec": {"f:containers": {IN_APP[-1]: {"f:env": {".": {}}}}}}}}
    before = deployment({"env": [{"name": "A"}, {"name": "B"}]})
    now = deployment({"env": [{"name": "B"}, {"name": "A"}]})
    found = drift(live(now, entry("tazuna", ours, "Apply", time=APPLIED)), recorded(before))
    assert (owner(found, f"{APP}.env"), len(env)) == (None, 6)


@pytest.mark.parametrize(
    "make",
    [
        lambda names: deployment(pod={"volumes": [{"name": name} for name in names]}),
        lambda names: webhooks("Validating", *names),
    ],
)
def test_c23_order_means_nothing_to_volumes_and_validating_webhooks(make: Any) -> None:
    assert drift(live(make(["b", "a"])), recorded(make(["a", "b"]))).fields == ()


def test_c24_sidecars_are_matched_by_name() -> None:
    with_proxy = obj("v1", "Pod", spec={"containers": [{"name": "proxy", "image": "p"}, {"name": "app", "image": "i"}]})
    built = obj("v1", "Pod", spec={"containers": [{"name": "app", "image": "i"}]})
    assert drift(live(with_proxy), recorded(built, with_proxy)).fields == ()
    assert shown(drift(live(with_proxy), recorded(built))) == {"spec.containers[name=proxy]": "extra"}


def test_c30_an_annotation_that_a_webhook_adds_is_unknown_and_fails_nothing() -> None:
    by_webhook = edited("metadata", "annotations", "prometheus-operator-validated", manager="prometheus-operator")
    rule = obj("monitoring.coreos.com/v1", "PrometheusRule")
    validated = {"annotations": {"prometheus-operator-validated": "true"}}
    now = obj("monitoring.coreos.com/v1", "PrometheusRule", metadata=validated)
    found = drift(live(now, by_webhook), recorded(rule))
    assert found.classes == {"unknown-extra"}
    assert drift(live(now, by_webhook), recorded(rule, now)).fields == ()
    assert drift(live(now, by_webhook), recorded(rule), controllers=["prometheus-operator"]).fields == ()


def test_c35_the_deployment_revision_is_the_controllers_even_without_its_entry() -> None:
    revision = {"deployment.kubernetes.io/revision": "7"}
    record = recorded(deployment())
    found = drift(live(deployment(metadata={"annotations": revision})), record)
    assert hidden(found) == {'metadata.annotations["deployment.kubernetes.io/revision"]': "deployment revision"}
    by_hand = edited("metadata", "annotations", "deployment.kubernetes.io/revision")
    assert drift(live(deployment(metadata={"annotations": revision}), by_hand), record).classes == {"drifted"}


def test_c35_a_controllers_first_annotation_hides_none_that_a_person_puts_beside_it() -> None:
    annotations = {"deployment.kubernetes.io/revision": "1", "note": "by hand"}
    controller = {"f:metadata": {"f:annotations": {".": {}, "f:deployment.kubernetes.io/revision": {}}}}
    now = live(
        deployment(metadata={"annotations": annotations}),
        entry("kube-controller-manager", controller, subresource="status"),
        edited("metadata", "annotations", "note", manager="kubectl-annotate"),
    )
    found = drift(now, recorded(deployment()))
    assert (shown(found), owner(found, "metadata.annotations.note")) == (
        {"metadata.annotations.note": "extra"},
        "kubectl-annotate",
    )


def test_c34_c36_status_and_the_servers_metadata_are_never_desired() -> None:
    before = obj("apps/v1", "DaemonSet", status={"numberReady": 0})
    now = obj("apps/v1", "DaemonSet", status={"numberReady": 3})
    assert drift(live(now, entry("kubelet", {}), version="9", generation=5), recorded(before)).fields == ()


@pytest.mark.parametrize("manager", ["kubectl-edit", "kubectl-patch", "kubectl-set", "k9s", "Mozilla", "kubectl"])
def test_c38_a_port_added_by_hand(manager: str) -> None:
    web = {"name": "web", "port": 80, "protocol": "TCP"}
    debug = {"name": "debug", "port": 9999, "protocol": "TCP"}
    added = edited("spec", "ports", 'k:{"port":9999,"protocol":"TCP"}', manager=manager)
    built = obj("v1", "Service", spec={"ports": [{"name": "web", "port": 80}]})
    record = recorded(built, obj("v1", "Service", spec={"ports": [web]}))
    found = drift(live(obj("v1", "Service", spec={"ports": [web, debug]}), added), record)
    path = "spec.ports[port=9999,protocol=TCP]"
    assert (shown(found), owner(found, path), found.classes) == ({path: "extra"}, manager, {"drifted"})
    assert field(found, path).origin == "person"


@pytest.mark.parametrize(
    ("now", "path"),
    [
        (config_map({"key": "value", "legacy": "unused"}), "data.legacy"),
        (config_map({"key": "value"}, labels={"a": "b"}), "metadata.labels.a"),
    ],
)
def test_c38_keys_and_labels_added_by_hand_count_even_without_any_entry(now: JsonObject, path: str) -> None:
    assert shown(drift(live(now), recorded(config_map({"key": "value"})))) == {path: "extra"}


def test_c38_the_first_env_variable_is_an_item_like_the_next() -> None:
    path = (*IN_APP, "env", 'k:{"name":"A"}')
    found = drift(live(deployment({"env": [{"name": "A", "value": "1"}]}), edited(*path)), recorded(deployment()))
    assert (shown(found), owner(found, f"{APP}.env[name=A]")) == ({f"{APP}.env[name=A]": "extra"}, "kubectl-edit")


def test_c38_defaults_that_follow_a_change_by_hand_are_the_servers() -> None:
    record = recorded(obj("v1", "Service", spec={"type": "ClusterIP"}))
    now = obj("v1", "Service", spec={"type": "NodePort", "externalTrafficPolicy": "Cluster"})
    found = drift(live(now, edited("spec", "type")), record)
    assert shown(found) == {"spec.type": "drifted"}
    assert hidden(found) == {"spec.externalTrafficPolicy": "server default"}


def test_c39_removal_is_not_hidden_by_the_manager_of_an_earlier_client_side_apply() -> None:
    applied = entry("kubectl-client-side-apply", {"f:data": {"f:key": {}, "f:legacy": {}}})
    found = drift(live(config_map({"key": "value", "legacy": "x"}), applied), recorded(config_map({"key": "value"})))
    assert (shown(found), found.classes) == ({"data.legacy": "extra"}, {"drifted"})


def test_c40_an_edit_under_our_own_manager_name_is_extra() -> None:
    ours = entry("tazuna", f("spec", "source", "path"), "Apply")
    application = obj("argoproj.io/v1alpha1", "Application", spec={"sourceHydrator": {"x": 1}})
    now = obj("argoproj.io/v1alpha1", "Application", spec={"sourceHydrator": {"x": 1}, "source": {"path": "p"}})
    found = drift(live(now, ours), recorded(application))
    assert (shown(found), field(found, "spec.source").origin) == ({"spec.source": "extra"}, "tazuna")
    assert found.classes == {"drifted"}


def test_c42_a_custom_resource_is_read_live() -> None:
    record = recorded(obj("keda.sh/v1alpha1", "ScaledObject", spec={"maxReplicaCount": 10}))
    now = live(obj("keda.sh/v1alpha1", "ScaledObject", spec={"maxReplicaCount": 30}))
    assert shown(drift(now, record)) == {"spec.maxReplicaCount": "drifted"}


def test_c45_a_hook_that_helm_ran_and_deletes_is_expired_and_a_plain_object_is_missing() -> None:
    annotations = {"helm.sh/hook": "pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded"}
    job = obj("batch/v1", "Job", metadata={"annotations": annotations})
    now = datetime.fromisoformat(AFTER)
    key = StateKey.of("m", job)
    assert absent_verdict(key, "h", recorded(job, managers=["helm"]), now).status == "expired"
    assert absent_verdict(key, "h", recorded(job), now).status == "live-missing"
    annotations["helm.sh/hook-delete-policy"] = "before-hook-creation"
    assert absent_verdict(key, "h", recorded(job, managers=["helm"]), now).status == "live-missing"


def test_c47_a_default_changed_by_hand() -> None:
    record = recorded(deployment(), deployment({"imagePullPolicy": "IfNotPresent"}))
    now = deployment({"imagePullPolicy": "Always"})
    assert shown(drift(live(now, edited(*IN_APP, "imagePullPolicy")), record)) == {f"{APP}.imagePullPolicy": "extra"}
    assert hidden(drift(live(now, OURS), record)) == {f"{APP}.imagePullPolicy": "server default"}


def test_c54_c60_a_job_with_ttl_expires_and_is_missing_before_that() -> None:
    job = obj("batch/v1", "Job", spec={"ttlSecondsAfterFinished": 100, "template": {}})
    key, applied = StateKey.of("m", job), datetime.fromisoformat(APPLIED).astimezone(UTC)
    assert absent_verdict(key, "h", recorded(job), applied + timedelta(seconds=101)).status == "expired"
    assert absent_verdict(key, "h", recorded(job), applied + timedelta(seconds=9)).status == "live-missing"
    plain = obj("batch/v1", "Job", spec={"template": {}})
    assert absent_verdict(key, "h", recorded(plain), applied + timedelta(days=1)).status == "live-missing"


def test_c56_an_object_without_last_applied_is_judged_by_its_record() -> None:
    assert drift(live(config_map({"k": "v"})), recorded(config_map({"k": "v"}))).status == "unchanged"


def test_re_created_with_equal_content_is_a_note_and_no_drift() -> None:
    found = drift(live(config_map({"k": "v"}), uid="u2"), recorded(config_map({"k": "v"})))
    assert (found.status, found.notes) == ("unchanged", (RE_CREATED,))


def test_untouched_by_uid_and_version_is_in_sync_without_a_look() -> None:
    assert drift(live(config_map({"k": "other"}), version="1"), recorded(config_map({"k": "v"}))).fields == ()
    assert drift(live(config_map({"k": "other"}), version="1", uid="u2"), recorded(config_map({"k": "v"}))).fields


@pytest.mark.parametrize("known", [True, False])
def test_an_object_that_is_being_deleted_counts_as_drift_with_and_without_record(known: bool) -> None:
    now = live(config_map({"k": "v"}), deletionTimestamp=AFTER, finalizers=["x.example/wait"])
    found = drift(now, recorded(config_map({"k": "v"})) if known else None)
    assert (found.status, found.classes) == ("deleting", {"drifted"})
    assert found.notes == (f"being deleted since {AFTER}, waiting for x.example/wait",)


def test_atomic_maps_and_lists_are_ours_as_a_whole() -> None:
    record = recorded(deployment({"args": ["a"]}, pod={"nodeSelector": {"disk": "ssd"}}))
    now = deployment({"args": ["a", "b"]}, pod={"nodeSelector": {"disk": "ssd", "zone": "x"}})
    holder = edited("spec", "template", "spec", "nodeSelector")
    found = drift(live(now, holder), record)
    assert shown(found) == {f"{APP}.args": "drifted", "spec.template.spec.nodeSelector.zone": "drifted"}
    assert owner(found, "spec.template.spec.nodeSelector.zone") == "kubectl-edit"


def crd_schema(properties: JsonObject) -> Schema:
    """The schema of kind Task as an API server publishes it for a custom resource."""
    metadata = {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
    kind = {"group": "example.com", "version": "v1", "kind": "Task"}
    task = {
        "type": "object",
        "properties": {"metadata": metadata, "spec": {"type": "object", "properties": properties}},
        "x-kubernetes-group-version-kind": [kind],
    }
    compiled = compile_openapi([{"components": {"schemas": {"com.example.v1.Task": task}}}])
    schema = Schemas(compiled).get("example.com/v1", "Task")
    assert schema is not None
    return schema


def test_lists_of_custom_resources_are_atomic_unless_the_definition_marks_them() -> None:
    items = {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}
    plain = crd_schema({"steps": {"type": "array", "items": items}})
    marks = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    keyed = crd_schema({"steps": {"type": "array", "items": items, **marks}})
    record = recorded(obj("example.com/v1", "Task", spec={"steps": [{"name": "a", "value": "1"}]}))
    now = live(obj("example.com/v1", "Task", spec={"steps": [{"name": "a", "value": "2"}]}))
    assert shown(drift(now, record, schema=plain)) == {"spec.steps[0].value": "drifted"}
    assert shown(drift(now, record, schema=keyed)) == {"spec.steps[name=a].value": "drifted"}


def test_labels_of_a_kind_without_any_schema_are_still_labels() -> None:
    record = recorded(obj("example.com/v1", "Task", spec={"a": 1}))
    now = live(obj("example.com/v1", "Task", spec={"a": 1}, metadata={"labels": {"x": "y"}}))
    assert shown(drift(now, record)) == {"metadata.labels.x": "extra"}
