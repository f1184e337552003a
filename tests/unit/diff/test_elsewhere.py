"""Entries of another version of the API: an autoscaler edited at v2 and read at v1 (verdicts 5)."""

from __future__ import annotations

from dataclasses import replace

from tazuna_core.diff.drift import drift_of
from tazuna_core.diff.elsewhere import other_versions
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import JsonObject
from tests.unit.diff.factories import (
    AFTER,
    APPLIED,
    BEFORE,
    entry,
    f,
    field,
    hidden,
    live,
    obj,
    owner,
    recorded,
    shown,
    subject,
)

ENCODED = "autoscaling.alpha.kubernetes.io/behavior"


def at_v1(most: int, least: int = 1, behavior: str = "") -> JsonObject:
    metadata = {"annotations": {ENCODED: behavior}} if behavior else {}
    return obj(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        metadata=metadata,
        spec={"maxReplicas": most, "minReplicas": least},
    )


def at_v2(most: int, least: int = 1, window: int = 0) -> JsonObject:
    behavior = {"behavior": {"scaleUp": {"stabilizationWindowSeconds": window}}} if window else {}
    spec = {"maxReplicas": most, "minReplicas": least, **behavior}
    return obj("autoscaling/v2", "HorizontalPodAutoscaler", spec=spec)


def fields_of(*names: str) -> JsonObject:
    return {"f:spec": {f"f:{name}": {} for name in names}}


def compared(now: JsonObject, there: JsonObject, held: JsonObject) -> tuple[list[str], ObjectVerdict]:
    built = obj("autoscaling/v1", "HorizontalPodAutoscaler", spec={"maxReplicas": 5})
    record = recorded(built, at_v1(5))
    one = subject(live(now, held), record)
    versions = one.unread_versions()
    if versions:
        schema = builtin_schema("autoscaling/v2", "HorizontalPodAutoscaler")
        assert schema is not None
        elsewhere = tuple(other_versions(one.live, one.schema, live(there, held), schema, APPLIED))
        one = replace(one, elsewhere=elsewhere)
    return versions, drift_of(one, record.content_hash)


def by_hand(fields: JsonObject, manager: str = "kubectl-edit", time: str = AFTER, **more: str) -> JsonObject:
    return entry(manager, fields, time=time, apiVersion="autoscaling/v2", **more)


def test_a_field_that_both_versions_have_gets_its_owner() -> None:
    versions, found = compared(at_v1(9), at_v2(9), by_hand(fields_of("maxReplicas")))
    assert (versions, shown(found), owner(found, "spec.maxReplicas")) == (
        ["autoscaling/v2"], {"spec.maxReplicas": "drifted"}, "kubectl-edit",
    )  # fmt: skip


def test_a_default_changed_at_another_version_is_no_server_default() -> None:
    _, found = compared(at_v1(5, 3), at_v2(5, 3), by_hand(fields_of("minReplicas")))
    assert (shown(found), owner(found, "spec.minReplicas")) == ({"spec.minReplicas": "extra"}, "kubectl-edit")
    _, unowned = compared(at_v1(5, 3), at_v2(5, 3), by_hand(fields_of("maxReplicas")))
    assert hidden(unowned) == {"spec.minReplicas": "server default"}


def test_a_field_that_our_version_does_not_show_is_extra_and_its_annotation_is_the_same_change() -> None:
    fields = f("spec", "behavior", "scaleUp", "stabilizationWindowSeconds")
    _, found = compared(at_v1(5, behavior="{}"), at_v2(5, window=60), by_hand(fields))
    path = "spec.behavior.scaleUp.stabilizationWindowSeconds"
    assert shown(found) == {path: "extra"}
    assert (field(found, path).live, field(found, path).note, found.status) == (
        60,
        "seen at autoscaling/v2",
        "live-drifted",
    )
    assert hidden(found) == {f'metadata.annotations["{ENCODED}"]': "encodes fields of another version"}


def test_the_annotation_alone_is_still_a_change() -> None:
    _, found = compared(at_v1(5, behavior="{}"), at_v2(5), by_hand(fields_of("maxReplicas")))
    assert shown(found) == {f'metadata.annotations["{ENCODED}"]': "extra"}


def test_what_is_not_read_at_another_version() -> None:
    for held in (
        by_hand(fields_of("maxReplicas"), time=BEFORE),
        by_hand(fields_of("maxReplicas"), "kube-controller-manager"),
        by_hand(fields_of("maxReplicas"), "tazuna"),
        by_hand(fields_of("maxReplicas"), "any", subresource="status"),
        entry("kubectl-edit", fields_of("maxReplicas")),
    ):
        assert compared(at_v1(5), at_v2(5), held)[0] == []
