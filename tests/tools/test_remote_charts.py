"""Charts from a registry and from a chart repository, both on localhost: with logins, and kept for `--offline`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.harness.chart_repository import chart_repository
from tests.harness.registry import PASSWORD, USER, Registry
from tests.tools.building import build, by_hand, files_below, hashes, hashes_of, write_files
from tests.tools.charts import web_chart

MANIFEST: dict[str, object] = {"type": "helmfile", "path": "hf", "helmfile": {"includeCRDs": True}}
VALUES = "{image: nginx}"
VERSION = "1.2.3+build.7"


@pytest.fixture
def chart(helm: Path, tmp_path: Path) -> Path:
    """The packed chart `web`."""
    write_files(tmp_path, web_chart("src/web"))
    by_hand(helm, "package", tmp_path / "src/web", "-d", tmp_path / "src")
    return tmp_path / f"src/web-{VERSION}.tgz"


@pytest.fixture
def wanted(chart: Path, helm: Path, tmp_path: Path) -> list[tuple[str, str]]:
    (tmp_path / "v.yaml").write_text(VALUES)
    text = by_hand(helm, "template", "r", chart, "-n", "ns", "--include-crds", "--no-hooks", "-f", tmp_path / "v.yaml")
    return hashes_of(text)


def write(tmp_path: Path, chart: str, repositories: str = "[]", version: str = VERSION) -> None:
    release = f"{{name: r, namespace: ns, chart: '{chart}', version: '{version}', values: [{VALUES}]}}"
    write_files(tmp_path, {"hf/helmfile.yaml": f"repositories: {repositories}\nreleases: [{release}]\n"})


def check(tmp_path: Path, wanted: object, home: Path) -> None:
    """It builds as by hand, then offline from the cache, and not offline without."""
    settings = BuildSettings(cache_directory=tmp_path / "cache")
    assert hashes(build(tmp_path, MANIFEST, settings)) == wanted
    assert [Path(name).parts[0] for name in files_below(tmp_path / "cache")] == ["charts"]
    assert hashes(build(tmp_path, MANIFEST, BuildSettings(cache_directory=tmp_path / "cache", offline=True))) == wanted
    error = build(tmp_path, MANIFEST, BuildSettings(cache_directory=tmp_path / "other", offline=True)).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "offline")
    assert files_below(home) == []


@pytest.fixture
def registry(chart: Path, helm: Path, tmp_path: Path, home: Path) -> Iterator[Registry]:
    (tmp_path / "registry").mkdir()
    with Registry(tmp_path / "registry") as running:
        by_hand(helm, "push", chart, f"oci://{running.host}/charts", "--plain-http")
        for left in files_below(home):
            (home / left).unlink()
        yield running


def test_a_chart_of_a_registry(registry: Registry, wanted: object, tmp_path: Path, home: Path) -> None:
    write(tmp_path, f"oci://{registry.host}/charts/web")
    check(tmp_path, wanted, home)


@pytest.mark.parametrize(
    "repository", ["url: 'oci://{}/charts'", "url: '{}/charts', oci: true", "url: '{}', oci: true"]
)
def test_a_registry_as_repository(
    repository: str, registry: Registry, wanted: object, tmp_path: Path, home: Path
) -> None:
    text = repository.format(registry.host)
    write(tmp_path, "r/web" if "charts" in text else "r/charts/web", f"[{{name: r, {text}}}]")
    check(tmp_path, wanted, home)


def test_a_registry_with_a_login(chart: Path, helm: Path, wanted: object, tmp_path: Path, home: Path) -> None:
    (tmp_path / "registry").mkdir()
    with Registry(tmp_path / "registry", login=True) as running:
        login = ("-u", USER, "--password-stdin", "--plain-http", running.host)
        subprocess.run([helm, "registry", "login", *login], input=PASSWORD.encode(), check=True, capture_output=True)
        by_hand(helm, "push", chart, f"oci://{running.host}/charts", "--plain-http")
        for left in files_below(home):
            (home / left).unlink()
        repository = f"name: r, url: {running.host}/charts, oci: true, username: {USER}"
        write(tmp_path, "r/web", f"[{{{repository}, password: wrong-password}}]")
        error = build(tmp_path, MANIFEST).error
        assert error is not None
        assert "release 'r': helm failed" in error.message
        assert "wrong-password" not in str(error)
        write(tmp_path, "r/web", f"[{{{repository}, password: {PASSWORD}}}]")
        check(tmp_path, wanted, home)


@pytest.fixture
def repository(chart: Path, helm: Path, home: Path) -> Iterator[str]:
    """A chart repository's address."""
    by_hand(helm, "repo", "index", chart.parent)
    for left in files_below(home):
        (home / left).unlink()
    with chart_repository(chart.parent, (USER, PASSWORD)) as running:
        yield running.url


def test_a_chart_repository(repository: str, wanted: object, tmp_path: Path, home: Path) -> None:
    login = f"username: {USER}, password: {PASSWORD}"
    write(
        tmp_path, "r/web", f"[{{name: r, url: '{repository}', {login}}}, {{name: unused, url: 'http://127.0.0.1:1'}}]"
    )
    check(tmp_path, wanted, home)


def test_versions_that_are_not_exact_are_not_kept(repository: str, wanted: object, tmp_path: Path) -> None:
    login = f"username: {USER}, password: {PASSWORD}"
    write(tmp_path, "r/web", f"[{{name: r, url: '{repository}', {login}}}]", version="^1.0.0")
    assert hashes(build(tmp_path, MANIFEST, BuildSettings(cache_directory=tmp_path / "cache"))) == wanted
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("chart_name", "reason"),
    [
        ("r/none", "repository 'r' gave no index: failed to fetch {}/index.yaml : 401 Unauthorized"),
        ("oci://127.0.0.1:1/none", "connection refused"),
    ],
)
def test_a_chart_that_is_not_there(chart_name: str, reason: str, repository: str, tmp_path: Path) -> None:
    write(tmp_path, chart_name, f"[{{name: r, url: '{repository}', username: {USER}, password: wrong-password}}]")
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "helm-pull")
    assert "release 'r': " in error.message
    assert reason.format(repository) in error.message
    assert "wrong-password" not in str(error)
