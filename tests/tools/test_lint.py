"""Lints of what helm and kustomize build: renders that differ, charts and bases that move, what helm cannot build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.operations.check import check
from tazuna_core.operations.options import Options
from tazuna_core.report.model import Report
from tests.tools.building import write_files
from tests.tools.conftest import OnPath

CHART = {
    "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "c/templates/secret.yaml": """
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: {{ randAlphaNum 16 | quote }}, user: me}
""",
    "c/templates/app.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec: {template: {spec: {containers: [{name: c, image: {{ .Values.image | default "app" }}}]}}}
""",
}
SPEC = "spec:\n  manifests:\n{off}    - name: m\n      type: helmfile\n      path: hf\n"


def checked(folder: Path, *, strict: bool = True) -> Report:
    return check(Options(file=folder / "tazuna.yaml", cache_directory=folder / "cache"), strict=strict)


def said(report: Report) -> list[tuple[str, str, int]]:
    lines = (*report.errors, *report.warnings)
    return [(line.code, Path(line.file).name, line.line) for line in lines if line.code != "ignored-fields"]


@pytest.fixture
def chart(helm: Path, tmp_path: Path) -> Path:
    write_files(tmp_path, {f"hf/{name}": text for name, text in CHART.items()})
    write_files(tmp_path, {"hf/helmfile.yaml": "releases:\n  - name: r\n    chart: ./c\n"})
    (tmp_path / "tazuna.yaml").write_text(SPEC.format(off=""))
    return tmp_path


def test_a_render_that_differs_each_time_and_objects_that_are_rendered(chart: Path) -> None:
    report = checked(chart)
    assert said(report) == [
        ("image-tag", "tazuna.yaml", 3), ("replicas", "tazuna.yaml", 3), ("not-reproducible", "tazuna.yaml", 3)
    ]  # fmt: skip
    assert [line.exit_code for line in report.errors] == [2, 2, 2]
    assert report.errors[0].message.startswith(
        "manifest 'm': Deployment/a: the image 'app' of container 'c' has no tag"
    )
    (made_up,) = [line.message for line in report.errors if line.code == "not-reproducible"]
    assert made_up == "manifest 'm' builds to something else each time: /v1/Secret/s data.password"
    assert said(checked(chart, strict=False)) == said(report)

    off = "ignore[not-reproducible, image-tag Deployment/*, replicas Deployment/b] why"
    (chart / "tazuna.yaml").write_text(SPEC.format(off=f"    # tazuna: {off}\n"))
    report = checked(chart)
    assert said(report) == [("replicas", "tazuna.yaml", 4), ("switch-off", "tazuna.yaml", 3)]
    assert [(one.rule, one.reason) for one in report.hidden] == [("image-tag", "why"), ("not-reproducible", "why")]


def test_a_chart_that_renders_the_same_has_nothing_to_say(chart: Path) -> None:
    (chart / "hf/c/templates/secret.yaml").unlink()
    (chart / "hf/c/templates/app.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    report = checked(chart)
    assert said(report) == []
    assert (report.result, report.coverage.checked) == ("clean", 1)


def test_a_chart_that_does_not_render_is_an_error(chart: Path) -> None:
    (chart / "hf/c/templates/app.yaml").write_text("{{ fail `no` }}")
    for strict in (True, False):
        report = checked(chart, strict=strict)
        assert [line.exit_code for line in report.errors] == [3]
        assert "not-linted" not in str(report)


CHARTS = """\
repositories:
  - {name: x, url: http://127.0.0.1:1}
releases:
  - name: none
    chart: x/none
  - name: range
    # tazuna: ignore[mutable-reference] patches are welcome
    version: ~1.2
    chart: x/range
  - {name: exact, chart: x/exact, version: 1.2.3}
  - {name: local, chart: ./c}
"""


def test_charts_that_move(chart: Path) -> None:
    (chart / "hf/helmfile.yaml").write_text(CHARTS)
    report = checked(chart, strict=False)
    assert said(report) == [("not-linted", "tazuna.yaml", 3), ("mutable-reference", "helmfile.yaml", 5)]
    assert [(one.path.rpartition("/")[2], one.reason) for one in report.hidden] == [
        ("helmfile.yaml:8", "patches are welcome")
    ]
    report = checked(chart)
    assert said(report) == [("helm-pull", "tazuna.yaml", 3), ("mutable-reference", "helmfile.yaml", 5)]
    assert report.errors[0].exit_code == 3


def test_charts_of_a_template_are_shown_at_the_manifest(chart: Path) -> None:
    repositories = "repositories: [{name: x, url: http://127.0.0.1:1}]"
    text = f"# {{{{ .Environment.Name }}}}\n{repositories}\nreleases: [{{name: a, chart: x/a}}]\n"
    (chart / "hf/helmfile.yaml").write_text(text)
    assert said(checked(chart, strict=False))[1:] == [("mutable-reference", "tazuna.yaml", 3)]


def test_charts_are_looked_at_without_helm(chart: Path, on_path: OnPath) -> None:
    (chart / "hf/helmfile.yaml").write_text(CHARTS)
    on_path()
    assert said(checked(chart, strict=False)) == [
        ("not-linted", "tazuna.yaml", 3), ("mutable-reference", "helmfile.yaml", 5)
    ]  # fmt: skip


def test_kustomize(tmp_path: Path, on_path: OnPath) -> None:
    on_path("kustomize")
    write_files(
        tmp_path,
        {
            "k/kustomization.yaml": "namespace: shop\nresources: [p.yaml]\nimages: [{name: app, newTag: latest}]\n",
            "k/p.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: app}]}}",
            "r/kustomization.yaml": "resources: ['https://127.0.0.1:1/x//y?ref=main']\n",
            "tazuna.yaml": "spec:\n  manifests:\n    - {name: k, type: kustomize, path: k}\n"
            "    - {name: r, type: kustomize, path: r}\n",
        },
    )
    report = checked(tmp_path, strict=False)
    assert said(report) == [
        ("not-linted", "tazuna.yaml", 4), ("image-tag", "tazuna.yaml", 3), ("mutable-reference", "tazuna.yaml", 4)
    ]  # fmt: skip
    assert "Pod/shop/p: the image 'app:latest' of container 'c'" in report.warnings[1].message
