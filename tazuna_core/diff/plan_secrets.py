"""What a plan says of a Secret's keys: values are compared in memory as bytes, and none is ever part of a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tazuna_core.diff.fields import pointer_of
from tazuna_core.diff.secrets import CHANGED, MASK, values_of
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import FieldVerdict, OnMerge, Verdict
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.paths import ABSENT, Key, Path
from tazuna_core.objects.sendable import decoded

KEY_ADDED = "key added"
KEY_REMOVED = "key removed"
KEY_REMOVED_BY_HAND = "key removed by hand"
INVALID_BASE64 = "invalid base64"
UNKNOWN_VALUE = "the live value is not known here"

Found = tuple[Verdict, str]
_DATA: Path = (Key("data"),)


def is_data(path: Path) -> bool:
    """Whether a path is a Secret's values, or one of them."""
    return path[:1] == _DATA


def without_data(obj: JsonObject) -> JsonObject:
    """Returns a Secret without its values."""
    return {key: value for key, value in obj.items() if key not in ("data", "stringData")}


def data_fields(
    subject: Subject, sent: JsonObject, by_hand: Iterable[FieldVerdict], *, unchanged: bool
) -> Iterator[FieldVerdict]:
    """Yields what is said of each key: what merging does to it, and whether that meets a change by hand.

    ``by_hand`` is what the record says was changed; where ``unchanged`` (the build is what was applied) the bytes
    confirm it or not, key by key.
    """
    touched = {field.path: field for field in by_hand if is_data(field.path)}
    somewhere = touched.pop(_DATA, None)
    recorded = values_of(subject.recorded.sent) if subject.recorded else None
    desired, live = values_of(sent), values_of(subject.live)
    for key in dict.fromkeys([*desired, *(recorded or ())]):
        path: Path = (*_DATA, Key(key))
        hand = touched.pop(path, None)
        before = key in recorded if recorded is not None else unchanged
        if path in subject.unstable and key in desired and key in live:
            found: Found | None = ("drifted", CHANGED) if hand is not None else None
        elif unchanged and recorded is not None:
            found = _confirmed(desired.get(key), live.get(key), hand or somewhere)
        else:
            found = _planned(desired.get(key), live.get(key), before, hand is not None)
        if found is not None:
            yield _field(subject, key, hand, found, (before, key in desired, key in live), unchanged=unchanged)
    yield from touched.values()
    if somewhere is not None and not unchanged:
        yield somewhere


def _confirmed(desired: Any, live: Any, hand: FieldVerdict | None) -> Found | None:
    if hand is None or (live is not None and same_bytes(desired, live)):
        return None
    return "drifted", CHANGED if live is not None else KEY_REMOVED_BY_HAND


def _planned(desired: Any, live: Any, before: bool, by_hand: bool) -> Found | None:
    if desired is None:
        return ("already-there", "") if live is None else ("conflict" if by_hand else "planned", KEY_REMOVED)
    if decoded(desired) is None:
        return "planned", INVALID_BASE64
    if live is None:
        return ("drifted", KEY_REMOVED_BY_HAND) if before else ("planned", KEY_ADDED)
    if not isinstance(live, str):
        return "conflict" if by_hand else "planned", UNKNOWN_VALUE
    if same_bytes(desired, live):
        return None if before and not by_hand else ("already-there", "")
    return ("conflict" if by_hand else "planned"), CHANGED


def same_bytes(desired: Any, live: Any) -> bool:
    """C06: base64 may be written in several ways. What cannot be decoded equals nothing."""
    one, two = decoded(desired), decoded(live)
    return one is not None and one == two


def _field(
    subject: Subject,
    key: str,
    hand: FieldVerdict | None,
    found: Found,
    sides: tuple[bool, bool, bool],
    *,
    unchanged: bool,
) -> FieldVerdict:
    verdict, note = found
    path: Path = (*_DATA, Key(key))
    recorded, desired, live = (MASK if side else ABSENT for side in sides)
    owner: FieldsEntry | None = subject.owner(path) if sides[2] else None
    if unchanged and subject.recorded is None and note == CHANGED:
        verdict = "drifted"
    on_merge: OnMerge | None = None
    if verdict in ("conflict", "drifted"):
        on_merge = "kept" if unchanged else "reverted"
    return FieldVerdict(
        path,
        pointer_of(subject, path),
        verdict,
        recorded,
        desired,
        live,
        hand.owner if hand else owner,
        hand.origin if hand else subject.origin(owner),
        on_merge,
        note,
    )
