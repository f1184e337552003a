"""Each error of tazuna.yaml: its line, its column, what is wrong, what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.errors import TazunaError
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.problems import SpecError
from tests.unit.spec.cases import marked_cases
from tests.unit.spec.conftest import ErrorsOf, Write

LINES = [
    ("", "1:1: the file is empty\n  Begin with 'spec:' and a list of 'manifests:' in it."),
    (
        "spec:\n  manifests: []\n\ttests: []\n",
        "3:1: this is not YAML: while scanning for the next token, found character '\\t' that cannot start any token\n"
        "  Indent with spaces, not tabs.",
    ),
    ("spec:\n  tests: 'a\x07'\n", "2:12: the character '\\x07' is not allowed in YAML\n  Remove it."),
]


@pytest.mark.parametrize(("text", "line", "column", "expected"), marked_cases("load_errors.txt"))
def test_error(errors_of: ErrorsOf, text: str, line: int, column: int, expected: str) -> None:
    assert f"tazuna.yaml:{line}:{column}: {expected}" in errors_of(text)


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_error_in_odd_text(errors_of: ErrorsOf, text: str, expected: str) -> None:
    assert errors_of(text) == [f"tazuna.yaml:{expected}"]


def test_all_errors_at_once_in_order(errors_of: ErrorsOf) -> None:
    text = "kind: X\nspec:\n  manifests:\n    - {name: a, tpye: kustomize}\n    - {name: b, tags: 1}\n  test: []\n"
    assert [error.split(": ")[0] for error in errors_of(text)] == [
        f"tazuna.yaml:{at}" for at in ("1:7", "4:17", "5:23", "6:3")
    ]


def test_cycles_are_named(errors_of: ErrorsOf) -> None:
    text = "spec:\n  manifests:\n" + "".join(
        f"    - {{name: {name}, type: kustomize, path: p, dependsOn: [{needs}]}}\n"
        for name, needs in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("x", "y"), ("y", "x")]
    )
    assert errors_of(text) == [
        "tazuna.yaml:3:55: dependsOn goes round: a -> b -> c -> a\n  Remove one of these dependencies.",
        "tazuna.yaml:7:55: dependsOn goes round: x -> y -> x\n  Remove one of these dependencies.",
    ]


def test_duplicate_names_matter_with_depends_on(errors_of: ErrorsOf) -> None:
    again = "spec: {manifests: [{name: a, type: kustomize, path: q%s}]}"
    root = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: p}\n    - {includes: [{path: more.yaml}]}\n"
    assert errors_of(root, more=again % "") == []
    first, *_ = errors_of(root, more=again % ", dependsOn: [a]")
    assert first == (
        "more.yaml:1:27: the manifest name 'a' is given twice\n"
        "  It was given at tazuna.yaml:3:7; state is kept by name."
    )


def test_errors_of_included_files(errors_of: ErrorsOf) -> None:
    root = "spec:\n  manifests:\n    - includes: [{path: in/a.yaml}, {path: in/b.yaml}, {path: tazuna.yaml}]\n"
    wrong = "spec: {manifests: [{name: a, typ: kustomize}]}"
    nested = "spec: {manifests: [{includes: [{path: a.yaml}]}]}"
    once = "an included file cannot include others, and '{0}' is included\n  Include them all from the first file."
    assert errors_of(root, in__a=wrong, in__b=nested) == [
        "in/a.yaml:1:30: unknown field 'typ' in manifest 'a'\n  Did you mean 'type'?",
        f"in/b.yaml:1:21: {once.format('in/b.yaml')}",
        f"tazuna.yaml:3:7: {once.format('tazuna.yaml')}",
    ]


def test_an_included_file_may_ask_for_a_later_version(errors_of: ErrorsOf) -> None:
    more = "spec: {minimumSupportedTazunaVersion: 1.0, new: 1}"
    (error,) = errors_of("spec: {manifests: [{includes: [{path: more.yaml}]}]}", more=more)
    assert error.startswith("more.yaml:1:39: this file asks for Tazuna 1.0 or later")


def test_files_that_are_none(write: Write, tmp_path: Path) -> None:
    write("")

    def error(path: str) -> str:
        with pytest.raises(SpecError) as raised:
            load_spec(Path(path))
        assert raised.value.exit_code == 2
        return str(raised.value)

    advice = "Name another with -f/--file-path."
    assert error("none.yaml") == f"none.yaml: there is no such file\n  {advice}"
    assert error("tazuna.yaml/x") == "tazuna.yaml/x: this can't be read: Not a directory\n  Check its name and rights."
    assert error(str(tmp_path)) == f"{tmp_path}: this is a directory\n  Did you mean '{tmp_path}/tazuna.yaml'?"
    assert error("/dev/zero") == "/dev/zero: this is not a regular file\n  Name a file."
    assert error("a" * 300).endswith(": this can't be read: File name too long\n  Check its name and rights.")
    Path("latin.yaml").write_bytes("spec:\n  # caf\u00e9\n".encode("latin-1"))
    assert error("latin.yaml") == "latin.yaml:2:8: the byte 0xe9 is not UTF-8\n  Save the file as UTF-8."
    Path("big.yaml").write_bytes(b"#" * (9 << 20))
    assert error("big.yaml") == "big.yaml: this is larger than 8 MiB"


def repeated(first: str, use: str) -> str:
    """Eight keys, each made of ten aliases of the one before."""
    names = zip("abcdefgh", "bcdefghi", strict=True)
    return f"a: &a {first}\n" + "".join(
        f"{new}: &{new} {use.replace('ALIASES', ', '.join([f'*{old}'] * 10))}\n" for old, new in names
    )


ENDLESS = [
    repeated("[x]", "[ALIASES]"),
    repeated("{x: 1}", "{<<: [ALIASES], y: [ALIASES]}"),
    "[" * 1000,
    "{a: " * 1000,
    "- " * 1000,
]


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_what_grows_without_end_is_refused(errors_of: ErrorsOf, text: str) -> None:
    assert errors_of(text)


def test_merging_the_same_many_times_is_fine(errors_of: ErrorsOf) -> None:
    assert len(errors_of(repeated("{x: 1}", "{<<: [ALIASES]}"))) == 10


FRAGMENTS = st.sampled_from(
    [
        *("spec:", "manifests:", "includes:", "dependsOn: [a]", "parallel:", "children:", "tests:", "oras:", "vars:"),
        *("name: a", "type: kustomize", "path: p", "{{ ", " }}", "if .Environment", "end", "%YAML 1.1\n", "---"),
        *("\n", "  ", "    - ", "{", "}", "[", "]", ",", ": ", "&a ", "*a", "<<: ", "!!str ", "!x ", "'", '"', "|\n"),
        *("~", "? ", "- ", "#", "\t", "\r\n", "\x85", "\ufeff"),
    ]
)
KEYS = st.sampled_from(
    [
        *("name", "type", "path", "tags", "dependsOn", "includes", "kustomize", "helmfile", "oras", "parallel"),
        *("children", "tests", "vars", "from", "env", "static", "delegate", "reference", "waitUntil", "resource"),
        *("envfile", "context_matches", "context_match_mode", "x"),
    ]
)
WORDS = st.sampled_from(["kustomize", "oras", "helmfile", "parallel", "WaitUntil", "env", "static", "onepassword"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab-_/. ", max_size=4) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)
BYTES = (
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace"))
    | st.lists(FRAGMENTS, max_size=30).map(lambda parts: "".join(parts).encode())
)
QUICK = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(BYTES)
def test_any_bytes_load_or_are_a_spec_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tazuna.yaml"
    path.write_bytes(content)
    try:
        load_spec(path, "prod")
    except TazunaError as error:
        assert error.exit_code in (2, 5)
        assert str(error)


@QUICK
@given(VALUES, VALUES)
def test_any_data_loads_or_is_a_spec_error(tmp_path: Path, manifests: object, more: object) -> None:
    path = tmp_path / "tazuna.yaml"
    path.write_text(json.dumps({"spec": {"manifests": [manifests], "providers": more, "environments": {"prod": more}}}))
    try:
        load_spec(path, "prod")
    except SpecError as error:
        assert all(one.place and one.place.line for one in error.errors)
