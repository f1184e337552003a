"""What a comparison says: verdicts of fields and of objects, as plain values with the contract's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tazuna_core.errors import Place
from tazuna_core.objects.identity import StateKey
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.managers import Origin
from tazuna_core.objects.paths import ABSENT, Path

Side = Literal["recorded", "desired", "live"]
Verdict = Literal["planned", "drifted", "conflict", "already-there", "extra", "normalised"]
ObjectClass = Literal["added", "modified", "removed", "drifted", "missing", "conflict", "unknown-extra"]
"""What an object can be listed for; also the words that ``--fail-on-drift`` takes."""
Status = Literal[
    "unknown",
    "conflict",
    "live-missing",
    "added",
    "removed",
    "modified",
    "live-drifted",
    "deleting",
    "expired",
    "superseded",
    "moved",
    "always-sync",
    "unchanged",
]
"""An object's status; where several hold, the first in this order."""
Method = Literal["record", "managed-fields", "built", "dry-run", "hash"]
Confidence = Literal["exact", "high", "heuristic"]
OnMerge = Literal["reverted", "kept"]


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """One path and what is said of it. Sides without the field hold ABSENT; values of Secrets are masked already."""

    path: Path
    pointer: str
    verdict: Verdict
    recorded: Any = ABSENT
    desired: Any = ABSENT
    live: Any = ABSENT
    owner: FieldsEntry | None = None
    origin: Origin = "unknown"
    on_merge: OnMerge | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class HiddenDifference:
    """A difference that a rule hides. It goes to the report's ledger."""

    rule: str
    path: Path
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ObjectVerdict:
    """What is said of one object of a manifest."""

    key: StateKey
    status: Status
    classes: frozenset[ObjectClass] = frozenset()
    hashes: dict[str, str] = field(default_factory=dict)
    method: Method = "record"
    confidence: Confidence = "exact"
    fields: tuple[FieldVerdict, ...] = ()
    hidden: tuple[HiddenDifference, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: str = ""
    """Why the object could not be checked (fully); empty when it was."""
    message: str = ""
    """What the server said, where ``unchecked``."""
    place: Place | None = None
    """Where a file of the repository declares the object, where it is one that people write."""


STATUS_ORDER: tuple[Status, ...] = (
    "unknown", "conflict", "live-missing", "added", "removed", "modified", "live-drifted", "deleting", "expired",
    "superseded", "moved", "always-sync", "unchanged",
)  # fmt: skip


def worst_status(statuses: set[Status]) -> Status:
    """Returns the status that wins (contract, section 4); ``unchanged`` for none."""
    return next((status for status in STATUS_ORDER if status in statuses), "unchanged")
