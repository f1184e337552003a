"""The JSON Schema for editors: it takes what loading takes, and refuses what it can say of what loading refuses."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tazuna_core.errors import TazunaError
from tazuna_core.spec.explain import fields_of
from tazuna_core.spec.json_schema import tazuna_schema
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.models_manifest import DeclaredManifest
from tazuna_core.spec.positions import read_document
from tazuna_core.spec.problems import SpecError
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import SourceText
from tests.unit.spec.cases import marked_cases
from tests.unit.spec.conftest import Write
from tests.unit.spec.test_load import WHOLE
from tests.unit.spec.test_load_errors import QUICK

SCHEMA = json.loads(json.dumps(tazuna_schema()))
ROOT = Path(__file__).resolve().parents[3]

UNSAYABLE = {
    "yaml": "is no YAML data",
    "template": "is no YAML data yet",
    "version": "depends on the program",
    "pattern": "is not RE2, whose syntax no schema knows",
    "depends-on": "speaks of other manifests",
    "no-file": "speaks of other files",
    "nested-include": "speaks of other files",
    "given-twice": "speaks of other entries",
}
WORKED_OUT = "a/../../b"  # leads out of the artifact, which no pattern finds out


def as_an_editor_sees(text: str) -> object:
    """The data of a YAML 1.2 text with plain scalars as JSON has them."""
    return plain(read_document(SourceText.plain("f", text)).data)


def plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if not isinstance(value, Scalar):
        return value
    if value.kind == "true or false":
        return value.text.lower() == "true"
    if value.kind == "a date":
        return value.text
    try:
        return int(value.text, 0)
    except ValueError:
        return float(value.text.replace(".inf", "inf").replace(".nan", "nan"))


def accepts(text: str) -> bool:
    return bool(Draft7Validator(SCHEMA).is_valid(as_an_editor_sees(text)))


def errors(text: str) -> list[str]:
    return [f"{list(one.path)}: {one.message}" for one in Draft7Validator(SCHEMA).iter_errors(as_an_editor_sees(text))]


def test_it_is_a_schema_and_every_reference_leads_somewhere() -> None:
    Draft7Validator.check_schema(SCHEMA)
    found = set(re.findall(r'"\$ref": "#/definitions/(\w+)"', json.dumps(SCHEMA)))
    assert found | {"TazunaFile"} >= SCHEMA["definitions"].keys()
    assert found <= SCHEMA["definitions"].keys()


def test_it_names_the_fields_of_the_file() -> None:
    assert list(SCHEMA["definitions"]["Fields"]["properties"]) == list(fields_of(DeclaredManifest))
    assert "context_matches" in SCHEMA["definitions"]["Spec"]["properties"]
    assert "includeCRDs" in SCHEMA["definitions"]["HelmfileOptions"]["properties"]


def test_the_whole_format_is_accepted() -> None:
    assert errors(WHOLE) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/**/tazuna.yaml")), ids=str)
def test_every_example_is_accepted(path: Path) -> None:
    assert errors(path.read_text()) == []


@pytest.mark.parametrize(
    "manifest",
    [
        "{name: 'app-{{ .Environment }}', type: kustomize, path: 'overlays/{{ .Environment }}'}",
        "{name: 1, type: kustomize, path: 2, tags: [1.5, true]}",
        "{name: ~, type: kustomize, path: p, kustomize: ~, helmfile: {wait: yes, includeCRDs: 'on', vars: ~}}",
        "{type: '{{ if .Environment }}kustomize{{ else }}directory{{ end }}', path: p}",
        "{type: kustomize, path: 3, includes: [{path: x}], helmfile: 4}",
        "{type: kustomize, path: p, parallel: {children: [{name: x}]}}",
        "{name: h, type: helmfile, path: p, helmfile: {vars: {v: {from: static, static: '', env: ''}}}}",
    ],
)
def test_odd_but_right(manifest: str) -> None:
    assert errors(f"spec: {{environments: {{dev: , prod: {{}}}}, manifests: [{manifest}]}}") == []


def test_an_included_file_is_one_too() -> None:
    assert errors("spec: {manifests: [{name: a, type: directory, path: a}]}") == []


def codes(path: Path) -> set[str]:
    """The codes of the errors that loading gives."""
    try:
        load_spec(path, "")
    except SpecError as error:
        return {"given-twice" if "is given twice" in one.message else one.code for one in error.errors}
    except TazunaError as error:
        return {error.code}
    return set()


@pytest.mark.parametrize(("text", "line", "column", "expected"), marked_cases("load_errors.txt"))
def test_what_loading_refuses_is_refused(write: Write, text: str, line: int, column: int, expected: str) -> None:
    found = codes(write(text))
    assert found
    if found & UNSAYABLE.keys() or WORKED_OUT in text:
        return
    assert not accepts(text), expected


def ways(value: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values below one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*way, key)
        yield from ways(one, (*way, key))


RIGHT = as_an_editor_sees(WHOLE)
WAYS = sorted(ways(RIGHT), key=str)
OTHER = st.sampled_from(
    [
        *(None, "", "x", "/x", "..", 0, 1, -1, 1.5, True, "yes", [], {}, [None], ["x"], [{}], {"x": None}),
        *("kustomize", "helmfile", "oras", "parallel", "env", "static", "op", "envfile", "WaitUntil"),
        *("_metadata", "default-op"),
    ]
)
DELETED = object()
EDITS = st.lists(st.tuples(st.sampled_from(WAYS), OTHER | st.just(DELETED)), min_size=1, max_size=2)


def edited(edits: list[tuple[tuple[str | int, ...], object]]) -> str:
    """The whole format with some values replaced or gone, as JSON."""
    data = copy.deepcopy(RIGHT)
    for way, new in edits:
        *above, last = way
        owner: Any = data
        try:
            for step in above:
                owner = owner[step]
            if new is DELETED:
                del owner[last]
            else:
                owner[last] = new
        except (KeyError, IndexError, TypeError):
            continue  # an earlier edit took it away
    return json.dumps(data)


@settings(QUICK, max_examples=300)
@given(EDITS)
def test_it_agrees_with_loading_on_files_that_are_nearly_right(
    tmp_path: Path, edits: list[tuple[tuple[str | int, ...], object]]
) -> None:
    text = edited(edits)
    (tmp_path / "tazuna.yaml").write_text(text)
    found = codes(tmp_path / "tazuna.yaml")
    if not found:
        assert errors(text) == []
    elif not found & UNSAYABLE.keys():
        assert not accepts(text), found
