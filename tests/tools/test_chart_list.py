"""`chart list`: real chart repositories and registries on localhost, with logins, gone, and with pre-releases."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.cli.main import run
from tests.harness.chart_repository import ChartRepository, chart_repository
from tests.harness.registry import PASSWORD, USER, Registry
from tests.harness.tazuna import Ran
from tests.tools.building import by_hand, files_below, write_files
from tests.tools.conftest import OnPath

VERSIONS = {"web": ["1.2.3", "1.10.0", "1.9.9+build.1", "2.0.0-rc.1"], "web-ui": ["9.0.0"], "young": ["0.1.0-rc.1"]}
LOGIN = f"username: {USER}, password: {PASSWORD}"
Tazuna = Callable[..., Ran]


@pytest.fixture
def charts(helm: Path, tmp_path: Path) -> Path:
    """A folder of packed charts with an index."""
    for name, versions in VERSIONS.items():
        for version in versions:
            chart = f"apiVersion: v2\nname: {name}\nversion: {version}\ndescription: r/web and friends\n"
            write_files(tmp_path, {f"src/{name}/Chart.yaml": chart})
            by_hand(helm, "package", tmp_path / "src" / name, "-d", tmp_path / "packed")
    by_hand(helm, "repo", "index", tmp_path / "packed")
    return tmp_path / "packed"


@pytest.fixture
def repository(charts: Path) -> Iterator[ChartRepository]:
    with chart_repository(charts, (USER, PASSWORD)) as running:
        yield running


@pytest.fixture
def registry(charts: Path, helm: Path, tmp_path: Path, home: Path) -> Iterator[Registry]:
    """A registry with a password that holds the charts, and nobody logged in."""
    (tmp_path / "registry").mkdir()
    with Registry(tmp_path / "registry", login=True) as running:
        login = ("-u", USER, "--password-stdin", "--plain-http", running.host)
        subprocess.run([helm, "registry", "login", *login], input=PASSWORD.encode(), check=True, capture_output=True)
        for chart in charts.glob("*.tgz"):
            by_hand(helm, "push", chart, f"oci://{running.host}/charts", "--plain-http")
        for left in files_below(home):
            (home / left).unlink()
        yield running


@pytest.fixture
def tazuna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Tazuna:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ran:
        capfd.readouterr()
        code = run(arguments)
        return Ran(code, *capfd.readouterr())

    return call


def write(folder: Path, **helmfiles: str) -> None:
    """A manifest of type helmfile for each helmfile, and one of another type."""
    manifests: list[dict[str, Any]] = [{"name": "other", "type": "kustomize", "path": "other"}]
    for name, text in helmfiles.items():
        manifests.append({"name": name, "type": "helmfile", "path": name})
        write_files(folder, {f"{name}/helmfile.yaml": text})
    (folder / "tazuna.yaml").write_text(json.dumps({"spec": {"manifests": manifests}}))


def test_the_table(tazuna: Tazuna, on_path: OnPath, tmp_path: Path) -> None:
    """Neither helm nor a network is needed for a helmfile that is no template."""
    on_path()
    write(
        tmp_path,
        infra="repositories: [{name: r, url: 'http://127.0.0.1:1'}]\n"
        "releases:\n  - {name: web, chart: r/web, version: 1.2.3}\n  - {name: mine, chart: ./charts/mine}\n",
        apps="releases: [{name: api, chart: 'oci://127.0.0.1:1/charts/a-long-name', version: 0.1.0}]\n",
    )
    ran = tazuna("chart", "list")
    assert (ran.code, ran.stderr) == (0, "")
    assert (
        ran.stdout
        == """\
