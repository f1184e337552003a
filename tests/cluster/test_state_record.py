"""`state record` on a cluster that the Go CLI applied: what is proven is recorded, and no change by hand is blessed."""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.corpus import bundles, repository
from tests.harness.go_cli import go_apply
from tests.harness.tazuna import Ran, Tazuna

JsonObject = dict[str, Any]
ORIGIN = "https://example.com/team/repository.git"


def objects(namespace: str) -> list[JsonObject]:
    """One object of each shape that a record is made of in its own way."""
    labels = {"app": "web"}
    container = {
        "name": "app",
        "image": "example.com/app:1",
        "resources": {"requests": {"cpu": "1000m"}},
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "args": ["one", "two"],
        "ports": [{"containerPort": 80}],
    }
    pod: JsonObject = {"initContainers": [{"name": n, "image": "i:1"} for n in ("a", "b")], "containers": [container]}
    template = {"metadata": {"labels": labels}, "spec": pod}

    def of(api_version: str, kind: str, name: str, **fields: Any) -> JsonObject:
        metadata = {"name": name, "namespace": namespace, "labels": labels}
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}

    workload = {"selector": {"matchLabels": labels}, "template": template}
    return [
        of("apps/v1", "Deployment", "web", spec={"replicas": 3, **workload}),
        of("apps/v1", "Deployment", "free", spec=copy.deepcopy(workload)),
        of("v1", "Service", "web", spec={"selector": labels, "ports": [{"name": "web", "port": 80}]}),
        of("v1", "ConfigMap", "settings", data={"mode": "quiet", "level": "1"}),
        of("v1", "Secret", "keys", stringData={"token": "correct", "other": "horse"}),
        of("v1", "ServiceAccount", "web"),
    ]


