"""What a merge puts at risk: deletions that lose data, fields that can't change, traffic and restarts, undone edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.model import FieldChange, ObjectReport, Report
from tazuna_core.report.views import display_name, view

RiskCode = Literal[
    "delete-data",
    "delete-crd",
    "delete-namespace",
    "delete-workload",
    "crd-version",
    "immutable",
    "selector",
    "to-zero",
    "revert",
    "restart",
]
"""From the worst down; also the order of the list."""
RISK_CODES: tuple[RiskCode, ...] = (
    "delete-data",
    "delete-namespace",
    "delete-crd",
    "delete-workload",
    "crd-version",
    "immutable",
    "selector",
    "to-zero",
    "revert",
    "restart",
)
COMMANDS = frozenset({"plan", "state diff"})
"""The commands that show what a merge does."""


@dataclass(frozen=True, slots=True)
class Risk:
    """One thing to look at twice before merging. ``path`` is empty where the whole object is meant."""

    code: RiskCode
    key: str
    name: str
    path: str = ""


_DELETIONS: dict[str, RiskCode] = {
    "PersistentVolumeClaim": "delete-data",
    "PersistentVolume": "delete-data",
    "Namespace": "delete-namespace",
    "CustomResourceDefinition": "delete-crd",
    "StatefulSet": "delete-workload",
}
_BY_OTHERS = frozenset({"drifted", "conflict", "extra"})
_RESTARTING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
_SCALED = frozenset({"Deployment", "StatefulSet", "ReplicaSet"})
# What the API server refuses to change after creation. Jobs and Pods are left out: apply re-creates them.
_IMMUTABLE: dict[str, re.Pattern[str]] = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "Deployment": r"spec\.selector\b",
        "DaemonSet": r"spec\.selector\b",
        "ReplicaSet": r"spec\.selector\b",
        "StatefulSet": r"spec\.(?!replicas\b|template\b|updateStrategy\b|minReadySeconds\b|ordinals\b"
        r"|revisionHistoryLimit\b|persistentVolumeClaimRetentionPolicy\b)",
        "PersistentVolumeClaim": r"spec\.(?!resources\b|volumeAttributesClassName\b)",
        "PersistentVolume": r"spec\.(nfs|csi|hostPath|local|volumeMode|nodeAffinity)\b",
        "StorageClass": r"(provisioner|parameters|reclaimPolicy|volumeBindingMode)\b",
        "IngressClass": r"spec\.controller\b",
        "RoleBinding": r"roleRef\b",
        "ClusterRoleBinding": r"roleRef\b",
        "Service": r"spec\.clusterIPs?\b",
        "Secret": r"type\b",
        "CustomResourceDefinition": r"spec\.(group|scope)\b|spec\.names\.(kind|plural)\b",
        "PriorityClass": r"(value|preemptionPolicy)\b",
        "RuntimeClass": r"handler\b",
    }.items()
}
_SELECTORS: dict[str, re.Pattern[str]] = {
    "Service": re.compile(r"spec\.selector\b"),
    "NetworkPolicy": re.compile(r"spec\.podSelector\b"),
    "PodDisruptionBudget": re.compile(r"spec\.selector\b"),
    "ServiceMonitor": re.compile(r"spec\.(selector|namespaceSelector)\b"),
    "PodMonitor": re.compile(r"spec\.(selector|namespaceSelector)\b"),
}
_CRD_VERSION = re.compile(r"spec\.versions(\[[^\]]*\](\.(served|storage))?)?$")


def blast_radius(report: Report) -> tuple[Risk, ...]:
    """Returns the risks of merging, worst first, each object once per kind of risk; empty for other commands."""
    if report.command not in COMMANDS:
        return ()
    found = {(risk.code, risk.key): risk for _, obj in report.objects() for risk in _risks(obj)}
    return tuple(sorted(found.values(), key=lambda risk: (RISK_CODES.index(risk.code), risk.key)))


def _risks(obj: ObjectReport) -> Iterator[Risk]:
    def risk(code: RiskCode, field: FieldChange | None = None) -> Risk:
        return Risk(code, obj.key, display_name(obj), field.path if field else "")

    if "removed" in obj.classes or obj.status == "removed":
        if obj.kind in _DELETIONS:
            yield risk(_DELETIONS[obj.kind])
        return
    if "added" in obj.classes or obj.status == "added":
        return
    # Backwards, so that of several fields the first is the one that is named.
    for field in reversed(obj.fields):
        for code, applies in _FIELD_RISKS:
            if applies(obj, field):
                yield risk(code, field)


def _is_sent(field: FieldChange) -> bool:
    return field.verdict in ("planned", "conflict") or field.on_merge == "reverted"


def _crd_version(obj: ObjectReport, field: FieldChange) -> bool:
    if not (obj.kind == "CustomResourceDefinition" and _is_sent(field) and _CRD_VERSION.match(field.path)):
        return False
    seen = view(field)
    return seen.after.value in (ABSENT, False) or field.path == "spec.versions"


def _immutable(obj: ObjectReport, field: FieldChange) -> bool:
    pattern = _IMMUTABLE.get(obj.kind)
    return pattern is not None and _is_sent(field) and pattern.match(field.path) is not None


def _selector(obj: ObjectReport, field: FieldChange) -> bool:
    pattern = _SELECTORS.get(obj.kind)
    return pattern is not None and _is_sent(field) and pattern.match(field.path) is not None


def _to_zero(obj: ObjectReport, field: FieldChange) -> bool:
    sent = field.verdict in ("planned", "conflict")
    zero = field.has("desired") and field.desired == 0 and not isinstance(field.desired, bool)
    return obj.kind in _SCALED and field.path == "spec.replicas" and sent and zero


def _reverts(obj: ObjectReport, field: FieldChange) -> bool:
    return obj.status != "live-missing" and field.verdict in _BY_OTHERS and field.on_merge == "reverted"


def _restarts(obj: ObjectReport, field: FieldChange) -> bool:
    return obj.kind in _RESTARTING and _is_sent(field) and field.path.startswith("spec.template")


_FIELD_RISKS: tuple[tuple[RiskCode, Callable[[ObjectReport, FieldChange], bool]], ...] = (
    ("crd-version", _crd_version),
    ("immutable", _immutable),
    ("selector", _selector),
    ("to-zero", _to_zero),
    ("revert", _reverts),
    ("restart", _restarts),
)
