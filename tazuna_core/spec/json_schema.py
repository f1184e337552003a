"""The JSON Schema of tazuna.yaml, for editors: made from the models, with what `rules.py` asks beyond them.

It judges the text that an editor sees, before templates: a text with `{{` in it fits wherever a template may stand.
What loading accepts it accepts. What it cannot say (cycles of `dependsOn`, duplicate names, files that are not there,
RE2) it leaves to `tazuna check`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tazuna_core.spec.models import TazunaFile
from tazuna_core.spec.models_base import FLAG_WORDS
from tazuna_core.spec.models_manifest import NAME_PATTERN, ManifestType
from tazuna_core.spec.rules import RESERVED_NAME, RESERVED_PROVIDER, WITHOUT_PATH

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The latest that every editor understands."""

_END = r"$(?!\n)"  # `$` alone also matches before a last line break in some engines
_TEMPLATE: Schema = {"type": "string", "pattern": r"\{\{"}
_TEXT = ["string", "number", "boolean"]  # a scalar is read as it is written: `name: 1` is the text "1"
_UNSET: Schema = {"type": "null"}
_RELATIVE: Schema = {"not": {"type": "string", "pattern": "^/|\\u0000"}}
_INSIDE: Schema = {"not": {"type": "string", "pattern": r"^([/\\]|\.\.([/\\]|$))"}}
_VERSION = r"^(v?\d{1,9}(\.\d{1,9}){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?)?"


def tazuna_schema() -> Schema:
    """A JSON Schema (draft 07) of tazuna.yaml as YAML data, for files that are included too."""
    schema: Schema = TazunaFile.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    definitions: dict[str, Schema] = {name: _adapted(one) for name, one in schema.pop("$defs").items()}
    _add_rules(definitions)
    return {"$schema": DRAFT, "title": "tazuna.yaml", **_adapted(schema), "definitions": definitions}


def _adapted(node: Schema) -> Schema:
    """A definition as files are read: fields that are not required may be null, scalars are read by their fields."""
    if "enum" in node:
        return {"description": node.get("description", ""), "anyOf": [{"enum": node["enum"]}, _TEMPLATE]}
    out = {key: value for key, value in node.items() if key not in ("title", "properties")}
    required = node.get("required", ())
    out["properties"] = {
        name: _field(one) if name in required else _nullable(_field(one)) for name, one in node["properties"].items()
    }
    return out


def _field(node: Schema) -> Schema:
    node = {key: value for key, value in node.items() if key != "title" and not _is_nothing(key, value)}
    choices = [one for one in node.pop("anyOf", ()) if one != _UNSET]
    if choices:  # what is left of a field that may be null
        node = {**_field(choices[0]), **node}
    if "const" in node:
        return {**_without(node, "type", "const"), "anyOf": [{"const": node["const"]}, _TEMPLATE]}
    kind = node.get("type")
    if kind == "string":
        node["type"] = _TEXT
    elif kind == "boolean":
        node = {**_without(node, "type"), "anyOf": [{"type": "boolean"}, {"enum": sorted(FLAG_WORDS)}, _TEMPLATE]}
    elif kind == "array":
        node["items"] = _field(node["items"])
    elif kind == "object":
        node["additionalProperties"] = _field(node["additionalProperties"])
    return node


def _nullable(node: Schema) -> Schema:
    if "anyOf" in node:
        return {**node, "anyOf": [*node["anyOf"], _UNSET]}
    if "$ref" in node:  # with others beside it, a reference counts alone
        return {**_without(node, "$ref"), "anyOf": [{"$ref": node["$ref"]}, _UNSET]}
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return {**node, "type": [*kinds, "null"]}


def _is_nothing(key: str, value: object) -> bool:
    """Editors write defaults into files: of those that say nothing they shall not."""
    return key == "default" and value in (None, "", [], {})


def _without(node: Schema, *keys: str) -> Schema:
    return {key: value for key, value in node.items() if key not in keys}


