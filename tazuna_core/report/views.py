"""What of a report is shown, in which order, and what a field's values are called: shared by all renderers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tazuna_core.diff.undeclared import CONTROLLER, SERVER_DEFAULT
from tazuna_core.diff.verdicts import Side, Status
from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.model import FieldChange, Hidden, ManifestReport, ObjectReport, Report
from tazuna_core.report.values import MaskedWord, masked_word

STATUSES: tuple[Status, ...] = get_args(Status)
DRIFT_COMMANDS = frozenset({"state drift", "state record", "adopt"})
"""Commands whose answer is about changes by hand."""
CONSEQUENCES = frozenset({"deployment revision", "kept by the server"})
"""Rules for what the server counts and notes of every object that is applied: in the ledger, no news in the morning."""
_ROUTINE = CONSEQUENCES | {CONTROLLER, SERVER_DEFAULT}
QUIET: frozenset[Status] = frozenset({"unchanged", "expired", "superseded"})
"""Statuses that nobody has to act on; listed with --all only."""
# The order of the Go CLI's frames first (format reference 4.1), then ours by precedence.
_FRAME_ORDER: dict[str, tuple[Status, ...]] = {
    "state diff": ("added", "modified", "removed", "always-sync"),
    "state drift": ("live-drifted", "live-missing"),
    "state record": ("live-drifted", "live-missing"),
    "adopt": ("live-drifted", "live-missing"),
    "plan": ("added", "conflict", "modified", "live-drifted", "live-missing", "removed"),
}


@dataclass(frozen=True, slots=True)
class Sided:
    """A value and the side it was read from; ABSENT where that side lacks the field."""

    side: Side
    value: Any


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as it is read: from what to what, and for a conflict what is live."""

    change: FieldChange
    before: Sided
    after: Sided
    other: Sided | None = None
    unrecorded: bool = False
    """Whether nobody knows what was there before: found by who wrote it, without a record."""

    @property
    def secret(self) -> MaskedWord | Literal["written"] | None:
        """What happened to a secret value; None where the values may be shown."""
        word = masked_word(self.before.value, self.after.value)
        if word is not None and self.unrecorded:
            return "written"
        if word is None and self.other is not None and masked_word(self.other.value, ABSENT):
            return "changed"
        return word

    @property
    def absent(self) -> str:
        """What stands for a side without a value, as a word of the catalogue."""
        return "value.unrecorded" if self.unrecorded else "value.absent"

    @property
    def fate(self) -> str:
        """What merging does to the field, as a word of the catalogue; empty where nothing is said."""
        if self.change.on_merge == "reverted" and self.change.verdict == "conflict":
            return "overwritten"
        return self.change.on_merge or ""

    def sides(self) -> tuple[Sided, ...]:
        """All sides, the live one of a conflict last."""
        return (self.before, self.after) if self.other is None else (self.before, self.after, self.other)


def view(field: FieldChange, obj: ObjectReport | None = None) -> FieldView:
    """Returns what a field of an object changed from and to, by its verdict (verdicts 1)."""
    recorded, desired, live = (Sided(side, _value(field, side)) for side in ("recorded", "desired", "live"))
    if field.verdict == "planned":
        # Without a record, what is replaced is what is live.
        return FieldView(field, recorded if field.has("recorded") or not field.has("live") else live, desired)
    if field.verdict == "conflict":
        return FieldView(field, recorded, desired, live)
    if field.verdict == "already-there":
        return FieldView(field, recorded, desired if field.has("desired") or not field.has("live") else live)
    before = desired if field.has("desired") and not field.has("recorded") and field.verdict != "extra" else recorded
    by_owner = obj is not None and obj.method == "managed-fields" and field.verdict == "drifted"
    return FieldView(field, before, live, unrecorded=by_owner and before.value is ABSENT)


def is_shown(obj: ObjectReport, command: str, show_all: bool) -> bool:
    """Tells whether an object gets a row: whatever differs always does."""
    if show_all or obj.classes or obj.fields:
        return True
    if obj.status == "always-sync":
        return command == "state diff"
    return obj.status not in QUIET


def shown(report: Report, show_all: bool = False) -> list[tuple[ManifestReport, list[ObjectReport]]]:
    """Returns the manifests that have rows, each with its objects in the order of the command's frame."""
    order = frame_order(report.command)
    result = []
    for manifest in report.manifests:
        objects = [obj for obj in manifest.objects if is_shown(obj, report.command, show_all)]
        if objects:
            result.append((manifest, sorted(objects, key=lambda obj: (order[obj.status], obj.key))))
    return result


def frame_order(command: str) -> dict[Status, int]:
    """Returns each status' place in the frame of ``command``."""
    first = _FRAME_ORDER.get(command, ())
    ordered = [*first, *(status for status in STATUSES if status not in first)]
    return {status: place for place, status in enumerate(ordered)}


def is_clean(report: Report) -> bool:
    """Tells whether "No changes" or "No drift" may be said: nothing differs and everything asked for was checked."""
    return report.coverage.complete and not report.errors and not differs(report)


def differs(report: Report) -> bool:
    """Tells whether anything differs: by its rows, by its counts or by its result, whichever says so."""
    counts = report.counts
    counted = (counts.added, counts.modified, counts.removed, counts.drifted, counts.missing, counts.conflict)
    return (
        any(counted)
        or counts.unknown_extra > 0
        or report.result in ("changed", "drifted")
        or any(obj.status != "unknown" for _, objects in shown(report) for obj in objects)
    )


def display_name(obj: ObjectReport) -> str:
    """Returns ``Kind/namespace/name``, without the namespace where there is none."""
    return "/".join(part for part in (obj.kind, obj.namespace, obj.name) if part)


def unlisted_unchecked(report: Report) -> list[tuple[str, str, str]]:
    """Returns key, reason and message of what could not be checked and has no row of its own."""
    rows = {obj.key for _, obj in report.objects()}
    return [(one.key, one.reason, one.message) for one in report.coverage.unchecked if one.key not in rows]


def reason_of(report: Report, key: str) -> str:
    """Returns why an object could not be checked; empty where it could."""
    return next((one.reason for one in report.coverage.unchecked if one.key == key), "")


def hidden_of(hidden: Iterable[Hidden]) -> dict[str, list[Hidden]]:
    """Groups the differences that rules hide by object key, for the notes beneath listed objects.

    What controllers and defaults of the server do to every object is in the ledger; beneath each it would be noise.
    """
    result: dict[str, list[Hidden]] = {}
    for one in hidden:
        if one.rule not in _ROUTINE:
            result.setdefault(one.key, []).append(one)
    return result


def _value(field: FieldChange, side: Side) -> Any:
    return getattr(field, side) if field.has(side) else ABSENT
