"""`rehearse` on an empty cluster, and what is said where the order of the repository is at fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.harness.applying import Place, config_map, definition, deployment, namespace_object
from tests.harness.cluster import LocalCluster


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


def gadget(group: str, namespace: str) -> dict[str, Any]:
    metadata = {"name": "g", "namespace": namespace}
    return {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": metadata, "spec": {"size": 1}}


def test_a_good_repository_is_rehearsed_and_a_cluster_with_state_is_refused(
    tmp_path: Path, fresh_cluster: LocalCluster
) -> None:
    place = Place(tmp_path, fresh_cluster)
    base, apps = place.name("base"), place.name("apps")
    group = f"{place.word}.example.com"
    place.repository.write(
        {
            base: [definition("gadgets", "Gadget", group, "v1"), namespace_object(place.namespace)],
            apps: [gadget(group, place.namespace), deployment("web", place.namespace)],
        },
        {apps: {"dependsOn": [base]}},
    )
    ran = place.tazuna("rehearse", "--no-wait", "-o", "json")
    assert ran.code == 0, ran.stdout
    report = ran.json()
    assert (report["command"], report["result"], report["applied"]) == ("rehearse", "clean", 4)
    again = place.tazuna("rehearse", "--no-wait", "-o", "json")
    assert (again.code, again.json()["errors"][0]["code"]) == (5, "not-empty")


def test_what_comes_too_early_is_said_with_what_it_needs(place: Place) -> None:
    early, base = place.name("early"), place.name("base")
    group = f"{place.word}.example.com"
    built = {
        early: [gadget(group, "default"), config_map("c", place.namespace)],
        base: [definition("gadgets", "Gadget", group, "v1"), namespace_object(place.namespace)],
    }
    place.repository.write(built)
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 6
    advice = {error["message"].split(": ")[1].split()[0]: error["advice"] for error in ran.json()["errors"]}
    kind, namespace = advice["Gadget/default/g"], advice[f"ConfigMap/{place.namespace}/c"]
    assert kind.startswith(f"Manifest '{base}' builds the definition of Gadget: it must come before '{early}'")
    assert f"Manifest '{base}' builds namespace {place.namespace}" in namespace
    place.repository.write(built, {early: {"dependsOn": [base]}})
    assert place.tazuna("apply").code == 0
    place.repository.write({early: [config_map("c", "nobody-makes-it")]})
    ran = place.tazuna("apply", "-o", "json")
    assert "No manifest builds namespace nobody-makes-it" in ran.json()["errors"][0]["advice"]


def test_a_webhook_that_is_not_ready_is_named_with_its_manifest(place: Place) -> None:
    hooks, apps = place.name("hooks"), place.name("apps")
    label = {"matchLabels": {"guarded": place.word}}
    guarded = namespace_object(place.namespace)
    guarded["metadata"]["labels"] = {"guarded": place.word}
    webhook = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"guard-{place.word}"},
        "webhooks": [
            {
                "name": f"guard.{place.word}.example.com",
                "clientConfig": {"service": {"namespace": "default", "name": "nobody"}},
                "rules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
                ],
                "namespaceSelector": label,
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": 2,
            }
        ],
    }
    place.repository.write({hooks: [guarded, webhook], apps: [config_map("c", place.namespace)]})
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 6
    (error,) = ran.json()["errors"]
    assert f"The webhook guard.{place.word}.example.com of manifest '{hooks}' does not answer yet" in error["advice"]
