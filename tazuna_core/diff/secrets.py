"""Secrets, compared by key, by owner and by proof of the content hash: no value leaves this module."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tazuna_core.diff.subject import Subject
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.paths import ABSENT, Key, Path
from tazuna_core.objects.schema import ANY
from tazuna_core.objects.sendable import decoded
from tazuna_core.objects.times import later

MASK: dict[str, Any] = {"masked": True}
"""What stands for a secret value wherever one would be shown or stored."""

CHANGED = "value changed"
CHANGED_SOMEWHERE = "a value changed; the server does not know which"


def masked(obj: JsonObject) -> JsonObject:
    """Returns the Secret with every value of data and stringData replaced; keys stay."""
    out = dict(obj)
    for field in ("data", "stringData"):
        values = obj.get(field)
        if isinstance(values, dict):
            out[field] = dict.fromkeys(values, MASK)
        elif values is not None:
            out[field] = MASK
    return out


def skeleton_of(built: JsonObject) -> JsonObject:
    """Returns a built Secret with its values taken out; ``proves_unchanged`` fills them in again. Nulls stay."""
    out = copy.deepcopy(built)
    for field in ("data", "stringData"):
        if isinstance(out.get(field), dict):
            out[field] = {key: None if value is None else MASK for key, value in out[field].items()}
        elif out.get(field) is not None:
            out[field] = MASK
    return out


def provable_skeleton(built: JsonObject, stored_hash: str, answer: JsonObject) -> JsonObject | None:
    """Returns the skeleton that proves the answer of an apply unchanged, None where none can.

    The server writes base64 anew (C06) and a key may be in data and stringData: then the hash of what was built does
    not come back, and never would.
    """
    skeleton = skeleton_of(built)
    return skeleton if proves_unchanged(skeleton, stored_hash, answer) else None


def proves_unchanged(skeleton: JsonObject, stored_hash: str, live: JsonObject) -> bool | None:
    """Whether the live values are those that were applied: filled into the skeleton they give the stored hash.

    None when they cannot be filled in: a key is gone, or the values are not there to be read (a snapshot).
    """
    data = values_of(live)
    filled = dict(skeleton)
    for field in ("data", "stringData"):
        values = filled.get(field)
        if not isinstance(values, dict):
            continue
        raw = {key: decoded(data.get(key)) for key, value in values.items() if value is not None}
        if None in raw.values():
            return None
        try:
            filled[field] = {**values, **{key: data[key] if field == "data" else _text(raw[key]) for key in raw}}
        except UnicodeDecodeError:
            return False  # what was applied was text
    return content_hash(filled) == stored_hash


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode()


def value_path(path: Path) -> Path:
    """Returns where a value of a Secret is read: what was written as stringData is in data."""
    return (Key("data"), *path[1:]) if path[:1] == (Key("stringData"),) else path


def secret_differences(subject: Subject) -> Iterator[Difference]:
    """Yields the keys of ``data`` that were added, removed or changed since the record (verdicts 3, Secrets).

    The content hash proves that no declared value changed, or that one did. Where it can prove neither, and for keys
    that we do not declare, a key counts as changed when it left our entry or its entry is newer than the record.
    """
    recorded = subject.recorded
    if recorded is None:
        return
    before, now = values_of(recorded.answer), values_of(subject.live)
    for key in before:
        if key not in now:
            yield _difference(key, MASK, ABSENT)
    for key in now:
        if key not in before:
            yield _difference(key, ABSENT, MASK)
    declared = values_of(recorded.sent)
    proof = None
    if recorded.secret_skeleton is not None:
        proof = proves_unchanged(recorded.secret_skeleton, recorded.content_hash, subject.live)
    known = [key for key in before if key in now]
    suspects = [key for key in known if not (proof and key in declared) and _touched(subject, key, key in declared)]
    if proof is False and _re_created(subject) and sum(key in declared for key in suspects) > 1:
        # who creates a Secret holds all its keys, so that says nothing of the one that changed
        suspects = [key for key in suspects if key not in declared]
    for key in suspects:
        yield _difference(key, MASK, MASK, CHANGED)
    if proof is False and not any(key in declared for key in suspects):
        keys = [key for key in declared if key in now]
        if len(keys) == 1:
            yield _difference(keys[0], MASK, MASK, CHANGED)
        else:
            yield Difference((Key("data"),), MASK, MASK, ANY, None, CHANGED_SOMEWHERE)


def values_of(secret: JsonObject) -> dict[str, Any]:
    """Returns the ``data`` of a Secret, empty where there is none (or no map: the server refuses that)."""
    data = secret.get("data")
    return data if isinstance(data, dict) else {}


def _re_created(subject: Subject) -> bool:
    return subject.recorded is not None and subject.live["metadata"].get("uid", "") != subject.recorded.uid


def _touched(subject: Subject, key: str, declared: bool) -> bool:
    """Whether managedFields speak of a change to a key that was there at the record and still is."""
    recorded = subject.recorded
    if recorded is None:
        return False
    path = _path(key)
    owner = subject.owner(path)
    if owner is None:
        # without any entry the server has forgotten everybody, and a key of ours did not leave us for anyone
        return declared and bool(subject.entries) and recorded.secret_skeleton is None
    # an equal value that somebody else applied as well is theirs and ours; what was written as stringData stays ours
    ours = [entry for entry in subject.entries if entry.manager == recorded.manager and entry.lists(path)]
    if declared and not ours and owner.manager != recorded.manager:
        return True
    writers = [owner] if not ours or not owner.lists(path) else ours
    return any(later(entry.time, recorded.time) for entry in writers)


def _path(key: str) -> Path:
    return (Key("data"), Key(key))


def _difference(key: str, left: Any, right: Any, note: str = "") -> Difference:
    return Difference(_path(key), left, right, ANY, None, note)
