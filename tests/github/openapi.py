"""GitHub's own OpenAPI description, as a judge of requests: unknown path, parameter or field is a violation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import orjson

from tests.harness.npm_package import npm_file

PACKAGE, VERSION = "@octokit/openapi", "23.0.2"
PUBLIC, ENTERPRISE = "generated/api.github.com.json", "generated/ghes-3.19.json"

JSON = Mapping[str, Any]
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Description:
    """One description: `violations` names all that is wrong with a request."""

    def __init__(self, text: bytes) -> None:
        self._document = orjson.loads(text)
        self._paths = sorted(
            ((_pattern(template), template) for template in self._document["paths"]),
            key=lambda pair: pair[1].count("{"),  # a literal path before a template that matches it too
        )

    def violations(self, method: str, path: str, query: Mapping[str, str], body: object) -> list[str]:
        """Returns what GitHub's description does not know about this request; `body` is None without one."""
        template = next((template for pattern, template in self._paths if pattern.fullmatch(path)), None)
        operation = self._document["paths"].get(template, {}).get(method.lower())
        if operation is None:
            return [f"{method} {path} is no path of the API"]
        shared = self._document["paths"][template].get("parameters", [])
        parameters = [self._resolved(one) for one in [*shared, *operation.get("parameters", [])]]
        known = {one["name"]: one for one in parameters if one["in"] == "query"}
        found = [f"{method} {template}: unknown parameter {name}" for name in query if name not in known]
        for name, value in query.items():
            if name in known:
                found += self._wrong(_typed(value, known[name]["schema"]), known[name]["schema"], name)
        content = self._resolved(operation.get("requestBody", {})).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        if schema is None:
            return found + ([f"{method} {template} takes no body"] if body is not None else [])
        return found + [f"{method} {template}: {one}" for one in self._wrong(body, schema, "body")]

    def _resolved(self, node: JSON) -> JSON:
        while "$ref" in node:
            target: Any = self._document
            for key in node["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            node = target
        return node

    def _wrong(self, value: object, schema: JSON, where: str) -> list[str]:
        schema = self._resolved(schema)
        if value is None:
            return [] if schema.get("nullable") else [f"{where} is null"]
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                results = [self._wrong(value, one, where) for one in schema[choice]]
                return min(results, key=len) if all(results) else []
        kind = schema.get("type")
        expected = _TYPES.get(kind or "")
        if expected and (not isinstance(value, expected) or (isinstance(value, bool) and kind != "boolean")):
            return [f"{where} is {type(value).__name__}, not {kind}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{where} is {value!r}, not one of {schema['enum']}"]
        return list(self._wrong_inside(value, schema, where))

    def _wrong_inside(self, value: object, schema: JSON, where: str) -> Iterator[str]:
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            yield from (f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value)
            for name, one in value.items():
                if name in properties:
                    yield from self._wrong(one, properties[name], f"{where}.{name}")
                elif properties:
                    yield f"{where}.{name} is unknown"
        if isinstance(value, list) and "items" in schema:
            for index, one in enumerate(value):
                yield from self._wrong(one, schema["items"], f"{where}[{index}]")


@cache
def description(member: str) -> Description:
    """Returns the description of GitHub (`PUBLIC`) or of a GitHub Enterprise Server (`ENTERPRISE`)."""
    return Description(npm_file(PACKAGE, VERSION, member).read_bytes())


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(
        "".join("[^/]+" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^}]+\})", template))
    )


def _typed(text: str, schema: JSON) -> object:
    return int(text) if schema.get("type") == "integer" and text.isdigit() else text
