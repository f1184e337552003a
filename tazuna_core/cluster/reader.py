"""What a command may ask of a cluster, whatever stands behind it: objects, scopes, schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.schema import Schema


class Reason(StrEnum):
    """Why an object could not be had. Only ``NOT_FOUND`` is an answer about the object; the rest are unknown."""

    NOT_FOUND = "not-found"
    """404, and the Status names the object (verdicts 6)."""
    NOT_SERVED = "kind-not-served"
    FORBIDDEN = "forbidden"
    UNAUTHORIZED = "unauthorized"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    NOT_IN_SNAPSHOT = "not-in-snapshot"
    INVALID = "invalid"
    """The server refuses the reference itself (an impossible name)."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The answer for an object that was not returned."""

    reason: Reason
    message: str = ""

    @property
    def missing(self) -> bool:
        """Whether the server says that there is no such object."""
        return self.reason is Reason.NOT_FOUND


Answer = JsonObject | Unavailable


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One served kind: the plural that URLs use and whether it lives in namespaces."""

    plural: str
    namespaced: bool


class Kinds(Protocol):
    """The kinds that a cluster serves."""

    def get(self, api_version: str, kind: str) -> KindInfo | None:
        """Returns the kind, or None where it is not served or not known."""

    def effective(self, ref: ObjectRef) -> ObjectRef:
        """Returns ``ref`` with its effective namespace.

        Namespaced kinds without one get ``default``, cluster-scoped kinds lose theirs, unknown kinds stay as written
        (verdicts 2, C26).
        """


class ClusterReader(Protocol):
    """Reads live objects. One unreadable object never ends the run; only a cluster that cannot be read at all does."""

    @property
    def name(self) -> str | None:
        """The kubeconfig context in use, or None (in-cluster, snapshot)."""

    def kinds(self) -> Kinds:
        """Returns what is served. Raises ClusterError when the cluster cannot be reached or refuses the credentials."""

    def read(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        """Returns an answer for every ref (with effective namespaces, see ``Kinds.effective``)."""

    def read_metadata(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        """As ``read``, but objects need hold no more than apiVersion, kind and metadata: cheap where little changed."""

    def list_kind(self, api_version: str, kind: str, namespace: str = "") -> list[JsonObject] | Unavailable:
        """Returns all objects of a kind (in one namespace where given): every page, always."""

    def schema(self, api_version: str, kind: str) -> Schema | None:
        """Returns the schema of a kind, or None where the cluster has none; the caller then uses the built-in table."""

    def server_version(self) -> str:
        """Returns the server's version, such as ``v1.36.3``, or the empty string."""
