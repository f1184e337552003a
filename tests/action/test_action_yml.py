"""action.yml as a text: what it promises is what the parser knows and the guide says, and no value becomes a script."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from entrypoints.inputs import PREFIX, input_names, parse_inputs
from entrypoints.publish.outputs import NAMES
from tazuna_core.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "action.md").read_text()


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading of the guide, by their first cell."""
    section = GUIDE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


def test_inputs_are_the_parsers_and_the_guides(action: dict[str, Any]) -> None:
    assert list(action["inputs"]) == input_names() == list(table("Inputs"))


def test_outputs_are_the_programs_and_the_guides(action: dict[str, Any]) -> None:
    assert list(action["outputs"]) == list(NAMES) == list(table("Outputs"))
    for name, output in action["outputs"].items():
        assert output["value"] == f"${{{{ steps.run.outputs.{name} }}}}"


def test_defaults_are_the_parsers_and_the_guides(action: dict[str, Any]) -> None:
    defaults = {name: value["default"] for name, value in action["inputs"].items()}
    assert defaults == {name: cells[0].strip("`") for name, cells in table("Inputs").items()}
    given = {PREFIX + name.upper().replace("-", "_"): value for name, value in defaults.items() if "${{" not in value}
    assert parse_inputs(given) == parse_inputs({})


def test_every_input_reaches_the_program(action: dict[str, Any]) -> None:
    (step,) = action["runs"]["steps"]
    handed = {name: value for name, value in step["env"].items() if name.startswith(PREFIX)}
    assert handed == {PREFIX + name.upper().replace("-", "_"): f"${{{{ inputs.{name} }}}}" for name in action["inputs"]}


def test_b47_no_expression_stands_in_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_requirements_are_pinned_by_hash_and_name_no_address() -> None:
    text = (ROOT / "requirements" / "action.txt").read_text()
    assert not re.search(
        r"://|--(extra-)?index-url|--find-links|--trusted-host|@ |^\s*-[ef] |file:|/home/", text, re.MULTILINE
    )
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all(re.match(r"[a-z0-9.-]+==\S+", entry) and "--hash=sha256:" in entry for entry in entries)


def test_requirements_hold_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["action"]}
    names = {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", one)[0]).lower() for one in wanted}  # type: ignore[index]
    pinned = set(re.findall(r"^([a-z0-9.-]+)==", (ROOT / "requirements" / "action.txt").read_text(), re.MULTILINE))
    assert names <= pinned, "run requirements/refresh"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("command", "apply"),
        ("against", "main"),
        ("fail-on-drift", "drifted, sometimes"),
        ("on-drift", "merge"),
        ("comment", "yes"),
        ("comment-id", "two\nlines"),
        ("comment-id", "x" * 201),
        ("pr-number", "12; rm -rf /"),
        ("pr-number", "0"),
        ("pr-number", "٣"),
        ("drift-issue", "yes"),
        ("annotations", "tRUE"),
        ("slack-webhook-url", "ftp://secret-address"),
        ("language", "de"),
    ],
)
def test_a_wrong_input_is_named(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"Input '{name}'")) as caught:
        parse_inputs({PREFIX + name.upper().replace("-", "_"): value})
    assert "secret-address" not in str(caught.value)


def test_an_unknown_input_is_named() -> None:
    with pytest.raises(UsageError, match="TAZUNA_INPUT_COLOUR"):
        parse_inputs({"TAZUNA_INPUT_COLOUR": "red"})


def test_lists_take_commas_and_lines() -> None:
    inputs = parse_inputs(
        {
            "TAZUNA_INPUT_FILE": " a.yaml\n\nb, c.yaml\na.yaml ",
            "TAZUNA_INPUT_TAGS": "net, dns\nnet",
            "TAZUNA_INPUT_FAIL_ON_DRIFT": "drifted, missing",
            "TAZUNA_INPUT_ANNOTATIONS": "False",
            "TAZUNA_INPUT_GITHUB_TOKEN": "ghs_secret",
            "TAZUNA_INPUT_SLACK_WEBHOOK_URL": "https://hooks.example/secret",
        }
    )
    assert [str(file) for file in inputs.file] == ["a.yaml", "b, c.yaml"]
    assert (inputs.tags, inputs.annotations) == (("net", "dns"), False)
    assert "secret" not in repr(inputs)
