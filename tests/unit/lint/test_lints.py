"""What each lint finds and what it leaves alone."""

from __future__ import annotations

import re

import pytest
import yaml

from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.lint.model import ADVICE
from tazuna_core.lint.objects import remarks
from tazuna_core.lint.order import Member, duplicates, order_remarks
from tazuna_core.lint.references import artifact_problem, base_problem, chart_problem
from tazuna_core.objects.identity import Identity
from tazuna_core.objects.manifest_objects import load_objects
from tests.unit.test_guide import DOCS, rows, section

DIGEST = "sha256:" + "a" * 64


def found(text: str, *autoscaled: Identity) -> list[tuple[str, str]]:
    """Lint and path of what is said of the objects of a text."""
    return [
        (one.lint, ".".join(map(str, one.path)))
        for obj in load_objects(text, "f.yaml", "m").objects
        for one in remarks(obj, obj.ref.identity, frozenset(autoscaled))
    ]


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        ("nginx", "has no tag"),
        ("nginx:latest", "has the tag 'latest'"),
        ("registry:5000/team/app", "has no tag"),
        ("registry:5000/team/app:latest", "has the tag 'latest'"),
        ("nginx:1.27", ""),
        ("registry:5000/team/app:1", ""),
        (f"nginx@{DIGEST}", ""),
        (f"registry:5000/nginx:latest@{DIGEST}", ""),
        ("nginx:latest-alpine", ""),
    ],
)
def test_images(image: str, problem: str) -> None:
    text = (
        f"{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, image: '{image}'}}]}}}}"
    )
    (obj,) = load_objects(text, "f.yaml", "m").objects
    said = [one.message for one in remarks(obj, obj.ref.identity, frozenset())]
    assert len(said) == bool(problem)
    assert all(one.startswith(f"Pod/p: the image '{image}' of container 'c' {problem}") for one in said)


def test_images_of_all_that_runs() -> None:
    text = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          initContainers: [{name: i, image: busybox}]
          containers: [{name: c, image: "app:1"}]
          ephemeralContainers: [{name: e, image: "debug:latest"}]
          volumes: [{name: v, image: {reference: models}}, {name: w, configMap: {name: x}}]
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: b}
spec: {replicas: 2, template: {spec: {containers: [{name: c, image: app}, {name: no-image}]}}}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: c}
template: {spec: {containers: [{name: c, image: app}]}}
"""
    pod = "spec.jobTemplate.spec.template.spec"
    assert found(text) == [
        ("image-tag", f"{pod}.initContainers.0.image"),
        ("image-tag", f"{pod}.ephemeralContainers.0.image"),
        ("image-tag", f"{pod}.volumes.0.image.reference"),
        ("image-tag", "spec.template.spec.containers.0.image"),
        ("image-tag", "template.spec.containers.0.image"),
    ]


def test_what_only_looks_like_an_image_is_none() -> None:
    text = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: c}
spec: {versions: [{schema: {openAPIV3Schema: {properties: {containers: {default: [{name: a, image: app}]}}}}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {pod: "spec: {containers: [{name: a, image: app}]}"}
---
apiVersion: example.com/v1
kind: Odd
metadata: {name: o}
spec: {containers: {image: app}, volumes: ["app"], template: {containers: ["app", {image: 3}]}}
"""
    assert found(text) == []


@pytest.mark.parametrize(
    ("kind", "spec", "finds"),
    [
        ("apps/v1 Deployment", "{}", True),
        ("apps/v1 StatefulSet", "{replicas: null}", True),
        ("apps/v1 ReplicaSet", "{}", True),
        ("v1 ReplicationController", "{}", True),
        ("argoproj.io/v1alpha1 Rollout", "{}", True),
        ("apps/v1 Deployment", "{replicas: 0}", False),
        ("apps/v1 DaemonSet", "{}", False),
        ("example.com/v1 Deployment", "{}", False),
    ],
)
def test_replicas(kind: str, spec: str, finds: bool) -> None:
    version, name = kind.split()
    text = f"{{apiVersion: {version}, kind: {name}, metadata: {{name: w, namespace: ns}}, spec: {spec}}}"
    assert found(text) == ([("replicas", "spec")] if finds else [])
    group = version.rpartition("/")[0]
    assert found(text, Identity(group, name, "ns", "w")) == [], "an autoscaler sets them"
    assert found(text, Identity(group, name, "other", "w")) == ([("replicas", "spec")] if finds else [])


def members(*manifests: tuple[int, str]) -> list[Member]:
    """Objects of manifests, given by their layer and text."""
    built = [load_objects(text, f"{number}.yaml", f"m{number}").objects for number, (_, text) in enumerate(manifests)]
    kinds = known_kinds(obj.data for objects in built for obj in objects)
    return [
        Member(
            obj,
            kinds.effective(obj.ref).identity,
            number,
            manifests[number][0],
            f"manifest 'm{number}'",
            f"{number}.yaml:1" if number else "",
        )
        for number, objects in enumerate(built)
        for obj in objects
    ]


