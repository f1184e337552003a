"""Fields that others own by design, each with the twin that must not be hidden."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.objects.identity import Identity, JsonObject
from tazuna_core.objects.paths import path_text
from tests.unit.diff.factories import (
    AFTER,
    BEFORE,
    config_map,
    deployment,
    drift,
    entry,
    f,
    hidden,
    live,
    obj,
    plan,
    recorded,
    secret,
    shown,
)

REPLICAS = f("spec", "replicas")
SCALED = Identity("apps", "Deployment", "n", "a")


def scaled_by(manager: str) -> JsonObject:
    return entry(manager, REPLICAS, time=None, subresource="scale")


def test_c29_replicas_of_an_autoscaled_workload() -> None:
    record, now = recorded(deployment(replicas=1)), deployment(replicas=4)
    found = drift(live(now), record, autoscaled=[SCALED])
    assert (found.fields, hidden(found)) == ((), {"spec.replicas": "autoscaled replicas"})
    assert drift(live(now, scaled_by("kube-controller-manager")), record).fields == ()


def test_c29_kubectl_scale_is_drift_and_the_autoscaler_hides_nothing_else() -> None:
    record = recorded(deployment(replicas=1, paused=False))
    found = drift(live(deployment(replicas=4, paused=False), scaled_by("kubectl")), record)
    assert shown(found) == {"spec.replicas": "drifted"}
    by_person = drift(live(deployment(replicas=4, paused=False), scaled_by("kubectl")), record, autoscaled=[SCALED])
    assert shown(by_person) == {"spec.replicas": "drifted"}
    other = drift(live(deployment(replicas=4, paused=True)), record, autoscaled=[SCALED])
    assert shown(other) == {"spec.paused": "drifted"}
    elsewhere = drift(live(deployment(replicas=4, paused=False)), record, autoscaled=[SCALED._replace(namespace="o")])
    assert shown(elsewhere) == {"spec.replicas": "drifted"}


def test_c29_in_a_plan_the_autoscaler_makes_no_conflict() -> None:
    record = recorded(deployment(replicas=1))
    found = plan(deployment(replicas=2), live(deployment(replicas=4)), record, autoscaled=[SCALED])
    assert (shown(found), hidden(found)) == ({"spec.replicas": "planned"}, {"spec.replicas": "autoscaled replicas"})
    twin = plan(deployment(replicas=2), live(deployment(replicas=4)), record)
    assert shown(twin) == {"spec.replicas": "conflict"}


def webhook(bundle: str | None, kind: str = "ValidatingWebhookConfiguration") -> JsonObject:
    config = {"service": {"name": "s", "namespace": "n"}, **({} if bundle is None else {"caBundle": bundle})}
    hook = {"name": "v.example.com", "clientConfig": config}
    return obj("admissionregistration.k8s.io/v1", kind, namespace="", webhooks=[hook])


def api_service(bundle: str | None) -> JsonObject:
    spec = {"group": "x", **({} if bundle is None else {"caBundle": bundle})}
    return obj("apiregistration.k8s.io/v1", "APIService", namespace="", spec=spec)


def definition(bundle: str | None) -> JsonObject:
    client = {"url": "https://x.example", **({} if bundle is None else {"caBundle": bundle})}
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client}}
    return obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", namespace="", spec={"conversion": conversion})


@pytest.mark.parametrize("make", [webhook, api_service, definition])
@pytest.mark.parametrize("left", [None, "", "Cg=="])
@pytest.mark.parametrize("method", ["drift", "plan without record"])
def test_c28_a_bundle_injected_where_we_left_it_empty(make: Any, left: str | None, method: str) -> None:
    built = make(left)
    found = drift(live(make("QUJD")), recorded(built)) if method == "drift" else plan(built, live(make("QUJD")))
    assert found.fields == ()
    if left is not None or method == "drift":
        assert set(hidden(found).values()) == {"injected caBundle"}


@pytest.mark.parametrize("make", [webhook, api_service, definition])
def test_c28_a_real_bundle_that_differs_is_drift_unless_an_injector_holds_it(make: Any) -> None:
    record = recorded(make("UkVBTA=="))
    assert list(shown(drift(live(make("QUJD")), record)).values()) == ["drifted"]


def test_c28_twins_injector_person_and_bundles_of_other_kinds() -> None:
    path = ("webhooks", 'k:{"name":"v.example.com"}', "clientConfig", "caBundle")
    held = entry("cert-manager-cainjector", f(*path))
    assert drift(live(webhook("QUJD"), held), recorded(webhook("UkVBTA=="))).fields == ()
    person = drift(live(webhook("QUJD"), entry("kubectl-edit", f(*path))), recorded(webhook(None)))
    assert list(shown(person).values()) == ["extra"]
    issuer = obj("cert-manager.io/v1", "Issuer", spec={"vault": {"server": "s"}})
    other = obj("cert-manager.io/v1", "Issuer", spec={"vault": {"server": "s", "caBundle": "QUJD"}})
    by_tool = entry("some-tool", f("spec", "vault", "caBundle"))
    assert shown(drift(live(other, by_tool), recorded(issuer))) == {"spec.vault.caBundle": "extra"}


def role(aggregated: bool, *verbs: str) -> JsonObject:
    rule = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    content: JsonObject = {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs)}]} if verbs else {}
    content |= {"aggregationRule": rule} if aggregated else {}
    return obj("rbac.authorization.k8s.io/v1", "ClusterRole", namespace="", **content)


def test_rules_of_an_aggregated_role_are_the_controllers() -> None:
    controller = entry("clusterrole-aggregation-controller", f("rules"), "Apply")
    record = recorded(role(True))
    found = drift(live(role(True, "get"), controller), record)
    assert (found.fields, hidden(found)) == ((), {"rules": "aggregated role"})
    assert shown(drift(live(role(True, "get"), entry("kubectl-edit", f("rules"))), record)) == {"rules": "extra"}
    assert shown(drift(live(role(True, "get"), entry("some-tool", f("rules"))), record)) == {"rules": "extra"}
    plain = drift(live(role(False, "get"), controller), recorded(role(False, "list")))
    assert shown(plain) == {"rules[0].verbs[0]": "drifted"}


def account(secrets: list[str], pulls: list[str]) -> JsonObject:
    lists = {"secrets": [{"name": s} for s in secrets], "imagePullSecrets": [{"name": s} for s in pulls]}
    return obj("v1", "ServiceAccount", "app", **{key: value for key, value in lists.items() if value})


def test_c32_generated_secrets_of_a_service_account_are_in_the_ledger() -> None:
    now = live(account(["app-token-z9", "app-dockercfg-x1"], ["pull", "app-dockercfg-x1"]))
    found = drift(now, recorded(account([], ["pull"])))
    assert found.fields == ()
    assert hidden(found) == {
        "secrets[name=app-token-z9]": "generated secrets of a ServiceAccount",
        "secrets[name=app-dockercfg-x1]": "generated secrets of a ServiceAccount",
        "imagePullSecrets[name=app-dockercfg-x1]": "generated secrets of a ServiceAccount",
    }
    assert plan(account([], ["pull"]), now).fields == ()
    assert hidden(drift(now, recorded(account([], ["pull"]), now))) == {}


@pytest.mark.parametrize("extra", ["other-token-z9", "apps-dockercfg-1", "mine"])
def test_c32_other_secrets_are_not_generated(extra: str) -> None:
    found = drift(live(account([extra], ["pull", extra])), recorded(account([], ["pull"])))
    assert set(shown(found).values()) == {"extra", "drifted"}
    assert "imagePullSecrets" in shown(found)


def token(data: JsonObject | None = None, **annotations: str) -> JsonObject:
    return secret(
        data,
        type="kubernetes.io/service-account-token",
        metadata={"annotations": {"kubernetes.io/service-account.name": "app", **annotations}},
    )


def test_c77_a_token_secret_is_filled_by_its_controller() -> None:
    filled = token({"token": "dG9rZW4=", "ca.crt": "Y2E="}, **{"kubernetes.io/service-account.uid": "u"})
    found = drift(live(filled), recorded(token()))
    assert (found.fields, set(hidden(found).values())) == ((), {"token secret"})
    assert "dG9rZW4" not in repr(found)
    assert plan(token(), live(filled), recorded(token())).fields == ()


def test_c77_twins_a_person_and_another_type_and_other_metadata() -> None:
    person = entry("kubectl-patch", f("data", "token"))
    assert shown(drift(live(token({"token": "eA=="}), person), recorded(token()))) == {"data.token": "extra"}
    opaque = drift(live(secret({"token": "eA=="}, type="Opaque")), recorded(secret(type="Opaque")))
    assert shown(opaque) == {"data.token": "extra"}
    other = drift(live(token(note="x")), recorded(token()))
    assert shown(other) == {"metadata.annotations.note": "extra"}


def service(ip: Any = None, node_port: int = 0, **spec: Any) -> JsonObject:
    port = {"port": 80, "protocol": "TCP", **({"nodePort": node_port} if node_port else {})}
    content = {"type": "NodePort", "ports": [port], **spec, **({} if ip is None else {"clusterIP": ip})}
    return obj("v1", "Service", spec=content)


def test_c78_addresses_node_ports_and_volume_names() -> None:
    built, now = service(""), live(service("10.0.0.7", 31000, clusterIPs=["10.0.0.7"]))
    found = drift(now, recorded(built))
    assert (found.fields, set(hidden(found).values())) == ((), {"cluster-assigned"})
    assert plan(built, now).fields == ()
    claim = obj("v1", "PersistentVolumeClaim", spec={"accessModes": ["ReadWriteOnce"]})
    bound = obj("v1", "PersistentVolumeClaim", spec={"accessModes": ["ReadWriteOnce"], "volumeName": "pvc-1"})
    assert drift(live(bound), recorded(claim)).fields == ()


def test_c78_twins_none_a_declared_port_and_a_person() -> None:
    assert shown(drift(live(service("10.0.0.7")), recorded(service("None")))) == {"spec.clusterIP": "drifted"}
    assert shown(drift(live(service("None")), recorded(service("")))) == {"spec.clusterIP": "drifted"}
    path = "spec.ports[port=80,protocol=TCP].nodePort"
    assert shown(drift(live(service(node_port=31001)), recorded(service(node_port=31000)))) == {path: "drifted"}
    person = entry("kubectl-edit", f("spec", "ports", 'k:{"port":80,"protocol":"TCP"}', "nodePort"))
    assert shown(drift(live(service(node_port=31001), person), recorded(service(), service(node_port=31000)))) == {
        path: "extra"
    }
    tool = {**person, "manager": "some-tool"}
    found = drift(live(service(node_port=31001), tool), recorded(service(), service(node_port=31000)))
    assert found.classes == {"unknown-extra"}


def test_any_other_declared_field_that_a_controller_changes_is_drift_with_that_owner() -> None:
    controller = entry("vpa-updater", f("spec", "paused"))
    found = drift(live(deployment(paused=True), controller), recorded(deployment(paused=False)))
    assert (shown(found), found.fields[0].origin) == ({"spec.paused": "drifted"}, "controller")
    undeclared = drift(live(deployment(paused=True), controller), recorded(deployment()))
    assert (undeclared.fields, hidden(undeclared)) == ((), {"spec.paused": "controller"})


def test_c36_a_kubectl_apply_since_ours_leaves_a_line_in_the_ledger() -> None:
    name = "kubectl.kubernetes.io/last-applied-configuration"
    built = config_map({"k": "v"})
    held = f("metadata", "annotations", name)
    for time, lines in ((AFTER, [("last-applied annotation", f'metadata.annotations["{name}"]')]), (BEFORE, [])):
        now = live(
            config_map({"k": "v"}, annotations={name: "{}"}), entry("kubectl-client-side-apply", held, time=time)
        )
        found = drift(now, recorded(built))
        assert found.status == "unchanged"
        assert [(one.rule, path_text(one.path)) for one in found.hidden] == lines
