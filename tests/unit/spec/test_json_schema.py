"""The JSON Schema that editors get."""

from __future__ import annotations

import json
from typing import Any

from tazuna_core.spec.explain import fields_of
from tazuna_core.spec.json_schema import tazuna_schema
from tazuna_core.spec.models_manifest import DeclaredManifest, ManifestType


def test_it_names_the_fields_of_the_file() -> None:
    schema = tazuna_schema()
    assert schema["required"] == ["spec"]
    manifest = schema["$defs"]["DeclaredManifest"]
    assert list(manifest["properties"]) == list(fields_of(DeclaredManifest))
    assert manifest["additionalProperties"] is False
    assert "context_matches" in schema["$defs"]["Spec"]["properties"]
    assert "includeCRDs" in schema["$defs"]["HelmfileOptions"]["properties"]
    assert schema["$defs"]["ManifestType"]["enum"] == list(ManifestType)
    assert schema["$defs"]["ClusterTest"]["properties"]["timeoutSeconds"]["minimum"] == 0


def test_it_is_plain_json_and_every_reference_leads_somewhere() -> None:
    schema = json.loads(json.dumps(tazuna_schema()))

    def references(node: Any) -> list[str]:
        if isinstance(node, list):
            return [found for item in node for found in references(item)]
        if not isinstance(node, dict):
            return []
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [found for item in node.values() for found in references(item)]

    found = references(schema)
    assert found
    assert {reference.removeprefix("#/$defs/") for reference in found} <= schema["$defs"].keys()
