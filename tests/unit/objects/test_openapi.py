from __future__ import annotations

import json
from typing import Any

import pytest

from tazuna_core.objects.builtin_schema import builtin_kinds, builtin_schema, builtin_version
from tazuna_core.objects.openapi import Schemas, compile_openapi
from tazuna_core.objects.schema import ANY, Schema

OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def ref(name: str, **beside: Any) -> dict[str, Any]:
    """A reference as API servers write it where anything stands beside it."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}], "default": {}, **beside}


def compiled(spec: dict[str, Any], **components: dict[str, Any]) -> dict[str, Any]:
    kind = {
        "type": "object",
        "properties": {"apiVersion": {"type": "string"}, "metadata": ref(OBJECT_META), "spec": spec},
        "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Task"}],
    }
    meta = {"type": "object", "properties": {"name": {"type": "string"}}}
    return compile_openapi([{"components": {"schemas": {"com.example.Task": kind, OBJECT_META: meta, **components}}}])


def schema_of(spec: dict[str, Any], **components: dict[str, Any]) -> Schema:
    """The schema of `spec`, after a round through the file form."""
    schema = Schemas(json.loads(json.dumps(compiled(spec, **components)))).get("example.com/v1", "Task")
    assert schema is not None
    return schema.child("spec")


@pytest.mark.parametrize(
    ("openapi", "scalar"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer", "format": "int32"}, "integer"),
        ({"type": "number", "format": "double"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "string", "format": "byte"}, "bytes"),
        ({"type": "string", "format": "date-time"}, "time"),
        ({"type": "string", "format": "duration"}, "string"),
        ({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}, "int-or-string"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}, "int-or-string"),
        ({"type": "string", "pattern": "^[a-z]$"}, "string"),
        (ref("io.k8s.apimachinery.pkg.api.resource.Quantity"), "quantity"),
        ({"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}, "int-or-string"),
    ],
)
def test_scalars(openapi: dict[str, Any], scalar: str) -> None:
    assert schema_of(openapi) == Schema(type="scalar", scalar=scalar)  # type: ignore[arg-type]


def test_c03_a_custom_resources_quantity_is_known_by_its_pattern() -> None:
    quota = {"pattern": QUANTITY_PATTERN, "x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}]}
    assert schema_of(quota).scalar == "quantity"
    assert schema_of({"type": "string", "pattern": QUANTITY_PATTERN}).scalar == "quantity"


def test_c04_a_plain_string_is_no_quantity() -> None:
    env = builtin_schema("v1", "Pod").child("spec").child("containers").item.child("env")  # type: ignore[union-attr]
    assert env.item.child("value").scalar == "string"


def test_a_struct_knows_its_fields_and_no_others() -> None:
    schema = schema_of({"type": "object", "properties": {"a": {"type": "string"}}})
    assert schema.knows("a")
    assert not schema.knows("b")
    assert schema.child("b") == ANY
    assert not schema.atomic
    assert not schema_of({"type": "object"}).knows("a"), "everything is pruned from an object without fields"


def test_maps() -> None:
    labels = schema_of({"type": "object", "additionalProperties": {"type": "string"}})
    assert labels.child("any").scalar == "string"
    assert labels.knows("any")
    assert schema_of({"type": "object", "additionalProperties": True}).child("x") == ANY
    selector = {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"}
    assert schema_of(selector).atomic


def test_a_reference_may_be_atomic_in_one_place() -> None:
    part = ref("com.example.Part")
    spec = {"type": "object", "properties": {"here": {**part, "x-kubernetes-map-type": "atomic"}, "there": part}}
    schema = schema_of(spec, **{"com.example.Part": {"type": "object", "properties": {"a": {"type": "string"}}}})
    assert schema.child("here").atomic
    assert not schema.child("there").atomic
    assert schema.child("here").knows("a")


def test_open_and_embedded_objects() -> None:
    opened = schema_of({"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    assert opened.knows("anything")
    assert opened.child("anything") == ANY
    assert schema_of({"x-kubernetes-preserve-unknown-fields": True}) == ANY
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    assert schema_of(embedded).embedded
    assert embedded_fields_known(schema_of({"type": "object", "x-kubernetes-embedded-resource": True}))
    raw = schema_of({"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.runtime.RawExtension"})
    assert raw.knows("anything")
    assert raw.atomic, "the server owns it as a whole"


def embedded_fields_known(schema: Schema) -> bool:
    return all(schema.knows(key) for key in ("apiVersion", "kind", "metadata")) and not schema.knows("typo")


@pytest.mark.parametrize(
    ("marks", "list_type", "keys"),
    [
        ({}, "atomic", ()),
        ({"x-kubernetes-list-type": "atomic"}, "atomic", ()),
        ({"x-kubernetes-list-type": "set"}, "set", ()),
        ({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}, "map", ("name",)),
        ({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}, "map", ("name",)),
        ({"x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "name"}, "map", ("name",)),
        ({"x-kubernetes-patch-strategy": "merge"}, "set", ()),
        ({"x-kubernetes-patch-strategy": "retainKeys"}, "atomic", ()),
        (
            {
                "x-kubernetes-list-type": "atomic",
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "name",
            },
            "atomic",
            (),
        ),
    ],
)
def test_lists(marks: dict[str, Any], list_type: str, keys: tuple[str, ...]) -> None:
    items = {"type": "object", "properties": {"name": {"type": "string"}}}
    schema = schema_of({"type": "array", "items": items, **marks})
    assert (schema.list_type, schema.list_keys) == (list_type, keys)
    assert schema.item.child("name").scalar == "string"


def test_c19_defaults_of_list_keys() -> None:
    port = {
        "type": "object",
        "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}},
    }
    ports = {
        "type": "array",
        "items": ref("com.example.Port"),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
    }
    schema = schema_of(ports, **{"com.example.Port": port})
    assert schema.list_keys == ("port", "protocol")
    assert schema.key_defaults == {"protocol": "TCP"}


def test_a_recursive_schema_ends_where_one_stops_looking() -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": ref("com.example.Tree")}}}
    schema = schema_of(ref("com.example.Tree"), **{"com.example.Tree": tree})
    for _ in range(50):
        schema = schema.child("children").item
    assert schema.knows("children")


@pytest.mark.parametrize(
    "loop",
    [
        {"type": "array", "items": {"$ref": "#/components/schemas/com.example.Loop"}},
        {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/com.example.Loop"}},
        {"$ref": "#/components/schemas/com.example.Loop"},
    ],
)
def test_a_schema_of_nothing_but_itself_ends(loop: dict[str, Any]) -> None:
    assert schema_of(ref("com.example.Loop"), **{"com.example.Loop": loop}) is not None


def test_a_reference_to_nothing_is_anything() -> None:
    assert schema_of(ref("com.example.Missing")) == ANY


def test_equal_parts_are_stored_once() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string"}}}
    few = compiled({"type": "object", "properties": {"a": one}})
    many = compiled({"type": "object", "properties": {f"a{number}": one for number in range(100)}})
    assert len(many["nodes"]) == len(few["nodes"])


def test_only_kinds_with_metadata_are_kept() -> None:
    options = {
        "type": "object",
        "properties": {"dryRun": {"type": "string"}},
        "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "DeleteOptions"}],
    }
    assert list(Schemas(compiled({"type": "object"}, **{"io.k8s.DeleteOptions": options})).kinds()) == [
        ("example.com/v1", "Task")
    ]


def builtin(api_version: str, kind: str, *path: str) -> Schema:
    schema = builtin_schema(api_version, kind)
    assert schema is not None
    for key in path:
        schema = schema.item if key == "[]" else schema.child(key)
    return schema


POD = ("spec", "template", "spec")


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "expected"),
    [
        ("v1", "Service", ("spec", "selector"), "atomic map"),
        ("v1", "Service", ("spec", "ports"), "map port,protocol"),
        ("v1", "Service", ("spec", "externalIPs"), "atomic list"),
        ("apps/v1", "Deployment", ("spec", "selector"), "atomic map"),
        ("apps/v1", "Deployment", (*POD, "nodeSelector"), "atomic map"),
        ("apps/v1", "Deployment", (*POD, "tolerations"), "atomic list"),
        ("apps/v1", "Deployment", (*POD, "containers"), "map name"),
        ("apps/v1", "Deployment", (*POD, "containers", "[]", "env"), "map name"),
        ("apps/v1", "Deployment", (*POD, "containers", "[]", "ports"), "map containerPort,protocol"),
        ("apps/v1", "Deployment", (*POD, "containers", "[]", "args"), "atomic list"),
        ("apps/v1", "Deployment", (*POD, "containers", "[]", "volumeMounts"), "map mountPath"),
        ("apps/v1", "Deployment", (*POD, "containers", "[]", "resources", "limits"), "map"),
        ("apps/v1", "Deployment", (*POD, "volumes"), "map name"),
        ("apps/v1", "Deployment", (*POD, "imagePullSecrets"), "map name"),
        ("apps/v1", "Deployment", (*POD, "topologySpreadConstraints"), "map topologyKey,whenUnsatisfiable"),
        ("v1", "ServiceAccount", ("imagePullSecrets",), "atomic list"),
        ("v1", "ConfigMap", ("data",), "map"),
        ("v1", "ConfigMap", ("metadata", "labels"), "map"),
        ("v1", "ConfigMap", ("metadata", "finalizers"), "set"),
        ("v1", "ConfigMap", ("metadata", "ownerReferences"), "map uid"),
        ("networking.k8s.io/v1", "Ingress", ("spec", "rules"), "atomic list"),
        ("networking.k8s.io/v1", "Ingress", ("spec", "rules", "[]", "http", "paths"), "atomic list"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", ("rules",), "atomic list"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", ("webhooks",), "map name"),
    ],
)
def test_built_in_kinds(api_version: str, kind: str, path: tuple[str, ...], expected: str) -> None:
    schema = builtin(api_version, kind, *path)
    if schema.type == "list":
        found = "map " + ",".join(schema.list_keys) if schema.list_type == "map" else schema.list_type
        found = "atomic list" if found == "atomic" else found
    else:
        found = "atomic map" if schema.atomic else "map"
    assert found == expected


def test_built_in_scalars() -> None:
    container = builtin("apps/v1", "Deployment", *POD, "containers", "[]")
    assert container.child("resources").child("limits").child("cpu").scalar == "quantity"
    assert container.child("livenessProbe").child("httpGet").child("port").scalar == "int-or-string"
    assert container.child("ports").key_defaults["protocol"] == "TCP"
    assert builtin("v1", "Secret", "data", "k").scalar == "bytes"
    assert builtin("v1", "Secret", "stringData", "k").scalar == "string"
    assert builtin("v1", "ConfigMap", "metadata", "creationTimestamp").scalar == "time"


def test_the_schema_of_schemas_is_recursive() -> None:
    root = builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec", "versions", "[]", "schema")
    props = root.child("openAPIV3Schema")
    assert props.child("properties").child("spec").child("properties").child("x").knows("type")
    assert props.child("default") == ANY


def test_scopes_of_built_in_kinds() -> None:
    kinds = builtin_kinds()
    assert kinds["apps/v1", "Deployment"] == ("deployments", True)
    assert kinds["v1", "Namespace"] == ("namespaces", False)
    assert ("apps/v1", "Task") not in kinds
    assert builtin_schema("example.com/v1", "Task") is None
    assert builtin_version().startswith("v1.")
