"""Small reports for the tests of what the action does with them."""

from __future__ import annotations

from typing import Any

from tazuna_core.report.model import (
    Counts,
    Coverage,
    ErrorLine,
    FieldChange,
    ManifestReport,
    ObjectReport,
    Report,
    Run,
    Target,
    Unchecked,
)

STATUS = {"added": "added", "modified": "modified", "removed": "removed", "drifted": "live-drifted"}
STATUS |= {"missing": "live-missing", "conflict": "conflict", "unknown-extra": "live-drifted"}


def report(command: str = "plan", *classes: str, value: object = 5, seconds: float = 1.0, **more: Any) -> Report:
    """A report with one object of each of the classes named."""
    objects = tuple(_object(name, value) for name in classes)
    counts = {name.replace("-", "_"): classes.count(name) for name in classes}
    drifted = {"drifted", "missing", "conflict", "unknown-extra"} & set(classes)
    return Report(
        **{
            "command": command,
            "target": Target(file="tazuna.yaml", context="prod", commit="b" * 40),
            "sides": ("recorded", "desired", "live"),
            "result": "drifted" if drifted else "changed" if classes else "clean",
            "counts": Counts(objects=10, **counts),
            "coverage": Coverage(expected=10, checked=10),
            "manifests": (ManifestReport(name="web", type="directory", objects=objects),),
            "run": Run(seconds=seconds),
        }
        | more
    )


def failed(command: str, code: int, message: str = "no route to host") -> Report:
    """A report of a command that came to nothing."""
    line = ErrorLine(code="cluster", message=message, exit_code=code)
    return report(command, result="error", errors=(line,))


def partial(command: str, *classes: str) -> Report:
    """A report with an object that could not be checked."""
    coverage = Coverage(
        complete=False, expected=10, checked=9, unchecked=(Unchecked(manifest="web", key="k", reason="forbidden"),)
    )
    return report(command, *classes, result="incomplete", coverage=coverage)


def _object(name: str, value: object) -> ObjectReport:
    return ObjectReport(
        key=f"web/apps/v1/Deployment/shop/{name}",
        api_version="apps/v1",
        kind="Deployment",
        namespace="shop",
        name=name,
        status=STATUS[name],  # type: ignore[arg-type]
        classes=(name,),  # type: ignore[arg-type]
        fields=(
            FieldChange(path="spec.replicas", pointer="/spec/replicas", verdict="drifted", recorded=3, live=value),
        ),
    )
