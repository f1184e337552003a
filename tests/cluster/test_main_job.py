"""The main job on real add-ons and a real API server, as a user runs it: apply, clean, edit, named, exit code."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.corpus import bundles, repository
from tests.harness.tazuna import Tazuna

NAMES = bundles()
SETTLE_SECONDS = 30
"""What controllers get to do what they do to untouched objects."""
TARGET = ("ingress-nginx", "ingress-nginx-controller") if NAMES else ("gitops-lab", "web")
CONTAINER = "controller" if NAMES else "web"


@dataclass(frozen=True)
class Applied:
    """A cluster on which everything was applied, and the time in which controllers could meddle was spent."""

    cluster: LocalCluster
    tazuna: Tazuna
    objects: int


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Applied]:
    folder = repository(tmp_path_factory.mktemp("all") / "repo", NAMES)
    with LocalCluster() as cluster:
        tazuna = Tazuna(folder, cluster.kubeconfig, {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))})
        ran = tazuna("apply", "-o", "json")
        assert ran.code == 0, ran.stdout + ran.stderr
        _without_webhooks(cluster)
        time.sleep(SETTLE_SECONDS)
        yield Applied(cluster, tazuna, ran.json()["applied"])


def _without_webhooks(cluster: LocalCluster) -> None:
    """Lets writes of the tests through: the add-ons' webhooks have no pods here, and fail what they guard."""
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        path = f"/apis/admissionregistration.k8s.io/v1/{kind}"
        for item in cluster.request("GET", path).body["items"]:
            ignore = [
                {"op": "replace", "path": f"/webhooks/{index}/failurePolicy", "value": "Ignore"}
                for index, _ in enumerate(item.get("webhooks", []))
            ]
            name = item["metadata"]["name"]
            cluster.request("PATCH", f"{path}/{name}", ignore, "application/json-patch+json")


def _webhook_noise(key: str) -> bool:
    return "WebhookConfiguration" in key


def test_nothing_is_reported_after_a_clean_apply(applied: Applied) -> None:
    drift = applied.tazuna("state", "drift", "-o", "json", "--fail-on-drift").json()
    reported = [obj for manifest in drift["manifests"] for obj in manifest["objects"]]
    # the tests' own edits of webhooks are found, and they alone
    assert [obj["key"] for obj in reported if not _webhook_noise(obj["key"])] == []
    assert {field["path"].rpartition(".")[2] for obj in reported for field in obj["fields"]} <= {"failurePolicy"}
    assert drift["coverage"]["complete"]
    assert drift["counts"]["objects"] == applied.objects
    plan = applied.tazuna("plan", "-o", "json").json()
    assert [obj["key"] for m in plan["manifests"] for obj in m["objects"] if not _webhook_noise(obj["key"])] == []
    diff = applied.tazuna("state", "diff")
    assert (diff.code, diff.stdout.splitlines()[0]) == (0, "No changes detected.")


@pytest.mark.skipif(not NAMES, reason="the two identities are the add-ons'")
def test_two_identities_are_superseded(applied: Applied) -> None:
    report = applied.tazuna("plan", "-o", "json", "--all").json()
    superseded = [o["key"] for m in report["manifests"] for o in m["objects"] if o["status"] == "superseded"]
    assert superseded == [
        "kube-prometheus/apiregistration.k8s.io/v1/APIService/v1beta1.metrics.k8s.io",
        "kube-prometheus/rbac.authorization.k8s.io/v1/ClusterRole/system:aggregated-metrics-reader",
    ]
    assert sum(warning["code"] == "superseded" for warning in report["warnings"]) == 2


