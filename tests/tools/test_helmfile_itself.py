"""helmfile's own program, the real one, for files beyond the subset: objects equal those of `helmfile template`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.harness.certificates import Authority
from tests.harness.registry import PASSWORD, USER, Registry
from tests.tools.building import build, by_hand, files_below, hashes, hashes_of, said, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

RELEASE = "name: web, namespace: ns, chart: ./web"
FILES: dict[str, dict[str, str]] = {
    "environments with values": {
        "helmfile.yaml.gotmpl": "environments:\n  default: {values: [{image: default}]}\n"
        "  prod: {values: [env.yaml, {title: inline}]}\n---\n"
        f"releases: [{{{RELEASE}, values: [{{image: {{{{ .Values.image }}}},"
        " title: {{ .Environment.Name }}}]}]\n",
        "env.yaml": "image: from-a-file\n",
    },
    "set, and a release that is not installed": {
        "helmfile.yaml": "releases:\n"
        f"  - {{{RELEASE}, set: [{{name: image, value: 'a:1'}}, {{name: replicas, value: 3}}]}}\n"
        "  - {name: gone, chart: ./web, installed: false}\n",
    },
    "bases and another helmfile": {
        "helmfile.yaml": "bases: [base.yaml]\nhelmfiles: [sub/helmfile.yaml]\n"
        f"releases: [{{{RELEASE}, values: [{{image: here}}]}}]\n",
        "base.yaml": "helmDefaults: {createNamespace: false}\n",
        "sub/helmfile.yaml": "releases: [{name: below, namespace: other, chart: ../web, values: [{image: below}]}]\n",
    },
    "values that are templates, a hook, transformers": {
        "helmfile.yaml": """
releases:
  - name: web
    namespace: ns
    chart: ./web
    values: [values.yaml.gotmpl]
    hooks: [{events: [prepare], command: sh, args: [-c, "true"]}]
    strategicMergePatches:
      - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web-web, namespace: ns}, spec: {paused: true}}
