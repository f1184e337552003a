"""A program that is not there: exit 3, what to install and which manifest needs it; the other manifests build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tazuna_core.cli.main import run
from tests.harness.tazuna import Ran
from tests.tools.building import write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

SECRET = """
spec:
  secrets: [{uri: op://h/Platform/x, items: {a: {mapTo: b}}}]
  outputs: [{kubernetesSecret: {namespace: ns, name: s}}]
"""
FILES = {
    "plain/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: plain, namespace: ns}}\n",
    "static.yaml": "spec: {static: {a: b}, outputs: [{kubernetesSecret: {namespace: ns, name: static}}]}\n",
    "overlay/kustomization.yaml": "resources: [cm.yaml]\n",
    "overlay/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: overlay, namespace: ns}}\n",
    "chart/helmfile.yaml": "releases: [{name: x, namespace: ns, chart: ./web, values: [{image: i}]}]\n",
    "more/helmfile.yaml": "bases: [a.yaml]\nreleases: [{name: x, chart: ../chart/web}]\n",
    "secret.yaml": SECRET,
    **web_chart("chart/web"),
}
MANIFESTS = [
    {"name": "chart", "type": "helmfile", "path": "chart"},
    {"name": "more", "type": "helmfile", "path": "more"},
    {"name": "overlay", "type": "kustomize", "path": "overlay"},
    {
        "name": "artifact",
        "type": "oras",
        "oras": {"reference": "127.0.0.1:1/x:1", "delegate": {"type": "kustomize"}},
    },
    {"name": "secret", "type": "genesissecret", "path": "secret.yaml"},
    {"name": "static", "type": "genesissecret", "path": "static.yaml"},
    {"name": "plain", "type": "directory", "path": "plain"},
]
NEEDS = {
    "chart": ("helm", "Install helm, version 3.13 or later."),
    "more": ("helm", "Install helm, version 3.13 or later."),
    "overlay": ("kustomize or kubectl", "kustomize"),
    "artifact": ("oras", "oras"),
    "secret": ("op", "Install the 1Password command-line tool"),
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {**FILES, "tazuna.yaml": json.dumps({"spec": {"manifests": MANIFESTS}})})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(capfd: pytest.CaptureFixture[str]) -> Ran:
    code = run(["build"])
    return Ran(code, *capfd.readouterr())


def built(ran: Ran) -> list[str]:
    return [line.split()[-1] for line in ran.stdout.splitlines() if line.startswith("  name: ")]


def test_with_none_of_them(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(repository / "empty"))  # a machine may have kubectl in its system's folders
    ran = build(capfd)
    assert ran.code == 3
    assert built(ran) == ["static", "plain"]
    errors = ran.stderr.split("tazuna: ")[1:]
    assert len(errors) == len(NEEDS)
    for name, (program, advice) in NEEDS.items():
        (error,) = [one for one in errors if f"manifest '{name}'" in one]
        assert error.startswith("tazuna.yaml:1:"), "the manifest's place"
        assert f"manifest '{name}' needs {program}, and it is not on PATH\n  " in error
        assert advice in error.splitlines()[1]


def test_each_that_is_there_builds_its_own(
    repository: Path, on_path: OnPath, capfd: pytest.CaptureFixture[str]
) -> None:
    on_path("helm", "kustomize")
    ran = build(capfd)
    assert ran.code == 3
    assert built(ran)[-3:] == ["overlay", "static", "plain"]
    assert "x-web" in built(ran)
    assert "manifest 'more' needs helmfile, and it is not on PATH" in ran.stderr
    assert "more/helmfile.yaml uses bases: install helmfile" in ran.stderr
    assert "manifest 'chart'" not in ran.stderr
    assert "manifest 'overlay'" not in ran.stderr


def test_what_needs_none_needs_none(repository: Path, on_path: OnPath, capfd: pytest.CaptureFixture[str]) -> None:
    on_path()
    (repository / "tazuna.yaml").write_text(json.dumps({"spec": {"manifests": MANIFESTS[-2:]}}))
    ran = build(capfd)
    assert (ran.code, ran.stderr, built(ran)) == (0, "", ["static", "plain"])


def test_charts_build_without_a_kubeconfig_but_not_without_one_that_is_named(
    repository: Path, on_path: OnPath, capfd: pytest.CaptureFixture[str]
) -> None:
    on_path("helm")
    (repository / "tazuna.yaml").write_text(json.dumps({"spec": {"manifests": MANIFESTS[:1]}}))
    ran = build(capfd)
    assert (ran.code, "x-web" in built(ran)) == (0, True)
    assert run(["build", "--kubeconfig", "none"]) == 4
    assert "no kubeconfig at none" in capfd.readouterr().err