def objects(*given: str) -> str:
    """A stream of objects by `kind/namespace/name`."""
    documents = []
    for one in given:
        kind, namespace, name = one.split("/")
        version = "example.com/v1" if kind == "Widget" else "v1"
        documents.append({"apiVersion": version, "kind": kind, "metadata": {"name": name}})
        if namespace:
            documents[-1]["metadata"]["namespace"] = namespace  # type: ignore[index]
        if kind == "CRD":
            documents[-1] = {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": name},
                "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget"}},
            }
    return yaml.safe_dump_all(documents)


WIDGET, CRD = objects("Widget/default/w"), objects("CRD//widgets")


def order(*manifests: tuple[int, str]) -> list[tuple[str, str]]:
    return [(one.lint, one.message) for one in order_remarks(members(*manifests))]


def test_what_comes_before_its_definition() -> None:
    needs = "Widget/default/w needs CustomResourceDefinition/widgets, which manifest 'm1' brings"
    assert order((0, WIDGET), (1, CRD)) == [("crd-order", f"{needs} later")]
    assert order((0, WIDGET), (0, CRD)) == [("crd-order", f"{needs} at the same time")]
    assert order((1, WIDGET), (0, CRD)) == []
    assert order((0, objects("Widget/default/w", "CRD//widgets"))) == []
    assert order((0, CRD), (1, WIDGET), (2, CRD)) == [], "an earlier one brings it"
    assert order((0, WIDGET)) == [], "whoever brings it, no manifest does"


def test_what_comes_before_its_namespace() -> None:
    some = objects("ConfigMap/shop/a", "ConfigMap/shop/b", "ConfigMap/other/c")
    needs = "ConfigMap/shop/a (and 1 more) needs Namespace/shop, which manifest 'm1' brings later"
    assert order((0, some), (1, objects("Namespace//shop"))) == [("namespace-order", needs)]
    assert order((1, some), (0, objects("Namespace//shop"))) == []
    assert order((0, objects("ConfigMap/shop/a", "Namespace//shop"))) == []
    assert order((0, objects("ConfigMap//a", "ConfigMap/kube-system/b")), (1, objects("Namespace//default"))) == []
    # a namespace that a manifest's default wrote into a cluster-scoped object is none of its own
    assert order((0, objects("PersistentVolume/shop/v")), (1, objects("Namespace//shop"))) == []


def test_one_object_in_two_manifests() -> None:
    one, same = objects("ConfigMap/default/a", "ConfigMap/default/b"), objects("ConfigMap//a")
    said = [remark.message for remark in duplicates(members((0, one), (1, same), (2, same)))]
    assert said == [
        "ConfigMap/default/a is declared by manifest 'm0' and by manifest 'm2' at 2.yaml:1, which wins",
        "ConfigMap/a is declared by manifest 'm1' and by manifest 'm2' at 2.yaml:1, which wins",
    ]


@pytest.mark.parametrize(
    ("reference", "wrong"),
    [("ghcr.io/x/y", True), ("ghcr.io/x/y:latest", True), ("localhost:5000/y:1.2", False), (f"x.io/y@{DIGEST}", False)],
)
def test_artifacts(reference: str, wrong: bool) -> None:
    assert bool(artifact_problem(reference)) is wrong


@pytest.mark.parametrize(
    ("chart", "version", "problem"),
    [
        ("bitnami/redis", "", "has no version"),
        ("bitnami/redis", "^1.2.0", "is a range"),
        ("bitnami/redis", "1.2", "is a range"),
        ("bitnami/redis", "*", "is a range"),
        ("bitnami/redis", "1.2.3", ""),
        ("bitnami/redis", "v1.2.3-rc.1+build", ""),
        (f"oci://x.io/redis@{DIGEST}", "", ""),
    ],
)
def test_charts(chart: str, version: str, problem: str) -> None:
    said = chart_problem(chart, version)
    assert problem in said
    assert bool(said) is bool(problem)


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("https://github.com/org/repo//deploy", "has no `ref`"),
        ("github.com/org/repo/deploy?ref=main", "is read from 'main'"),
        ("https://github.com/org/repo//deploy?ref=v1.2.0", ""),
        ("git@github.com:org/repo?version=v1", ""),
        ("https://raw.githubusercontent.com/org/repo/main/install.yaml", "is read from 'main'"),
        ("https://raw.githubusercontent.com/org/repo/v1.2.0/install.yaml", ""),
        ("https://github.com/org/repo/releases/latest/download/install.yaml", "is read from 'latest'"),
        ("https://me:secret@host/org/repo//x", "has no `ref`"),
    ],
)
def test_remote_bases(address: str, problem: str) -> None:
    said = base_problem(address)
    assert problem in said
    assert bool(said) is bool(problem)
    assert "secret" not in said


@pytest.mark.parametrize("page", ["lints.md", "ja/lints.md"])
def test_the_table_of_the_guide_has_every_lint(page: str) -> None:
    table = rows(section(DOCS / page, "リントの一覧" if page.startswith("ja/") else "The lints"))
    assert [re.sub("`", "", row[0]) for row in table] == list(ADVICE)
    assert all(len(row) == 4 and all(row) for row in table)