""",
        "values.yaml.gotmpl": 'image: "{{ .Release.Name }}-{{ env "FLAVOUR" | default "plain" }}"\n',
    },
    "requiredEnv and exec": {
        "helmfile.yaml.gotmpl": f"releases: [{{{RELEASE}, values: [{{image: '{{{{ requiredEnv \"FLAVOUR\" }}}}',"
        ' title: \'{{ exec "echo" (list "said") | trim }}\'}]}]\n',
    },
}
MANIFEST: dict[str, object] = {
    "type": "helmfile",
    "path": "hf",
    "helmfile": {"includeCRDs": True, "kubeVersion": "1.34.0"},
}


def template(programs: Mapping[str, Path], helm: Path, folder: Path, environment: str) -> bytes:
    """What `helmfile template` prints by hand, with the user's own settings."""
    (name,) = [name for name in ("helmfile.yaml", "helmfile.yaml.gotmpl") if (folder / name).exists()]
    arguments = [
        "-f",
        name,
        "-b",
        str(helm),
        *(["-e", environment] if environment else []),
        "-q",
        "template",
        "--skip-deps",
    ]
    done = subprocess.run(
        [programs["helmfile"], *arguments, "--include-crds", "--kube-version=1.34.0"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder.parent / "by-hand"), "TMPDIR": str(folder.parent)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def without_hooks(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(key, one) for key, one in found if not key.endswith(("-migrate", "-test"))]


@pytest.mark.parametrize(
    ("name", "environment"), [*((name, "") for name in FILES), ("environments with values", "prod")]
)
@pytest.mark.parametrize("version", ["helm", "helm3"])
def test_its_objects_are_those_of_helmfile_by_hand(
    version: str, name: str, environment: str, on_path: OnPath, programs: Mapping[str, Path], tmp_path: Path,
    home: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FLAVOUR", "mint")
    on_path(version, "helmfile", "kustomize")
    write_files(tmp_path / "hf", {**web_chart("web"), **FILES[name]})
    before = files_below(tmp_path / "hf")
    built = build(tmp_path, MANIFEST, BuildSettings(environment=environment))
    wanted = hashes_of(template(programs, programs[version], tmp_path / "hf", environment))
    assert hashes(built) == without_hooks(wanted)
    assert hashes(built)
    assert said(built, "helmfile-program")
    assert len(said(built, "helm-hook")) == len(wanted) - len(built.objects)
    assert [left for left in files_below(tmp_path / "hf") if left not in before] == []
    assert files_below(home) == []


def test_what_it_refuses_is_in_the_error(on_path: OnPath, tmp_path: Path) -> None:
    on_path("helm", "helmfile")
    text = f"bases: [none.yaml]\nreleases: [{{{RELEASE}}}]\n"
    write_files(tmp_path / "hf", {**web_chart("web"), "helmfile.yaml": text})
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "build")
    assert "helmfile failed (exit code " in error.message
    assert "none.yaml" in error.message


def test_vars_reach_it_and_stay_out_of_its_errors(on_path: OnPath, tmp_path: Path) -> None:
    on_path("helm", "helmfile")
    text = (
        "environments: {default: {values: [{a: b}]}}\n---\n"
        f"releases: [{{{RELEASE}, values: [{{image: '{{{{ .Values.token }}}}'}}]}}]\n"
    )
    manifest = {**MANIFEST, "helmfile": {"vars": {"token": {"from": "env", "env": "TOKEN"}}}}
    settings = BuildSettings(environ={"TOKEN": "hunter2-hunter2"})
    write_files(tmp_path / "hf", {**web_chart("web"), "helmfile.yaml.gotmpl": text})
    built = build(tmp_path, manifest, settings)
    assert built.error is None
    [deployment] = [one for one in built.objects if one.key.kind == "Deployment"]
    assert deployment.data["spec"]["template"]["spec"]["containers"][0]["image"] == "hunter2-hunter2"
    broken = text.replace("'{{ .Values.token }}'", "'{{ fail .Values.token }}'")
    write_files(tmp_path / "hf", {"helmfile.yaml.gotmpl": broken})
    error = build(tmp_path, manifest, settings).error
    assert error is not None
    assert "***" in error.message
    assert "hunter2" not in str(error)


def test_a_registry_with_a_login_leaves_no_login(
    on_path: OnPath, programs: Mapping[str, Path], tmp_path: Path, home: Path
) -> None:
    """helmfile logs in to what it declares; the user's own logins are read and not added to."""
    helm = programs["helm"]
    write_files(tmp_path, web_chart("src/web"))
    by_hand(helm, "package", tmp_path / "src/web", "-d", tmp_path / "src")
    (tmp_path / "registry").mkdir()
    certificate = Authority("nobody").server(["localhost"], ["127.0.0.1"]).write(tmp_path, "server")
    insecure = "--insecure-skip-tls-verify"
    with Registry(tmp_path / "registry", login=True, certificate=certificate) as running:
        login = ("-u", USER, "--password-stdin", "--insecure", running.host)
        subprocess.run([helm, "registry", "login", *login], input=PASSWORD.encode(), check=True, capture_output=True)
        by_hand(helm, "push", next((tmp_path / "src").glob("*.tgz")), f"oci://{running.host}/charts", insecure)
        by_hand(helm, "registry", "logout", running.host)
        before = {name: (home / name).read_bytes() for name in files_below(home)}
        declared = f"name: r, url: {running.host}/charts, oci: true, skipTLSVerify: true"
        repository = f"{declared}, username: {USER}, password: {PASSWORD}"
        release = "{name: a, chart: r/web, set: [{name: image, value: i}]}"
        text = f"repositories: [{{{repository}}}]\nreleases: [{release}]\n"
        write_files(tmp_path, {"hf/helmfile.yaml": text})
        on_path("helm", "helmfile")
        built = build(tmp_path, MANIFEST)
        assert hashes(built)
        write_files(tmp_path, {"hf/helmfile.yaml": text.replace(PASSWORD, "wrong-password")})
        error = build(tmp_path, MANIFEST).error
        assert error is not None
        assert "helmfile failed" in error.message
        assert "wrong-password" not in str(error)
    assert {name: (home / name).read_bytes() for name in files_below(home)} == before
