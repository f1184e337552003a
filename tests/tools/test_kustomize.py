"""Kustomize manifests: objects equal those of `kustomize build` run by hand; what is remote is refused offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.tools.building import build, by_hand, files_below, hashes, hashes_of, write_files
from tests.tools.conftest import OnPath

FILES = {
    "app/base/kustomization.yaml": "resources: [web.yaml]\ncommonLabels: {app: web}\n",
    "app/base/web.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template:
    spec:
      containers: [{name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: keys}}]}]
""",
    "app/parts/debug/kustomization.yaml": """
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: Deployment}
    patch: |-
      - {op: add, path: /spec/template/spec/containers/0/args, value: [--debug]}
""",
    "app/prod/kustomization.yaml": """
namespace: prod
nameSuffix: -v1
resources: [../base, extra.yaml]
components: [../parts/debug]
configMapGenerator:
  - name: settings
    envs: [settings.env]
    files: [motd=files/motd.txt]
secretGenerator:
  - name: keys
    literals: [key=value]
patches:
  - path: patch.yaml
images: [{name: nginx, newTag: "1.27"}]
replicas: [{name: web, count: 3}]
replacements:
  - source: {kind: Deployment, name: web, fieldPath: metadata.name}
    targets: [{select: {kind: ClusterRole}, fieldPaths: [metadata.annotations.of]}]
""",
    "app/prod/settings.env": "A=1\nB=two words\n",
    "app/prod/files/motd.txt": "hello\n",
    "app/prod/extra.yaml": """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: role, annotations: {of: nobody}}
rules: []
""",
    "app/prod/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: true}\n",
}
MANIFEST: dict[str, object] = {"type": "kustomize", "path": "app/prod", "kustomize": {"defaultNamespace": "rest"}}


def test_objects_are_those_of_kustomize_build(
    on_path: OnPath, programs: Mapping[str, Path], tmp_path: Path, home: Path
) -> None:
    write_files(tmp_path, FILES)
    on_path("kustomize")
    wanted = hashes_of(by_hand(programs["kustomize"], "build", tmp_path / "app/prod"), "rest")
    built = hashes(build(tmp_path, MANIFEST))
    assert built == wanted
    assert [key.rpartition("/")[0] for key, _ in built] == [
        "m/rbac.authorization.k8s.io/v1/ClusterRole/rest",
        "m//v1/ConfigMap/prod",
        "m//v1/Secret/prod",
        "m/apps/v1/Deployment/prod",
    ]
    assert files_below(home) == []


@pytest.mark.parametrize(
    "remote",
    [
        "https://example.invalid/org/repo//base?ref=v1",
        "github.com/org/repo/base?ref=main",
        "git@example.invalid:org/repo.git//base",
        "ssh://git@example.invalid/org/repo",
        "git::https://example.invalid/repo",
        "https://example.invalid/all.yaml",
    ],
)
def test_remote_bases_are_refused_offline(remote: str, on_path: OnPath, tmp_path: Path) -> None:
    on_path("kustomize")
    write_files(tmp_path, {**FILES, "app/base/kustomization.yaml": f"resources: [web.yaml, '{remote}']\n"})
    error = build(tmp_path, MANIFEST, BuildSettings(offline=True)).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "offline")
    assert error.message == f"manifest 'm': app/prod uses {remote}, which is remote, and --offline was given"


def test_local_ones_are_built_offline(on_path: OnPath, tmp_path: Path) -> None:
    on_path("kustomize")
    write_files(tmp_path, FILES)
    assert hashes(build(tmp_path, MANIFEST, BuildSettings(offline=True))) == hashes(build(tmp_path, MANIFEST))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"app/prod/kustomization.yaml": "resources: [nothing.yaml]"}, "nothing.yaml"),
        ({"app/prod/kustomization.yaml": "helmCharts: [{name: x, repo: https://example.invalid}]"}, "--enable-helm"),
        (
            {"app/prod/kustomization.yaml": "resources: [../../outside.yaml]", "outside.yaml": "a: b"},
            "is not in or below",
        ),
    ],
)
def test_what_kustomize_says_is_the_error(files: dict[str, str], message: str, on_path: OnPath, tmp_path: Path) -> None:
    on_path("kustomize")
    write_files(tmp_path, {**FILES, **files})
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert error.exit_code == 3
    assert "kustomize failed (exit code 1):" in error.message
    assert message in error.message


def test_without_kustomize(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    write_files(tmp_path, FILES)
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert error.code == "missing-program"
    assert error.message == "manifest 'm' needs kustomize or kubectl, and it is not on PATH"
