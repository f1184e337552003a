"""What was applied, as values: the state (the Go CLI's, one hash an object) and the record (ours, the whole answer)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tazuna_core.objects.identity import JsonObject, StateKey

NAMESPACE = "tazuna"
"""The namespace that state, record and lock live in."""


@dataclass(frozen=True, slots=True)
class ManifestState:
    """The state of one manifest: content hash by state key (text), and when and from which commit it was written."""

    manifest: str
    hashes: Mapping[str, str] = field(default_factory=dict)
    git_commit: str = ""
    last_synced_at: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a manifest was applied from. Two sources never prune each other's objects."""

    repository: str = ""
    file: str = ""
    environment: str = ""

    def __str__(self) -> str:
        environment = f" (environment {self.environment})" if self.environment else ""
        return f"{self.repository or 'no repository'}:{self.file}{environment}"


class Parts(NamedTuple):
    """``answer`` is the server's whole answer without status, server metadata and secret values; ``sent`` is what was
    sent, in the same form, and so the declared fields. ``secret_skeleton`` (Secrets only) is the built object with its
    values taken out: filled with live values, its content hash proves that no value changed.
    """

    answer: JsonObject
    sent: JsonObject
    secret_skeleton: JsonObject | None = None


class Content:
    """The large part of a recorded object, read when somebody looks: of an object nobody touched, nobody does."""

    __slots__ = ("_parts", "line")

    def __init__(self, parts: Parts | Callable[[], Parts], line: bytes = b""):
        """Takes the parts, or what reads them (it may raise StateError) and the ``line`` they are read from."""
        self._parts, self.line = parts, line

    @property
    def parts(self) -> Parts:
        """What was answered and sent."""
        if not isinstance(self._parts, Parts):
            self._parts = self._parts()
        return self._parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.parts == other.parts

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class RecordedObject:
    """What the last apply of one object left; see ``Parts`` for what is in ``content``."""

    key: StateKey
    content_hash: str
    uid: str
    resource_version: str
    generation: int
    time: str
    manager: str
    content: Content
    managers: frozenset[str] = frozenset()
    """Other managers that the first answer already had; they count as controllers."""

    @property
    def answer(self) -> JsonObject:
        return self.content.parts.answer

    @property
    def sent(self) -> JsonObject:
        return self.content.parts.sent

    @property
    def secret_skeleton(self) -> JsonObject | None:
        return self.content.parts.secret_skeleton


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one manifest."""

    manifest: str
    source: Source = field(default_factory=Source)
    git_commit: str = ""
    recorded_at: str = ""
    objects: Mapping[str, RecordedObject] = field(default_factory=dict)
    """By state key (text)."""


@dataclass(frozen=True, slots=True)
class Applied:
    """State and record of one manifest together, with what guards their next write."""

    manifest: str
    state: ManifestState | None = None
    record: Record | None = None
    state_version: str = ""
    record_version: str = ""
    problem: str = ""
    """Why the record cannot be used, where there is one that cannot."""

    def hashes(self) -> dict[str, str]:
        """Content hash by state key: the state's entries, and those that only the record can hold (names with ``:``).

        A record whose state is gone speaks for itself; an entry that the state holds too is the state's.
        """
        out = dict(self.state.hashes) if self.state else {}
        if self.record:
            for text, obj in self.record.objects.items():
                if text not in out and (self.state is None or not storable(obj.key)):
                    out[text] = obj.content_hash
        return out

    def recorded(self, key: str) -> RecordedObject | None:
        """Returns the recorded object of a state key; None where there is none or it is void.

        It is void when the state has another hash (the Go CLI applied since), or no entry though it could hold one.
        """
        obj = self.record.objects.get(key) if self.record else None
        if obj is None or self.state is None:
            return obj
        stored = self.state.hashes.get(key)
        confirmed = stored == obj.content_hash if stored is not None else not storable(obj.key)
        return obj if confirmed else None


def data_key(key: StateKey) -> str:
    """Returns the ConfigMap key of a state key."""
    return str(key).replace("/", "__")


def storable(key: StateKey) -> bool:
    """Whether a ConfigMap can hold the key: ``[-._a-zA-Z0-9]+``, 253 characters (C-names such as system:x cannot)."""
    text = data_key(key)
    return len(text) <= 253 and all(char.isascii() and (char.isalnum() or char in "-._") for char in text)
