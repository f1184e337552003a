"""Schemas of custom resources from their CustomResourceDefinition, where no server publishes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.openapi import Schemas, compile_openapi
from tazuna_core.objects.schema import ANY, Schema

CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def schemas_of_crd(crd: JsonObject) -> Mapping[tuple[str, str], Schema]:
    """Returns the schema of each version of a CustomResourceDefinition, by apiVersion and kind.

    They are what a server publishes for it: its own fields, and those that every object has.
    """
    spec = crd.get("spec") or {}
    group, kind = spec.get("group"), (spec.get("names") or {}).get("kind")
    if not isinstance(group, str) or not isinstance(kind, str):
        return {}
    found: dict[tuple[str, str], Schema] = {}
    for version in spec.get("versions") or []:
        root = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        of = (f"{group}/{version.get('name')}", kind)
        found[of] = _with_metadata(Schemas(compile_openapi([_document(root, *of)])).get(*of) or ANY)
    return found


def _document(root: JsonObject, api_version: str, kind: str) -> JsonObject:
    group, _, version = api_version.partition("/")
    component = {
        **root,
        "properties": {**(root.get("properties") or {}), "metadata": {"$ref": "#/components/schemas/.ObjectMeta"}},
        "x-kubernetes-group-version-kind": [{"group": group, "version": version, "kind": kind}],
    }
    return {"components": {"schemas": {kind: component}}}


def _with_metadata(schema: Schema) -> Schema:
    shared = builtin_schema("v1", "ConfigMap") or ANY
    every = {key: shared.child(key) for key in ("apiVersion", "kind", "metadata")}
    return replace(schema, properties={**schema.properties, **every})
