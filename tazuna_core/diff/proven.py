"""From a proof of what was applied to a record of it: what is live becomes the baseline, less what is somebody's.

The rule above all others: a record made afterwards never blesses a change by hand (verdicts 2).
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from tazuna_core.diff.by_design import hidden_by_design, without_generated_secrets
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.fields import owner_at
from tazuna_core.diff.plan_secrets import same_bytes, without_data
from tazuna_core.diff.plan_unrecorded import declared_at, left_as_ours
from tazuna_core.diff.secrets import MASK, masked, provable_skeleton, value_path, values_of
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.walk import ORDER_CHANGED, Difference
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managed_fields import FieldsEntry, leaf_paths
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import ABSENT, Item, Key, Path, keyed_items, lookup, schema_at, with_value
from tazuna_core.objects.schema import Schema
from tazuna_core.objects.sendable import decoded, is_secret, sendable
from tazuna_core.objects.times import later, moment
from tazuna_core.state.model import Content, Parts, RecordedObject

_REPLICAS: Path = (Key("spec"), Key("replicas"))
_SCALED = frozenset({"Deployment", "ReplicaSet", "StatefulSet"})
_POSTED = frozenset({("batch", "Job"), ("", "Pod")})
"""Kinds that are created by POST: our own entry then holds the server's defaults too (format reference, 4.2)."""
_SAME_REQUEST_SECONDS = 2.0


def proven_record(subject: Subject, built: BuiltObject, meaning: Meaning, synced_at: str) -> RecordedObject | None:
    """Returns the record of an object that ``built`` is known to have made; None where none can be written truthfully.

    ``subject`` has no record. Declared paths that differ from the build by meaning get the build's value, so that they
    are drift from now on; undeclared ones that a person holds (or somebody under our name, or an unknown manager since
    the sync at ``synced_at``) are left out, so that they are extra. All else is as the server answers now.
    """
    sent = sendable(built.data, subject.ref)
    secret = is_secret(sent)
    found = masked(subject.comparable_live) if secret else subject.comparable_live
    answer, differing = _with_declared(subject, sent, meaning, found)
    answer = _without_foreign(subject, built, answer, found, synced_at)
    clean, skeleton = same(answer, found), None
    if secret:
        skeleton = provable_skeleton(built.data, built.content_hash, {"data": _as_the_server_writes(sent)})
        live = values_of(subject.live)
        same_values = all(key in live and same_bytes(value, live[key]) for key, value in values_of(sent).items())
        if skeleton is None and not same_values:
            return None  # a record could not tell the values that were applied from those that are there
        clean = clean and same_values
    metadata = subject.live["metadata"]
    return RecordedObject(
        key=subject.key,
        content_hash=built.content_hash,
        uid=str(metadata.get("uid", "")),
        # what differs must be compared again, so this version of the object is not the recorded one
        resource_version=str(metadata.get("resourceVersion", "")) if clean else "",
        generation=int(metadata.get("generation") or 0),
        time=synced_at,
        manager=OUR_MANAGER,
        content=Content(Parts(answer, masked(sent) if secret else sent, skeleton)),
        managers=known_managers(subject, synced_at) - differing,
    )


def first_baseline(subject: Subject, built: BuiltObject, synced_at: str) -> JsonObject:
    """Returns the answer to record of the first apply of an object that was applied without a record until now.

    ``subject.live`` is the server's answer, ``synced_at`` when the state last said so. What is somebody's is left out,
    as in ``proven_record``: an apply blesses no more than ``state record`` does.
    """
    found = masked(subject.comparable_live) if is_secret(built.data) else subject.comparable_live
    return _without_foreign(subject, built, found, found, synced_at)


def _without_foreign(
    subject: Subject, built: BuiltObject, answer: JsonObject, found: JsonObject, synced_at: str
) -> JsonObject:
    sent = sendable(built.data, subject.ref)
    for path in _foreign_paths(subject, (sent, built.data), found, synced_at):
        answer = with_value(answer, path, ABSENT, subject.schema)
    return _with_default_replicas(subject, sent, answer)


def _with_declared(
    subject: Subject, sent: JsonObject, meaning: Meaning, found: JsonObject
) -> tuple[JsonObject, frozenset[str]]:
    """Puts the build's values where live differs from them, and returns who holds those paths now."""
    answer, managers = found, set()
    desired = without_data(sent) if is_secret(sent) else sent
    desired, live = (without_generated_secrets(subject.ref, side) for side in (desired, subject.comparable_live))
    meaning = replace(meaning, ours=lambda path: left_as_ours(subject, path))
    for difference in meaning.differences(subject.schema, desired, live):
        owner = owner_at(subject, difference)
        declared = declared_at(desired, difference, subject)
        if hidden_by_design(subject, difference, owner, declared) or _rewritten_at_creation(subject, owner):
            continue
        if owner is not None:
            managers.add(owner.manager)
        answer = _as_built(subject, sent, meaning, answer, difference)
    if is_secret(sent) and values_of(sent):
        answer = {**answer, "data": {**values_of(answer), **dict.fromkeys(values_of(sent), MASK)}}
    return answer, frozenset(managers)


