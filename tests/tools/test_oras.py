"""Artifacts from a real registry: pulled, checked, cached, built by their delegate."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings, BuiltManifest
from tests.harness.certificates import Authority
from tests.harness.registry import PASSWORD, USER, Registry
from tests.tools.building import build, by_hand, files_below, hashes, hashes_of, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath
from tests.tools.hostile import HOSTILE, archive, file

KUSTOMIZE = {
    "kustomization.yaml": "resources: [config.yaml]\nnamePrefix: pre-\n",
    "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n",
}
HELMFILE = {
    **web_chart("web"),
    "helmfile.yaml.gotmpl": "releases: [{name: r, chart: web, values: [{image: {{ .Values.image }}}, more.yaml]}]\n",
    "more.yaml": "replicas: 2\n",
}
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


@pytest.fixture
def registry(tmp_path: Path, on_path: OnPath) -> Iterator[Registry]:
    """An open registry; helm, kustomize and oras are on PATH."""
    on_path("helm", "kustomize", "oras")
    (tmp_path / "registry").mkdir()
    with Registry(tmp_path / "registry") as running:
        yield running


@pytest.fixture
def push(registry: Registry, programs: Mapping[str, Path], tmp_path: Path) -> Callable[..., str]:
    """Pushes files as `oras push` does a folder's content, or layers as they are; returns the manifest's digest."""

    def pushed(tag: str, files: Mapping[str, str] | None = None, layers: tuple[bytes, ...] = ()) -> str:
        folder = tmp_path / "pushed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if files is not None:
            layers = (archive(file(name, content.encode()) for name, content in files.items()),)
        names = []
        for number, layer in enumerate(layers):
            (folder / f"layer{number}").write_bytes(layer)
            names.append(f"layer{number}:{LAYER}")
        done = subprocess.run(
            [
                programs["oras"],
                "push",
                "--plain-http",
                "--no-tty",
                "--format=json",
                f"{registry.host}/x/app:{tag}",
                *names,
            ],
            cwd=folder,
            capture_output=True,
            check=True,
        )
        return str(json.loads(done.stdout)["digest"])

    return pushed


def oras(registry: Registry, version: str = ":v1", delegate: object = "kustomize", **more: object) -> dict[str, object]:
    """A manifest of type oras; ``delegate`` is its type, or all of it."""
    options = {"plainHTTP": True, "delegate": {"type": delegate} if isinstance(delegate, str) else delegate, **more}
    return {"type": "oras", "oras": {"reference": f"{registry.host}/x/app{version}", **options}}


def keys(built: BuiltManifest) -> list[str]:
    return [key for key, _ in hashes(built)]


def test_tag_and_digest_build_what_kustomize_builds(
    registry: Registry, push: Callable[..., str], programs: Mapping[str, Path], tmp_path: Path, home: Path
) -> None:
    digest = push("v1", KUSTOMIZE)
    write_files(tmp_path / "local", KUSTOMIZE)
    wanted = hashes_of(by_hand(programs["kustomize"], "build", tmp_path / "local"))
    for version in (":v1", f"@{digest}", f":other@{digest}"):
        assert hashes(build(tmp_path, oras(registry, version))) == wanted
    assert files_below(home) == []


def test_a_helmfile_inside_is_built_and_its_default_namespace_is_not_written(
    registry: Registry, push: Callable[..., str], programs: Mapping[str, Path], tmp_path: Path
) -> None:
    push("v1", {f"deep/er/{name}": content for name, content in HELMFILE.items()})
    options = {"vars": {"image": {"from": "env", "env": "IMAGE"}}, "defaultNamespace": "never", "includeCRDs": True}
    manifest = oras(registry, target="deep/er", delegate={"type": "helmfile", "helmfile": options})
    built = build(tmp_path, manifest, BuildSettings(environ={"IMAGE": "nginx:9"}))
    assert keys(built) == [
        "m/apiextensions.k8s.io/v1/CustomResourceDefinition/widgets.example.com",
        "m/rbac.authorization.k8s.io/v1/ClusterRole/r-web",
        "m//v1/Service/r-cache",
        "m/apps/v1/Deployment/r-web",
    ]
    assert built.objects[-1].data["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:9"


def test_the_cache_is_used_and_checked(registry: Registry, push: Callable[..., str], tmp_path: Path) -> None:
    digest = push("v1", KUSTOMIZE)
    cache = tmp_path / "cache"
    settings = BuildSettings(cache_directory=cache)
    built = hashes(build(tmp_path, oras(registry), settings))
    name = digest.replace(":", "-")
    reference = f"{registry.host}_x_app_v1".replace(":", "_")
    assert [path for path in files_below(cache) if not path.startswith("renders/")] == [
        "oras/blobs/.lock",
        f"oras/blobs/{name}.seal",
        f"oras/blobs/{name}/config.yaml",
        f"oras/blobs/{name}/kustomization.yaml",
        f"oras/refs/{reference}",
    ]
    assert (cache / "oras/refs" / reference).read_text() == digest
    offline = BuildSettings(cache_directory=cache, offline=True)
    before = registry.requests()
    assert hashes(build(tmp_path, oras(registry), offline)) == built
    assert hashes(build(tmp_path, oras(registry, f"@{digest}"), settings)) == built
    assert registry.requests() == before  # neither asked: the digest says all, offline may not
    config = cache / "oras/blobs" / name / "config.yaml"
    config.write_text(config.read_text().replace("a: b", "a: evil"))
    error = build(tmp_path, oras(registry), offline).error
    assert error is not None
    assert error.code == "offline"
    assert hashes(build(tmp_path, oras(registry), settings)) == built
    assert "evil" not in config.read_text()


def test_a_tag_that_moved_is_seen_and_offline_stays(
    registry: Registry, push: Callable[..., str], tmp_path: Path
) -> None:
    settings = BuildSettings(cache_directory=tmp_path / "cache")
    offline = BuildSettings(cache_directory=tmp_path / "cache", offline=True)
    push("v1", KUSTOMIZE)
    first = hashes(build(tmp_path, oras(registry), settings))
    push("v1", {**KUSTOMIZE, "kustomization.yaml": "resources: [config.yaml]\nnamePrefix: post-\n"})
    assert hashes(build(tmp_path, oras(registry), offline)) == first
    second = hashes(build(tmp_path, oras(registry), settings))
    assert second != first
    assert hashes(build(tmp_path, oras(registry), offline)) == second


def test_no_cache_pulls_again(registry: Registry, push: Callable[..., str], tmp_path: Path) -> None:
    digest = push("v1", KUSTOMIZE)
    cache = tmp_path / "cache"
    build(tmp_path, oras(registry), BuildSettings(cache_directory=cache))
    before = registry.requests()
    hashes(build(tmp_path, oras(registry, f"@{digest}"), BuildSettings(cache_directory=cache, no_cache=True)))
    assert registry.requests() > before


def test_offline_without_a_copy_and_both_flags_are_errors(registry: Registry, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    error = build(tmp_path, oras(registry), BuildSettings(cache_directory=cache, offline=True)).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "offline")
    error = build(tmp_path, oras(registry), BuildSettings(cache_directory=cache, offline=True, no_cache=True)).error
    assert error is not None
    assert (error.exit_code, error.message) == (2, "manifest 'm': --offline and --no-cache exclude each other")


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_artifacts_leave_nothing(
    name: str, registry: Registry, push: Callable[..., str], tmp_path: Path
) -> None:
    content, reason = HOSTILE[name]
    push("v1", layers=(content,))
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "registry")}
    error = build(tmp_path, oras(registry), BuildSettings(cache_directory=tmp_path / "cache")).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "artifact")
    assert reason in error.message
    after = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "registry")}
    empty = {tmp_path / "cache", tmp_path / "cache/oras", tmp_path / "cache/oras/blobs", tmp_path / "tazuna.yaml"}
    assert after - before == empty


def test_two_layers(registry: Registry, push: Callable[..., str], tmp_path: Path) -> None:
    push("v1", layers=(archive([file("a")]), archive([file("b")])))
    error = build(tmp_path, oras(registry)).error
    assert error is not None
    assert error.message == "manifest 'm': the artifact is refused: it has 2 layers, and one is taken"


def test_an_index_of_artifacts(
    registry: Registry, push: Callable[..., str], programs: Mapping[str, Path], tmp_path: Path
) -> None:
    push("part", KUSTOMIZE)
    by_hand(programs["oras"], "manifest", "index", "create", "--plain-http", f"{registry.host}/x/app:v1", "part")
    error = build(tmp_path, oras(registry)).error
    assert error is not None
    assert error.message == "manifest 'm': the artifact is refused: it is an index of several artifacts"


@pytest.mark.parametrize("change", ["flipped", "shorter", "longer", "gone"])
@pytest.mark.parametrize("what", ["manifest", "layer"])
def test_a_registry_that_gives_something_else(
    what: str, change: str, registry: Registry, push: Callable[..., str], tmp_path: Path
) -> None:
    layer = archive([file(name, content.encode()) for name, content in KUSTOMIZE.items()])
    digest = push("v1", layers=(layer,))
    blob = registry.blob(digest if what == "manifest" else f"sha256:{hashlib.sha256(layer).hexdigest()}")
    content = blob.read_bytes()
    changed = {
        "flipped": content[:-1] + bytes([content[-1] ^ 1]),
        "shorter": content[:-10],
        "longer": content + b" ",
        "gone": b"",
    }
    blob.write_bytes(changed[change])
    cache = tmp_path / "cache"
    error = build(tmp_path, oras(registry, f"@{digest}"), BuildSettings(cache_directory=cache)).error
    assert error is not None
    assert error.exit_code == 3
    assert error.code in ("artifact", "registry")
    assert not [path for path in files_below(cache) if "blobs/sha256" in path]


def test_target(registry: Registry, push: Callable[..., str], tmp_path: Path) -> None:
    push("v1", {**{f"in/{name}": content for name, content in KUSTOMIZE.items()}, "readme": "x"})
    assert keys(build(tmp_path, oras(registry, target="in/"))) == ["m//v1/ConfigMap/pre-settings"]
    error = build(tmp_path, oras(registry, target="no")).error
    assert error is not None
    assert error.message == "manifest 'm': the artifact holds no 'no'"
    assert error.advice == "At its top are: in, readme."


@pytest.mark.parametrize(
    ("helmfile", "reason"),
    [
        ("releases: [{name: r, chart: web, values: [../../../../../../../etc/hostname]}]", "leads out of the folder"),
        ("releases: [{name: r, chart: /etc}]", "leads out of the folder"),
        ("releases: [{name: r, chart: web, hooks: [{events: [prepare], command: id}]}]", "helmfile is not run here"),
        ('releases: [{name: r, chart: web, version: {{ env "HOME" | quote }}}]', "helmfile is not run here"),
    ],
)
def test_a_helmfile_inside_reads_and_runs_nothing_of_this_machine(
    helmfile: str, reason: str, registry: Registry, push: Callable[..., str], tmp_path: Path
) -> None:
    push("v1", {**HELMFILE, "helmfile.yaml.gotmpl": helmfile})
    error = build(tmp_path, oras(registry, delegate="helmfile")).error
    assert error is not None
    assert error.exit_code == 5
    assert reason in error.message


class TestLogins:
    """A registry that asks for a password."""

    @pytest.fixture
    def registry(self, tmp_path: Path, on_path: OnPath) -> Iterator[Registry]:
        on_path("kustomize", "oras", tmp_path / "helpers")
        (tmp_path / "registry").mkdir()
        with Registry(tmp_path / "registry", login=True) as running:
            yield running

    @pytest.fixture(autouse=True)
    def pushed(self, registry: Registry, programs: Mapping[str, Path], tmp_path: Path, home: Path) -> None:
        (tmp_path / "layer").write_bytes(archive(file(name, text.encode()) for name, text in KUSTOMIZE.items()))
        name = f"{registry.host}/x/app:v1"
        subprocess.run(
            [programs["oras"], "push", "--plain-http", "-u", USER, "--password-stdin", name, f"layer:{LAYER}"],
            cwd=tmp_path,
            input=PASSWORD.encode(),
            capture_output=True,
            check=True,
        )

    def test_anonymous_is_refused_with_advice(self, registry: Registry, tmp_path: Path) -> None:
        error = build(tmp_path, oras(registry)).error
        assert error is not None
        assert (error.exit_code, error.code) == (3, "registry")
        assert "Log in" in error.advice

    def test_auth_of_the_manifest(self, registry: Registry, tmp_path: Path) -> None:
        auth = {"username": USER, "password": PASSWORD}
        assert keys(build(tmp_path, oras(registry, auth=auth))) == ["m//v1/ConfigMap/pre-settings"]
        wrong = build(tmp_path, oras(registry, auth={"username": USER, "password": "wrong-password"})).error
        assert wrong is not None
        assert "wrong-password" not in str(wrong)
        empty = build(tmp_path, oras(registry, auth={"username": "", "password": ""})).error
        assert empty is not None

    def test_docker_configuration(self, registry: Registry, tmp_path: Path, home: Path) -> None:
        login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        write_files(home, {".docker/config.json": json.dumps({"auths": {registry.host: {"auth": login}}})})
        assert keys(build(tmp_path, oras(registry))) == ["m//v1/ConfigMap/pre-settings"]

    def test_credential_helper(self, registry: Registry, tmp_path: Path, home: Path) -> None:
        answer = json.dumps({"ServerURL": registry.host, "Username": USER, "Secret": PASSWORD})
        helper = tmp_path / "helpers/docker-credential-tests"
        write_files(tmp_path, {"helpers/docker-credential-tests": f"#!/bin/sh\ncat > /dev/null\necho '{answer}'\n"})
        helper.chmod(helper.stat().st_mode | stat.S_IXUSR)
        write_files(home, {".docker/config.json": json.dumps({"credHelpers": {registry.host: "tests"}})})
        assert keys(build(tmp_path, oras(registry))) == ["m//v1/ConfigMap/pre-settings"]
        assert files_below(home) == [".docker/config.json"]


def test_tls(tmp_path: Path, on_path: OnPath, programs: Mapping[str, Path]) -> None:
    on_path("kustomize", "oras")
    (tmp_path / "registry").mkdir()
    certificate = Authority("nobody").server(["localhost"], ["127.0.0.1"]).write(tmp_path, "server")
    with Registry(tmp_path / "registry", certificate=certificate) as registry:
        (tmp_path / "layer").write_bytes(archive(file(name, text.encode()) for name, text in KUSTOMIZE.items()))
        arguments = ["push", "--insecure", f"{registry.host}/x/app:v1", f"layer:{LAYER}"]
        subprocess.run([programs["oras"], *arguments], cwd=tmp_path, capture_output=True, check=True)
        error = build(tmp_path, oras(registry, plainHTTP=False)).error
        assert error is not None
        assert "insecureSkipVerify" in error.advice
        built = build(tmp_path, oras(registry, plainHTTP=False, insecureSkipVerify=True))
        assert keys(built) == ["m//v1/ConfigMap/pre-settings"]


def test_without_oras_or_registry(tmp_path: Path, on_path: OnPath) -> None:
    on_path("kustomize")
    manifest = {"type": "oras", "oras": {"reference": "127.0.0.1:1/x/app:v1", "delegate": {"type": "kustomize"}}}
    error = build(tmp_path, manifest).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "missing-program")
    assert error.message == "manifest 'm' needs oras, and it is not on PATH"
    on_path("kustomize", "oras")
    error = build(tmp_path, manifest).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "registry")


@pytest.mark.parametrize(
    "reference", ["app", "host/app", "host/app:", "-x/app:v1", "host/app@sha256:12", "h/a:v1 --debug"]
)
def test_references_that_are_none(reference: str, tmp_path: Path, on_path: OnPath) -> None:
    on_path("oras")
    error = build(tmp_path, {"type": "oras", "oras": {"reference": reference, "delegate": {"type": "kustomize"}}}).error
    assert error is not None
    assert error.code == "reference"