CHART                                 RELEASE  FILE                 VERSION
r/web                                 web      infra/helmfile.yaml  1.2.3
./charts/mine                         mine     infra/helmfile.yaml  -
oci://127.0.0.1:1/charts/a-long-name  api      apps/helmfile.yaml   0.1.0
"""
    )


def rows(ran: Ran) -> dict[str, tuple[object, object]]:
    return {one["release"]: (one["latest"], one["outdated"]) for one in ran.json()["charts"]}


HTTP = """
repositories: [{{name: r, url: '{url}', {login}}}]
releases:
  - {{name: old, chart: r/web, version: 1.2.3}}
  - {{name: new, chart: r/web, version: 1.10.0}}
  - {{name: ahead, chart: r/web, version: 2.0.0-rc.1}}
  - {{name: any, chart: r/web}}
  - {{name: range, chart: r/web, version: ^1.0.0}}
  - {{name: young, chart: r/young, version: 0.1.0-rc.1}}
  - {{name: local, chart: ./local}}
"""
WANTED = {
    "old": ("1.10.0", True),
    "new": ("1.10.0", False),
    "ahead": ("1.10.0", False),
    "any": ("1.10.0", None),
    "range": ("1.10.0", None),
    "young": ("", None),
    "local": ("", None),
}


def test_the_latest_of_a_repository(tazuna: Tazuna, repository: ChartRepository, tmp_path: Path, home: Path) -> None:
    write(tmp_path, infra=HTTP.format(url=repository.url, login=LOGIN))
    ran = tazuna("chart", "list", "--check-latest", "-o", "json")
    assert (ran.code, ran.stderr) == (0, "")
    assert rows(ran) == WANTED
    assert ran.json()["errors"] == []
    table = tazuna("chart", "list", "--check-latest").stdout.splitlines()
    assert table[0].split() == ["CHART", "RELEASE", "FILE", "VERSION", "LATEST"]
    assert table[1].split() == ["r/web", "old", "infra/helmfile.yaml", "1.2.3", "1.10.0"]
    assert table[6].split() == ["r/young", "young", "infra/helmfile.yaml", "0.1.0-rc.1", "-"]
    assert files_below(home) == []


def test_a_repository_is_asked_once_for_a_chart(tazuna: Tazuna, repository: ChartRepository, tmp_path: Path) -> None:
    text = HTTP.format(url=repository.url, login=LOGIN)
    write(tmp_path, one=text, two=text)
    assert len(rows(tazuna("chart", "list", "--check-latest", "-o", "json"))) == len(WANTED)
    assert repository.seen == ["/index.yaml"] * 2  # for `web` and `young`


@pytest.mark.parametrize("repository_of", ["{name: r, url: '{}/charts', oci: true, LOGIN}", ""])
def test_the_latest_of_a_registry(
    repository_of: str, tazuna: Tazuna, registry: Registry, helm: Path, tmp_path: Path
) -> None:
    charts = "r" if repository_of else f"oci://{registry.host}/charts"
    if not repository_of:
        login = ("-u", USER, "--password-stdin", "--plain-http", registry.host)
        subprocess.run([helm, "registry", "login", *login], input=PASSWORD.encode(), check=True, capture_output=True)
    declared = repository_of.replace("{}", registry.host).replace("LOGIN", LOGIN)
    releases = [f"{{name: {name}, chart: {charts}/{chart}, version: {version}}}" for name, chart, version in (
        ("old", "web", "1.2.3"), ("new", "web", "1.10.0"), ("young", "young", "0.1.0-rc.1")
    )]  # fmt: skip
    write(tmp_path, infra=f"repositories: [{declared}]\nreleases: [{', '.join(releases)}]\n")
    ran = tazuna("chart", "list", "--check-latest", "-o", "json")
    assert (ran.code, ran.stderr) == (0, "")
    assert rows(ran) == {name: WANTED[name] for name in ("old", "new", "young")}


def test_what_cannot_be_asked_is_a_row_and_the_exit_code(
    tazuna: Tazuna, repository: ChartRepository, registry: Registry, tmp_path: Path
) -> None:
    write(
        tmp_path,
        infra=f"""
repositories:
  - {{name: r, url: '{repository.url}', {LOGIN}}}
  - {{name: wrong, url: '{repository.url}', username: {USER}, password: wrong-password}}
  - {{name: gone, url: 'http://{USER}:other-password@127.0.0.1:1'}}
  - {{name: oci, url: '{registry.host}/charts', oci: true, username: {USER}, password: wrong-password}}
