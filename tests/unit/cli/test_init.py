"""`tazuna init`."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from tazuna_core.spec.json_schema import tazuna_schema
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.version import TAZUNA_LINE
from tests.unit.cli.conftest import Command
from tests.unit.spec.test_json_schema import as_an_editor_sees


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_it_writes_is_checked_without_a_word(tazuna: Command, lang: str) -> None:
    ran = tazuna("init", "--lang", lang)
    assert (ran.code, ran.stdout) == (0, "created: tazuna.yaml\n")
    text = Path("tazuna.yaml").read_text()
    Draft7Validator(tazuna_schema()).validate(as_an_editor_sees(text))
    loaded = load_spec(Path("tazuna.yaml"))
    assert loaded.notices == ()
    assert loaded.spec.minimum_supported_tazuna_version == TAZUNA_LINE
    assert str(loaded.manifests[0].source) in ran.stderr
    missing = tazuna("check")
    assert (missing.code, "'app' does not exist" in missing.stdout) == (2, True)
    Path("app").mkdir()
    Path("app/kustomization.yaml").write_text("configMapGenerator: [{name: app, literals: [a=b]}]\n")
    checked = tazuna("check")
    assert (checked.code, checked.stdout.splitlines()[0]) == (0, "ok")  # without kustomize it says so below


def test_the_commented_include_is_right_when_it_is_uncommented(tazuna: Command) -> None:
    tazuna("init")
    before, _, example = Path("tazuna.yaml").read_text().partition("  # Manifests of another file")
    lines = [line.replace("  #   ", "    ") for line in example.splitlines()[1:]]
    Path("tazuna.yaml").write_text(before + "\n".join(lines) + "\n")
    Path("infra").mkdir()
    Path("infra/tazuna.yaml").write_text("spec: {manifests: [{name: cni, type: kustomize, path: cni}]}")
    assert [one.name for one in load_spec(Path("tazuna.yaml")).manifests] == ["app", "cni"]


def test_a_file_that_is_there_is_kept_without_force(tazuna: Command) -> None:
    Path("tazuna.yaml").write_text("mine")
    ran = tazuna("init")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr == "tazuna: tazuna.yaml is there already\n  --force writes over it; -f names another file.\n"
    assert Path("tazuna.yaml").read_text() == "mine"
    assert tazuna("init", "--force").code == 0
    assert Path("tazuna.yaml").read_text() != "mine"
    Path("link.yaml").symlink_to("nowhere.yaml")
    assert tazuna("init", "-f", "link.yaml").code == 2


def test_elsewhere_and_as_json(tazuna: Command) -> None:
    Path("infra").mkdir()
    ran = tazuna("init", "-f", "infra/tazuna.yaml", "-o", "json")
    assert ran.code == 0
    assert ran.json() == {"schemaVersion": 1, "command": "init", "created": "infra/tazuna.yaml", "errors": []}
    assert [path.name for path in Path("infra").iterdir()] == ["tazuna.yaml"]
    assert Path("infra/tazuna.yaml").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none/tazuna.yaml", "No such file or directory"),
        ("folder", "Is a directory"),
        ("tazuna.yaml/x", "Not a directory"),
    ],
)
def test_where_it_cannot_be_written(tazuna: Command, path: str, message: str) -> None:
    tazuna("init")
    Path("folder").mkdir()
    before = sorted(Path().iterdir())
    ran = tazuna("init", "--force", "-f", path)
    assert (ran.code, ran.stdout) == (2, "")
    assert f"{path} cannot be written: {message}" in ran.stderr
    assert sorted(Path().iterdir()) == before
