"""The cache of renders: a second build runs no renderer, and whatever goes into a build makes another entry."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.tools.building import build, files_below, hashes, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

KUSTOMIZE: dict[str, object] = {"type": "kustomize", "path": "app/prod"}
HELMFILE: dict[str, object] = {
    "type": "helmfile",
    "path": "hf",
    "helmfile": {
        "extraValueFiles": ["extra.yaml"],
        "vars": {"image": {"from": "env", "env": "IMAGE"}, "title": {"from": "static", "static": "t"}},
    },
}
FILES = {
    "app/base/kustomization.yaml": "resources: [a.yaml]\n",
    "app/base/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
    "app/prod/kustomization.yaml": "resources: [../base]\nconfigMapGenerator: [{name: g, envs: [g.env]}]\n",
    "app/prod/g.env": "A=1\n",
    **web_chart("hf/web"),
    "hf/helmfile.yaml": (
        "releases: [{name: r, chart: web, namespace: ns, values: [v.yaml, "
        "{image: {{ .Values.image }}, title: {{ .Values.title }}}]}]\n"
    ),
    "hf/v.yaml": "replicas: 2\n",
    "hf/extra.yaml": "list: [x]\n",
}
SPY = '#!/bin/sh\ncase "$1" in build|template) echo "$1" >> {log};; esac\nexec {program} "$@"\n'

Renders = Callable[[], int]


@pytest.fixture
def renders(on_path: OnPath, programs: Mapping[str, Path], tmp_path: Path) -> Renders:
    """How often kustomize and helm have rendered; both are on PATH, behind a spy."""
    log, spies = tmp_path / "spies/log", tmp_path / "spies/bin"
    write_files(spies, {name: SPY.format(log=log, program=programs[name]) for name in ("kustomize", "helm")})
    for spy in spies.iterdir():
        spy.chmod(0o755)
    write_files(tmp_path, FILES)
    on_path(spies)
    return lambda: len(log.read_text().splitlines()) if log.exists() else 0


@pytest.fixture
def settings(tmp_path: Path) -> BuildSettings:
    return BuildSettings(cache_directory=tmp_path / "cache", environ={"IMAGE": "nginx:1"})


@pytest.mark.parametrize(("manifest", "again"), [(KUSTOMIZE, 0), (HELMFILE, 1)])
def test_a_second_build_renders_nothing(
    manifest: dict[str, object], again: int, renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    """But the helmfile itself, when variables of the environment are in it: these are on no disk by themselves."""
    first = hashes(build(tmp_path, manifest, settings))
    before = renders()
    assert before > 0
    assert hashes(build(tmp_path, manifest, settings)) == first
    assert renders() - before == again
    assert hashes(build(tmp_path, manifest, replace(settings, no_cache=True))) == first
    assert renders() - before > again


def test_a_helmfile_without_such_variables_renders_nothing_at_all(
    renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    static = {"from": "static", "static": "nginx:1"}
    manifest = {**HELMFILE, "helmfile": {"extraValueFiles": ["extra.yaml"], "vars": {"image": static, "title": static}}}
    first = build(tmp_path, manifest, settings)
    before = renders()
    second = build(tmp_path, manifest, settings)
    assert renders() == before
    assert hashes(second) == hashes(first)
    assert second.notices == first.notices


@pytest.mark.parametrize(
    ("manifest", "name", "content"),
    [
        (KUSTOMIZE, "app/base/a.yaml", FILES["app/base/a.yaml"].replace("b}", "c}")),
        (KUSTOMIZE, "app/prod/g.env", "A=2\n"),
        (KUSTOMIZE, "app/base/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x-\n"),
        (HELMFILE, "hf/v.yaml", "replicas: 3\n"),
        (HELMFILE, "hf/extra.yaml", "list: [y]\n"),
        (HELMFILE, "hf/web/values.yaml", FILES["hf/web/values.yaml"].replace("12345678", "1")),
        (HELMFILE, "hf/web/files/motd.txt", "bye\n"),
        (HELMFILE, "hf/web/charts/cache/values.yaml", "port: 1\nextra: {}\n"),
    ],
)
def test_a_changed_file_is_seen(
    manifest: dict[str, object], name: str, content: str, renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    first = hashes(build(tmp_path, manifest, settings))
    write_files(tmp_path, {name: content})
    second = hashes(build(tmp_path, manifest, settings))
    assert second != first
    assert second == hashes(build(tmp_path, manifest, replace(settings, cache_directory=None)))


@pytest.mark.parametrize(
    "changed",
    [{"environ": {"IMAGE": "nginx:2"}}, {"kube_version": "1.31.0"}, {"api_versions": ("example.com/v9",)}],
)
def test_a_changed_setting_is_seen(
    changed: dict[str, object], renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    first = hashes(build(tmp_path, HELMFILE, settings))
    assert hashes(build(tmp_path, HELMFILE, replace(settings, **changed))) != first  # type: ignore[arg-type]


def test_another_version_of_helm_is_seen(
    renders: Renders, on_path: OnPath, settings: BuildSettings, tmp_path: Path
) -> None:
    first = hashes(build(tmp_path, HELMFILE, settings))
    on_path("helm3")
    assert hashes(build(tmp_path, HELMFILE, settings)) != first  # it takes itself for another Kubernetes


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("app/prod/kustomization.yaml", "resources: [../base]\nsecretGenerator: [{name: s, literals: [a=hunter2]}]\n"),
        (
            "app/base/a.yaml",
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: s}}]\n",
        ),
        ("app/prod/g.env", "HOME\n"),
    ],
)
def test_secrets_and_the_environment_are_not_kept(
    name: str, content: str, renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    write_files(tmp_path, {name: content})
    assert hashes(build(tmp_path, KUSTOMIZE, settings))
    assert not (tmp_path / "cache").exists()


def test_entries_are_private_and_a_damaged_one_is_made_again(
    renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    first = hashes(build(tmp_path, KUSTOMIZE, settings))
    [name] = files_below(tmp_path / "cache")
    entry = tmp_path / "cache" / name
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "cache/renders").stat().st_mode) == 0o700
    entry.write_bytes(entry.read_bytes().replace(b"a: b", b"a: X"))
    assert hashes(build(tmp_path, KUSTOMIZE, settings)) == first
    assert renders() == 2


def test_a_cache_that_cannot_be_written_costs_nothing(
    renders: Renders, settings: BuildSettings, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file")
    assert hashes(build(tmp_path, KUSTOMIZE, settings))
