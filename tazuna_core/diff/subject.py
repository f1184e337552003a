"""What a comparison knows of one object, and of the run it is part of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from tazuna_core.diff.elsewhere import OtherVersion, versions_of, written_since
from tazuna_core.diff.ignore import IgnoreRule
from tazuna_core.objects.comparable import comparable
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, StateKey
from tazuna_core.objects.managed_fields import FieldsEntry, entries_of, owner_of
from tazuna_core.objects.managers import OUR_MANAGER, Origin, origin_of
from tazuna_core.objects.paths import Key, Path
from tazuna_core.objects.schema import ANY, ANY_OBJECT, Schema
from tazuna_core.objects.sendable import is_secret
from tazuna_core.state.model import RecordedObject


@dataclass(frozen=True)
class RunContext:
    """What holds for all objects of a run. ``ignore`` is empty under ``--no-ignore``."""

    controllers: frozenset[str] = frozenset()
    autoscaled: frozenset[Identity] = frozenset()
    ignore: tuple[IgnoreRule, ...] = ()
    today: date = field(default=date.min)


@dataclass(frozen=True)
class Subject:
    """One object under comparison. ``ref`` has the effective namespace; the schema is loaded only when sides differ."""

    key: StateKey
    ref: ObjectRef
    live: JsonObject
    load_schema: Callable[[], Schema]
    context: RunContext
    recorded: RecordedObject | None = None
    unstable: frozenset[Path] = frozenset()
    """Paths that no two renders agree on (verdicts 9)."""
    elsewhere: tuple[OtherVersion, ...] = ()
    """What was written at other versions since the record, where the object was read at those too."""

    @cached_property
    def schema(self) -> Schema:
        loaded = self.load_schema()
        return ANY_OBJECT if loaded is ANY else loaded

    @cached_property
    def comparable_live(self) -> JsonObject:
        return comparable(self.live)

    @cached_property
    def entries(self) -> tuple[FieldsEntry, ...]:
        """The managedFields entries in the version that was read: paths of other versions are not these paths."""
        version = self.live.get("apiVersion")
        return tuple(entry for entry in entries_of(self.live) if entry.api_version == version)

    def unread_versions(self) -> list[str]:
        """Returns the other apiVersions at which the object has to be read, for somebody wrote there since the record.

        A Secret has one version, and values that are to be read once.
        """
        recorded = self.recorded
        same = recorded is not None and recorded.resource_version == self.live["metadata"].get("resourceVersion")
        if recorded is None or same or is_secret(self.live):
            return []
        return versions_of((entry, self.origin(entry)) for entry in written_since(self.live, recorded.time))

    def owner(self, path: Path, atomic: Path | None = None) -> FieldsEntry | None:
        """Returns who holds a path; of a Secret's value, the newer of who wrote it as data and as stringData."""
        owner = owner_of(self.entries, path, atomic)
        if path[:1] == (Key("data"),) and is_secret(self.live):
            as_text = owner_of(self.entries, (Key("stringData"), *path[1:]))
            if as_text is not None and (owner is None or as_text.time > owner.time):
                return as_text
        if owner is None and self.elsewhere:
            holders = [other.entry for other in self.elsewhere if other.holds(path)]
            return max(holders, key=lambda entry: entry.time, default=None)
        return owner

    def origin(self, entry: FieldsEntry | None) -> Origin:
        """Classifies an owner; managers that the first answer already had count as controllers."""
        if entry is None:
            return "unknown"
        if entry.manager in self.context.controllers and entry.manager != OUR_MANAGER:
            return "controller"  # the user knows better than our list of persons
        return origin_of(entry, self.recorded.managers if self.recorded else frozenset())