def test_edits_by_hand_are_named_by_field_manager_and_time(applied: Applied) -> None:
    namespace, name = TARGET
    kubectl = applied.cluster.kubectl
    port = '[{"op": "add", "path": "/spec/ports/-", "value": {"name": "debug", "port": 9999}}]'
    kubectl("-n", namespace, "scale", f"deployment/{name}", "--replicas=5")
    kubectl("-n", namespace, "set", "image", f"deployment/{name}", f"{CONTAINER}=example.com/other:2")
    kubectl("-n", namespace, "label", f"deployment/{name}", "team=night")
    kubectl("-n", namespace, "patch", f"service/{name}", "--type=json", "-p", port)
    ran = applied.tazuna("state", "drift", "-o", "json", "--fail-on-drift")
    assert ran.code == 1
    found = {path: change for path, change in ran.fields().items() if "failurePolicy" not in path}
    image = f"Deployment/{name} spec.template.spec.containers[name={CONTAINER}].image"
    owners = {path: (c["owner"] or {}).get("manager") for path, c in found.items()}
    expected = {
        image: "kubectl-set",
        f"Deployment/{name} metadata.labels.team": "kubectl-label",
        f"Service/{name} spec.ports[port=9999,protocol=TCP]": "kubectl-patch",
    }
    replicas = f"Deployment/{name} spec.replicas"
    declares_replicas = replicas in found
    if declares_replicas:
        expected[replicas] = owners[replicas]
    else:  # scaling what is not declared leaves no trace of who; the field itself is still said
        pytest.fail(f"the scale was missed: {sorted(found)}")
    assert owners == expected
    assert found[image]["live"] == "example.com/other:2"
    assert found[image]["owner"]["time"] is not None
    text = applied.tazuna("state", "drift").stdout
    assert f"(kubectl-set, {found[image]['owner']['time']})" in text
    markdown = applied.tazuna("state", "drift", "-o", "markdown").stdout
    assert "kubectl-set" in markdown and "example.com/other:2" in markdown
    plan = applied.tazuna("plan", "-o", "json").fields()
    assert {path for path in plan if "failurePolicy" not in path} == set(found)


def test_a_deleted_object_is_missing(applied: Applied) -> None:
    namespace, name = TARGET
    applied.cluster.kubectl("-n", namespace, "delete", f"service/{name}")
    ran = applied.tazuna("state", "drift", "-o", "json", "--fail-on-drift=missing")
    assert ran.code == 1
    assert ran.statuses()[f"Service/{name}"] == "live-missing"


def test_an_account_that_may_only_read_what_the_manifests_use_sees_the_same(applied: Applied) -> None:
    cluster = applied.cluster
    report = applied.tazuna("state", "drift", "-o", "json", "--all").json()
    kinds = {(o["apiVersion"].rpartition("/")[0], o["kind"]) for m in report["manifests"] for o in m["objects"]}
    resources = cluster.kubectl("api-resources", "--no-headers", "-o=wide", check=False).stdout
    plurals = {}
    for line in resources.splitlines():
        words = line.split()
        version = next(word for word in words if "/" in word or word.startswith("v1"))
        plurals[version.rpartition("/")[0], words[words.index(version) + 2]] = words[0]
    rules = [
        {"apiGroups": [group], "resources": [plurals[group, kind]], "verbs": ["get", "list"]} for group, kind in kinds
    ]
    rules.append({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]})
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "nightly"}}
    cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps({**role, "rules": rules}).decode())
    cluster.kubectl("create", "clusterrolebinding", "nightly", "--clusterrole=nightly", "--user=night")
    reader = Tazuna(applied.tazuna.folder, cluster.kubeconfig_for("night"), applied.tazuna.environment)
    mine = reader("state", "drift", "-o", "json", "--all").json()
    assert {**mine, "run": None, "target": None} == {**report, "run": None, "target": None}
    assert reader("plan", "-o", "json").json()["counts"] == applied.tazuna("plan", "-o", "json").json()["counts"]


@pytest.mark.parametrize("name", NAMES or [""])
def test_each_add_on_in_a_repository_of_its_own(name: str, tmp_path: Path, shared_cluster: LocalCluster) -> None:
    folder = repository(tmp_path / "repo", (name,) if name else ())
    tazuna = Tazuna(folder, shared_cluster.kubeconfig, {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert tazuna("apply").code == 0
    _without_webhooks(shared_cluster)
    for command in (("state", "diff"), ("state", "drift"), ("plan",)):
        ran = tazuna(*command, "--fail-on-drift", "-o", "json")
        reported = [o["key"] for m in ran.json()["manifests"] for o in m["objects"] if not _webhook_noise(o["key"])]
        assert reported == [], ran.stdout


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[LocalCluster]:
    with LocalCluster() as cluster:
        yield cluster
