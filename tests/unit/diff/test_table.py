"""The three-sided table of verdicts 1: every row, for a field, for a list item and for a whole object's status."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.objects.identity import JsonObject
from tests.unit.diff.factories import config_map, deployment, drift, entry, f, field, live, plan, recorded, shown

ROWS = [
    # recorded, desired, live: verdict in a plan, what merging does
    ("a", "a", "a", None, None),
    ("a", "b", "a", "planned", None),
    ("a", "a", "b", "drifted", "kept"),
    ("a", "b", "c", "conflict", "reverted"),
    ("a", "b", "b", "already-there", None),
    ("a", "a", None, "drifted", "kept"),
    ("a", "b", None, "conflict", "reverted"),
    (None, "a", None, "planned", None),
    (None, "a", "a", "already-there", None),
    (None, "a", "b", "conflict", "reverted"),
    ("a", None, "a", "planned", None),
    ("a", None, None, "already-there", None),
    ("a", None, "b", "conflict", "reverted"),
    (None, None, "x", "extra", "kept"),
]
NAMES = ["/".join(side or "–" for side in row[:3]) for row in ROWS]
BY_HAND = entry("kubectl-edit", f("data", "k"))


def _map(value: str | None) -> JsonObject:
    return config_map({"other": "o"} | ({"k": value} if value else {}))


def _env(value: str | None) -> JsonObject:
    env = [{"name": "O", "value": "o"}] + ([{"name": "K", "value": value}] if value else [])
    return deployment({"env": env})


@pytest.mark.parametrize(("before", "want", "now", "verdict", "on_merge"), ROWS, ids=NAMES)
def test_every_row_for_a_map_entry(before: Any, want: Any, now: Any, verdict: Any, on_merge: Any) -> None:
    found = plan(_map(want), live(_map(now), BY_HAND), recorded(_map(before)))
    assert shown(found) == ({"data.k": verdict} if verdict else {})
    if verdict:
        one = field(found, "data.k")
        assert one.on_merge == on_merge
        assert (one.recorded or None, one.desired or None, one.live or None) == (before, want, now)


@pytest.mark.parametrize(("before", "want", "now", "verdict", "on_merge"), ROWS, ids=NAMES)
def test_every_row_for_a_list_item(before: Any, want: Any, now: Any, verdict: Any, on_merge: Any) -> None:
    whole = None in (before, want, now)
    item = "spec.template.spec.containers[name=app].env[name=K]"
    found = plan(_env(want), live(_env(now)), recorded(_env(before)))
    assert shown(found) == ({item if whole else f"{item}.value": verdict} if verdict else {})


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [(row[0], row[2], row[3]) for row in ROWS if row[0] == row[1]],
    ids=[name for name, row in zip(NAMES, ROWS, strict=True) if row[0] == row[1]],
)
def test_drift_has_the_rows_where_the_repository_did_not_move(before: Any, now: Any, verdict: Any) -> None:
    found = drift(live(_map(now), BY_HAND), recorded(_map(before)))
    assert shown(found) == ({"data.k": verdict} if verdict else {})
    assert found.status == ("live-drifted" if verdict else "unchanged")


def test_a_value_that_returned_is_in_sync_whoever_owns_it_now() -> None:
    found = drift(live(_map("a"), BY_HAND), recorded(_map("a")))
    assert (found.status, found.fields) == ("unchanged", ())


def test_what_the_repository_changed_is_sent_and_with_it_what_was_changed_by_hand() -> None:
    current = live(config_map({"k": "b", "other": "by hand"}), BY_HAND)
    found = plan(config_map({"k": "c", "other": "o"}), current, recorded(config_map({"k": "b", "other": "o"})))
    assert {path: field(found, path).on_merge for path in shown(found)} == {"data.k": None, "data.other": "reverted"}


def test_one_edit_inside_what_the_repository_replaces_is_one_conflict() -> None:
    before = deployment({"livenessProbe": {"exec": {"command": ["a"]}, "periodSeconds": 5}})
    now = deployment({"livenessProbe": {"exec": {"command": ["a"]}, "periodSeconds": 9}})
    found = plan(deployment(), live(now), recorded(before))
    assert shown(found) == {"spec.template.spec.containers[name=app].livenessProbe": "conflict"}


def test_a_default_that_is_now_written_down_is_only_another_form() -> None:
    answer = deployment({"imagePullPolicy": "IfNotPresent"})
    found = plan(answer, live(answer), recorded(deployment(), answer))
    assert shown(found) == {"spec.template.spec.containers[name=app].imagePullPolicy": "normalised"}


def test_a_change_of_form_keeps_the_change_by_hand_beside_it() -> None:
    path = "spec.template.spec.containers[name=app].resources.requests.cpu"
    before = deployment({"resources": {"requests": {"cpu": "1"}}})
    want = deployment({"resources": {"requests": {"cpu": "1000m"}}})
    assert shown(plan(want, live(before), recorded(before))) == {path: "normalised"}
    by_hand = deployment({"resources": {"requests": {"cpu": "2"}}})
    assert shown(plan(want, live(by_hand), recorded(before))) == {path: "conflict"}


def test_an_object_that_state_does_not_know_and_the_cluster_has() -> None:
    same = plan(_map("a"), live(_map("a")), stored=None)
    assert (same.status, same.fields, same.notes) == ("added", (), ("is in the cluster already, as built",))
    other = plan(_map("a"), live(_map("b"), BY_HAND), stored=None)
    assert (other.status, shown(other)) == ("conflict", {"data.k": "conflict"})
