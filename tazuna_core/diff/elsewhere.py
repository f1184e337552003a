"""Entries written at another version of the API: who holds what we see, and what this version cannot show (verdicts 5).

A HorizontalPodAutoscaler that was edited at v2 looks untouched at v1, except for annotations that encode the fields v1
does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managed_fields import FieldsEntry, entries_of, leaf_paths
from tazuna_core.objects.managers import Origin
from tazuna_core.objects.paths import ABSENT, Path, lookup, path_pointer
from tazuna_core.objects.schema import Schema
from tazuna_core.objects.times import later

ENCODED_PREFIX = "autoscaling.alpha.kubernetes.io/"
"""Annotations by which older versions of an autoscaler carry what they have no field for."""


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """One entry of another version, after the object was read at that version.

    ``shared`` are its paths that both versions have, with one value; ``unseen`` (path, pointer, value) those that the
    version of the comparison does not show.
    """

    entry: FieldsEntry
    shared: frozenset[Path]
    unseen: tuple[tuple[Path, str, object], ...]

    def holds(self, path: Path) -> bool:
        """Whether the entry lists a path of the compared version, or what an added structure there consists of."""
        return any(listed[: len(path)] == path for listed in self.shared)


def written_since(live: JsonObject, since: str) -> list[FieldsEntry]:
    """Returns the entries in other versions than the object's that are newer than ``since``."""
    return [
        entry
        for entry in entries_of(live)
        if entry.api_version != live.get("apiVersion") and entry.subresource != "status" and later(entry.time, since)
    ]


def versions_of(entries: Iterable[tuple[FieldsEntry, Origin]]) -> list[str]:
    """Returns the apiVersions to read: those at which a person or somebody unknown wrote."""
    return list(dict.fromkeys(entry.api_version for entry, origin in entries if origin in ("person", "unknown")))


def other_versions(
    live: JsonObject, schema: Schema, at_version: JsonObject, its_schema: Schema, since: str
) -> Iterator[OtherVersion]:
    """Yields what each entry of the version of ``at_version`` (the same object, read there) says of ``live``."""
    for entry in written_since(live, since):
        if entry.api_version != at_version.get("apiVersion"):
            continue
        shared, unseen = set(), []
        for path in leaf_paths(entry, its_schema):
            there, here = lookup(at_version, path, its_schema), lookup(live, path, schema)
            if there is ABSENT:
                continue
            if here is ABSENT:
                unseen.append((path, path_pointer(path, at_version, its_schema), there))
            elif same(here, there):
                shared.add(path)
        yield OtherVersion(entry, frozenset(shared), tuple(unseen))
