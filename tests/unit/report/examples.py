"""Small reports by hand, for the tests that look at exact text."""

from __future__ import annotations

from typing import Any

from tazuna_core.report.model import (
    Counts,
    Coverage,
    FieldChange,
    ManifestReport,
    ObjectReport,
    Owner,
    Report,
    Run,
    Target,
)

OLD, NEW = "a" * 64, "b" * 64
WHEN = "2026-11-30T03:12:44Z"
SIDES: dict[str, tuple[Any, ...]] = {
    "plan": ("recorded", "desired", "live"),
    "state diff": ("recorded", "desired"),
    "state drift": ("recorded", "live"),
    "apply": ("recorded", "desired", "live"),
}
_RESULTS = {"added": "changed", "modified": "changed", "removed": "changed"}


def owner(manager: str = "kubectl-edit", time: str | None = WHEN, **more: Any) -> Owner:
    return Owner(manager=manager, operation="Update", time=time, origin="person", **more)


def field(path: str, verdict: Any = "planned", **more: Any) -> FieldChange:
    return FieldChange(path=path, pointer="/x", verdict=verdict, **more)


def obj(key: str, status: Any, *classes: Any, fields: tuple[FieldChange, ...] = (), **more: Any) -> ObjectReport:
    _, group, version, kind, *rest = key.split("/")
    return ObjectReport(
        key=key,
        api_version=f"{group}/{version}" if group else version,
        kind=kind,
        namespace=rest[0] if len(rest) == 2 else "",
        name=rest[-1],
        status=status,
        classes=classes,
        fields=fields,
        **{"hashes": {"stored": OLD, "live": NEW, "built": NEW}, **more},
    )


def report(command: str, *objects: ObjectReport, **more: Any) -> Report:
    """A complete report of ``objects``, grouped by the manifest of their keys."""
    groups: dict[str, list[ObjectReport]] = {}
    for one in objects:
        groups.setdefault(one.key.split("/")[0], []).append(one)
    classes = [name for one in objects for name in one.classes]
    counts = {name.replace("-", "_"): classes.count(name) for name in classes}
    results = {_RESULTS.get(name, "drifted") for name in classes}
    result = "drifted" if "drifted" in results else "changed" if results else "clean"
    given: dict[str, Any] = {
        "command": command,
        "target": Target(file="tazuna.yaml"),
        "sides": SIDES[command],
        "result": result,
        "counts": Counts(objects=len(objects), **counts),
        "coverage": Coverage(expected=len(objects), checked=len(objects)),
        "manifests": tuple(
            ManifestReport(name=name, type="kustomize", objects=tuple(members)) for name, members in groups.items()
        ),
        "run": Run(started="2026-11-30T07:00:00Z", seconds=1.2, version="0.1.0"),
    }
    return Report(**{**given, **more})
