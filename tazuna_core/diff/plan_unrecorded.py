"""Plans without a record: desired against live by meaning, two sides that say *that* something differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tazuna_core.diff.by_design import without_generated_secrets
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.fields import hiding_rule, owner_at, pointer_of
from tazuna_core.diff.no_record import persons_fields
from tazuna_core.diff.plan_secrets import data_fields, without_data
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import FieldVerdict, HiddenDifference, OnMerge, Verdict
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.objects.paths import ABSENT, Path, lookup
from tazuna_core.objects.sendable import is_secret
from tazuna_core.objects.times import later

Fields = tuple[FieldVerdict, ...]
Ledger = tuple[HiddenDifference, ...]

REWRITTEN = "differs since it was applied, and our own apply entry holds it: the server rewrote it"


def two_sided(
    subject: Subject, sent: JsonObject, meaning: Meaning, stored_hash: str | None, unchanged: bool, synced_at: str
) -> tuple[Fields, Ledger]:
    """Desired against live by meaning. Equal hashes make desired what was applied, so a difference is somebody's."""
    fields: list[FieldVerdict] = []
    ledger: list[HiddenDifference] = []
    secret = is_secret(sent)
    desired = without_data(sent) if secret else sent
    desired, live = (without_generated_secrets(subject.ref, side) for side in (desired, subject.comparable_live))
    meaning = replace(meaning, ours=lambda path: not stored_hash or left_as_ours(subject, path))
    for difference in meaning.differences(subject.schema, desired, live):
        owner = owner_at(subject, difference)
        rule = hiding_rule(subject, difference, owner, declared_at(desired, difference, subject))
        if rule is not None:
            ledger.append(rule)
        else:
            fields.append(_by_meaning(subject, difference, stored_hash, unchanged, synced_at))
    if secret:
        fields.extend(data_fields(subject, sent, [], unchanged=unchanged))
    if stored_hash is not None:
        extras = persons_fields(subject, synced_at, declared=sent)
        fields.extend(replace(extra, on_merge="kept") for extra in extras)
    return tuple(fields), tuple(ledger)


def declared_at(desired: JsonObject, difference: Difference, subject: Subject) -> Any:
    """Returns what we declare where a difference is, at its atomic ancestor where it is of what we left out."""
    if difference.left is ABSENT and difference.atomic is not None:
        return lookup(desired, difference.atomic, subject.schema)
    return difference.left


def left_as_ours(subject: Subject, path: Path) -> bool:
    """Whether nobody else took over what is owned whole at ``path``."""
    holders = [entry.manager for entry in subject.entries if entry.lists(path)]
    return not holders or OUR_MANAGER in holders


def _by_meaning(
    subject: Subject, difference: Difference, stored_hash: str | None, unchanged: bool, synced_at: str
) -> FieldVerdict:
    owner = owner_at(subject, difference)
    origin = subject.origin(owner)
    verdict: Verdict
    note = difference.note
    at_our_apply = owner is not None and owner.operation == "Apply" and not later(owner.time, synced_at)
    if unchanged and origin == "tazuna" and at_our_apply:
        verdict, note = "normalised", REWRITTEN  # C18, C31: nobody changed it after the apply
    elif unchanged:
        verdict = "drifted"
    elif stored_hash is None and difference.right is not ABSENT:
        verdict = "conflict"  # – a b: somebody else's object is taken over
    else:
        verdict = "conflict" if origin == "person" else "planned"
    on_merge: OnMerge | None = None
    if verdict in ("drifted", "conflict"):
        on_merge = "kept" if unchanged else "reverted"
    return FieldVerdict(
        difference.path,
        pointer_of(subject, difference.path),
        verdict,
        recorded=difference.left if unchanged else ABSENT,
        desired=difference.left,
        live=difference.right,
        owner=owner,
        origin=origin,
        on_merge=on_merge,
        note=note,
    )
