"""A chart that makes values up: one warning with the manifest to fix, no change, and real changes still seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from tests.harness.cluster import LocalCluster
from tests.harness.go_tools import go_tool
from tests.harness.tazuna import Ran, Tazuna

CHART = {
    "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "web/values.yaml": "mode: quiet\n",
    "web/templates/all.yaml": """
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {password: "{{ randAlphaNum 20 }}", user: admin}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {rendered: "{{ now | unixEpoch }}-{{ randNumeric 9 }}"}}
data: {mode: {{ .Values.mode }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {a: "1"}
""",
}


@pytest.fixture
def tazuna(tmp_path: Path, cluster: LocalCluster, namespace: str) -> Tazuna:
    release = {"name": "web", "namespace": namespace, "chart": "./web"}
    files = {**CHART, "helmfile.yaml": yaml.safe_dump({"releases": [release]})}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    manifest = {"name": f"m-{namespace}", "type": "helmfile", "path": ".", "helmfile": {"defaultNamespace": namespace}}
    (tmp_path / "tazuna.yaml").write_text(yaml.safe_dump({"spec": {"manifests": [manifest]}}))
    path = f"{Path(go_tool('helm')).parent}{os.pathsep}{os.environ['PATH']}"
    return Tazuna(tmp_path, cluster.kubeconfig, {"PATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")})


def warned(ran: Ran) -> list[str]:
    return [warning["message"] for warning in ran.json()["warnings"] if warning["code"] == "not-reproducible"]


def test_values_that_are_made_up_are_no_change(tazuna: Tazuna, cluster: LocalCluster, namespace: str) -> None:
    ran = tazuna("apply")
    assert ran.code == 0, ran.stdout
    plan = tazuna("plan", "-o", "json")
    assert (plan.code, plan.statuses(), plan.fields()) == (0, {}, {}), plan.stdout
    (message,) = warned(plan)
    assert f"manifest 'm-{namespace}'" in message
    assert "data.password" in message and "metadata.annotations.rendered" in message
    assert "user" not in message and "plain" not in message
    # what somebody did by hand, and what the repository changes beside them, is still seen
    cluster.kubectl("-n", namespace, "patch", "secret/keys", "--type=merge", "-p", '{"stringData": {"user": "root"}}')
    (tazuna.folder / "web/values.yaml").write_text("mode: loud\n")
    found = tazuna("plan", "-o", "json").fields()
    assert {path: change["verdict"] for path, change in found.items()} == {
        "Secret/keys data.user": "conflict",  # no record holds the value that was applied
        "ConfigMap/settings data.mode": "planned",
    }
    # presence counts
    cluster.kubectl(
        "-n", namespace, "patch", "secret/keys", "--type=json", "-p", '[{"op": "remove", "path": "/data/password"}]'
    )
    assert "Secret/keys data.password" in tazuna("plan", "-o", "json").fields()
    cluster.kubectl(
        "-n", "tazuna", "delete", "configmap", f"tazuna-state-m-{namespace}", f"tazuna-record-m-{namespace}.0"
    )
