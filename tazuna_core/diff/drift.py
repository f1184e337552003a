"""Recorded against live: has anybody touched this object, which field, who, when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tazuna_core.diff.by_design import hidden_by_design, sent_at, without_generated_secrets
from tazuna_core.diff.secrets import masked, secret_differences
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.undeclared import hidden_extra
from tazuna_core.diff.verdicts import FieldVerdict, HiddenDifference, ObjectClass, ObjectVerdict, Status, Verdict
from tazuna_core.diff.walk import Difference, differences
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.managed_fields import FieldsEntry, leaf_paths
from tazuna_core.objects.paths import ABSENT, Key, Path, keyed_items, lookup, path_pointer
from tazuna_core.objects.sendable import is_secret
from tazuna_core.state.model import RecordedObject

RE_CREATED = "re-created since the last apply"


def drift_of(subject: Subject, stored_hash: str, synced_at: str = "") -> ObjectVerdict:
    """Compares a live object with its record, or, where there is none, by the documented fallbacks (verdicts 2).

    ``synced_at`` is the state's own time: without a record it tells which entries are newer than our apply.
    """
    hashes = {"stored": stored_hash, "live": content_hash(subject.live)}
    recorded = subject.recorded
    if recorded is None:
        return _without_record(subject, stored_hash, hashes, synced_at)
    if subject.live["metadata"].get("deletionTimestamp"):
        return ObjectVerdict(subject.key, "deleting", frozenset({"drifted"}), hashes, notes=(_deleting(subject),))
    fields, hidden = field_verdicts(subject, drift_differences(subject))
    notes = (RE_CREATED,) if _metadata(subject, "uid") != recorded.uid else ()
    return ObjectVerdict(
        subject.key, _status(fields), classes_of(fields), hashes, fields=fields, hidden=hidden, notes=notes
    )


def untouched(subject: Subject) -> bool:
    """Whether the server says that nothing was written since the record."""
    recorded = subject.recorded
    return (
        recorded is not None
        and bool(recorded.resource_version)
        and _metadata(subject, "uid") == recorded.uid
        and _metadata(subject, "resourceVersion") == recorded.resource_version
    )


def drift_differences(subject: Subject) -> Iterator[Difference]:
    """Yields where the live object differs from the recorded answer. Values of Secrets are masked."""
    recorded = subject.recorded
    if recorded is None or untouched(subject):
        return
    before, now = recorded.answer, subject.comparable_live
    if is_secret(now):
        yield from secret_differences(subject)
        before = {key: value for key, value in masked(before).items() if key != "data"}
        now = {key: value for key, value in masked(now).items() if key != "data"}
    before, _ = without_generated_secrets(subject.ref.kind, subject.ref.name, before)
    now, _ = without_generated_secrets(subject.ref.kind, subject.ref.name, now)
    if not same(before, now):
        yield from differences(subject.schema, before, now)


def field_verdicts(
    subject: Subject, found: Iterator[Difference]
) -> tuple[tuple[FieldVerdict, ...], tuple[HiddenDifference, ...]]:
    """Sorts differences into verdicts and the ledger of what rules hide."""
    fields, hidden = [], []
    for difference in (part for one in found for part in by_holder(subject, one)):
        owner = subject.owner(difference.path, difference.atomic) if difference.right is not ABSENT else None
        rule = hiding_rule(subject, difference, owner)
        if rule is not None:
            hidden.append(rule)
            continue
        declared = sent_at(subject, difference) is not ABSENT
        fields.append(
            FieldVerdict(
                path=difference.path,
                pointer=pointer_of(subject, difference.path),
                verdict="drifted" if declared else "extra",
                recorded=difference.left,
                live=difference.right,
                owner=owner,
                origin=subject.origin(owner),
                note=difference.note,
            )
        )
    return tuple(fields), tuple(hidden)


def by_holder(subject: Subject, difference: Difference) -> Iterator[Difference]:
    """Splits an added map or keyed list that several managers hold parts of: each part has its own owner.

    Without this, a controller's annotation would hide the one that a person put beside it.
    """
    value, schema = difference.right, difference.schema
    holders = sum(entry.holds(difference.path) is not None for entry in subject.entries)
    if difference.left is not ABSENT or difference.atomic is not None or schema.atomic or holders < 2:
        yield difference
    elif isinstance(value, dict) and value:
        for name, part in value.items():
            path = (*difference.path, Key(name))
            yield from by_holder(subject, Difference(path, ABSENT, part, schema.child(name)))
    elif isinstance(value, list) and schema.list_type == "map":
        for key, part in keyed_items(value, schema):
            yield from by_holder(subject, Difference((*difference.path, key), ABSENT, part, schema.item))
    else:
        yield difference


def hiding_rule(subject: Subject, difference: Difference, owner: FieldsEntry | None) -> HiddenDifference | None:
    """Returns the ledger's line for a difference that a rule hides, None for one that is reported."""
    sent = sent_at(subject, difference)
    manager = owner.manager if owner else ""
    by_design = hidden_by_design(subject, difference, owner, sent)
    if by_design:
        return HiddenDifference(by_design, difference.path, manager)
    if sent is ABSENT:
        undeclared = hidden_extra(subject, difference, owner)
        if undeclared:
            return HiddenDifference(undeclared, difference.path, manager)
    for rule in subject.context.ignore:
        if rule.hides(subject.ref, difference.path, manager, subject.context.today):
            return HiddenDifference(rule.name, difference.path, rule.reason)
    return None


