"""What a merge puts at risk."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.report.blast_radius import blast_radius
from tests.unit.report.examples import field, obj, report


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("m//v1/PersistentVolumeClaim/ns/data", "delete-data"),
        ("m//v1/Namespace/ns", "delete-namespace"),
        ("m/apiextensions.k8s.io/v1/CustomResourceDefinition/a.b", "delete-crd"),
        ("m/apps/v1/StatefulSet/ns/pg", "delete-workload"),
        ("m//v1/ConfigMap/ns/c", None),
    ],
)
def test_deletions(key: str, code: str | None) -> None:
    found = blast_radius(report("state diff", obj(key, "removed", "removed")))
    assert [risk.code for risk in found] == ([code] if code else [])


@pytest.mark.parametrize(
    ("key", "path", "values", "codes"),
    [
        ("m/apps/v1/Deployment/ns/w", "spec.selector.matchLabels.app", {"desired": "x"}, ["immutable"]),
        ("m/apps/v1/Deployment/ns/w", "spec.template.spec.x", {"desired": "x"}, ["restart"]),
        ("m/apps/v1/Deployment/ns/w", "spec.replicas", {"desired": 0}, ["to-zero"]),
        ("m/apps/v1/Deployment/ns/w", "spec.replicas", {"desired": 2}, []),
        ("m/apps/v1/StatefulSet/ns/w", "spec.serviceName", {"desired": "x"}, ["immutable"]),
        ("m/apps/v1/StatefulSet/ns/w", "spec.replicas", {"desired": 3}, []),
        ("m//v1/Service/ns/w", "spec.selector.app", {"desired": "x"}, ["selector"]),
        ("m/rbac.authorization.k8s.io/v1/RoleBinding/ns/w", "roleRef.name", {"desired": "x"}, ["immutable"]),
        (
            "m/apiextensions.k8s.io/v1/CustomResourceDefinition/a.b",
            "spec.versions[name=v1alpha1]",
            {"recorded": {}},
            ["crd-version"],
        ),
        (
            "m/apiextensions.k8s.io/v1/CustomResourceDefinition/a.b",
            "spec.versions[name=v1].served",
            {"desired": False},
            ["crd-version"],
        ),
        ("m/apiextensions.k8s.io/v1/CustomResourceDefinition/a.b", "spec.versions[name=v2]", {"desired": {}}, []),
        ("m/batch/v1/Job/ns/w", "spec.template.spec.x", {"desired": "x"}, []),
    ],
)
def test_fields(key: str, path: str, values: dict[str, Any], codes: list[str]) -> None:
    found = report("plan", obj(key, "modified", "modified", fields=(field(path, **values),)))
    assert [risk.code for risk in blast_radius(found)] == codes
    assert blast_radius(found.model_copy(update={"command": "state drift"})) == ()


def test_undone_edits_and_what_stays() -> None:
    undone = field("spec.replicas", "drifted", recorded=2, desired=2, live=5, on_merge="reverted")
    kept = field("spec.replicas", "drifted", recorded=2, desired=2, live=5, on_merge="kept")
    key = "m/apps/v1/Deployment/ns/w"
    assert [
        one.code for one in blast_radius(report("plan", obj(key, "live-drifted", "drifted", fields=(undone,))))
    ] == ["revert"]
    assert blast_radius(report("plan", obj(key, "live-drifted", "drifted", fields=(kept,)))) == ()


def test_new_objects_restart_nothing() -> None:
    found = obj("m/apps/v1/Deployment/ns/w", "added", "added", fields=(field("spec.template", desired={}),))
    assert blast_radius(report("plan", found)) == ()
