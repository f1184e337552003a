"""Recorded against live: has anybody touched this object, which field, who, when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from tazuna_core.diff.by_design import generated_secrets_hidden, last_applied_hidden, without_generated_secrets
from tazuna_core.diff.fields import classes_of, field_verdicts, unseen_verdicts
from tazuna_core.diff.no_record import without_record
from tazuna_core.diff.secrets import masked, secret_differences
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.diff.walk import Difference, differences
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import StateKey
from tazuna_core.objects.sendable import is_secret
from tazuna_core.objects.times import moment
from tazuna_core.state.model import RecordedObject

RE_CREATED = "re-created since the last apply"
HELM = "helm"
HOOK, HOOK_POLICY = "helm.sh/hook", "helm.sh/hook-delete-policy"
HOOK_DELETES = frozenset({"hook-succeeded", "hook-failed"})
"""Policies after which the absence of a hook is normal; ``before-hook-creation`` leaves it until the next run."""


def drift_of(subject: Subject, stored_hash: str, synced_at: str = "") -> ObjectVerdict:
    """Compares a live object with its record, or, where there is none, by the documented fallbacks (verdicts 2).

    ``synced_at`` is the state's own time: without a record it tells which entries are newer than our apply.
    """
    hashes = {"stored": stored_hash, "live": content_hash(subject.live)}
    if subject.live["metadata"].get("deletionTimestamp"):
        return ObjectVerdict(subject.key, "deleting", frozenset({"drifted"}), hashes, notes=(_deleting(subject),))
    if subject.recorded is None:
        return without_record(subject, stored_hash, hashes, synced_at)
    found, hidden = field_verdicts(subject, drift_differences(subject))
    fields, encoded = unseen_verdicts(subject, found)
    return ObjectVerdict(
        subject.key,
        "live-drifted" if fields else "unchanged",
        classes_of(fields),
        hashes,
        fields=fields,
        hidden=(*hidden, *encoded, *generated_secrets_hidden(subject), *last_applied_hidden(subject)),
        notes=re_created(subject),
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


def re_created(subject: Subject) -> tuple[str, ...]:
    """Returns the note on an object that was deleted and created anew; by itself no drift."""
    recorded = subject.recorded
    known = recorded is not None and bool(recorded.uid)
    return (RE_CREATED,) if known and recorded is not None and _metadata(subject, "uid") != recorded.uid else ()


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
    before, now = without_generated_secrets(subject.ref, before), without_generated_secrets(subject.ref, now)
    if not same(before, now):
        yield from differences(subject.schema, before, now)


def absent_verdict(
    key: StateKey, stored_hash: str, recorded: RecordedObject | None, now: datetime, message: str = ""
) -> ObjectVerdict:
    """Says what a missing object means: gone by hand, or expired as it was meant to be (C45, C54, C60)."""
    hashes = {"stored": stored_hash}
    expired = _expired(key, recorded, now) if recorded is not None else ""
    if expired:
        return ObjectVerdict(key, "expired", hashes=hashes, notes=(expired,))
    return ObjectVerdict(key, "live-missing", frozenset({"missing"}), hashes, message=message)


def unknown_verdict(key: StateKey, stored_hash: str, reason: str, message: str) -> ObjectVerdict:
    """Says that an object could not be checked, and why. Never in sync, never missing (verdicts 6)."""
    hashes = {"stored": stored_hash} if stored_hash else {}
    return ObjectVerdict(key, "unknown", hashes=hashes, unchecked=reason, message=message)


def _expired(key: StateKey, recorded: RecordedObject, now: datetime) -> str:
    """Returns why an object was bound to go by itself, the empty string where it was not."""
    spec = recorded.answer.get("spec")
    ttl = spec.get("ttlSecondsAfterFinished") if isinstance(spec, dict) else None
    if (key.group, key.kind) == ("batch", "Job") and isinstance(ttl, int) and _passed(recorded.time, ttl, now):
        return f"removed by its own TTL of {ttl} s"
    annotations = recorded.answer["metadata"].get("annotations") or {}
    policies = {policy.strip() for policy in str(annotations.get(HOOK_POLICY, "")).split(",")} & HOOK_DELETES
    # what we applied ourselves is an object like any other: only hooks that helm ran are removed by helm
    if HOOK in annotations and policies and HELM in recorded.managers:
        return f"a helm hook that is deleted after its run ({', '.join(sorted(policies))})"
    return ""


def _passed(since: str, seconds: int, now: datetime) -> bool:
    """Whether ``seconds`` went by since an RFC 3339 time. A Job's TTL counts from its end, which is later still."""
    start = moment(since)
    return start is None or now >= start + timedelta(seconds=seconds)


def _metadata(subject: Subject, name: str) -> str:
    return str(subject.live["metadata"].get(name, ""))


def _deleting(subject: Subject) -> str:
    finalizers = ", ".join(map(str, subject.live["metadata"].get("finalizers") or []))
    waiting = f", waiting for {finalizers}" if finalizers else ""
    return f"being deleted since {_metadata(subject, 'deletionTimestamp')}{waiting}"