def classes_of(fields: tuple[FieldVerdict, ...]) -> frozenset[ObjectClass]:
    """Returns the classes that an object counts in: an extra by a person counts as drifted (contract, section 4)."""
    classes: set[ObjectClass] = set()
    for field in fields:
        if field.verdict == "conflict":
            classes.add("conflict")
        elif field.verdict == "drifted":
            classes.add("drifted")
        elif field.verdict == "extra":
            unknown = field.owner is not None and field.origin == "unknown"
            classes.add("unknown-extra" if unknown else "drifted")
    return frozenset(classes)


def pointer_of(subject: Subject, path: Path) -> str:
    """Returns the pointer into the live object, into the recorded one where live has not got the path."""
    recorded = subject.recorded
    in_live = lookup(subject.live, path, subject.schema) is not ABSENT
    document = subject.live if in_live or recorded is None else recorded.answer
    return path_pointer(path, document, subject.schema)


def absent_verdict(
    key: StateKey, stored_hash: str, recorded: RecordedObject | None, now: datetime, message: str = ""
) -> ObjectVerdict:
    """Says what a missing object means: gone by hand, or expired as its own TTL asked (C54, C60)."""
    hashes = {"stored": stored_hash}
    ttl = (recorded.answer.get("spec") or {}).get("ttlSecondsAfterFinished") if recorded else None
    if recorded and key.kind == "Job" and isinstance(ttl, int) and _passed(recorded.time, ttl, now):
        return ObjectVerdict(key, "expired", hashes=hashes, notes=(f"removed by its own TTL of {ttl} s",))
    return ObjectVerdict(key, "live-missing", frozenset({"missing"}), hashes, message=message)


def unknown_verdict(key: StateKey, stored_hash: str, reason: str, message: str) -> ObjectVerdict:
    """Says that an object could not be checked, and why. Never in sync, never missing (verdicts 6)."""
    hashes = {"stored": stored_hash} if stored_hash else {}
    return ObjectVerdict(key, "unknown", hashes=hashes, unchecked=reason, message=message)


def _passed(since: str, seconds: int, now: datetime) -> bool:
    """Whether ``seconds`` went by since an RFC 3339 time. A Job's TTL counts from its end, which is later still."""
    try:
        start = datetime.fromisoformat(since)
    except ValueError:
        return True
    return now >= start.astimezone(UTC) + timedelta(seconds=seconds)


def _without_record(subject: Subject, stored_hash: str, hashes: dict[str, str], synced_at: str) -> ObjectVerdict:
    if hashes["live"] == stored_hash:
        return ObjectVerdict(subject.key, "unchanged", hashes=hashes, method="hash")
    fields = persons_fields(subject, synced_at)
    return ObjectVerdict(
        subject.key,
        "live-drifted" if fields else "unknown",
        frozenset({"drifted"}) if fields else frozenset(),
        hashes,
        method="managed-fields",
        confidence="high",
        fields=fields,
        unchecked="no-record",
        message="run `tazuna state record` once",
    )


def persons_fields(
    subject: Subject, synced_at: str = "", declared: JsonObject | None = None
) -> tuple[FieldVerdict, ...]:
    """Returns the fields that persons hold: without a record the only differences that are certainly somebody's.

    Entries older than ``synced_at`` are left out (an object that was applied by hand before it came under our care);
    with ``declared``, what it declares is left out too and the rest is ``extra``.
    """
    live = masked(subject.comparable_live) if is_secret(subject.live) else subject.comparable_live
    found = []
    for entry in subject.entries:
        if subject.origin(entry) != "person" or (entry.time and entry.time < synced_at):
            continue
        for path in leaf_paths(entry):
            value = lookup(live, path, subject.schema)
            if value is ABSENT or subject.owner(path) is not entry:
                continue
            if declared is not None and lookup(declared, path, subject.schema) is not ABSENT:
                continue
            difference = Difference(path, ABSENT, value, subject.schema)
            if hiding_rule(subject, difference, entry) is None:
                verdict: Verdict = "drifted" if declared is None else "extra"
                pointer = pointer_of(subject, path)
                found.append(FieldVerdict(path, pointer, verdict, live=value, owner=entry, origin="person"))
    return tuple(found)


def _status(fields: tuple[FieldVerdict, ...]) -> Status:
    return "live-drifted" if fields else "unchanged"


def _metadata(subject: Subject, name: str) -> str:
    return str(subject.live["metadata"].get(name, ""))


def _deleting(subject: Subject) -> str:
    finalizers = ", ".join(map(str, subject.live["metadata"].get("finalizers") or []))
    waiting = f", waiting for {finalizers}" if finalizers else ""
    return f"being deleted since {_metadata(subject, 'deletionTimestamp')}{waiting}"
