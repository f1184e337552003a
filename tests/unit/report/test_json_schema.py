"""The JSON Schema of the report: every report fits it, and one that lacks or bends a field does not."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft7Validator

from tazuna_core.report.json_schema import SOMETIMES, report_schema
from tazuna_core.report.model import Report, Reports, dump_report
from tests.unit.report.examples import field, obj, owner, report
from tests.unit.report.strategies import any_report

SCHEMA = json.loads(json.dumps(report_schema()))
VALIDATOR = Draft7Validator(SCHEMA)
KEY = "m/apps/v1/Deployment/ns/web"
WHOLE: dict[str, Any] = json.loads(
    dump_report(
        report(
            "plan",
            obj(
                KEY,
                "conflict",
                "conflict",
                fields=(
                    field("spec.a", "conflict", recorded=1, desired=None, live=[], owner=owner(), on_merge="reverted"),
                ),
            ),
        )
    )
)


def test_it_is_a_schema() -> None:
    Draft7Validator.check_schema(SCHEMA)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(any_report)
def test_every_report_fits(found: Report | Reports) -> None:
    assert [one.message for one in VALIDATOR.iter_errors(json.loads(dump_report(found)))] == []


def test_what_a_later_version_adds_fits() -> None:
    data = copy.deepcopy(WHOLE)
    data["new"] = data["manifests"][0]["objects"][0]["new"] = 1
    assert VALIDATOR.is_valid(data)


@pytest.mark.parametrize("name", SCHEMA["definitions"])
def test_every_definition_has_its_fields_required(name: str) -> None:
    one = SCHEMA["definitions"][name]
    assert set(one["required"]) == set(one["properties"]) - SOMETIMES.get(name, frozenset())


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("schemaVersion",), 2),
        (("result",), "fine"),
        (("counts", "drifted"), "1"),
        (("manifests", 0, "objects", 0, "status"), "changed"),
        (("manifests", 0, "objects", 0, "fields", 0, "owner", "origin"), "robot"),
        (("manifests", 0, "objects", 0, "fields", 0, "onMerge"), "lost"),
        (("coverage",), None),
    ],
)
def test_what_is_bent_does_not_fit(way: tuple[str | int, ...], value: object) -> None:
    data = copy.deepcopy(WHOLE)
    owner_of: Any = data
    for step in way[:-1]:
        owner_of = owner_of[step]
    assert VALIDATOR.is_valid(data)
    owner_of[way[-1]] = value
    assert not VALIDATOR.is_valid(data)
    del owner_of[way[-1]]
    assert VALIDATOR.is_valid(data) == (way[-1] == "onMerge")
