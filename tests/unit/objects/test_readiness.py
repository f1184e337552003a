"""`status` calls ready what is known to be ready; `wait` asks for what the Go CLI asks for, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.objects.readiness import not_known_ready_because, not_ready_because


def live(api_version: str, kind: str, status: Any = None, *, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    data = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", **metadata}}
    return data | ({"spec": spec} if spec else {}) | ({"status": status} if status else {})


def condition(name: str, status: str, reason: str = "") -> dict[str, Any]:
    return {"conditions": [{"type": name, "status": status, "reason": reason}]}


FULL = {"readyReplicas": 3, "availableReplicas": 3, "updatedReplicas": 3}
READY = [
    live("v1", "ConfigMap"),
    live("rbac.authorization.k8s.io/v1", "ClusterRole"),
    live("apps/v1", "Deployment", FULL, spec={"replicas": 3}),
    live("apps/v1", "Deployment", spec={"replicas": 0}),
    live("apps/v1", "StatefulSet", {"readyReplicas": 3, "updatedReplicas": 3}, spec={"replicas": 3}),
    live("apps/v1", "DaemonSet", {"numberReady": 2, "desiredNumberScheduled": 2, "updatedNumberScheduled": 2}),
    live("batch/v1", "Job", condition("Complete", "True")),
    live(
        "apps/v1",
        "StatefulSet",
        {"readyReplicas": 3, "updatedReplicas": 1},
        spec={"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}},
    ),
    live(
        "apps/v1",
        "DaemonSet",
        {"numberReady": 2, "desiredNumberScheduled": 2},
        spec={"updateStrategy": {"type": "OnDelete"}},
    ),
    live("v1", "PersistentVolumeClaim", {"phase": "Bound"}),
    live("v1", "Namespace", {"phase": "Active"}),
    live("v1", "Service", spec={"type": "ClusterIP"}),
    live("v1", "Service", {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}, spec={"type": "LoadBalancer"}),
    live("example.com/v1", "Widget"),
    live("example.com/v1", "Widget", condition("Ready", "True")),
    live("example.com/v1", "Widget", condition("Degraded", "False")),
    live("apiextensions.k8s.io/v1", "CustomResourceDefinition", condition("Established", "True")),
]
NOT_READY_BUT_FOR_THE_GO_CLI = [
    (live("batch/v1", "Job", {"active": 1}), "not finished: 1 active"),
    (live("batch/v1", "Job"), "not finished: 0 active"),
    (live("batch/v1", "Job", spec={"suspend": True}), "suspended"),
    (live("batch/v1", "Job", condition("Failed", "True", "BackoffLimitExceeded")), "failed: BackoffLimitExceeded"),
    (live("v1", "PersistentVolumeClaim", {"phase": "Pending"}), "phase Pending"),
    (live("v1", "PersistentVolumeClaim"), "phase Unknown"),
    (live("v1", "PersistentVolume", {"phase": "Released"}), "phase Released"),
    (live("v1", "Namespace", {"phase": "Terminating"}), "phase Terminating"),
    (live("v1", "Service", spec={"type": "LoadBalancer"}), "no address of a load balancer yet"),
    (live("apps/v1", "ReplicaSet", {"readyReplicas": 1}, spec={"replicas": 2}), "1 of 2 ready"),
    (
        live("apps/v1", "Deployment", {**FULL, "updatedReplicas": 1}, spec={"replicas": 3}),
        "1 of 3 updated",
    ),
    (
        live("apps/v1", "Deployment", {**FULL, "observedGeneration": 1}, spec={"replicas": 3}, generation=2),
        "its controller has not seen the change yet",
    ),
    (live("v1", "ConfigMap", deletionTimestamp="2026-11-30T03:12:44Z"), "being deleted"),
    (live("example.com/v1", "Widget", condition("Ready", "False", "NoImage")), "Ready is False: NoImage"),
    (live("apiregistration.k8s.io/v1", "APIService", condition("Available", "Unknown")), "Available is Unknown: no"),
    (
        live("apiextensions.k8s.io/v1", "CustomResourceDefinition", condition("Established", "False", "Installing")),
        "Established is False: Installing",
    ),
]


@pytest.mark.parametrize("obj", READY)
def test_ready(obj: dict[str, Any]) -> None:
    assert not_ready_because(obj) == ""
    assert not_known_ready_because(obj) == ""


@pytest.mark.parametrize(("obj", "reason"), NOT_READY_BUT_FOR_THE_GO_CLI)
def test_not_known_to_be_ready(obj: dict[str, Any], reason: str) -> None:
    assert not_ready_because(obj) == "", "wait asks for no more than the Go CLI"
    assert not_known_ready_because(obj).startswith(reason)


@pytest.mark.parametrize(
    ("obj", "reason"),
    [
        (live("apps/v1", "Deployment", {"readyReplicas": 1, "availableReplicas": 1}, spec={"replicas": 3}), "1 of 3"),
        (live("v1", "Pod", {"phase": "Pending"}), "phase Pending"),
        (live("apps/v1", "DaemonSet"), "0 of 0 ready"),
    ],
)
def test_not_ready_for_both(obj: dict[str, Any], reason: str) -> None:
    assert not_ready_because(obj).startswith(reason)
    assert not_known_ready_because(obj).startswith(reason)


@pytest.mark.parametrize("status", [{"conditions": "x"}, {"conditions": [None]}, {"conditions": [{"type": "Ready"}]}])
def test_odd_conditions_end_nothing(status: Any) -> None:
    assert isinstance(not_known_ready_because(live("example.com/v1", "Widget", status)), str)
