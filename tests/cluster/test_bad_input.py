"""Bad input and broken clusters as a user meets them: exit code, one clear message, the rest still reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.corpus import repository
from tests.harness.tazuna import Tazuna


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, cluster: LocalCluster) -> Iterator[Tazuna]:
    tazuna = Tazuna(repository(tmp_path_factory.mktemp("lab") / "repo", ()), cluster.kubeconfig)
    assert tazuna("apply").code == 0
    yield tazuna
    cluster.kubectl("delete", "namespace", "tazuna", "gitops-lab")


FILES = {
    "missing": (None, 2, "no-such.yaml"),
    "yaml error": ("spec: [", 2, "tazuna.yaml:"),
    "unknown type": ("spec:\n  manifests:\n    - {name: a, type: helmchart, path: .}\n", 2, "tazuna.yaml:3:"),
    "unknown field": ("spec:\n  manifests:\n    - {name: a, type: directory, paht: .}\n", 2, "Did you mean 'path'?"),
    "duplicate name": (
        "spec:\n  manifests:\n    - {name: a, type: directory, path: .}\n    - {name: a, type: directory, path: .}\n",
        2,
        "'a'",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_wrong_is_exit_2_with_the_place(case: str, tmp_path: Path) -> None:
    text, code, said = FILES[case]
    (tmp_path / "object.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}")
    if text is not None:
        (tmp_path / "tazuna.yaml").write_text(text)
    ran = Tazuna(tmp_path)("check", *(["-f", "no-such.yaml"] if text is None else []))
    assert ran.code == code
    assert said in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_unreachable_server_is_exit_4(lab: Tazuna, tmp_path: Path) -> None:
    kubeconfig = orjson.loads(Path(str(lab.kubeconfig)).read_bytes())
    kubeconfig["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    broken = tmp_path / "kubeconfig"
    broken.write_bytes(orjson.dumps(kubeconfig))
    for command in (("state", "drift"), ("plan",)):
        ran = Tazuna(lab.folder, broken)(*command, "-o", "json", "--fail-on-drift")
        assert ran.code == 4
        assert [error["code"] for error in ran.json()["errors"]] == ["unreachable"]


def test_expired_credentials_are_exit_4(lab: Tazuna, tmp_path: Path) -> None:
    kubeconfig = orjson.loads(Path(str(lab.kubeconfig)).read_bytes())
    kubeconfig["users"][0]["user"] = {"token": "expired"}
    expired = tmp_path / "kubeconfig"
    expired.write_bytes(orjson.dumps(kubeconfig))
    ran = Tazuna(lab.folder, expired)("state", "drift")
    assert ran.code == 4
    assert "expired" not in ran.stdout.replace("credentials", "").split("log in")[0] or "token" not in ran.stdout
    assert "No drift detected." not in ran.stdout


def test_one_forbidden_kind_does_not_hide_the_rest(lab: Tazuna, cluster: LocalCluster) -> None:
    rules = [
        {"apiGroups": [""], "resources": ["configmaps", "namespaces"], "verbs": ["get", "list"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]},
    ]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "half"}}
    cluster.kubectl("apply", "-f", "-", stdin=orjson.dumps({**role, "rules": rules}).decode())
    cluster.kubectl("create", "clusterrolebinding", "half", "--clusterrole=half", "--user=half")
    cluster.kubectl("-n", "gitops-lab", "scale", "deployment/web", "--replicas=7")
    half = Tazuna(lab.folder, cluster.kubeconfig_for("half"))
    ran = half("state", "drift", "-o", "json", "--fail-on-drift")
    assert ran.code == 4  # incomplete is worse than drift
    report = ran.json()
    assert [entry["reason"] for entry in report["coverage"]["unchecked"]] == ["forbidden"]
    assert ran.fields()["Deployment/web spec.replicas"]["live"] == 7
    text = half("state", "drift").stdout
    assert "No drift detected." not in text
    assert "3 objects" in text and "forbidden" in text
    (lab.folder / "tazuna.drift.yaml").write_text("unreadable: [{kind: Service, reason: not ours to read}]\n")
    try:
        excluded = half("state", "drift", "-o", "json", "--fail-on-drift")
        assert excluded.code == 1
        assert excluded.json()["coverage"]["excluded"] == [
            {"kind": "Service", "objects": 1, "reason": "not ours to read"}
        ]
    finally:
        (lab.folder / "tazuna.drift.yaml").unlink()
        cluster.kubectl("-n", "gitops-lab", "scale", "deployment/web", "--replicas=3")


def test_a_cluster_without_state_is_not_clean(lab: Tazuna, tmp_path: Path) -> None:
    other = repository(tmp_path / "repo", ())
    text = (other / "tazuna.yaml").read_text().replace('"web"', '"other"', 1)
    (other / "tazuna.yaml").write_text(text)
    ran = Tazuna(other, lab.kubeconfig)("state", "drift")
    assert ran.code == 4
    assert "nothing to compare" in ran.stdout
    assert "No drift detected." not in ran.stdout


def test_a_definition_that_is_gone_leaves_its_objects_unknown(cluster: LocalCluster, tmp_path: Path) -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Gadget", "plural": "gadgets"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    }
    gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g", "namespace": "default"}}
    manifests = [{"name": name, "type": "directory", "path": f"{name}.json"} for name in ("definitions", "gadgets")]
    (tmp_path / "definitions.json").write_bytes(orjson.dumps(definition))
    (tmp_path / "gadgets.json").write_bytes(orjson.dumps({**gadget, "spec": {"size": 1}}))
    (tmp_path / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    tazuna = Tazuna(tmp_path, cluster.kubeconfig)
    assert tazuna("apply").code == 0
    assert tazuna("state", "drift").code == 0
    cluster.kubectl("delete", "crd", "gadgets.example.com", "--wait=true", "--timeout=120s")
    ran = tazuna("state", "drift", "-o", "json")
    assert ran.code == 4
    assert ran.statuses() == {
        "CustomResourceDefinition/gadgets.example.com": "live-missing",
        "Gadget/g": "unknown",
    }
    # and what was deleted comes back, definition first
    assert tazuna("apply").code == 0
    assert tazuna("state", "drift").code == 0


def test_state_is_byte_for_byte_the_go_cli_s(lab: Tazuna, cluster: LocalCluster) -> None:
    state = cluster.request("GET", "/api/v1/namespaces/tazuna/configmaps/tazuna-state-web").body
    data = state["data"]
    assert data.keys() == {
        "_metadata",
        "web____v1__Namespace__gitops-lab",
        "web____v1__Service__gitops-lab__web",
        "web__apps__v1__Deployment__gitops-lab__web",
    }
    listed = dict(line.split()[:2] for line in lab("state", "list").stdout.splitlines() if line.startswith("  web/"))
    for key, value in data.items():
        if key != "_metadata":
            assert value == f'{{"contentHash":"{listed[key.replace("__", "/")]}"}}'
    metadata = orjson.loads(data["_metadata"])
    assert list(metadata) == ["gitCommitHash", "lastSyncedAt"]
    assert data["_metadata"] == orjson.dumps(metadata).decode()


def test_a_state_without_a_record_is_never_called_clean(lab: Tazuna, cluster: LocalCluster) -> None:
    record = cluster.request("GET", "/api/v1/namespaces/tazuna/configmaps/tazuna-record-web.0").body
    cluster.kubectl("-n", "tazuna", "delete", "configmap", "tazuna-record-web.0")
    try:
        ran = lab("state", "drift", "-o", "json")
        assert ran.code == 4
        assert {entry["reason"] for entry in ran.json()["coverage"]["unchecked"]} == {"no-record"}
        literal = lab("state", "drift", "--compare=hash", "-o", "json", "--fail-on-drift")
        assert literal.code == 1, "the Go CLI's rule finds defaults to be drift"
        # today's build has the stored hashes, so it is what was applied
        assert lab("plan").code == 0
    finally:
        metadata = {"name": "tazuna-record-web.0", "namespace": "tazuna"}
        body = orjson.dumps({**record, "metadata": metadata}).decode()
        cluster.kubectl("create", "-f", "-", stdin=body)
    assert lab("state", "drift").code == 0


def test_a_renamed_manifest_keeps_the_records_of_its_jobs(cluster: LocalCluster, tmp_path: Path) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "moving", "namespace": "default"}}
    (tmp_path / "job.json").write_bytes(orjson.dumps({**job, "spec": {"template": {"spec": pod}}}))
    tazuna = Tazuna(tmp_path, cluster.kubeconfig)
    for name in ("before", "after"):
        manifests = [{"name": name, "type": "directory", "path": "job.json"}]
        (tmp_path / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
        assert tazuna("apply").code == 0
    ran = tazuna("state", "drift", "--fail-on-drift")
    assert (ran.code, ran.stdout.splitlines()[0]) == (0, "No drift detected.")


def test_an_object_that_apply_created_has_no_past(cluster: LocalCluster, tmp_path: Path) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "phoenix", "namespace": "default"}}
    (tmp_path / "config.json").write_bytes(orjson.dumps(config))
    manifests = [{"name": "phoenix", "type": "directory", "path": "config.json"}]
    (tmp_path / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    tazuna = Tazuna(tmp_path, cluster.kubeconfig)
    assert tazuna("apply").code == 0
    note = '{"metadata": {"annotations": {"example.com/seen": "yes"}}}'
    cluster.kubectl("patch", "configmap", "phoenix", "--field-manager=cainjector", "--type=merge", "-p", note)
    assert tazuna("apply").code == 0
    cluster.kubectl("delete", "configmap", "phoenix")
    assert tazuna("apply").code == 0
    assert tazuna("state", "drift", "--fail-on-drift").code == 0


def test_what_apply_would_refuse_is_an_error_of_the_plan(lab: Tazuna, tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", ())
    deployment = folder / "apps/web/deployment.yaml"
    deployment.write_text(deployment.read_text().replace("replicas: 3", "replica: 3"))
    ran = Tazuna(folder, lab.kubeconfig)("plan")
    assert ran.code == 3
    assert "Did you mean 'replicas'?" in ran.stdout


def test_a_tag_that_nobody_has_selects_nothing_in_silence_never(lab: Tazuna) -> None:
    for command in (("plan",), ("apply",), ("state", "diff")):
        ran = lab(*command, "--tags", "typo")
        assert ran.code == 2
        assert "no manifest has the tag 'typo'" in ran.stdout
