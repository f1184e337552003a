"""The bench's own reading of OpenAPI v3: which lists have keys, which are sets, which maps are owned as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
_REF = "#/components/schemas/"


class Node:
    """One place in a published schema; a place that it does not describe is an empty node."""

    def __init__(self, raw: Json, components: Mapping[str, Json]) -> None:
        self._components = components
        self.raw = self._resolve(raw)

    def _resolve(self, raw: Json) -> Json:
        for candidate in (raw, *raw.get("allOf", ())):
            if "$ref" in candidate:
                return {**self._components.get(candidate["$ref"].removeprefix(_REF), {}), **raw}
        return raw

    def _node(self, raw: Any) -> Node:
        return Node(raw if isinstance(raw, dict) else {}, self._components)

    def field(self, name: str) -> Node:
        """The place of a field or map entry."""
        return self._node(self.raw.get("properties", {}).get(name, self.raw.get("additionalProperties")))

    @property
    def item(self) -> Node:
        """The place of a list's items."""
        return self._node(self.raw.get("items"))

    @property
    def properties(self) -> Mapping[str, Json]:
        """The fields of a struct, by name."""
        return self.raw.get("properties", {})

    @property
    def is_map(self) -> bool:
        """Whether its keys are data (labels), not fields."""
        return isinstance(self.raw.get("additionalProperties"), dict) and not self.properties

    @property
    def atomic(self) -> bool:
        """Whether it is a map that is owned as a whole."""
        return self.raw.get("x-kubernetes-map-type") == "atomic"

    @property
    def list_keys(self) -> tuple[str, ...]:
        """The key fields of a keyed list, none for other lists."""
        if self.raw.get("x-kubernetes-list-type") == "map":
            return tuple(self.raw.get("x-kubernetes-list-map-keys", ()))
        key = self.raw.get("x-kubernetes-patch-merge-key")
        return (key,) if key and "x-kubernetes-list-type" not in self.raw else ()

    @property
    def is_set(self) -> bool:
        """Whether it is a list whose items are their own keys."""
        if "x-kubernetes-list-type" in self.raw:
            return bool(self.raw["x-kubernetes-list-type"] == "set")
        return "merge" in self.raw.get("x-kubernetes-patch-strategy", "") and not self.list_keys

    @property
    def merge_key(self) -> str:
        """The key by which a strategic merge patch finds list items."""
        return str(self.raw.get("x-kubernetes-patch-merge-key", ""))

    def key_default(self, key: str) -> Any:
        """The default of a key field, None where it has none."""
        return self.item.field(key).raw.get("default")


class Catalogue:
    """The schemas of a cluster, one document a group-version, asked for once."""

    def __init__(self, get: Callable[[str], Any]) -> None:
        self._get = get
        self._documents: dict[str, Json] = {}

    def forget(self, api_version: str) -> None:
        """Asks again next time, for a CRD may have changed."""
        self._documents.pop(api_version, None)

    def node(self, api_version: str, kind: str) -> Node:
        """The schema of a kind; an empty node where there is none."""
        if api_version not in self._documents:
            prefix = "apis" if "/" in api_version else "api"
            document = self._get(f"/openapi/v3/{prefix}/{api_version}") or {}
            self._documents[api_version] = document.get("components", {}).get("schemas", {})
        components = self._documents[api_version]
        group, _, version = api_version.rpartition("/")
        wanted = {"group": group, "version": version, "kind": kind}
        for component in components.values():
            if wanted in component.get("x-kubernetes-group-version-kind", ()) and "metadata" in component.get(
                "properties", {}
            ):
                return Node(component, components)
        return Node({}, components)
