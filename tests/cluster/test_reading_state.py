"""`state list`, `status` and `snapshot` as a user meets them: with state and without, with all rights and with few."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Tazuna

NEVER = "never"
RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, cluster: LocalCluster) -> Iterator[Tazuna]:
    folder = tmp_path_factory.mktemp("reading")
    metadata = {"name": "reading"}
    labels = {"app": "web"}
    inside = {"name": "web", "namespace": "reading"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "i:1"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": pod}
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": inside, "spec": spec},
        {"apiVersion": "v1", "kind": "Secret", "metadata": inside, "stringData": {"token": "correct horse"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": inside, "data": {"a": "1"}},
        {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "reading:x"}, "rules": []},
    ]  # fmt: skip
    (folder / f"{NEVER}.json").write_bytes(orjson.dumps({**objects[3], "metadata": {**inside, "name": NEVER}}))
    (folder / "reading.json").write_bytes(orjson.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    write_spec(folder, ["reading"])
    tazuna = Tazuna(folder, cluster.kubeconfig)
    assert tazuna("apply").code == 0
    write_spec(folder, ["reading", NEVER])
    yield tazuna
    cluster.kubectl("delete", "namespace", "reading", "--wait=false")
    cluster.kubectl("delete", "clusterrole", "reading:x")
    cluster.kubectl("-n", "tazuna", "delete", "configmap", "tazuna-state-reading", "tazuna-record-reading.0")


def write_spec(folder: Path, names: list[str]) -> None:
    manifests = [{"name": name, "type": "directory", "path": f"{name}.json"} for name in names]
    (folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))


def limited(cluster: LocalCluster, lab: Tazuna, name: str, resources: dict[str, list[str]]) -> Tazuna:
    """An account that may get (not list) some resources by group."""
    rules = [{"apiGroups": [group], "resources": found, "verbs": ["get"]} for group, found in resources.items()]
    role = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": name}}
    binding = cluster.kubectl(
        "create", "clusterrolebinding", name, f"--clusterrole={name}", f"--user={name}", "--dry-run=client", "-o=yaml"
    )
    cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps({**role, "rules": rules}).decode())
    cluster.kubectl("apply", "-f", "-", stdin=binding.stdout)
    return Tazuna(lab.folder, cluster.kubeconfig_for(name))


def test_state_list_has_every_object_and_no_hash_of_a_secret(lab: Tazuna) -> None:
    ran = lab("state", "list")
    assert ran.code == 0
    for key in ("reading//v1/ConfigMap/reading/web", "reading/rbac.authorization.k8s.io/v1/ClusterRole/reading:x"):
        assert key in ran.stdout
    secret = next(line for line in ran.stdout.splitlines() if "/Secret/" in line)
    assert secret.split()[-1] == "(secret)"
    shown = lab("state", "list", "--show-secret-hashes").stdout
    assert len(next(line for line in shown.splitlines() if "/Secret/" in line).split()[-1]) == 64


def test_status_tells_ready_from_not_ready_and_missing(lab: Tazuna, cluster: LocalCluster) -> None:
    rows = {tuple(line.split()[:2]) for line in lab("status").stdout.splitlines() if line.strip()}
    assert ("NotReady", "Deployment") in rows  # there are no nodes
    assert {("Ready", "Namespace"), ("Ready", "ConfigMap"), ("Ready", "Secret"), ("Ready", "ClusterRole")} <= rows
    cluster.kubectl("-n", "reading", "delete", "configmap", "web")
    try:
        ran = lab("status")
        assert ran.code == 0
        assert ("Missing", "ConfigMap") in {tuple(line.split()[:2]) for line in ran.stdout.splitlines() if line.strip()}
    finally:
        assert lab("apply", "--only", "reading//v1/ConfigMap/reading/web").code == 0


def test_without_state_nothing_is_called_ready(lab: Tazuna, cluster: LocalCluster, tmp_path: Path) -> None:
    (tmp_path / f"{NEVER}.json").write_bytes((lab.folder / f"{NEVER}.json").read_bytes())
    write_spec(tmp_path, [NEVER])
    none = Tazuna(tmp_path, cluster.kubeconfig)
    for command in (("status",), ("state", "list")):
        ran = none(*command)
        assert (ran.code, "Ready" in ran.stdout, "Traceback" in ran.stderr) == (0, False, False), ran.stdout
    ran = none("snapshot", "--to", str(tmp_path / "s.json"))
    assert ran.code == 0, ran.stderr


def test_names_alone_may_be_read(lab: Tazuna, cluster: LocalCluster, tmp_path: Path) -> None:
    """Without the right to list anything every command says the same, by GET."""
    core = ["configmaps", "secrets", "namespaces"]
    rights = {"": core, "apps": ["deployments"], "rbac.authorization.k8s.io": ["clusterroles"]}
    getter = limited(cluster, lab, "getter", rights)
    for command in (("state", "list"), ("status",), ("state", "drift")):
        mine, theirs = getter(*command), lab(*command)
        assert (mine.code, mine.stdout) == (theirs.code, theirs.stdout), command
    ran = getter("snapshot", "--to", str(tmp_path / "s.json"))
    assert ran.code == 0, ran.stderr
    assert "not listed: ConfigMap in namespace tazuna (forbidden)" in ran.stderr
    again = Tazuna(lab.folder)("state", "drift", "--cluster", f"snapshot:{tmp_path / 's.json'}")
    assert (again.code, again.stdout.splitlines()[0]) == (0, "No drift detected.")


def test_a_forbidden_kind_is_an_error_row_and_the_rest_is_there(
    lab: Tazuna, cluster: LocalCluster, tmp_path: Path
) -> None:
    partial = limited(cluster, lab, "partial", {"": ["configmaps", "namespaces"], "apps": ["deployments"]})
    ran = partial("status")
    assert ran.code == 4
    rows = [line.split() for line in ran.stdout.splitlines() if line.strip()]
    assert {row[1] for row in rows if row[0] == "Error"} == {"Secret", "ClusterRole"}
    assert any(row[:2] == ["Ready", "ConfigMap"] for row in rows)
    snapshot = tmp_path / "cluster.json"
    taken = partial("snapshot", "--to", str(snapshot))
    assert taken.code == 4
    assert "Secret/reading/web (forbidden)" in taken.stderr
    assert "correct horse" not in snapshot.read_text() and "Y29ycmVjdCBob3JzZQ" not in snapshot.read_text()
    again = Tazuna(lab.folder)("state", "drift", "--cluster", f"snapshot:{snapshot}", "-o", "json")
    assert again.code == 4
    assert {entry["reason"] for entry in again.json()["coverage"]["unchecked"]} == {"forbidden"}


def test_an_account_without_any_right_is_told_which_it_needs(lab: Tazuna, cluster: LocalCluster) -> None:
    nobody = Tazuna(lab.folder, cluster.kubeconfig_for("nobody-at-all"))
    for command in (("state", "list"), ("status",), ("snapshot", "--to", "unused.json")):
        ran = nobody(*command)
        assert ran.code == 4
        assert "`tazuna rbac` prints the rights that are needed" in ran.stderr
        assert "Traceback" not in ran.stderr
    assert not (lab.folder / "unused.json").exists()
