"""Secrets: which key changed, proven by the hash or by managedFields, and never a value in any verdict."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.diff.ignore import IgnoreRule
from tazuna_core.diff.secrets import MASK, masked, proves_unchanged, skeleton_of
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.comparable import LAST_APPLIED, comparable
from tazuna_core.objects.identity import JsonObject
from tazuna_core.state.model import Record, RecordedObject
from tazuna_core.state.record import decode_record, encode_record
from tests.unit.diff.factories import (
    AFTER,
    APPLIED,
    BEFORE,
    drift,
    entry,
    f,
    field,
    live,
    owner,
    plan,
    recorded,
    secret,
    shown,
)


def b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def data(**texts: str) -> JsonObject:
    return {key: b64(text) for key, text in texts.items()}


def ours(*keys: str, time: str = APPLIED) -> JsonObject:
    return entry("tazuna", {"f:data": {f"f:{key}": {} for key in keys}}, "Apply", time=time)


@pytest.mark.parametrize("field_name", ["data", "stringData"])
def test_a_secret_that_nobody_touched_is_proven_unchanged(field_name: str) -> None:
    texts = {"user": "root", "pass": "hunter2"}
    built = secret(data(**texts)) if field_name == "data" else secret(stringData=texts)
    record = recorded(built, secret(data(**texts)))
    assert record.secret_skeleton is not None
    touched = live(secret(data(**texts), metadata={"labels": {"a": "b"}}), ours("user", "pass", time=AFTER))
    assert shown(drift(touched, record)) == {"metadata.labels.a": "extra"}


@pytest.mark.parametrize("field_name", ["data", "stringData"])
def test_a_changed_value_is_named_by_who_holds_it_now(field_name: str) -> None:
    texts = {"user": "root", "pass": "hunter2"}
    built = secret(data(**texts)) if field_name == "data" else secret(stringData=texts)
    record = recorded(built, secret(data(**texts)))
    now = live(secret(data(**texts | {"pass": "other"})), ours("user"), entry("kubectl-edit", f("data", "pass")))
    found = drift(now, record)
    assert (shown(found), owner(found, "data.pass")) == ({"data.pass": "drifted"}, "kubectl-edit")
    assert (field(found, "data.pass").recorded, field(found, "data.pass").live) == (MASK, MASK)


def test_a_value_written_as_string_data_stays_in_our_entry_and_is_still_named() -> None:
    now = live(
        secret(data(user="root", passw="other")),
        ours("user", "passw"),
        entry("kubectl", f("stringData", "passw"), "Apply"),
    )
    found = drift(now, recorded(secret(data(user="root", passw="hunter2"))))
    assert (shown(found), owner(found, "data.passw")) == ({"data.passw": "drifted"}, "kubectl")


def test_a_change_under_our_own_name_or_with_cleared_managed_fields_is_found_by_the_hash_alone() -> None:
    record = recorded(secret(data(k="v")))
    assert shown(drift(live(secret(data(k="other")), ours("k", time=APPLIED)), record)) == {"data.k": "drifted"}
    cleared = drift(live(secret(data(k="other"))), record)
    assert (shown(cleared), owner(cleared, "data.k")) == ({"data.k": "drifted"}, None)
    two = drift(live(secret(data(k="other", m="w"))), recorded(secret(data(k="v", m="w"))))
    assert shown(two) == {"data": "drifted"}
    assert shown(drift(live(secret(data(k="v"))), record)) == {}


def test_a_value_that_returned_is_in_sync_whoever_wrote_it() -> None:
    back = live(secret(data(k="v")), entry("kubectl-edit", f("data", "k")))
    assert drift(back, recorded(secret(data(k="v")))).fields == ()


def test_keys_added_and_removed_by_name() -> None:
    now = live(secret(data(k="v", new="x")), ours("k"), entry("kubectl-patch", f("data", "new")))
    found = drift(now, recorded(secret(data(k="v", old="w"))))
    assert shown(found) == {"data.old": "drifted", "data.new": "extra"}
    assert (owner(found, "data.new"), owner(found, "data.old")) == ("kubectl-patch", None)


def test_the_first_key_and_the_last() -> None:
    assert shown(drift(live(secret(data(k="v"))), recorded(secret()))) == {"data.k": "extra"}
    assert shown(drift(live(secret()), recorded(secret(data(k="v"))))) == {"data.k": "drifted"}


def test_c06_base64_that_the_server_writes_anew_gives_no_proof_and_no_false_one() -> None:
    record = recorded(secret({"k": "aGVs\nbG8="}), secret({"k": "aGVsbG8="}))
    assert record.secret_skeleton is None
    labelled = secret({"k": "aGVsbG8="}, metadata={"labels": {"a": "b"}})
    assert shown(drift(live(labelled, ours("k")), record)) == {"metadata.labels.a": "extra"}
    assert shown(drift(live(labelled), record)) == {"metadata.labels.a": "extra"}
    taken = drift(live(secret(data(k="x")), entry("kubectl-edit", f("data", "k"))), record)
    assert shown(taken) == {"data.k": "drifted"}
    newer = drift(live(secret(data(k="x")), ours("k", time=AFTER)), record)
    assert shown(newer) == {"data.k": "drifted"}
    shared = drift(live(labelled, ours("k"), entry("other", f("data", "k"), "Apply")), record)
    assert shown(shared) == {"metadata.labels.a": "extra"}


def test_nulls_and_a_key_in_both_fields() -> None:
    record = recorded(secret({"k": b64("v"), "gone": None}), secret(data(k="v")))
    assert record.secret_skeleton is not None
    assert drift(live(secret(data(k="v")), ours("k", time=AFTER)), record).fields == ()
    both = recorded(secret(data(k="loses"), stringData={"k": "wins"}), secret(data(k="wins")))
    assert both.secret_skeleton is None


def test_values_that_a_snapshot_does_not_have_prove_nothing() -> None:
    record = recorded(secret(data(k="v", m="w")))
    snapshot = secret({"k": {"masked": True}, "m": {"masked": True}})
    assert drift(live(snapshot, ours("k", "m")), record).fields == ()
    taken = live(snapshot, ours("k"), entry("kubectl-edit", f("data", "m")))
    assert shown(drift(taken, record)) == {"data.m": "drifted"}
    found = plan(secret(data(k="v", m="new")), live(snapshot, ours("k", "m")), record)
    assert {field(found, path).note for path in shown(found)} == {"the live value is not known here"}


def test_binary_where_text_was_applied_is_a_change() -> None:
    record = recorded(secret(stringData={"k": "v"}), secret(data(k="v")))
    assert shown(drift(live(secret({"k": b64(b"\xff\xfe")}), ours("k")), record)) == {"data.k": "drifted"}


def test_an_immutable_secret_is_compared_like_any_other() -> None:
    record = recorded(secret(data(k="v"), immutable=True))
    assert drift(live(secret(data(k="v"), immutable=True)), record).fields == ()
    assert shown(drift(live(secret(data(k="v"))), record)) == {"immutable": "drifted"}


ROWS: list[tuple[Any, ...]] = [
    # recorded, desired, live: verdict, what merging does. What the last apply sent is not known, only that it was.
    ("a", "b", "a", "planned", None),
    ("a", "b", "c", "conflict", "reverted"),
    ("a", "b", "b", "already-there", None),
    ("a", "a", "b", "drifted", "kept"),
    ("a", "a", None, "drifted", "kept"),
    (None, "a", None, "planned", None),
    (None, "a", "a", "already-there", None),
    (None, "a", "b", "conflict", "reverted"),
    ("a", None, "a", "planned", None),
    ("a", None, None, "already-there", None),
    ("a", None, "b", "conflict", "reverted"),
    (None, None, "x", "extra", "kept"),
]


@pytest.mark.parametrize(("before", "want", "now", "verdict", "on_merge"), ROWS)
def test_the_table_of_three_sides(before: Any, want: Any, now: Any, verdict: str, on_merge: Any) -> None:
    def side(value: str | None) -> JsonObject:
        return secret(data(other="o", **({"k": value} if value else {})))

    held = (ours("other", "k"),) if now == before else (ours("other"), entry("kubectl-edit", f("data", "k")))
    found = plan(side(want), live(side(now), *held), recorded(side(before)))
    assert shown(found) == {"data.k": verdict}
    assert field(found, "data.k").on_merge == on_merge


def test_a_rule_of_the_user_hides_a_key_in_drift_and_plan() -> None:
    rule = IgnoreRule("r", "rotated", fields=("data.k",))
    now = live(secret(data(k="other", m="w")), ours("m"), entry("kubectl-edit", f("data", "k")))
    record = recorded(secret(data(k="v", m="w")))
    assert drift(now, record, rules=[rule]).fields == ()
    assert plan(secret(data(k="v", m="w")), now, record, rules=[rule]).fields == ()
    assert shown(plan(secret(data(k="v", m="w")), now, record)) == {"data.k": "drifted"}


def test_without_record_a_persons_key_is_drift_even_if_written_as_string_data() -> None:
    now = live(secret(data(k="v")), entry("kubectl", f("stringData", "k"), "Apply"))
    found = drift(now, stored="other")
    assert (shown(found), field(found, "data.k").live) == ({"data.k": "drifted"}, MASK)


words = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=10, max_size=14).map("planted-{}".format)
values = st.dictionaries(st.sampled_from(["a", "b", "c"]), words, max_size=3)
managers = st.sampled_from(["tazuna", "kubectl-edit", "some-tool", "kube-controller-manager"])


def clean(shown_anywhere: str, *planted: dict[str, str]) -> bool:
    texts = [text for side in planted for text in side.values()]
    return not any(text in shown_anywhere or b64(text) in shown_anywhere for text in texts)


holders = st.tuples(managers, st.sampled_from([BEFORE, APPLIED, AFTER]))


@given(values, values, values, st.booleans(), holders, st.booleans())
def test_c55_no_value_is_in_any_verdict_record_or_hash(
    before: dict[str, str],
    want: dict[str, str],
    now: dict[str, str],
    as_text: bool,
    holder: tuple[str, str],
    known: bool,
) -> None:
    def built(texts: dict[str, str]) -> JsonObject:
        return secret(stringData=texts) if as_text else secret(data(**texts))

    record = recorded(built(before), secret(data(**before))) if known else None
    applied = {LAST_APPLIED: f'{{"stringData":{before}}}'}
    held = entry(holder[0], {"f:data": {f"f:{key}": {} for key in now}}, time=holder[1])
    current = live(secret(data(**now), metadata={"annotations": applied}), held)
    said = [drift(current, record), plan(built(want), current, record), plan(built(want), current, record, stored=None)]
    assert clean(repr([(one.fields, one.hidden, one.notes, one.message) for one in said]), before, want, now)
    assert clean(repr(record) + repr(masked(comparable(current))), before, now)
    if record is not None:
        shards = encode_record(Record("m", objects={str(record.key): record}), packed=False)
        assert clean(repr(shards), before, now)
        assert decode_record({0: shards[0]}).objects[str(record.key)] == record


@given(values, values)
def test_the_proof_is_equality_of_declared_values(before: dict[str, str], now: dict[str, str]) -> None:
    built = secret(data(**before))
    proof = proves_unchanged(skeleton_of(built), content_hash(built), secret(data(**now)))
    kept = {key: now.get(key) for key in before}
    assert proof is (None if None in kept.values() else kept == before)


def test_a_record_without_skeleton_is_still_a_record() -> None:
    record = recorded(secret(data(k="v")), secret_skeleton=None)
    assert isinstance(record, RecordedObject)
    assert drift(live(secret(data(k="v")), ours("k")), record).fields == ()