class Repository:
    """A git repository with one directory manifest, applied as the Go CLI does."""

    def __init__(self, folder: Path, cluster: LocalCluster, namespace: str) -> None:
        self.folder, self.cluster, self.namespace, self.name = folder, cluster, namespace, f"m-{namespace}"
        self.tazuna = Tazuna(folder, cluster.kubeconfig)
        manifests = [{"name": self.name, "type": "directory", "path": "objects.json"}]
        (folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
        self.git("init", "-q")
        self.git("remote", "add", "origin", ORIGIN)
        self.objects = objects(namespace)
        self.write("what is applied")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def clone(self, folder: Path, *options: str) -> Tazuna:
        """Clones the repository as if from where everybody clones it."""
        self.git("clone", "-q", *options, f"file://{self.folder}", str(folder))
        self.git("-C", str(folder), "remote", "set-url", "origin", ORIGIN)
        return Tazuna(folder, self.cluster.kubeconfig)

    def write(self, message: str) -> None:
        (self.folder / "objects.json").write_bytes(
            orjson.dumps({"apiVersion": "v1", "kind": "List", "items": self.objects})
        )
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def find(self, kind: str, name: str) -> JsonObject:
        return next(obj for obj in self.objects if obj["kind"] == kind and obj["metadata"]["name"] == name)

    def kubectl(self, *arguments: str) -> None:
        self.cluster.kubectl("-n", self.namespace, *arguments)

    def change_everything(self) -> None:
        """Makes today's build another one for every object, so that nothing of it proves anything."""
        for obj in self.objects:
            obj["metadata"]["labels"] = {**obj["metadata"]["labels"], "build": "today"}
        self.write("today")

    def record(self, *arguments: str) -> Ran:
        return self.tazuna("state", "record", "-o", "json", *arguments)

    def drift(self) -> Ran:
        return self.tazuna("state", "drift", "-o", "json", "--fail-on-drift")


@pytest.fixture
def applied(tmp_path: Path, cluster: LocalCluster, namespace: str) -> Iterator[Repository]:
    repo = Repository(tmp_path, cluster, namespace)
    go_apply(cluster, repo.tazuna, repo.git("rev-parse", "HEAD"))
    yield repo
    for prefix, suffix in (("tazuna-state-", ""), ("tazuna-record-", ".0")):
        cluster.kubectl("-n", "tazuna", "delete", "configmap", f"{prefix}{repo.name}{suffix}", "--ignore-not-found")


def test_what_nobody_touched_is_recorded_and_in_sync(applied: Repository) -> None:
    assert applied.drift().code == 4  # no record yet
    state = applied.cluster.request("GET", f"/api/v1/namespaces/tazuna/configmaps/tazuna-state-{applied.name}").body
    ran = applied.record()
    assert ran.code == 0, ran.stdout
    assert ran.stderr.count("recorded ") == len(applied.objects)
    assert ran.json()["counts"]["drifted"] == 0
    assert applied.drift().code == 0
    assert applied.tazuna("plan").stdout.startswith("No changes detected.")
    after = applied.cluster.request("GET", f"/api/v1/namespaces/tazuna/configmaps/tazuna-state-{applied.name}").body
    assert after == state, "the state is the Go CLI's, and is left as it is"
    assert "correct" not in str(
        applied.cluster.request("GET", f"/api/v1/namespaces/tazuna/configmaps/tazuna-record-{applied.name}.0")
    )
    # and once is enough
    again = applied.record()
    assert (again.code, again.stderr) == (0, "")


@pytest.mark.parametrize("proof", ["build", "commit"])
def test_no_change_by_hand_is_blessed(applied: Repository, proof: str) -> None:
    edit_by_hand(applied)
    if proof == "commit":
        applied.change_everything()
    before = applied.tazuna("plan", "-o", "json")
    ran = applied.record("--fail-on-drift=drifted")
    assert ran.code == 1, ran.stdout
    assert ran.stderr.count(f"proven by {'today' if proof == 'build' else 'the build of its commit'}") == 6
    found = ran.fields()
    assert {path: (change["owner"] or {}).get("manager") for path, change in found.items()} == EDITS
    assert found["Deployment/web spec.replicas"]["recorded"] == 3
    assert found["Deployment/free spec.replicas"]["recorded"] == 1
    assert found["ConfigMap/settings data.mode"]["recorded"] == "quiet"
    assert "recorded" not in found["ConfigMap/settings data.extra"]
    drift = applied.drift()
    assert drift.code == 1
    assert drift.fields() == found
    # plan knew the same without a record
    after = applied.tazuna("plan", "-o", "json")
    assert by_hand(before) == by_hand(after)
    assert set(by_hand(after)) == set(EDITS)
    assert before.json()["counts"]["unchecked"] == 0


UNDECLARED = {
    "Deployment/free spec.replicas": None,
    "Service/web spec.ports[port=9999,protocol=TCP]": "kubectl-patch",
    "ConfigMap/settings data.extra": "kubectl-patch",
    "ServiceAccount/web metadata.labels.team": "kubectl-label",
}


def test_a_first_apply_over_what_the_go_cli_applied_blesses_nothing_either(applied: Repository) -> None:
    edit_by_hand(applied)
    assert applied.tazuna("apply", "--no-wait").code == 0
    drift = applied.drift()
    found = {path: (change["owner"] or {}).get("manager") for path, change in drift.fields().items()}
    assert (drift.code, found) == (1, UNDECLARED)
    # what a second apply finds is no news, and blesses them as little
    assert applied.tazuna("apply", "--no-wait").code == 0
    assert applied.drift().fields().keys() == UNDECLARED.keys()


def test_a_first_apply_over_what_nobody_touched_leaves_nothing_to_report(applied: Repository) -> None:
    assert applied.tazuna("apply", "--no-wait").code == 0
    drift = applied.drift()
    assert (drift.code, drift.fields()) == (0, {})


def test_hand_edits_that_are_undone_after_the_record_are_gone(applied: Repository) -> None:
    applied.kubectl("scale", "deployment/web", "--replicas=7")
    applied.kubectl("patch", "configmap/settings", "--type=merge", "-p", '{"data": {"mode": "loud", "extra": "x"}}')
    applied.kubectl("patch", "secret/keys", "--type=merge", "-p", '{"stringData": {"token": "battery"}}')
    assert applied.record().code == 0
    assert applied.drift().code == 1
    applied.kubectl("scale", "deployment/web", "--replicas=3")
    applied.kubectl("patch", "configmap/settings", "--type=merge", "-p", '{"data": {"mode": "quiet", "extra": null}}')
    applied.kubectl("patch", "secret/keys", "--type=merge", "-p", '{"stringData": {"token": "correct"}}')
    ran = applied.drift()
    assert (ran.code, ran.fields()) == (0, {})


EDITS = {
    "Deployment/web spec.replicas": "kubectl",
    "Deployment/web spec.template.spec.initContainers": None,
    "Deployment/web spec.template.spec.containers[name=app].env[name=B]": None,
    "Deployment/web spec.template.spec.containers[name=app].args": "kubectl-patch",
    "Deployment/free spec.replicas": None,
    "Service/web spec.ports[port=9999,protocol=TCP]": "kubectl-patch",
    "ConfigMap/settings data.mode": "tazuna",
    "ConfigMap/settings data.extra": "kubectl-patch",
    "Secret/keys data.token": "kubectl-patch",
    "ServiceAccount/web metadata.labels.team": "kubectl-label",
}


def edit_by_hand(applied: Repository) -> None:
    """Edits of every kind: declared and not, removed, reordered, scaled without a trace, under our own name."""
    applied.kubectl("scale", "deployment/web", "--replicas=7")
    applied.kubectl("scale", "deployment/free", "--replicas=4")
    containers = "/spec/template/spec/containers/0"
    swapped = [
        {"op": "move", "from": "/spec/template/spec/initContainers/0", "path": "/spec/template/spec/initContainers/1"}
    ]
    removed = [{"op": "remove", "path": f"{containers}/env/1"}]
    args = [{"op": "replace", "path": f"{containers}/args", "value": ["one", "two", "three"]}]
    port = [{"op": "add", "path": "/spec/ports/-", "value": {"name": "debug", "port": 9999}}]
    for target, patch in (("deployment/web", [*swapped, *removed, *args]), ("service/web", port)):
        applied.kubectl("patch", target, "--type=json", "-p", orjson.dumps(patch).decode())
    applied.kubectl("label", "serviceaccount/web", "team=night")
    applied.kubectl("patch", "secret/keys", "--type=merge", "-p", '{"stringData": {"token": "battery"}}')
    applied.kubectl("patch", "configmap/settings", "--type=merge", "-p", '{"data": {"extra": "x"}}')
    applied.cluster.wait_until("the clock has moved on", lambda: bool(_sleep(3.0)))
    under_our_name = copy.deepcopy(applied.find("ConfigMap", "settings"))
    under_our_name["data"]["mode"] = "loud"
    applied.cluster.kubectl(
        "apply", "--server-side", "--field-manager=tazuna", "-f", "-", stdin=orjson.dumps(under_our_name).decode()
    )


def _sleep(seconds: float) -> bool:
    import time

    time.sleep(seconds)
    return True


def by_hand(ran: Ran) -> dict[str, tuple[Any, ...]]:
    changed = ("drifted", "extra", "conflict")
    return {
        path: (change.get("recorded"), change.get("live"), change["verdict"])
        for path, change in ran.fields().items()
        if change["verdict"] in changed
    }


def test_what_cannot_be_proven_is_named_and_not_recorded(applied: Repository) -> None:
    applied.kubectl("scale", "deployment/web", "--replicas=7")
    applied.change_everything()
    commit = applied.git("rev-parse", "HEAD~1")
    shallow = applied.clone(applied.folder / "shallow", "--depth=1")
    ran = shallow("state", "record", "-o", "json")
    assert ran.code == 4
    unchecked = ran.json()["coverage"]["unchecked"]
    # a ConfigMap and a ServiceAccount that nobody touched prove themselves
    assert {entry["reason"] for entry in unchecked} == {"not-proven"}
    assert len(unchecked) == len(applied.objects) - 2
    assert all(f"commit {commit} is not in this shallow clone" in entry["message"] for entry in unchecked)
    assert "fetch-depth: 0" in unchecked[0]["message"]
    plan = shallow("plan", "-o", "json")
    assert plan.code == 4
    assert [w["code"] for w in plan.json()["warnings"]] == ["not-proven"]
    # whoever has the commit records the rest
    assert applied.record().code == 0
    assert applied.drift().fields().keys() == {"Deployment/web spec.replicas"}
    assert applied.git("status", "--porcelain") == "?? shallow/"
    assert applied.git("worktree", "list").count("\n") == 0


def test_a_submodule_that_is_not_here_is_named(tmp_path: Path, cluster: LocalCluster, namespace: str) -> None:
    base = Repository(tmp_path, cluster, namespace)
    inner = tmp_path.parent / f"{tmp_path.name}-inner"
    inner.mkdir()
    (inner / "settings.json").write_bytes(orjson.dumps(base.find("ConfigMap", "settings")))
    (inner / "free.json").write_bytes(orjson.dumps(base.find("Deployment", "free")))
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "inner")):
        base.git("-C", str(inner), *command)
    base.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "inner")
    manifests = [{"name": base.name, "type": "directory", "path": "inner"}]
    (tmp_path / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    base.write("a submodule")
    go_apply(cluster, base.tazuna, base.git("rev-parse", "HEAD"))
    manifests[0]["path"] = "objects.json"
    (tmp_path / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    base.objects = []
    base.write("nothing is built now")
    clone = base.clone(tmp_path.parent / f"{tmp_path.name}-clone")
    try:
        lacking = clone("state", "record", "-o", "json")
        assert lacking.code == 4
        assert "submodule inner has not got its commit" in lacking.json()["coverage"]["unchecked"][0]["message"]
        ran = base.record()
        assert ran.code == 0, ran.stdout
        assert "proven by the build of its commit" in ran.stderr
    finally:
        cluster.kubectl(
            "-n", "tazuna", "delete", "configmap", f"tazuna-state-{base.name}", f"tazuna-record-{base.name}.0"
        )


def test_guards_and_broken_records(applied: Repository, tmp_path: Path) -> None:
    path = "/api/v1/namespaces/tazuna/configmaps"
    manifests = orjson.loads((applied.folder / "tazuna.yaml").read_bytes())
    manifests["spec"]["context_matches"] = ["other"]
    (applied.folder / "tazuna.yaml").write_bytes(orjson.dumps(manifests))
    refused = applied.record()
    assert (refused.code, refused.json()["errors"][0]["code"]) == (5, "context")
    assert applied.cluster.request("GET", f"{path}/tazuna-record-{applied.name}.0").status == 404
    applied.git("checkout", "-q", "tazuna.yaml")
    # a record that cannot be read is written anew
    broken = {"metadata": {"name": f"tazuna-record-{applied.name}.0"}, "data": {"record.json": "{"}}
    applied.cluster.request("POST", path, broken)
    assert applied.drift().code == 4
    assert applied.record().code == 0
    assert applied.drift().code == 0
    # the Go CLI applies again: what it changed has no record any more, the rest keeps its own
    applied.find("ConfigMap", "settings")["data"]["mode"] = "loud"
    applied.write("louder")
    go_state = applied.cluster.request("GET", f"{path}/tazuna-record-{applied.name}.0").body
    go_apply(applied.cluster, applied.tazuna, applied.git("rev-parse", "HEAD"))
    metadata = {"name": go_state["metadata"]["name"], "namespace": "tazuna"}
    applied.cluster.request("POST", path, {**go_state, "metadata": metadata})
    assert applied.drift().code == 0, "a ConfigMap is what its hash says"
    ran = applied.record()
    assert (ran.code, ran.stderr.count("recorded ")) == (0, 1)
    # another source's record is not written over
    other = applied.folder.parent / f"{applied.folder.name}-other"
    subprocess.run(["cp", "-r", str(applied.folder), str(other)], check=True)
    subprocess.run(["git", "-C", str(other), "remote", "set-url", "origin", "https://example.com/o.git"], check=True)
    elsewhere = Tazuna(other, applied.cluster.kubeconfig)("state", "record", "-o", "json")
    assert (elsewhere.code, elsewhere.json()["errors"][0]["code"]) == (5, "other-source")


def test_real_add_ons_that_the_go_cli_applied_are_recorded_and_clean(
    tmp_path: Path, fresh_cluster: LocalCluster
) -> None:
    folder = repository(tmp_path / "repo", bundles())
    tazuna = Tazuna(folder, fresh_cluster.kubeconfig, {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    go_apply(fresh_cluster, tazuna)
    ran = tazuna("state", "record", "-o", "json")
    assert (ran.code, ran.statuses()) == (0, {}), ran.stdout
    # names that no ConfigMap key can hold are in no state of the Go CLI; all others but the superseded are recorded
    recorded = ran.stderr.count("recorded ")
    assert recorded >= ran.json()["counts"]["objects"] - 2 > 0
    drift = tazuna("state", "drift", "-o", "json", "--fail-on-drift")
    assert (drift.code, drift.statuses(), drift.json()["coverage"]["complete"]) == (0, {}, True)
