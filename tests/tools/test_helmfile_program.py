"""What is beyond the subset goes to helmfile's own program (here one that notes how it was run), or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.tools.building import build, hashes, said, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

BEYOND = {
    "environments": "environments: {default: {values: [{a: b}]}}\nreleases: []\n",
    "bases": "bases: [a.yaml]\n",
    "several documents": "environments: {default: {values: [{a: {b: c}}]}}\n---\nreleases: [{name: x, chart: web}]\n",
    "environments, though the template fails": "environments: {prod: {values: [a]}}\n---\nx: {{ .Values.a.b }}\n",
    "releases[0].set": "releases: [{name: x, chart: web, set: [{name: a, value: b}]}]\n",
    "releases[1].installed": "releases: [{name: x, chart: web}, {name: y, chart: web, installed: false}]\n",
    "releases[0].hooks": "releases: [{name: x, chart: web, hooks: [{events: [prepare]}]}]\n",
    "releases[0].values: v.yaml.gotmpl": "releases: [{name: x, chart: web, values: [v.yaml.gotmpl]}]\n",
    "repositories[0].caFile": "repositories: [{name: a, url: b, caFile: c}]\n",
    "helmDefaults.postRenderer": "helmDefaults: {wait: true, postRenderer: ./x}\n",
    "the template function 'requiredEnv'": 'releases: [{name: {{ requiredEnv "HOME" }}, chart: web}]\n',
    "the template function 'exec'": 'releases: [{name: {{ exec "id" (list) }}, chart: web}]\n',
}
PROGRAM = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *" repos") exit 0;; esac
env | grep -E '^(HELM|KUBECONFIG)' >> {log}
for argument in "$@"; do case "$argument" in --state-values-file=*) cat "${{argument#*=}}" >> {log};; esac; done
echo 'apiVersion: v1
kind: ConfigMap
metadata: {{name: made-by-helmfile}}
---
apiVersion: v1
kind: Pod
metadata: {{name: hook, annotations: {{helm.sh/hook: test}}}}'
"""
MANIFEST: dict[str, object] = {
    "type": "helmfile",
    "path": "hf",
    "helmfile": {
        "includeCRDs": True,
        "kubeVersion": "1.31.0",
        "extraValueFiles": ["extra.yaml"],
        "vars": {"token": {"from": "env", "env": "TOKEN"}},
    },
}
SETTINGS = BuildSettings(environment="prod", environ={"TOKEN": "hunter2-hunter2"})


def reason(name: str) -> str:
    return name.partition(",")[0]


@pytest.mark.parametrize("name", BEYOND)
def test_it_is_run_for_what_is_beyond(name: str, on_path: OnPath, tmp_path: Path) -> None:
    log = tmp_path / "log"
    write_files(
        tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": BEYOND[name], "bin/helmfile": PROGRAM.format(log=log)}
    )
    (tmp_path / "bin/helmfile").chmod(0o755)
    on_path(tmp_path / "bin", "helm")
    built = build(tmp_path, MANIFEST, SETTINGS)
    assert [key for key, _ in hashes(built)] == ["m//v1/ConfigMap/made-by-helmfile"]
    assert said(built, "helmfile-program") == [
        f"hf/helmfile.yaml was rendered by helmfile itself, for it uses {reason(name)}"
    ]
    assert said(built, "helm-hook") == ["hf/helmfile.yaml: the hook Pod/hook (test) is left out: hooks are not applied"]
    repositories, arguments, *rest = log.read_text().splitlines()
    assert repositories.endswith(" --environment=prod repos")
    for part in (
        "--environment=prod template --skip-deps --include-crds --kube-version=1.31.0",
        f"--file={tmp_path}/hf/helmfile.yaml",
    ):
        assert part in arguments
    assert f"--values={tmp_path}/hf/extra.yaml" in arguments
    assert "hunter2" not in arguments
    assert rest[-1] == '{"token": "hunter2-hunter2"}'
    assert {line.partition("=")[0] for line in rest[:-1]} >= {"HELM_CACHE_HOME", "HELM_REPOSITORY_CONFIG"}
    assert not {line.partition("=")[0] for line in rest[:-1]} & {"HELM_PLUGINS", "KUBECONFIG"}  # the user's own


@pytest.mark.parametrize("name", BEYOND)
def test_without_it_the_error_says_what_needs_it(name: str, on_path: OnPath, tmp_path: Path) -> None:
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": BEYOND[name]})
    on_path("helm")
    error = build(tmp_path, MANIFEST, SETTINGS).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "missing-program")
    assert error.message == "manifest 'm' needs helmfile, and it is not on PATH"
    assert f"hf/helmfile.yaml uses {reason(name)}: install helmfile" in error.advice


@pytest.mark.parametrize("name", BEYOND)
def test_it_is_not_run_for_files_from_a_fork(name: str, on_path: OnPath, tmp_path: Path) -> None:
    log = tmp_path / "log"
    write_files(
        tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": BEYOND[name], "bin/helmfile": PROGRAM.format(log=log)}
    )
    (tmp_path / "bin/helmfile").chmod(0o755)
    on_path(tmp_path / "bin", "helm")
    error = build(tmp_path, {"type": "helmfile", "path": "hf"}, BuildSettings(trusted=False)).error
    assert error is not None
    assert (error.exit_code, error.code) == (5, "untrusted-build")
    assert not log.exists()


def test_what_changes_no_object_is_no_reason(on_path: OnPath, tmp_path: Path) -> None:
    helmfile = """
environments: {default: {}, prod: }
commonLabels: {a: b}
helmDefaults: {wait: true, timeout: 600, createNamespace: false}
releases:
  - {name: x, chart: web, installed: true, wait: true, labels: {a: b}, needs: [y/z], values: [{image: i}, null]}
"""
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": helmfile})
    on_path("helm")
    assert hashes(build(tmp_path, {"type": "helmfile", "path": "hf"}))


@pytest.mark.parametrize(
    ("helmfile", "files"),
    [
        ("releases: [{name: x, chart: ../../outside}]", web_chart("outside")),
        ("releases: [{name: x, chart: web, values: [../../v.yaml]}]", {"v.yaml": "image: i"}),
    ],
)
def test_files_from_a_fork_stay_in_their_folder(
    helmfile: str, files: dict[str, str], on_path: OnPath, tmp_path: Path
) -> None:
    repository = tmp_path / "repository"
    write_files(tmp_path, files)
    write_files(repository, {**web_chart("hf/web"), "hf/helmfile.yaml": helmfile})
    on_path("helm")
    error = build(repository, {"type": "helmfile", "path": "hf"}, BuildSettings(trusted=False)).error
    assert error is not None
    assert (error.exit_code, error.code) == (5, "outside")


def test_a_link_in_a_chart_from_a_fork_stays_in_its_folder(on_path: OnPath, tmp_path: Path) -> None:
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": "releases: [{name: x, chart: web}]"})
    (tmp_path / "hf/web/files/secret").symlink_to("/etc/hostname")
    on_path("helm")
    error = build(tmp_path, {"type": "helmfile", "path": "hf"}, BuildSettings(trusted=False)).error
    assert error is not None
    assert error.code == "outside"
