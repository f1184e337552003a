"""Whose fields a client-side apply's become."""

from __future__ import annotations

from typing import Any

from tazuna_core.operations.migrate import migrated


def entry(manager: str, operation: str = "Update", *names: str, **more: Any) -> dict[str, Any]:
    fields = {"f:data": {f"f:{name}": {} for name in names}}
    return {"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields, **more}


def live(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"managedFields": list(entries)}}


def test_the_entry_is_renamed_and_others_stay() -> None:
    other = entry("kubectl-edit", "Update", "b")
    old = entry("kubectl-client-side-apply", "Update", "a", time="2026-01-01T00:00:00Z")
    assert migrated(live(old, other)) == [other, {**old, "manager": "tazuna", "operation": "Apply"}]


def test_several_entries_of_one_version_become_one() -> None:
    first = entry("kubectl-client-side-apply", "Update", "a", time="2026-01-01T00:00:00Z")
    second = entry("kubectl-client-side-apply", "Update", "b", time="2026-01-02T00:00:00Z")
    (ours,) = migrated(live(first, second)) or []
    assert ours["fieldsV1"] == {"f:data": {"f:a": {}, "f:b": {}}}


def test_nothing_to_migrate() -> None:
    assert migrated(live(entry("kubectl-edit"))) is None
    assert migrated(live()) is None
    ours, old = entry("tazuna", "Apply", "a"), entry("kubectl-client-side-apply", "Update", "b")
    assert migrated(live(ours, old)) is None, "applied by us before: a change by hand"
    status = entry("kubectl-client-side-apply", "Update", "a", subresource="status")
    assert migrated(live(status)) is None