def _as_built(
    subject: Subject, sent: JsonObject, meaning: Meaning, answer: JsonObject, difference: Difference
) -> JsonObject:
    path, value = difference.path, difference.left
    if difference.note == ORDER_CHANGED and difference.atomic is None:
        return _in_declared_order(subject, sent, answer, path)
    if isinstance(value, list) and isinstance(difference.right, list):
        value = _with_defaults(difference.schema, meaning, value, difference.right)
    answer = with_value(answer, path, value, subject.schema)
    added = difference.right is ABSENT and isinstance(path[-1], Item)
    return _in_declared_order(subject, sent, answer, path[:-1]) if added else answer


def _in_declared_order(subject: Subject, sent: JsonObject, answer: JsonObject, path: Path) -> JsonObject:
    """Sorts what we declare of a keyed list as we declare it; the others keep their places."""
    schema = schema_at(subject.schema, path)
    items = list(keyed_items(lookup(answer, path, subject.schema), schema))
    wanted = {key: number for number, (key, _) in enumerate(keyed_items(lookup(sent, path, subject.schema), schema))}
    ours = iter(sorted((entry for entry in items if entry[0] in wanted), key=lambda entry: wanted[entry[0]]))
    ordered = [next(ours)[1] if key in wanted else item for key, item in items]
    out: JsonObject = with_value(answer, path, ordered, subject.schema)
    return out


def _with_defaults(schema: Schema, meaning: Meaning, desired: list[Any], live: list[Any]) -> list[Any]:
    """Returns a list as built, its items as the server completed them where it still has them."""
    rest = list(live)
    out = []
    for item in desired:
        index = next((i for i, one in enumerate(rest) if meaning.equivalent(schema.item, item, one)), None)
        out.append(item if index is None else rest.pop(index))
    return out


def _rewritten_at_creation(subject: Subject, owner: FieldsEntry | None) -> bool:
    """Whether the server itself rewrote the value as it was created (C18, C31): nobody wrote the path since.

    Only an entry from the creation proves it. A later one of ours is either a rewritten update or an edit under our
    name, and is never taken for the first.
    """
    if owner is None or owner.manager != OUR_MANAGER or owner.operation != "Apply":
        return False
    created, written = moment(str(subject.live["metadata"].get("creationTimestamp", ""))), moment(owner.time)
    if created is None or written is None:
        return False
    return abs((written - created).total_seconds()) <= _SAME_REQUEST_SECONDS


def _foreign_paths(
    subject: Subject, declaring: tuple[JsonObject, ...], found: JsonObject, synced_at: str
) -> list[Path]:
    """Returns the undeclared paths that are somebody's. Rules of tazuna.drift.yaml hide them later, in every report."""
    out: dict[Path, None] = {}
    for entry in subject.entries:
        if not _foreign(subject, entry, synced_at):
            continue
        for listed in leaf_paths(entry, subject.schema):
            path = value_path(listed) if is_secret(found) else listed
            value = lookup(found, path, subject.schema)
            declared = any(
                lookup(side, at, subject.schema) is not ABSENT for side in declaring for at in (listed, path)
            )
            if value is ABSENT or declared or subject.owner(path) is not entry:
                continue
            difference = Difference(path, ABSENT, value, schema_at(subject.schema, path))
            if not hidden_by_design(subject, difference, entry, ABSENT):
                out[path] = None
    return list(out)


def _foreign(subject: Subject, entry: FieldsEntry, synced_at: str) -> bool:
    origin = subject.origin(entry)
    if origin == "tazuna":
        return entry.operation == "Apply" or (subject.ref.group, subject.ref.kind) not in _POSTED
    return origin == "person" or (origin == "unknown" and later(entry.time, synced_at))


def _with_default_replicas(subject: Subject, sent: JsonObject, answer: JsonObject) -> JsonObject:
    """Undeclared replicas are 1 until somebody scales, and a scale of them leaves no entry (verdicts 5)."""
    live = lookup(subject.comparable_live, _REPLICAS, subject.schema)
    declared = lookup(sent, _REPLICAS, subject.schema) is not ABSENT
    if subject.ref.group != "apps" or subject.ref.kind not in _SCALED or declared or live in (1, ABSENT):
        return answer
    difference = Difference(_REPLICAS, 1, live, schema_at(subject.schema, _REPLICAS))
    owner = owner_at(subject, difference)
    if subject.origin(owner) == "controller" or hidden_by_design(subject, difference, owner, ABSENT):
        return answer
    out: JsonObject = with_value(answer, _REPLICAS, 1, subject.schema)
    return out


def known_managers(subject: Subject, synced_at: str) -> frozenset[str]:
    """The unknown managers that were there at the sync: as after an apply, they count as controllers from then on."""
    unknown = [entry for entry in subject.entries if subject.origin(entry) == "unknown"]
    return frozenset(e.manager for e in unknown) - {e.manager for e in unknown if later(e.time, synced_at)}


def _as_the_server_writes(sent: JsonObject) -> JsonObject:
    raw = {key: decoded(value) for key, value in values_of(sent).items()}
    return {key: base64.b64encode(value).decode() for key, value in raw.items() if value is not None}
