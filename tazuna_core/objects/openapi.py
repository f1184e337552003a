"""OpenAPI v3, as an API server publishes it, compiled into the schemas that comparison needs.

The compiled form is JSON data: a list of nodes that name each other by position, so that it can be kept in a file,
may be recursive (JSONSchemaProps is), and is unfolded only as far as somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.schema import ANY, Schema

FORMAT = 1
"""Version of the compiled form; files of another one are compiled anew."""

_REF = "#/components/schemas/"
_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern by which the schema of a custom resource says "quantity"."""
_KNOWN_REFS: dict[str, JsonObject] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"t": "scalar", "s": "quantity"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"t": "scalar", "s": "int-or-string"},
    # Published as objects without fields, but whatever is written there is kept, and owned as a whole (seen).
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"t": "any", "a": 1},
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {"t": "any", "a": 1},
}
_EMBEDDED_FIELDS = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {}}
_SCALARS = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
_FORMATS = {"byte": "bytes", "date-time": "time", "int-or-string": "int-or-string"}
_MARKS = (
    "x-kubernetes-map-type",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
)


def compile_openapi(documents: Iterable[JsonObject]) -> JsonObject:
    """Compiles OpenAPI v3 documents of one or more group-versions.

    Returns ``{"format", "nodes", "kinds": {apiVersion: {kind: node}}}`` for ``Schemas``. Kinds are those with metadata
    of their own; lists and options have no place in a manifest.
    """
    compiler = _Compiler()
    for document in documents:
        compiler.add((document.get("components") or {}).get("schemas") or {})
    return {"format": FORMAT, "nodes": compiler.nodes, "kinds": compiler.kinds}


class Schemas:
    """The schemas in a compiled form, by apiVersion and kind."""

    def __init__(self, compiled: JsonObject) -> None:
        self._nodes: list[JsonObject] = compiled["nodes"]
        self._kinds: Mapping[str, Mapping[str, int]] = compiled["kinds"]
        self._unfolded: dict[int, Schema] = {}

    def get(self, api_version: str, kind: str) -> Schema | None:
        """Returns the schema of a kind, or None where there is none."""
        index = self._kinds.get(api_version, {}).get(kind)
        return None if index is None else self.at(index)

    def kinds(self) -> Iterator[tuple[str, str]]:
        """Yields apiVersion and kind of every schema."""
        for api_version, kinds in self._kinds.items():
            for kind in kinds:
                yield api_version, kind

    def at(self, index: int) -> Schema:
        """Returns the schema at a position of the node list."""
        found = self._unfolded.get(index)
        if found is not None:
            return found
        # A list of itself would never end; nothing is known of such a thing.
        self._unfolded[index] = ANY
        node = self._nodes[index]
        self._unfolded[index] = schema = Schema(
            type=node["t"],
            scalar=node.get("s", ""),
            properties=_Fields(self, node["p"]) if "p" in node else {},
            values=self.at(node["v"]) if "v" in node else None,
            items=self.at(node["i"]) if "i" in node else None,
            list_type=node.get("l", "atomic"),
            list_keys=tuple(node.get("k", ())),
            key_defaults=node.get("d", {}),
            atomic=bool(node.get("a")),
            open=bool(node.get("o")),
            embedded=bool(node.get("e")),
        )
        return schema


