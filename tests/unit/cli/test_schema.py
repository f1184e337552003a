"""`tazuna schema`."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft7Validator

from tazuna_core.report.json_schema import report_schema
from tazuna_core.spec.json_schema import tazuna_schema
from tests.unit.cli.conftest import Command


@pytest.mark.parametrize(("what", "schema"), [("tazuna", tazuna_schema()), ("report", report_schema())])
@pytest.mark.parametrize("form", [(), ("-o", "json")])
def test_the_schema_is_printed(tazuna: Command, what: str, schema: object, form: tuple[str, ...]) -> None:
    ran = tazuna("schema", what, *form)
    assert (ran.code, ran.stderr) == (0, "")
    Draft7Validator.check_schema(ran.json())
    assert ran.json() == json.loads(json.dumps(schema))


def test_a_real_report_fits_the_printed_schema(tazuna: Command) -> None:
    schema = tazuna("schema", "report").json()
    ran = tazuna("check", "-o", "json")
    assert ran.code == 2  # there is no tazuna.yaml here
    Draft7Validator(schema).validate(ran.json())


@pytest.mark.parametrize("arguments", [("schema", "drift"), ("schema",), ("schema", "tazuna", "-o", "html")])
def test_what_there_is_no_schema_of(tazuna: Command, arguments: tuple[str, ...]) -> None:
    ran = tazuna(*arguments)
    assert (ran.code, ran.stdout) == (2, "")
