"""A manager's name is a claim: where a cluster is taken over, no name alone hides a change, nor does its absence."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.diff.baseline import baseline_of
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managers import CONTROLLERS
from tazuna_core.objects.sendable import sendable
from tests.unit.diff.factories import (
    OURS,
    config_map,
    deployment,
    drift,
    entry,
    f,
    hidden,
    live,
    obj,
    recorded,
    shown,
    subject,
)

POD = ("spec", "template", "spec")
MINER = {"name": "miner", "image": "evil:1"}
RBAC = "rbac.authorization.k8s.io/v1"
ADMISSION = "admissionregistration.k8s.io/v1"


def with_pod(**pod: Any) -> JsonObject:
    return deployment(pod=pod)


@pytest.mark.parametrize("manager", ["kubelet", "kube-controller-manager", "karpenter", "helm-controller"])
@pytest.mark.parametrize(
    ("pod", "steps", "path"),
    [
        (
            {"initContainers": [MINER]},
            ("initContainers", 'k:{"name":"miner"}'),
            "spec.template.spec.initContainers",
        ),
        ({"hostNetwork": True}, ("hostNetwork",), "spec.template.spec.hostNetwork"),
        ({"serviceAccountName": "admin"}, ("serviceAccountName",), "spec.template.spec.serviceAccountName"),
        ({"securityContext": {"runAsUser": 0}}, ("securityContext", "runAsUser"), "spec.template.spec.securityContext"),
        (
            {"volumes": [{"name": "root", "hostPath": {"path": "/"}}]},
            ("volumes", 'k:{"name":"root"}'),
            "spec.template.spec.volumes",
        ),
    ],
)
def test_a_controllers_name_hides_nothing_in_a_template(manager: str, pod: Any, steps: Any, path: str) -> None:
    record, now = recorded(deployment()), with_pod(**pod)
    changed = live(now, OURS, entry(manager, f(*POD, *steps)))
    found = drift(changed, record)
    assert [one.split("[")[0] for one in shown(found)] == [path]
    assert set(shown(found).values()) == {"extra"}
    assert found.classes == {"drifted"}, "it fails a nightly check"
    assert found.fields[0].owner is not None
    assert found.fields[0].owner.manager == manager
    answer = baseline_of(subject(changed, record), sendable(deployment()))
    assert set(shown(drift(changed, recorded(deployment(), answer))).values()) == {"extra"}, (
        "a re-apply blesses nothing"
    )


def test_a_controller_that_was_there_at_the_apply_is_no_better() -> None:
    record = recorded(deployment(), managers=["injector"])
    now = live(with_pod(hostPID=True), OURS, entry("injector", f(*POD, "hostPID")))
    assert shown(drift(now, record)) == {"spec.template.spec.hostPID": "extra"}


def test_the_user_may_trust_a_name() -> None:
    now = live(with_pod(hostPID=True), OURS, entry("injector", f(*POD, "hostPID")))
    found = drift(now, recorded(deployment()), controllers=["injector"])
    assert (found.fields, hidden(found)) == ((), {"spec.template.spec.hostPID": "controller"})


def test_what_controllers_do_to_workloads_stays_hidden() -> None:
    record = recorded(deployment())
    noted = deployment()
    noted["spec"]["template"]["metadata"]["annotations"] = {"reloader.stakater.com/last-reloaded-from": "x"}
    by = entry("kubelet", f("spec", "template", "metadata", "annotations", "reloader.stakater.com/last-reloaded-from"))
    assert set(hidden(drift(live(noted, OURS, by), record)).values()) == {"controller"}
    scaled = deployment(replicas=4)
    by = entry("kube-controller-manager", f("spec", "replicas"), subresource="scale")
    assert hidden(drift(live(scaled, OURS, by), record)) == {"spec.replicas": "autoscaled replicas"}
    data = config_map({"k": "v", "c": "x"})
    assert drift(live(data, entry("karpenter", f("data", "c"))), recorded(config_map({"k": "v"}))).fields == ()


def test_the_scheduler_and_autoscalers_may_act_on_pods() -> None:
    pod = obj("v1", "Pod", spec={"containers": [{"name": "app", "image": "i:1"}]})
    placed = obj(
        "v1",
        "Pod",
        spec={"nodeName": "n1", "containers": [{"name": "app", "image": "i:1", "resources": {"limits": {"cpu": "1"}}}]},
    )
    at = ("spec", "containers", 'k:{"name":"app"}', "resources", "limits", "cpu")
    held = [entry("kube-scheduler", f("spec", "nodeName")), entry("vpa-updater", f(*at), subresource="resize")]
    assert drift(live(placed, *held), recorded(pod)).fields == ()
    debugged = obj("v1", "Pod", spec={"hostPID": True, "containers": [{"name": "app", "image": "i:1"}]})
    assert shown(drift(live(debugged, entry("kubelet", f("spec", "hostPID"))), recorded(pod))) == {
        "spec.hostPID": "extra"
    }


def webhook(**client: Any) -> JsonObject:
    hook = {"name": "h.example.com", "clientConfig": {"service": {"name": "s", "namespace": "n"}, **client}}
    return obj(ADMISSION, "ValidatingWebhookConfiguration", namespace="", webhooks=[hook])


def test_of_a_webhook_the_bundle_alone_is_an_injectors() -> None:
    at = ("webhooks", 'k:{"name":"h.example.com"}', "clientConfig")
    injected = live(webhook(caBundle="QUJD"), entry("cainjector", f(*at, "caBundle")))
    assert set(hidden(drift(injected, recorded(webhook()))).values()) == {"injected caBundle"}
    redirected = webhook()
    redirected["webhooks"][0]["failurePolicy"] = "Ignore"
    by = entry("cainjector", f("webhooks", 'k:{"name":"h.example.com"}', "failurePolicy"))
    assert list(shown(drift(live(redirected, by), recorded(webhook()))).values()) == ["extra"]


def test_an_aggregation_that_somebody_added_makes_no_role_the_controllers() -> None:
    rule = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    ours = obj(RBAC, "ClusterRole", namespace="")
    all_rights = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
    now = obj(RBAC, "ClusterRole", namespace="", aggregationRule=rule, rules=all_rights)
    by = entry("clusterrole-aggregation-controller", {"f:aggregationRule": {}, "f:rules": {}})
    assert set(shown(drift(live(now, by), recorded(ours))).values()) == {"extra"}
    aggregated = obj(RBAC, "ClusterRole", namespace="", aggregationRule=rule)
    found = drift(live(now, entry("clusterrole-aggregation-controller", f("rules"))), recorded(aggregated))
    assert (found.fields, hidden(found)) == ((), {"rules": "aggregated role"})


def test_subjects_of_a_binding() -> None:
    bound = obj(RBAC, "RoleBinding", roleRef={"kind": "Role", "name": "r", "apiGroup": "rbac.authorization.k8s.io"})
    now = {**bound, "subjects": [{"kind": "User", "name": "mallory", "apiGroup": "rbac.authorization.k8s.io"}]}
    found = drift(live(now, entry("kube-controller-manager", f("subjects"))), recorded(bound))
    assert shown(found) == {"subjects": "extra"}


def test_cleared_managed_fields_make_no_default_of_a_change() -> None:
    record, now = recorded(deployment()), with_pod(hostNetwork=True, dnsPolicy="Default")
    assert set(hidden(drift(live(now, OURS), record)).values()) == {"server default"}
    cleared = drift(live(now), record)
    assert shown(cleared) == {"spec.template.spec.hostNetwork": "extra", "spec.template.spec.dnsPolicy": "extra"}
    assert cleared.classes == {"drifted"}
    other = drift(live(deployment(minReadySeconds=3)), record)
    assert hidden(other) == {"spec.minReadySeconds": "server default"}


def test_a_port_of_an_api_service_is_a_default_even_then() -> None:
    spec: JsonObject = {"group": "g", "version": "v1", "service": {"name": "s", "namespace": "n"}}
    now = {**spec, "insecureSkipTLSVerify": True, "service": {**spec["service"], "port": 443}}
    found = drift(
        live(obj("apiregistration.k8s.io/v1", "APIService", "v1.g", "", spec=now)),
        recorded(obj("apiregistration.k8s.io/v1", "APIService", "v1.g", "", spec=spec)),
    )
    assert shown(found) == {"spec.insecureSkipTLSVerify": "extra"}
    assert hidden(found) == {"spec.service.port": "server default"}


def test_every_name_that_counts_as_a_controller_is_held_to_it() -> None:
    for manager in CONTROLLERS:
        now = live(with_pod(hostIPC=True), OURS, entry(manager, f(*POD, "hostIPC")))
        assert shown(drift(now, recorded(deployment()))) == {"spec.template.spec.hostIPC": "extra"}
