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
    """Returns a built Secret with its values taken out; ``proves_unchanged`` fills them in again."""
    out = copy.deepcopy(built)
    for field in ("data", "stringData"):
        if isinstance(out.get(field), dict):
            out[field] = dict.fromkeys(out[field])
    return out


def proves_unchanged(skeleton: JsonObject, stored_hash: str, live: JsonObject) -> bool | None:
    """Whether the live values are those that were applied: filled into the skeleton they give the stored hash.

    None when they cannot be filled in (a key is gone, a value of stringData is no text).
    """
    data = live.get("data") or {}
    filled = copy.deepcopy(skeleton)
    for field in ("data", "stringData"):
        for key in filled.get(field) or {}:
            if key not in data:
                return None
            value: Any = data[key]
            if not isinstance(value, str):
                return None  # a snapshot: values were masked when it was taken
            if field == "stringData":
                raw = decoded(value)
                try:
                    value = raw.decode() if raw is not None else None
                except UnicodeDecodeError:
                    return None
            filled[field][key] = value
    return content_hash(filled) == stored_hash


def secret_differences(subject: Subject) -> Iterator[Difference]:
    """Yields the keys of ``data`` that were added, removed or changed since the record (verdicts 3, Secrets).

    A key counts as changed when it left our entry or its entry is newer than the record, unless the content hash
    proves that no declared value changed.
    """
    recorded = subject.recorded
    if recorded is None:
        return
    before = recorded.answer.get("data") or {}
    now = subject.live.get("data") or {}
    for key in before:
        if key not in now:
            yield _difference(key, MASK, ABSENT)
    for key in now:
        if key not in before:
            yield _difference(key, ABSENT, MASK)
    declared = recorded.sent.get("data") or {}
    proof = None
    if recorded.secret_skeleton is not None:
        proof = proves_unchanged(recorded.secret_skeleton, recorded.content_hash, subject.live)
    suspects = [key for key in before if key in now and (key not in declared or not proof) and _touched(subject, key)]
    for key in suspects:
        yield _difference(key, MASK, MASK, CHANGED)
    if proof is False and not any(key in declared for key in suspects):
        keys = [key for key in declared if key in now]
        if len(keys) == 1:
            yield _difference(keys[0], MASK, MASK, CHANGED)
        else:
            yield Difference((Key("data"),), MASK, MASK, ANY, None, CHANGED_SOMEWHERE)


def _touched(subject: Subject, key: str) -> bool:
    recorded = subject.recorded
    owner = subject.owner(_path(key))
    if owner is None or recorded is None:
        return recorded is not None and key in (recorded.sent.get("data") or {}) and not recorded.secret_skeleton
    if owner.manager == recorded.manager:
        return bool(owner.time) and owner.time > recorded.time
    return key in (recorded.sent.get("data") or {}) or owner.time > recorded.time


def _path(key: str) -> Path:
    return (Key("data"), Key(key))


def _difference(key: str, left: Any, right: Any, note: str = "") -> Difference:
    return Difference(_path(key), left, right, ANY, None, note)