class _Fields(Mapping[str, Schema]):
    """Fields of a struct, unfolded when they are looked at."""

    __slots__ = ("_indices", "_schemas")

    def __init__(self, schemas: Schemas, indices: Mapping[str, int]) -> None:
        self._schemas = schemas
        self._indices = indices

    def __getitem__(self, key: str) -> Schema:
        return self._schemas.at(self._indices[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)

    def __contains__(self, key: object) -> bool:
        return key in self._indices


class _Compiler:
    """Turns OpenAPI components into nodes; equal nodes are one."""

    def __init__(self) -> None:
        self.nodes: list[JsonObject] = []
        self.kinds: dict[str, dict[str, int]] = {}
        self._components: Mapping[str, JsonObject] = {}
        self._by_name: dict[str, int] = {}
        self._by_content: dict[bytes, int] = {}

    def add(self, components: Mapping[str, JsonObject]) -> None:
        self._components = components
        for name in sorted(components):
            component = components[name]
            if not _is_object(component):
                continue
            for kind in component.get("x-kubernetes-group-version-kind") or []:
                api_version = f"{kind['group']}/{kind['version']}" if kind["group"] else kind["version"]
                self.kinds.setdefault(api_version, {})[kind["kind"]] = self._component(name)

    def _component(self, name: str) -> int:
        index = self._by_name.get(name)
        if index is None:
            # The place is taken before the content is known, for the content may lead back here.
            index = self._by_name[name] = len(self.nodes)
            self.nodes.append({"t": "any"})
            self.nodes[index] = _KNOWN_REFS.get(name) or self._content(self._components.get(name) or {})
        return index

    def _node(self, schema: JsonObject) -> int:
        target = _reference(schema)
        if target is not None:
            marks = {key: schema[key] for key in _MARKS if key in schema}
            if not marks:
                return self._component(target)
            # A field may mark what it refers to, such as a struct that is atomic here and nowhere else.
            return self._inline(self._content({**(self._components.get(target) or {}), **marks}))
        return self._inline(self._content(schema))

    def _inline(self, content: JsonObject) -> int:
        key = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        index = self._by_content.get(key)
        if index is None:
            index = self._by_content[key] = len(self.nodes)
            self.nodes.append(content)
        return index

    def _content(self, schema: JsonObject) -> JsonObject:
        if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
            return {"t": "scalar", "s": "quantity" if schema.get("pattern") == _QUANTITY else "int-or-string"}
        kind = schema.get("type")
        if kind == "array":
            return self._list(schema)
        if kind in _SCALARS:
            if schema.get("pattern") == _QUANTITY:
                return {"t": "scalar", "s": "quantity"}
            return {"t": "scalar", "s": _FORMATS.get(schema.get("format", ""), _SCALARS[kind])}
        if kind == "object" or "properties" in schema or "additionalProperties" in schema:
            return self._object(schema)
        return {"t": "any"}

    def _object(self, schema: JsonObject) -> JsonObject:
        node: JsonObject = {"t": "object"}
        properties = schema.get("properties") or {}
        if schema.get("x-kubernetes-embedded-resource"):
            properties = {**_EMBEDDED_FIELDS, **properties}
        if properties:
            node["p"] = {name: self._node(field) for name, field in properties.items()}
        values = schema.get("additionalProperties", False)
        if values is not False:
            node["v"] = self._node(values if isinstance(values, dict) else {})
        if schema.get("x-kubernetes-map-type") == "atomic":
            node["a"] = 1
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            node["o"] = 1
        if schema.get("x-kubernetes-embedded-resource"):
            node["e"] = 1
        return node

    def _list(self, schema: JsonObject) -> JsonObject:
        items = schema.get("items") or {}
        node: JsonObject = {"t": "list", "i": self._node(items)}
        list_type, keys = _list_type(schema)
        if list_type != "atomic":
            node["l"] = list_type
        if keys:
            node["k"] = keys
            fields = self._resolved(items).get("properties") or {}
            defaults = {key: fields[key]["default"] for key in keys if "default" in (fields.get(key) or {})}
            if defaults:
                node["d"] = defaults
        return node

    def _resolved(self, schema: JsonObject) -> JsonObject:
        target = _reference(schema)
        return schema if target is None else self._components.get(target) or {}


def _reference(schema: JsonObject) -> str | None:
    """Returns the component that a schema refers to, directly or, beside a default or description, in ``allOf``."""
    for candidate in (schema, *(schema.get("allOf") or [])):
        target = candidate.get("$ref")
        if target is not None:
            return str(target).removeprefix(_REF)
    return None


def _list_type(schema: JsonObject) -> tuple[str, list[str]]:
    """Returns how server-side apply merges a list, and by which keys.

    A list that says nothing of server-side apply is merged by its strategic-merge key, or as a set where it has the
    strategy but no key (kube-openapi, schemaconv): so do servers from before all built-in lists were marked.
    """
    list_type = schema.get("x-kubernetes-list-type")
    if list_type == "map":
        return "map", list(schema.get("x-kubernetes-list-map-keys") or [])
    if list_type is None and "merge" in str(schema.get("x-kubernetes-patch-strategy", "")).split(","):
        key: Any = schema.get("x-kubernetes-patch-merge-key")
        return ("map", [key]) if key else ("set", [])
    return ("set", []) if list_type == "set" else ("atomic", [])


def _is_object(component: JsonObject) -> bool:
    metadata = (component.get("properties") or {}).get("metadata")
    return metadata is not None and (_reference(metadata) or "").endswith(".ObjectMeta")
