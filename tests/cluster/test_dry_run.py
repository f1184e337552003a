"""`plan --dry-run=server` beside the comparison: the same where nothing interferes, and said where the two differ."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Ran, Tazuna

JsonObject = dict[str, Any]


class Lab:
    """A directory manifest in a namespace of its own, applied."""

    def __init__(self, folder: Path, cluster: LocalCluster, namespace: str) -> None:
        self.folder, self.cluster, self.namespace, self.name = folder, cluster, namespace, f"m-{namespace}"
        self.tazuna = Tazuna(folder, cluster.kubeconfig)
        labels = {"app": "web"}
        container = {"name": "app", "image": "i:1", "resources": {"requests": {"cpu": "1000m"}}}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        workload = {"selector": {"matchLabels": labels}, "template": template}
        self.objects = {
            "web": self.of("apps/v1", "Deployment", "web", spec={"replicas": 2, **workload}),
            "svc": self.of("v1", "Service", "web", spec={"selector": labels, "ports": [{"port": 80}]}),
            "cm": self.of("v1", "ConfigMap", "settings", data={"a": "1", "b": "2"}),
            "sec": self.of("v1", "Secret", "keys", stringData={"token": "correct", "other": "horse"}),
        }  # fmt: skip
        self.write()

    def of(self, api_version: str, kind: str, name: str, **fields: Any) -> JsonObject:
        return {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": name, "namespace": self.namespace},
            **fields,
        }

    def write(self) -> None:
        manifests = [{"name": self.name, "type": "directory", "path": "objects.json"}]
        (self.folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
        listed = {"apiVersion": "v1", "kind": "List", "items": list(self.objects.values())}
        (self.folder / "objects.json").write_bytes(orjson.dumps(listed))

    def plan(self, *options: str) -> Ran:
        return self.tazuna("plan", "-o", "json", *options)

    def dry(self, *options: str) -> Ran:
        return self.plan("--dry-run=server", *options)

    def kubectl(self, *arguments: str) -> None:
        self.cluster.kubectl("-n", self.namespace, *arguments)


@pytest.fixture
def lab(tmp_path: Path, cluster: LocalCluster, namespace: str) -> Iterator[Lab]:
    lab = Lab(tmp_path, cluster, namespace)
    assert lab.tazuna("apply").code == 0
    yield lab
    names = (f"tazuna-state-{lab.name}", f"tazuna-record-{lab.name}.0")
    cluster.kubectl("-n", "tazuna", "delete", "configmap", *names, "--ignore-not-found")


def verdicts(ran: Ran) -> dict[str, tuple[Any, ...]]:
    return {path: (one["verdict"], one.get("live"), one.get("desired")) for path, one in ran.fields().items()}


def codes(ran: Ran) -> list[str]:
    return [warning["code"] for warning in ran.json()["warnings"]]


def test_nothing_to_do_is_nothing_by_both(lab: Lab) -> None:
    before = lab.cluster.request("GET", f"/api/v1/namespaces/{lab.namespace}/configmaps/settings").body
    ran = lab.dry("--all")
    assert (ran.code, ran.fields(), codes(ran)) == (0, {}, [])
    objects = ran.json()["manifests"][0]["objects"]
    assert {obj["method"] for obj in objects} == {"dry-run"}
    assert lab.cluster.request("GET", f"/api/v1/namespaces/{lab.namespace}/configmaps/settings").body == before


def test_changes_of_the_repository_and_by_hand_are_the_same_by_both(lab: Lab) -> None:
    lab.kubectl("scale", "deployment/web", "--replicas=5")
    lab.kubectl("label", "configmap/settings", "team=night")
    lab.kubectl("patch", "secret/keys", "--type=merge", "-p", '{"stringData": {"other": "battery"}}')
    web = lab.objects["web"]["spec"]["template"]["spec"]["containers"][0]
    web["image"] = "i:2"
    web["resources"]["requests"]["cpu"] = "1"
    lab.objects["cm"]["data"] = {"a": "3", "c": "4"}
    lab.objects["sec"]["stringData"]["token"] = "staple"
    lab.objects["new"] = lab.of("v1", "ConfigMap", "new", data={"x": "y"})
    lab.write()
    compared, dry = lab.plan(), lab.dry()
    assert verdicts(dry) == verdicts(compared)
    assert (
        verdicts(dry)["Deployment/web spec.template.spec.containers[name=app].resources.requests.cpu"][0]
        == "normalised"
    )
    assert verdicts(dry)["ConfigMap/settings data.b"][0] == "planned"
    assert dry.statuses() == compared.statuses()
    assert codes(dry) == []
    assert not any(value in dry.stdout for value in ("battery", "staple", "correct", "horse", "YmF0dGVyeQ"))


def test_what_the_server_refuses_is_compared_and_said(lab: Lab, cluster: LocalCluster) -> None:
    lab.objects["web"]["spec"]["selector"]["matchLabels"] = {"app": "other"}
    lab.objects["web"]["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    lab.objects["cm"]["data"]["a"] = "2"
    lab.objects["lost"] = lab.of("example.com/v1", "Unknown", "x")
    lab.write()
    ran = lab.dry()
    methods = {obj["kind"]: (obj["method"], obj["notes"]) for obj in ran.json()["manifests"][0]["objects"]}
    assert methods["ConfigMap"] == ("dry-run", [])
    assert methods["Deployment"][0] == "record"
    assert "422" in methods["Deployment"][1][0] and "immutable" in methods["Deployment"][1][0]
    assert codes(ran) == ["no-dry-run"]
    assert ran.code == 4  # a kind that is not served cannot be checked
    # an account that may only read
    rules = [{"apiGroups": ["", "apps"], "resources": ["*"], "verbs": ["get", "list"]}]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "dry"}}
    cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps({**role, "rules": rules}).decode())
    binding = cluster.kubectl(
        "create", "clusterrolebinding", "dry", "--clusterrole=dry", "--user=dry", "--dry-run=client", "-o=yaml"
    )
    cluster.kubectl("apply", "-f", "-", stdin=binding.stdout)
    reader = Tazuna(lab.folder, cluster.kubeconfig_for("dry"))
    del lab.objects["lost"]
    lab.write()
    mine = reader("plan", "--dry-run=server", "-o", "json")
    assert mine.code == 0
    assert verdicts(mine) == verdicts(lab.plan())
    assert set(codes(mine)) == {"no-dry-run"}
    assert "tazuna rbac --for plan --dry-run" in mine.stdout
    assert lab.tazuna("plan", "--dry-run=server", "--against", "base:HEAD").code == 2


def test_what_admission_rewrites_is_named(lab: Lab, cluster: LocalCluster) -> None:
    """A policy that pins one image: the comparison sees a change that the server will not make, and one it will."""
    lab.objects["web"]["spec"]["template"]["spec"]["containers"][0]["image"] = "i:2"
    lab.write()
    expression = (
        "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ["
        "Object.spec.template.spec.containers{name: 'app', image: 'i:1'}]}}}}"
    )
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "resources": ["deployments"],
        "operations": ["CREATE", "UPDATE"],
    }
    name = f"pin-{lab.namespace}"
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}],
        },
    }
    selector = {"matchLabels": {"kubernetes.io/metadata.name": lab.namespace}}
    binding = copy.deepcopy(policy) | {"kind": "MutatingAdmissionPolicyBinding"}
    binding["spec"] = {"policyName": name, "matchResources": {"namespaceSelector": selector}}
    for obj in (policy, binding):
        cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps(obj).decode())
    image = "Deployment/web spec.template.spec.containers[name=app].image"
    try:
        assert verdicts(lab.plan())[image] == ("planned", "i:1", "i:2")
        cluster.wait_until("the policy works", lambda: verdicts(lab.dry())[image][0] == "normalised", seconds=60)
        ran = lab.dry()
        assert codes(ran) == ["dry-run-differs"]
        assert "containers[name=app].image" in ran.json()["warnings"][0]["message"]
        assert "admission" in ran.fields()[image]["note"]
    finally:
        cluster.kubectl("delete", "mutatingadmissionpolicybinding", name, "--ignore-not-found")
        cluster.kubectl("delete", "mutatingadmissionpolicy", name, "--ignore-not-found")