def _add_rules(definitions: dict[str, Schema]) -> None:
    spec = definitions["Spec"]["properties"]
    version = {"type": ["string", "number", "null"], "minimum": 0, "pattern": _or_template(_VERSION)}
    spec["minimumSupportedTazunaVersion"].update(version)
    spec["manifests"]["items"] = _ref("Manifest")
    spec["environments"]["additionalProperties"] = _nullable(_ref("Environment"))
    definitions["Include"]["properties"]["path"].update(_RELATIVE)
    definitions["OrasOptions"]["properties"]["target"].update(_INSIDE)
    _add_manifests(definitions)
    definitions["Provider"]["properties"]["name"]["not"] = {"const": RESERVED_PROVIDER}
    for name, key, choices in (
        ("ClusterTest", "type", {"WaitUntil": ["waitUntil"], "ExistNonExist": ["existNonExist"]}),
        ("HelmfileVar", "from", {"env": ["env"], "op": ["op"], "static": ["static", "staticSlice", "staticMap"]}),
    ):
        definitions[name]["allOf"] = list(_choice(key, choices, needed=tuple(choices)))
    definitions["Provider"]["allOf"] = list(
        _choice("type", {"envfile": ["envfile"], "onepassword": ["onepassword"]}, needed=("envfile",))
    )
    definitions["OrasDelegate"]["allOf"] = list(
        _choice("type", {"helmfile": ["helmfile"], "kustomize": ["kustomize"]}, needed=())
    )


def _add_manifests(definitions: dict[str, Schema]) -> None:
    """`Manifest` and `Child` from the one model: which fields count depends on `includes` and `type`."""
    declared = definitions.pop("DeclaredManifest")
    fields = declared["properties"]
    fields["name"] = {"type": ["string", "integer", "boolean", "null"], "not": {"const": RESERVED_NAME}}
    fields["name"]["pattern"] = _or_template(f"^({NAME_PATTERN.strip('^$')})?")
    fields["parallel"] = {"description": "Manifests that are handled at the same time.", "type": ["object", "null"]}
    definitions["Fields"] = declared
    definitions["Including"] = {
        **_without(declared, "properties"),
        # The others count for nothing there, whatever they hold.
        "properties": {
            name: one if name in ("name", "description", "includes") else True for name, one in fields.items()
        },
    }
    definitions["ParallelOptions"]["properties"]["children"]["items"] = _ref("Child")
    rules = {
        "required": ["type"],
        "properties": {"type": {"not": _UNSET}},
        "allOf": [
            _if("type", [one for one in ManifestType if one not in WITHOUT_PATH], _path_given()),
            _if("type", [ManifestType.ORAS], _given("oras")),
        ],
    }
    parallel = {**_given("parallel"), "properties": {"parallel": _ref("ParallelOptions")}}
    definitions["Manifest"] = {
        "if": {"required": ["includes"], "properties": {"includes": {"type": "array", "minItems": 1}}},
        "then": _ref("Including"),
        "else": {"allOf": [_ref("Fields"), rules, _if("type", [ManifestType.PARALLEL], parallel)]},
    }
    alone = {"includes": {"maxItems": 0}, "dependsOn": {"maxItems": 0}, "type": {"not": {"const": "parallel"}}}
    definitions["Child"] = {"allOf": [_ref("Fields"), rules, {"properties": alone}]}


def _choice(key: str, choices: dict[str, list[str]], needed: tuple[str, ...]) -> Iterable[Schema]:
    """By the value of ``key`` one of its fields is given (where it is ``needed``), and no field of the others."""
    for value, own in choices.items():
        others = [name for other, names in choices.items() if other != value for name in names]
        unset: Schema = {"properties": {name: {"enum": [None, ""]} if name == "env" else _UNSET for name in others}}
        given = [_given(name) for name in own]
        yield _if(key, [value], {**unset, **({"oneOf": given} if value in needed else {})})


def _if(key: str, values: Iterable[str], then: Schema) -> Schema:
    return {"if": {"required": [key], "properties": {key: {"enum": [str(one) for one in values]}}}, "then": then}


def _given(name: str) -> Schema:
    return {"required": [name], "properties": {name: {"not": {"enum": [None, ""]} if name == "env" else _UNSET}}}


def _path_given() -> Schema:
    return {"required": ["path"], "properties": {"path": {**_RELATIVE, "type": _TEXT, "minLength": 1}}}


def _or_template(pattern: str) -> str:
    return rf"{pattern}{_END}|\{{\{{"


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}
