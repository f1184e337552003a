"""What `check` adds to the errors that concern every command."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.errors import Place, RefusedError, UsageError
from tazuna_core.spec.check import check_spec, require_environment, require_unique_names
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.names import LONGEST_NAME
from tazuna_core.spec.problems import SpecError, did_you_mean
from tazuna_core.spec.version import TAZUNA_LINE, check_minimum, precedence
from tests.unit.spec.conftest import Write

_PLACE = Place("tazuna.yaml", 1, 1)
STATE = "it becomes part of a ConfigMap's name\n  Use small letters, digits and '-', not '-' at the end"


def errors(path: Path, environment: str = "") -> list[str]:
    found = check_spec(load_spec(path, environment))
    assert all(error.exit_code == 2 for error in found)
    return [str(error) for error in found]


@pytest.mark.parametrize(
    ("name", "better"),
    [("Argo-CD", "argo-cd"), ("a_b", "a-b"), ("a-", "a"), ("_", ""), ("A__b-", "a-b")],
)
def test_names_that_no_config_map_can_have(write: Write, name: str, better: str) -> None:
    path = write(f"spec: {{manifests: [{{name: {name}, type: kustomize, path: p}}]}}", p__kustomization="")
    suggestion = f", such as '{better}'" if better else ""
    assert errors(path) == [
        f"tazuna.yaml:1:27: state can't be kept under the manifest name '{name}': {STATE}{suggestion}."
    ]


def test_long_names(write: Write) -> None:
    text = "spec: {manifests: [{name: %s, type: kustomize, path: p}]}"
    assert errors(write(text % ("a" * LONGEST_NAME), p__kustomization="")) == []
    (error,) = errors(write(text % ("a" * (LONGEST_NAME + 1))))
    assert f"Use at most {LONGEST_NAME} characters." in error


def test_missing_and_repeated_names(write: Write) -> None:
    text = """\
spec:
  manifests:
    - {type: kustomize, path: p}
    - {name: a, type: kustomize, path: p}
    - {type: parallel, parallel: {children: [{name: a, type: kustomize, path: p}]}}
"""
    path = write(text, p__kustomization="")
    twice = (
        "tazuna.yaml:5:53: the manifest name 'a' is given twice\n"
        "  It was given at tazuna.yaml:4:7; state is kept by name."
    )
    assert errors(path) == [
        "tazuna.yaml:3:7: this manifest has no name\n  Give it one, or run 'tazuna check --fix'.",
        twice,
    ]
    with pytest.raises(SpecError) as raised:
        require_unique_names(load_spec(path))
    assert str(raised.value) == twice


BASE = "Paths start from the folder of the file that declares them, '.'."
KUSTOMIZATION = "holds no kustomization.yaml\n  Add one (or kustomization.yml, Kustomization), or correct the path."
HELMFILE = (
    "holds no helmfile.yaml.gotmpl\n"
    "  Add one (or helmfile.yaml, helmfile.yml.gotmpl, helmfile.yml), or correct the path."
)


@pytest.mark.parametrize(
    ("kind", "path", "error"),
    [
        ("kustomize", "k", ""),
        ("kustomize", "none", f"'none' does not exist\n  {BASE}"),
        ("kustomize", "f.yaml", "'f.yaml' is not a folder\n  Name the folder that holds the kustomization.yaml."),
        ("kustomize", "h", f"'h' {KUSTOMIZATION}"),
        ("helmfile", "h", ""),
        ("helmfile", "f.yaml", ""),
        ("helmfile", "k", f"'k' {HELMFILE}"),
        ("genesissecret", "f.yaml", ""),
        ("genesissecret", "k", "'k' is not a file\n  Name the YAML file of the secret."),
        ("directory", "k", ""),
        ("directory", "f.yaml", ""),
        ("directory", "x" * 300, None),
        ("oras, oras: {reference: r, delegate: {type: kustomize}}", "none", ""),
    ],
)  # fmt: skip
def test_paths(write: Write, kind: str, path: str, error: str | None) -> None:
    text = f"spec:\n  manifests:\n    - name: a\n      path: {path}\n      <<: {{type: {kind}}}\n"
    found = errors(write(text, k__kustomization="", h__helmfile="", f=""))
    if error is None:
        # Later versions of Python take a name that is too long for one that is not there.
        assert found[0].startswith(
            tuple(f"tazuna.yaml:4:13: manifest 'a': '{path}' {what}" for what in ("can't be read: ", "does not exist"))
        )
    else:
        assert found == ([f"tazuna.yaml:4:13: manifest 'a': {error}"] if error else [])


def test_environment_must_be_declared(write: Write) -> None:
    text = "spec:\n  environments: {staging: {}}\n  manifests: [{name: a, type: directory, path: .}]\n"
    assert errors(write(text), "staging") == []
    assert errors(write(text), "") == []
    expected = "tazuna.yaml:2:17: the environment 'stagin' is not declared\n  Did you mean 'staging'?"
    assert errors(write(text), "stagin") == [expected]
    with pytest.raises(UsageError) as raised:
        require_environment(load_spec(Path("tazuna.yaml"), "stagin"))
    assert str(raised.value) == expected
    bare = write("spec: {manifests: [{name: a, type: directory, path: .}]}")
    assert errors(bare, "x") == [
        "tazuna.yaml:1:7: the environment 'x' is not declared\n  Declare it under 'spec.environments', or leave out -e."
    ]


@pytest.mark.parametrize(
    "ascending",
    [
        # semver.org 2.0.0, section 11
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0",
        "0.0.9 0.1.0-rc.1 v0.1 0.1.1 0.2 v0.10.0 1",
    ],
)
def test_versions_are_ordered(ascending: str) -> None:
    values = [precedence(version) for version in ascending.split()]
    assert None not in values
    assert values == sorted(value for value in values if value)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("version", ["", TAZUNA_LINE, f"v{TAZUNA_LINE}", "0.1.0-rc.1", "0.0.9", "v0.1", "0.1.0+build"])
def test_versions_that_pass(version: str) -> None:
    check_minimum(version, _PLACE)


@pytest.mark.parametrize(
    ("version", "refusal"),
    [
        ("0.1.1", RefusedError),
        ("v1", RefusedError),
        ("0.2.0-alpha", RefusedError),
        ("v", UsageError),
        ("1.2.3.4", UsageError),
        ("1.0.0-a..b", UsageError),
        ("\u0661.0.0", UsageError),
    ],
)
def test_versions_that_do_not(version: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        check_minimum(version, _PLACE)


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=4))
def test_suggestions_are_known_words(word: str, known: list[str]) -> None:
    advice = did_you_mean(word, known)
    assert advice.startswith("Known: ") or not known or any(advice == f"Did you mean '{one}'?" for one in known)