releases:
  - {{name: a, chart: r/web, version: 1.2.3}}
  - {{name: b, chart: wrong/web, version: 1.2.3}}
  - {{name: c, chart: gone/web, version: 1.2.3}}
  - {{name: d, chart: oci/web, version: 1.2.3}}
  - {{name: e, chart: r/none, version: 1.2.3}}
  - {{name: f, chart: 'oci://127.0.0.1:1/charts/web', version: 1.2.3}}
""",
    )
    ran = tazuna("chart", "list", "--check-latest")
    assert ran.code == 4
    table = [line.split() for line in ran.stdout.splitlines()[1:]]
    assert [line[1:] for line in table] == [
        [name, "infra/helmfile.yaml", "1.2.3", "1.10.0" if name == "a" else "(error)"] for name in "abcdef"
    ]
    for chart in ("wrong/web", "gone/web", "oci/web", "r/none", "oci://127.0.0.1:1/charts/web"):
        assert f": the latest version of chart '{chart}' is not known: " in ran.stderr
    assert "has no chart 'none'" in ran.stderr
    assert ran.stderr.count("connection refused") == 2
    assert ran.stderr.count(" 401") == 2
    assert "password" not in ran.stderr.replace("--password", "").replace("username and password", "")
    found = tazuna("chart", "list", "--check-latest", "-o", "json")
    assert found.code == 4
    errors = found.json()["errors"]
    assert [(one["code"], one["exitCode"]) for one in errors] == [("repository", 4)] * 5
    assert [bool(one["error"]) for one in found.json()["charts"]] == [False, *[True] * 5]
    assert "wrong-password" not in found.stdout
    assert "other-password" not in found.stdout


def test_a_helmfile_that_cannot_be_read_hides_no_other(tazuna: Tazuna, on_path: OnPath, tmp_path: Path) -> None:
    on_path()
    write(
        tmp_path,
        template="releases: [{name: {{ .Values.x }}, chart: ./a}]\n",
        wrong="releases: {}\n",
        right="releases: [{name: x, chart: ./x}]\n",
    )
    ran = tazuna("chart", "list")
    assert ran.code == 3
    assert ran.stdout.splitlines()[1].split() == ["./x", "x", "right/helmfile.yaml", "-"]
    assert "manifest 'template' needs helm, and it is not on PATH" in ran.stderr
    assert "'releases' of the helmfile is not a list" in ran.stderr


def test_what_is_beyond_the_subset_is_read_by_helmfile(tazuna: Tazuna, on_path: OnPath, tmp_path: Path) -> None:
    write(
        tmp_path,
        infra="helmfiles: [more.yaml]\n"
        "releases: [{name: x, chart: ./web, version: 1.0.0, set: [{name: a, value: b}]}]\n",
    )
    write_files(
        tmp_path,
        {"infra/more.yaml": "releases: [{name: y, chart: ./web, hooks: [{events: [prepare], command: sh}]}]\n"},
    )
    write_files(tmp_path, {"infra/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n"})
    on_path("helm")
    ran = tazuna("chart", "list")
    assert ran.code == 3
    assert "manifest 'infra' needs helmfile, and it is not on PATH" in ran.stderr
    on_path("helm", "helmfile")
    ran = tazuna("chart", "list")
    assert (ran.code, ran.stderr) == (0, "")
    assert sorted(line.split() for line in ran.stdout.splitlines()[1:]) == [
        ["./web", "x", "infra/helmfile.yaml", "1.0.0"],
        ["./web", "y", "infra/more.yaml", "-"],
    ]


def test_what_excludes_each_other(tazuna: Tazuna, tmp_path: Path) -> None:
    write(tmp_path)
    for arguments in (["--check-latest", "--offline"], ["-o", "html"], ["--report-file", "x"]):
        ran = tazuna("chart", "list", *arguments)
        assert (ran.code, ran.stdout) == (2, "")
