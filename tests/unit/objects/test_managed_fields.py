"""managedFields: which entry holds a path, and which paths an entry changed."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.managed_fields import FieldsEntry, entries_of, leaf_paths, owner_of
from tazuna_core.objects.managers import origin_of
from tazuna_core.objects.paths import Index, Item, Key, Path, Value, path_text


def entry(fields: Any, manager: str = "m", time: str = "2026-11-30T10:00:00Z", subresource: str = "") -> FieldsEntry:
    return FieldsEntry(manager, "Update", subresource, "v1", time, fields)


PORT: Path = (Key("spec"), Key("ports"), Item((("port", 80), ("protocol", "TCP"))))
FIELDS = {
    "f:metadata": {"f:annotations": {".": {}, "f:a.b/c": {}}, "f:finalizers": {".": {}, 'v:"x"': {}}},
    "f:spec": {
        "f:ports": {'k:{"protocol":"TCP","port":80}': {".": {}, "f:port": {}}},
        "f:selector": {},
        "f:list": {"i:0": {}},
    },
}


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ((Key("metadata"), Key("annotations")), True),
        ((Key("metadata"), Key("annotations"), Key("a.b/c")), True),
        ((Key("metadata"), Key("annotations"), Key("other")), False),
        ((Key("metadata"), Key("finalizers"), Value("x")), True),
        ((Key("metadata"), Key("finalizers"), Value("y")), False),
        ((Key("spec"),), False),
        ((Key("spec"), Key("ports")), False),
        (PORT, True),
        ((*PORT, Key("port")), True),
        ((*PORT, Key("nodePort")), False),
        ((Key("spec"), Key("selector")), True),
        ((Key("spec"), Key("selector"), Key("app")), False),
        ((Key("spec"), Key("list"), Index(0)), True),
    ],
)
def test_an_entry_lists_a_path_or_not(path: Path, listed: bool) -> None:
    assert entry(FIELDS).lists(path) is listed


def test_the_owner_is_who_lists_the_path_or_its_atomic_ancestor_and_never_a_guess() -> None:
    ours, theirs = entry(FIELDS, "ours"), entry({"f:spec": {"f:type": {}}}, "theirs")
    both = [ours, theirs]
    selector = (Key("spec"), Key("selector"))
    assert owner_of(both, (Key("spec"), Key("type"))) is theirs
    assert owner_of(both, (*selector, Key("app"))) is None
    assert owner_of(both, (*selector, Key("app")), selector) is ours
    assert owner_of(both, (Key("spec"),)) is None, "both hold parts of it"
    assert owner_of(both, (Key("spec"), Key("ports"))) is ours, "nobody else holds parts of it"
    assert owner_of(both, (*PORT, Key("nodePort"))) is None
    assert owner_of([], selector) is None


def test_of_several_the_newest() -> None:
    old, new = entry(FIELDS, "old", "2026-11-30T10:00:00Z"), entry(FIELDS, "new", "2026-11-30T11:00:00Z")
    timeless = entry(FIELDS, "timeless", "")
    assert owner_of([new, old, timeless], (Key("spec"), Key("selector"))) is new


def test_what_an_entry_changed() -> None:
    schema = builtin_schema("v1", "Service")
    assert schema is not None
    assert (
        path_text(next(iter(leaf_paths(entry({"f:spec": {"f:ports": FIELDS["f:spec"]["f:ports"]}}))))).count("=") == 2
    )
    assert [path_text(path) for path in leaf_paths(entry(FIELDS), schema)] == [
        'metadata.annotations["a.b/c"]', 'metadata.finalizers[="x"]', "spec.ports[port=80,protocol=TCP]",
        "spec.selector", "spec.list[0]",
    ]  # fmt: skip
    struct = {"f:spec": {"f:sessionAffinityConfig": {".": {}, "f:clientIP": {"f:timeoutSeconds": {}}}}}
    assert [path_text(path) for path in leaf_paths(entry(struct), schema)] == ["spec.sessionAffinityConfig"]
    assert [path_text(path) for path in leaf_paths(entry({"f:data": {".": {}}}))] == ["data"]
    assert list(leaf_paths(entry({"f:a": {"x:y": {}}, "k:no json": {}}))) == []


@pytest.mark.parametrize(
    "fields", [None, [], {"managedFields": None}, {"managedFields": [3, {"fieldsV1": []}, {"fieldsV1": None}]}]
)
def test_what_is_no_entry_is_left_out(fields: Any) -> None:
    found = entries_of({"metadata": fields if isinstance(fields, dict) else {}})
    assert all(one.fields == {} for one in found)


@pytest.mark.parametrize(
    ("manager", "subresource", "origin"),
    [
        ("kubectl-rollout", "", "person"),
        ("kubectl", "scale", "person"),
        ("kubectl-edit", "status", "person"),
        ("anything", "status", "controller"),
        ("kubelet", "", "controller"),
        ("tazuna", "", "tazuna"),
        ("before-first-apply", "", "unknown"),
        ("Kubelet", "", "unknown"),
    ],
)
def test_origin_of_a_manager(manager: str, subresource: str, origin: str) -> None:
    assert origin_of(entry({}, manager, subresource=subresource)) == origin


def test_known_managers_are_controllers_and_persons_stay_persons() -> None:
    assert origin_of(entry({}, "helm"), frozenset({"helm"})) == "controller"
    assert origin_of(entry({}, "kubectl-edit"), frozenset({"kubectl-edit"})) == "person"
