"""The JSON Schema of tazuna.yaml, for editors; made from the models, so the two can't differ."""

from __future__ import annotations

from typing import Any

from tazuna_core.spec.models import TazunaFile


def tazuna_schema() -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) of tazuna.yaml as YAML data, after templates."""
    schema = TazunaFile.model_json_schema(by_alias=True)
    tidied: dict[str, Any] = _tidied(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **tidied, "title": "tazuna.yaml"}


def _tidied(node: Any) -> Any:
    """Without the titles that repeat names, and without defaults of null, which editors offer as values."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "default" and value is None:
            continue
        # The names below `properties` and `$defs` are fields of ours, such as a field called `title` would be.
        kept[key] = {name: _tidied(one) for name, one in value.items()} if key in _NAMES else _tidied(value)
    return kept


_NAMES = frozenset(["properties", "$defs"])
