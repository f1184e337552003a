"""Which object is meant: identity, state key, reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from tazuna_core.errors import StateError

JsonObject = dict[str, Any]
"""A Kubernetes object as parsed JSON."""


class Identity(NamedTuple):
    """What makes two descriptions the same object: never the version, never the manifest (verdicts 2, C26)."""

    group: str
    kind: str
    namespace: str
    name: str


class ObjectRef(NamedTuple):
    """One object at one version, as the API server is asked for it. ``namespace`` is empty for cluster scope."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def group(self) -> str:
        return split_api_version(self.api_version)[0]

    @property
    def version(self) -> str:
        return split_api_version(self.api_version)[1]

    @property
    def identity(self) -> Identity:
        return Identity(self.group, self.kind, self.namespace, self.name)

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)


@dataclass(frozen=True, slots=True, order=True)
class StateKey:
    """The name of an object in the state: ``manifest/group/version/kind[/namespace]/name`` (format reference, 3).

    ``namespace`` is what the *built* object says (after the manifest's default namespace), so it can be empty for a
    namespaced object and set for a cluster-scoped one.
    """

    manifest: str
    group: str
    version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        parts = [self.manifest, self.group, self.version, self.kind]
        if self.namespace:
            parts.append(self.namespace)
        return "/".join([*parts, self.name])

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def ref(self) -> ObjectRef:
        """The object as written; its effective namespace is known only with the kind's scope."""
        return ObjectRef(self.api_version, self.kind, self.namespace, self.name)

    @classmethod
    def of(cls, manifest: str, obj: JsonObject) -> StateKey:
        """Returns the key of a built object of ``manifest``."""
        group, version = split_api_version(_text(obj.get("apiVersion")))
        metadata = obj.get("metadata") or {}
        kind, namespace, name = obj.get("kind"), metadata.get("namespace"), metadata.get("name")
        return cls(manifest, group, version, _text(kind), _text(namespace), _text(name))

    @classmethod
    def parse(cls, text: str) -> StateKey:
        """Reads a state key.

        Five parts mean cluster scope (or an omitted namespace), six a namespace. Names of Kubernetes objects hold no
        ``/``, so the split is exact. Raises StateError when the text has another number of parts.
        """
        parts = text.split("/")
        if len(parts) == 5:
            manifest, group, version, kind, name = parts
            return cls(manifest, group, version, kind, "", name)
        if len(parts) == 6:
            return cls(*parts)
        raise StateError(
            f"'{text}' is not a state key",
            advice="A state key is manifest/group/version/kind/namespace/name, the namespace only where there is one.",
        )


def split_api_version(api_version: str) -> tuple[str, str]:
    """Splits ``apps/v1`` into group and version; the core group is the empty string."""
    group, slash, version = api_version.partition("/")
    return (group, version) if slash else ("", api_version)


def _text(value: Any) -> str:
    """The Go CLI reads these fields as strings and takes anything else as empty."""
    return value if isinstance(value, str) else ""
