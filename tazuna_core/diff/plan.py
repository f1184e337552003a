"""Recorded, desired and live: what merging would do to this object, and whether it meets a change made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.drift import classes_of, drift_differences, field_verdicts, persons_fields, pointer_of
from tazuna_core.diff.secrets import MASK
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import (
    FieldVerdict,
    HiddenDifference,
    Method,
    ObjectClass,
    ObjectVerdict,
    Verdict,
    worst_status,
)
from tazuna_core.diff.walk import CHANGED_ONLY_IN_FORM, Difference, differences
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.paths import ABSENT, Key, Path, lookup, schema_at
from tazuna_core.objects.sendable import decoded, is_secret

Fields = tuple[FieldVerdict, ...]
Ledger = tuple[HiddenDifference, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The desired side of one object: what would be sent, and its content hash."""

    sent: JsonObject
    content_hash: str
    meaning: Meaning


def plan_of(subject: Subject, wanted: Wanted, stored_hash: str | None, synced_at: str = "") -> ObjectVerdict:
    """Compares a live object with what the repository builds to, three-sided where there is a record."""
    unchanged = wanted.content_hash == stored_hash
    hashes = {"built": wanted.content_hash} | ({"stored": stored_hash} if stored_hash else {})
    method: Method = "record"
    if subject.recorded is not None:
        fields, hidden = _three_sided(subject, wanted, unchanged)
    else:
        fields, hidden, method = *_two_sided(subject, wanted, stored_hash, synced_at), "built"
    classes = set(classes_of(fields))
    if stored_hash is None:
        classes.add("added")
    elif not unchanged:
        classes.add("modified")
    return ObjectVerdict(
        subject.key,
        status_of(classes),
        frozenset(classes),
        hashes,
        method,
        "exact" if method == "record" else "high",
        fields,
        hidden,
        unchecked="no-record" if method != "record" and stored_hash and not unchanged else "",
        message="fields that the last apply declared and the repository no longer does are not known"
        if method != "record" and stored_hash and not unchanged
        else "",
    )


def status_of(classes: Iterable[ObjectClass]) -> Any:
    """Returns the object status that its classes give."""
    words: dict[str, Any] = {
        "conflict": "conflict", "missing": "live-missing", "added": "added", "removed": "removed",
        "modified": "modified", "drifted": "live-drifted", "unknown-extra": "live-drifted",
    }  # fmt: skip
    return worst_status({words[name] for name in classes})


def _three_sided(subject: Subject, wanted: Wanted, unchanged: bool) -> tuple[Fields, Ledger]:
    by_hand = list(drift_differences(subject))
    if unchanged:
        fields, hidden = field_verdicts(subject, iter(by_hand))
        return tuple(_with_desired(subject, wanted, field, sent=False) for field in fields), hidden
    secret = is_secret(wanted.sent)
    by_repository = list(_changed_by_repository(subject, wanted, secret))
    fields_out: list[FieldVerdict] = []
    ledger: list[HiddenDifference] = []
    for path, repository, hand in _merged(by_repository, by_hand):
        if repository:
            fields_out.append(_decide(subject, wanted, path, repository, hand))
            continue
        found, hidden_here = field_verdicts(subject, iter(hand))
        fields_out.extend(_with_desired(subject, wanted, field, sent=True) for field in found)
        ledger.extend(hidden_here)
    if secret:
        fields_out = [*_secret_keys(subject, wanted, fields_out), *(f for f in fields_out if not _is_data(f.path))]
    return tuple(fields_out), tuple(ledger)


def _changed_by_repository(subject: Subject, wanted: Wanted, secret: bool) -> Iterator[Difference]:
    """Yields what is declared otherwise than at the last apply: what was sent then against what would be sent now."""
    recorded = subject.recorded
    if recorded is None:
        return
    before, after = recorded.sent, wanted.sent
    if secret:
        before, after = _without_data(before), _without_data(after)
    yield from differences(subject.schema, before, after)


def _merged(
    repository: list[Difference], hand: list[Difference]
) -> Iterator[tuple[Path, list[Difference], list[Difference]]]:
    """Groups the differences of both sides by path: a path and its ancestors are one question, the ancestor's."""
    paths = sorted({difference.path for difference in [*repository, *hand]}, key=len)
    kept: list[Path] = []
    for path in paths:
        if not any(path[: len(other)] == other for other in kept):
            kept.append(path)
    order = {difference.path: index for index, difference in enumerate([*repository, *hand])}
    for path in sorted(kept, key=lambda path: order[path]):
        yield (
            path,
            [difference for difference in repository if difference.path[: len(path)] == path],
            [difference for difference in hand if difference.path[: len(path)] == path],
        )


def _decide(
    subject: Subject, wanted: Wanted, path: Path, repository: list[Difference], hand: list[Difference]
) -> FieldVerdict:
    recorded_answer = subject.recorded.answer if subject.recorded else {}
    schema = schema_at(subject.schema, path)
    recorded = lookup(recorded_answer, path, subject.schema)
    desired = lookup(wanted.sent, path, subject.schema)
    live = lookup(subject.comparable_live, path, subject.schema)
    equals = wanted.meaning.equivalent
    in_record, in_live = equals(schema, desired, recorded, path), equals(schema, desired, live, path)
    verdict: Verdict
    if in_live and in_record:
        verdict = "normalised"
    elif in_live:
        verdict = "already-there"
    elif hand:
        verdict = "conflict"
    else:
        verdict = "planned"
    owner = subject.owner(path, _atomic(repository)) if live is not ABSENT else None
    return FieldVerdict(
        path,
        pointer_of(subject, path),
        verdict,
        recorded,
        desired,
        live,
        owner,
        subject.origin(owner),
        "reverted" if verdict == "conflict" else None,
        _note(verdict, repository),
    )


