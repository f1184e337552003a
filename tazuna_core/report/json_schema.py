"""The JSON Schema of the report, made from its model."""

from __future__ import annotations

from collections.abc import Mapping

from tazuna_core.report.model import Report, Reports
from tazuna_core.spec.json_schema import DRAFT, Schema

SOMETIMES: Mapping[str, frozenset[str]] = {
    "Report": frozenset({"adoption", "fixed"}),
    "Target": frozenset({"base"}),
    "FieldChange": frozenset({"recorded", "desired", "live", "onMerge", "note"}),
}
"""What is left out where there is nothing to say; all other fields are always there."""


def report_schema() -> Schema:
    """A JSON Schema (draft 07) of a report, and of several in one file.

    Fields that are unknown to it are allowed: a later version may add some, and renames none (contract, section 4).
    """
    several = Reports.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    definitions = {name: _written(name, one) for name, one in {**several.pop("$defs"), "Reports": several}.items()}
    any_of = [{"$ref": f"#/definitions/{model.__name__}"} for model in (Report, Reports)]
    return {"$schema": DRAFT, "title": "tazuna report", "anyOf": any_of, "definitions": definitions}


def _written(name: str, node: Schema) -> Schema:
    """A definition as reports are written: open, with every field that is always there required."""
    out = {key: value for key, value in node.items() if key not in ("title", "additionalProperties", "properties")}
    out["required"] = [field for field in node["properties"] if field not in SOMETIMES.get(name, ())]
    out["properties"] = {
        field: {key: value for key, value in one.items() if key not in ("title", "default")}
        for field, one in node["properties"].items()
    }
    return out
