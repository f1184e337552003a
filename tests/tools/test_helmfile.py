"""Helmfile manifests, built by real helm programs: objects equal those of `helm template` run by hand, hash by hash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.tools.building import build, by_hand, files_below, hashes, hashes_of, said, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

HELMFILE = """
releases:
  - name: shop
    namespace: shop
    chart: ./web
    values:
      - values/base.yaml
      - replicas: {{ .Values.replicas }}
        gone: null
        map: {two: {four: 4}}
      - values/{{ .Environment.Name }}.yaml
{{- if .StateValues.second }}
  - name: second
    chart: web
    namespace: {{ .Values.second | quote }}
    values: [{image: "nginx:2", cache: {enabled: false}}]
{{- end }}
"""
FILES = {
    **web_chart("hf/web"),
    "hf/helmfile.yaml.gotmpl": HELMFILE,
    "hf/values/base.yaml": "image: nginx:1\nmap: {one: 11}\nlist: [c]\nglobal: {tier: gold}\n",
    "hf/values/default.yaml": "title: '{{ .Release.Service }}, default'\n",
    "hf/values/prod.yaml": "title: prod\ncache: {port: 7000, extra: {a: null}}\n",
    "hf/extra.yaml": "list: [last]\n",
}
STATIC = {"from": "static"}
MANIFEST = {
    "type": "helmfile",
    "path": "hf",
    "helmfile": {
        "vars": {"replicas": {**STATIC, "static": "3"}, "second": {**STATIC, "static": "other"}},
        "includeCRDs": True,
        "defaultNamespace": "fallback",
        "extraValueFiles": ["extra.yaml"],
    },
}
INLINE = "replicas: 3\ngone: null\nmap: {two: {four: 4}}\n"


def template(helm: Path, tmp_path: Path, *more: str, values: str = "default") -> bytes:
    """What somebody would type for the two releases of the helmfile."""
    write_files(tmp_path, {"inline.yaml": INLINE, "second.yaml": "image: nginx:2\ncache: {enabled: false}\n"})
    folder = tmp_path / "hf"
    common = ["--include-crds", "--no-hooks", *more]
    first = [
        folder / "values/base.yaml",
        tmp_path / "inline.yaml",
        folder / f"values/{values}.yaml",
        folder / "extra.yaml",
    ]
    second = [tmp_path / "second.yaml", folder / "extra.yaml"]
    chart = folder / "web"
    return b"\n---\n".join(
        by_hand(helm, "template", name, chart, "-n", namespace, *common, *(f"-f{file}" for file in files))
        for name, namespace, files in (("shop", "shop", first), ("second", "other", second))
    )


def test_objects_are_those_of_helm_template(helm: Path, tmp_path: Path, home: Path) -> None:
    write_files(tmp_path, FILES)
    built = build(tmp_path, MANIFEST)
    wanted = hashes_of(template(helm, tmp_path), "fallback")
    assert hashes(built) == wanted
    assert [key for key, _ in wanted] == [
        "m/apiextensions.k8s.io/v1/CustomResourceDefinition/fallback/widgets.example.com",
        "m/apiextensions.k8s.io/v1/CustomResourceDefinition/fallback/widgets.example.com",
        "m/rbac.authorization.k8s.io/v1/ClusterRole/fallback/shop-web",
        "m//v1/Service/fallback/shop-cache",
        "m/apps/v1/Deployment/shop/shop-web",
        "m/rbac.authorization.k8s.io/v1/ClusterRole/fallback/second-web",
        "m/apps/v1/Deployment/other/second-web",
    ]
    assert files_below(home) == []


def test_the_environment_chooses_files(helm: Path, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    built = build(tmp_path, MANIFEST, BuildSettings(environment="prod"))
    assert hashes(built) == hashes_of(template(helm, tmp_path, values="prod"), "fallback")


def test_hooks_are_named_and_left_out(helm: Path, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    assert sorted(said(build(tmp_path, MANIFEST), "helm-hook")) == sorted(
        f"release '{release}': the hook {hook} is left out: hooks are not applied"
        for release in ("shop", "second")
        for hook in (f"Job/{release}-web-migrate (pre-install,pre-upgrade)", f"Pod/{release}-web-test (test)")
    )


def test_capabilities_are_the_clusters_then_the_manifests(helm: Path, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    asked = {**MANIFEST, "helmfile": {**MANIFEST["helmfile"], "kubeVersion": "1.30.2"}}  # type: ignore[dict-item]
    built = build(tmp_path, asked)
    assert hashes(built) == hashes_of(template(helm, tmp_path, "--kube-version=1.30.2"), "fallback")
    assert "Kubernetes 1.30.2 (the manifest's kubeVersion)" in said(built, "helm-capabilities")[0]
    cluster = BuildSettings(kube_version="v1.34.1", api_versions=("example.com/v9", "apps/v1"))
    built = build(tmp_path, asked, cluster)
    flags = ("--kube-version=v1.34.1", "--api-versions=example.com/v9,apps/v1")
    assert hashes(built) == hashes_of(template(helm, tmp_path, *flags), "fallback")
    assert "Kubernetes v1.34.1 (the cluster's) and 2 API versions" in said(built, "helm-capabilities")[0]
    assert "m/example.com/v9/Deployment/shop/shop-web" in [key for key, _ in hashes(built)]


def test_a_cluster_may_serve_thousands_of_kinds(helm: Path, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    served = (*(f"group{number}.{'long.' * 8}example.com/v1/Kind{number}" for number in range(5000)), "example.com/v9")
    built = build(tmp_path, MANIFEST, BuildSettings(api_versions=served))
    assert "m/example.com/v9/Deployment/shop/shop-web" in [key for key, _ in hashes(built)]


def test_a_release_without_namespace_has_an_empty_one(helm: Path, tmp_path: Path) -> None:
    """As in the Go CLI, where the default namespace takes its place in objects, and text keeps a gap."""
    helmfile = "releases: [{name: shop, chart: web, values: [{image: i}]}]\n"
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": helmfile})
    built = build(tmp_path, {"type": "helmfile", "path": "hf/helmfile.yaml"})
    assert built.error is None
    [deployment] = [one for one in built.objects if one.key.kind == "Deployment"]
    assert deployment.data["metadata"]["namespace"] is None
    assert deployment.data["metadata"]["annotations"]["title"] == "shop in "


@pytest.mark.parametrize(
    ("files", "message", "line"),
    [
        ({"hf/values/base.yaml": "list: []\n"}, "an image is required", 0),
        ({"hf/helmfile.yaml.gotmpl": "releases:\n- name: {{ .Values.a.b }}\n"}, "template: executing", 2),
        ({"hf/helmfile.yaml.gotmpl": "a:\n\n{{ if }}\n"}, "template: missing value for if", 3),
        ({"hf/helmfile.yaml.gotmpl": "releases: [{name: x}]\n"}, "release 'x' needs a name and a chart", 0),
        (
            {"hf/helmfile.yaml.gotmpl": "releases: [{name: x, chart: ./no}]\n"},
            "release 'x': there is no chart './no'",
            0,
        ),
        (
            {"hf/helmfile.yaml.gotmpl": "releases: [{name: x, chart: web, values: [no.yaml]}]\n"},
            "'no.yaml' cannot be read",
            0,
        ),
        (
            {"hf/helmfile.yaml.gotmpl": "releases: [{name: x, chart: web, values: a}]\n"},
            "'values' of release 'x' is not a list",
            0,
        ),
        (
            {"hf/helmfile.yaml.gotmpl": "releases: [{name: 1, chart: web}]\n"},
            "'name' of release number 1 is not a text",
            0,
        ),
        (
            {"hf/web/charts/common/Chart.yaml": "apiVersion: v2\nname: other\nversion: 1.0.0\n"},
            "missing in charts/ directory: common",
            0,
        ),
        (
            {"hf/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: '>=9'\n"},
            "chart requires kubeVersion: >=9",
            0,
        ),
    ],
)
def test_errors_name_what_and_where(helm: Path, tmp_path: Path, files: dict[str, str], message: str, line: int) -> None:
    write_files(tmp_path, {**FILES, **files})
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert error.exit_code == 3
    assert message in error.message
    assert error.message.startswith("manifest 'm': ")
    if line:
        assert str(error.place) == f"hf/helmfile.yaml.gotmpl:{line}"


def test_secret_values_show_in_no_error(helm: Path, tmp_path: Path) -> None:
    values = '{image: "{{ .Values.token }}", title: "{{`{{ fail .Values.image }}`}}"}'
    helmfile = f"releases:\n- name: x\n  chart: web\n  values: [{values}]\n"
    write_files(tmp_path, {**FILES, "hf/helmfile.yaml.gotmpl": helmfile})
    variables = {"token": {"from": "env", "env": "TOKEN"}}
    built = build(
        tmp_path, {**MANIFEST, "helmfile": {"vars": variables}}, BuildSettings(environ={"TOKEN": "hunter2-hunter2"})
    )
    assert built.error is not None
    assert "***" in str(built.error)
    assert "hunter2" not in str(built.error)


def test_without_helm_the_error_says_what_to_install(on_path: OnPath, tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    on_path()
    error = build(tmp_path, MANIFEST).error
    assert error is not None
    assert (error.exit_code, error.code) == (3, "missing-program")
    assert str(error) == (
        f"{tmp_path}/tazuna.yaml:3:5: manifest 'm' needs helm, and it is not on PATH\n"
        "  Install helm, version 3.13 or later."
    )