def _with_desired(subject: Subject, wanted: Wanted, field: FieldVerdict, *, sent: bool) -> FieldVerdict:
    """Adds the desired side to a change made by hand, and what merging does to it.

    Server-side apply never removes what it did not declare, so an extra stays either way.
    """
    desired = lookup(wanted.sent, field.path, subject.schema)
    if desired is not ABSENT and _is_data(field.path) and is_secret(wanted.sent):
        desired = MASK
    kept = field.verdict == "extra" or not sent
    return replace(field, desired=desired, on_merge="kept" if kept else "reverted")


def _two_sided(subject: Subject, wanted: Wanted, stored_hash: str | None, synced_at: str) -> tuple[Fields, Ledger]:
    """Desired against live by meaning. Equal hashes make desired what was applied, so a difference is somebody's."""
    unchanged = wanted.content_hash == stored_hash
    fields: list[FieldVerdict] = []
    secret = is_secret(wanted.sent)
    desired = _without_data(wanted.sent) if secret else wanted.sent
    for difference in wanted.meaning.differences(subject.schema, desired, subject.comparable_live):
        owner = subject.owner(difference.path, difference.atomic) if difference.right is not ABSENT else None
        fields.append(_without_record(subject, difference, owner, stored_hash, unchanged))
    if secret:
        fields.extend(_secret_keys(subject, wanted, []))
    fields.extend(persons_fields(subject, synced_at, declared=wanted.sent))
    return tuple(fields), ()


def _without_record(
    subject: Subject, difference: Difference, owner: FieldsEntry | None, stored_hash: str | None, unchanged: bool
) -> FieldVerdict:
    origin = subject.origin(owner)
    verdict: Verdict
    if unchanged:
        verdict = "drifted"
    elif stored_hash is None and difference.right is not ABSENT:
        verdict = "conflict"  # – a b: somebody else's object is taken over
    else:
        verdict = "conflict" if origin == "person" else "planned"
    sides = {"desired": difference.left, "live": difference.right}
    if unchanged:
        sides["recorded"] = difference.left
    return FieldVerdict(
        difference.path,
        pointer_of(subject, difference.path),
        verdict,
        owner=owner,
        origin=origin,
        on_merge=None if verdict == "planned" else ("kept" if unchanged else "reverted"),
        note=difference.note,
        **sides,
    )


def _secret_keys(subject: Subject, wanted: Wanted, by_hand: list[FieldVerdict]) -> Iterator[FieldVerdict]:
    """Says of each key of a Secret what would happen to it; values are compared in memory as bytes (C06)."""
    touched = {field.path: field for field in by_hand if _is_data(field.path)}
    recorded = (subject.recorded.sent.get("data") or {}) if subject.recorded else None
    desired, live = wanted.sent.get("data") or {}, subject.live.get("data") or {}
    for key in [*desired, *(key for key in recorded or () if key not in desired)]:
        path: Path = (Key("data"), Key(key))
        hand = touched.pop(path, None)
        before = recorded is not None and key in recorded
        found = _secret_key(desired.get(key), live.get(key), before, hand is not None)
        if found is None:
            if hand is not None and key in desired and key in live:
                continue  # changed by hand to what the repository now says
            if hand is not None:
                yield hand
            continue
        verdict, note = found
        yield FieldVerdict(
            path,
            pointer_of(subject, path),
            verdict,
            MASK if before else ABSENT,
            MASK if key in desired else ABSENT,
            MASK if key in live else ABSENT,
            hand.owner if hand else None,
            hand.origin if hand else "unknown",
            "reverted" if verdict in ("conflict", "drifted") else None,
            note,
        )
    yield from touched.values()


def _secret_key(desired: Any, live: Any, before: bool, by_hand: bool) -> tuple[Verdict, str] | None:
    if desired is None:
        return None if live is None else ("conflict" if by_hand else "planned", "key removed")
    if decoded(desired) is None:
        return "planned", "invalid base64"
    if live is None:
        return ("drifted", "key removed by hand") if before else ("planned", "key added")
    if decoded(desired) == decoded(live):
        return None if before else ("already-there", "")
    return ("conflict" if by_hand else "planned"), "value changed"


def _is_data(path: Path) -> bool:
    return path[:1] == (Key("data"),)


def _without_data(obj: JsonObject) -> JsonObject:
    return {key: value for key, value in obj.items() if key not in ("data", "stringData")}


def _atomic(found: list[Difference]) -> Path | None:
    return next((difference.atomic for difference in found if difference.atomic is not None), None)


def _note(verdict: Verdict, found: list[Difference]) -> str:
    if verdict == "normalised":
        return CHANGED_ONLY_IN_FORM
    return found[0].note if len(found) == 1 else ""
