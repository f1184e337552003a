"""A built object: its data, where it was written, and what the state calls it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tazuna_core.errors import Place
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import JsonObject, ObjectRef, StateKey


@dataclass(frozen=True)
class BuiltObject:
    """One object of a manifest as it was rendered. ``data`` is never changed after loading."""

    key: StateKey
    data: JsonObject
    place: Place | None = None

    @cached_property
    def content_hash(self) -> str:
        """The hash that the state holds for this object: 64 hex digits."""
        return content_hash(self.data)

    @property
    def ref(self) -> ObjectRef:
        return self.key.ref


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that does not stop the work but that the user should see: code, sentence, place."""

    code: str
    message: str
    place: Place | None = None
