"""What is sent of a built object, and what of an answer counts (verdicts 3.1, 7)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.objects.comparable import LAST_APPLIED, comparable, same
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.sendable import decoded, sendable


def obj(kind: str = "ConfigMap", metadata: JsonObject | None = None, **content: Any) -> JsonObject:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a", **(metadata or {})}, **content}


def test_c34_c36_status_and_server_metadata_go_and_the_input_stays() -> None:
    built = obj(
        metadata={
            "resourceVersion": "1", "uid": "u", "creationTimestamp": None, "generation": 1, "managedFields": [],
            "selfLink": "/", "labels": {"a": "b"}, "annotations": {LAST_APPLIED: "{}"},
        },
        status={},
        data={"k": None, "l": "v"},
    )  # fmt: skip
    before = copy.deepcopy(built)
    assert sendable(built) == obj(metadata={"labels": {"a": "b"}}, data={"l": "v"})
    assert built == before


def test_c12_nulls_go_at_every_depth_and_empty_maps_stay() -> None:
    template = {"metadata": {"creationTimestamp": None}, "items": [{"a": None, "b": {}}]}
    assert sendable(obj(spec=template))["spec"] == {"metadata": {}, "items": [{"b": {}}]}


def test_string_data_becomes_data_and_wins() -> None:
    secret = obj("Secret", data={"a": "b2xk", "b": "Yg=="}, stringData={"a": "new", "c": None})
    assert sendable(secret)["data"] == {"a": "bmV3", "b": "Yg=="}
    assert "stringData" not in sendable(secret)
    assert sendable(obj(stringData={"a": "b"}))["stringData"] == {"a": "b"}, "of a Secret alone"


def test_a_declared_revision_and_the_rules_of_an_aggregated_role_are_not_sent() -> None:
    annotations = {"deployment.kubernetes.io/revision": "7", "x": "y"}
    assert sendable(obj("Deployment", {"annotations": annotations}))["metadata"]["annotations"] == {"x": "y"}
    assert "rules" not in sendable(obj("ClusterRole", aggregationRule={}, rules=[]))
    assert sendable(obj("ClusterRole", rules=[]))["rules"] == []


def test_the_effective_namespace_is_sent() -> None:
    cluster = sendable(obj("Namespace", {"namespace": "n"}), ObjectRef("v1", "Namespace", "", "a"))
    assert "namespace" not in cluster["metadata"]
    assert sendable(obj(), ObjectRef("v1", "ConfigMap", "default", "a"))["metadata"]["namespace"] == "default"


def test_c06_decoded() -> None:
    assert decoded("aGVsbG8=") == decoded("aGVs\nbG8=\r\n") == b"hello"
    assert [decoded(value) for value in ("%", "aGVsbG8", "é", None, {"masked": True}, 3)] == [None] * 6


def test_c14_comparable_drops_annotations_that_held_last_applied_alone() -> None:
    assert comparable(obj(metadata={"annotations": {LAST_APPLIED: "{}"}})) == obj()


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True), (1, True, False), (0, False, False), ("1", 1, False), (None, False, False), ({}, [], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ([1, 2], [2, 1], False), ([True], [1], False), ("", None, False),
    ],
)  # fmt: skip
def test_same(left: Any, right: Any, equal: bool) -> None:
    assert same(left, right) is same(right, left) is equal


json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=3), json, max_size=4))
def test_sending_twice_is_sending_once(content: JsonObject) -> None:
    once = sendable({**content, **obj()})
    assert sendable(once) == once
    assert same(comparable(once), once)
