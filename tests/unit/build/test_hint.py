"""tazuna.hint.yaml: every rule of its reference, and every error with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.build.hint import apply_hints, load_hints
from tazuna_core.build.hint_formats import fits
from tazuna_core.build.hint_models import HintFormat
from tazuna_core.errors import TazunaError
from tazuna_core.spec.models_manifest import HelmfileVar

TEXT = HelmfileVar.model_validate({"from": "static", "static": "x"})
LIST = HelmfileVar.model_validate({"from": "static", "staticSlice": ["x"]})
MAP = HelmfileVar.model_validate({"from": "static", "staticMap": {"a": "b"}})
ENV = HelmfileVar.model_validate({"from": "env", "env": "X"})


def applied(folder: Path, hint: str, declared: dict[str, HelmfileVar], values: dict[str, object]) -> dict[str, object]:
    (folder / "tazuna.hint.yaml").write_text(hint)
    hints = load_hints(folder)
    assert hints is not None
    return apply_hints(hints, declared, values)


def test_no_file_is_no_hint(tmp_path: Path) -> None:
    assert load_hints(tmp_path) is None


def test_what_is_not_given_is_filled_in(tmp_path: Path) -> None:
    hint = """
apiVersion: any
kind: TazunaHint
vars:
  text: {type: string}
  list: {type: slice}
  map: {type: map}
  three: {type: string, default: 3}
  half: {type: string, default: 0.5}
  off: {type: string, default: false}
  some: {type: map, default: {a: [1, "2", null]}}
  given: {type: string, default: other, description: for people}
"""
    assert applied(tmp_path, hint, {"given": TEXT, "free": LIST}, {"given": "x", "free": ["y"]}) == {
        "text": "",
        "list": [],
        "map": {},
        "three": 3,
        "half": 0.5,
        "off": False,
        "some": {"a": [1, "2", None]},
        "given": "x",
        "free": ["y"],
    }


@pytest.mark.parametrize(
    ("variable", "others", "message", "line"),
    [
        ("{type: string, required: true}", "", "variable 'a' is required and not given", 2),
        ("{type: string, required_with: [no, b]}", "b", "variable 'a' is required because 'b' is given", 2),
        (
            "{type: string, required_without: [no, c]}",
            "b",
            "variable 'a' is required because none of 'no', 'c' is given",
            2,
        ),
    ],
)
def test_what_must_be_given(variable: str, others: str, message: str, line: int, tmp_path: Path) -> None:
    hint = f"vars:\n  a: {variable}\n  b: {{type: string}}\n  c: {{type: string, default: d}}\n  no: {{type: string}}\n"
    values: dict[str, object] = dict.fromkeys(others.split(), "")
    with pytest.raises(TazunaError) as caught:
        applied(tmp_path, hint, dict.fromkeys(values, TEXT), values)
    assert caught.value.message == message
    assert (caught.value.exit_code, caught.value.place.line if caught.value.place else 0) == (3, line)


def test_a_condition_that_does_not_hold_asks_for_nothing(tmp_path: Path) -> None:
    hint = "vars: {a: {type: string, required_with: [b], required_without: [c]}, b: {type: string}, c: {type: string}}"
    assert applied(tmp_path, hint, {"c": TEXT}, {"c": ""}) == {"a": "", "b": "", "c": ""}


@pytest.mark.parametrize(
    ("hinted", "given", "message"),
    [
        ("string", LIST, "variable 'a' must be a text, and a list is given"),
        ("string", MAP, "variable 'a' must be a text, and a map is given"),
        ("slice", TEXT, "variable 'a' must be a list, and a text is given"),
        ("slice", MAP, "variable 'a' must be a list, and a map is given"),
        ("map", TEXT, "variable 'a' must be a map, and a text is given"),
        ("string", ENV, ""),
        ("slice", ENV, ""),
        ("map", MAP, ""),
    ],
)
def test_types(hinted: str, given: HelmfileVar, message: str, tmp_path: Path) -> None:
    hint = f"vars: {{a: {{type: {hinted}}}}}"
    if not message:
        assert applied(tmp_path, hint, {"a": given}, {"a": "x"}) == {"a": "x"}
        return
    with pytest.raises(TazunaError) as caught:
        applied(tmp_path, hint, {"a": given}, {"a": "x"})
    assert caught.value.message == message


def test_a_format_that_does_not_fit_hides_the_value(tmp_path: Path) -> None:
    with pytest.raises(TazunaError) as caught:
        applied(tmp_path, "vars:\n  a:\n    type: string\n    format: ip\n", {"a": TEXT}, {"a": "hunter2"})
    assert caught.value.message == "the value of variable 'a' is no ip"
    assert caught.value.place is not None
    assert caught.value.place.line == 4
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("message", ["", "say this"])
def test_one_of_several(message: str, tmp_path: Path) -> None:
    variables = "{a: {type: string, default: x}, b: {type: string}}"
    hint = f"vars: {variables}\nrules:\n- type: oneof_required\n  vars: [a, b]\n  message: '{message}'\n"
    assert applied(tmp_path, hint, {"b": TEXT}, {"b": ""})["b"] == ""
    with pytest.raises(TazunaError) as caught:
        applied(tmp_path, hint, {}, {})  # a default does not count
    assert caught.value.message == (message or "at least one of the variables 'a', 'b' must be given")
    assert caught.value.place is not None
    assert caught.value.place.line == 3


@pytest.mark.parametrize(
    ("hint", "message", "line"),
    [
        ("vars:\n  a: {}", "field 'type' is missing in 'vars.a'", 2),
        ("vars:\n  a: {type: list}", "unknown type 'list' in 'vars.a'", 2),
        ("vars:\n  a:\n    type: string\n    format: phone", "unknown format 'phone' in 'vars.a'", 4),
        (
            "vars:\n  a:\n    type: map\n    format: ip",
            "variable 'a': 'format' goes with 'type: string' only, not with 'map'",
            4,
        ),
        (
            "vars:\n  a: {type: string, required: true,\n    default: x}",
            "variable 'a': 'default' does not go with 'required: true'",
            3,
        ),
        (
            "vars:\n  a: {type: string, required: true,\n    required_with: [b]}\n  b: {type: map}",
            "'required_with' does not go with",
            3,
        ),
        (
            "vars:\n  a: {type: string, required: true,\n    required_without: [b]}\n  b: {type: map}",
            "'required_without' does not go with",
            3,
        ),
        ("vars:\n  a: {type: string,\n    required_with: [c]}", "variable 'a' names 'c', which has no hint", 3),
        ("vars:\n  a: {type: string,\n    required_without: [c]}", "variable 'a' names 'c', which has no hint", 3),
        ("vars: {a: {type: string}}\nrules:\n- {type: all, vars: [a, a]}", "unknown type 'all' in 'rules[0]'", 3),
        (
            "vars: {a: {type: string}}\nrules:\n- {type: oneof_required, vars: [a]}",
            "rule number 1 names fewer than two variables",
            3,
        ),
        (
            "vars: {a: {type: string}}\nrules:\n- {type: oneof_required, vars: [a, b]}",
            "rule number 1 names 'b', which has no hint",
            3,
        ),
        ("vars:\n  a: {type: string, reqired: true}", "unknown field 'reqired' in 'vars.a'", 2),
        ("vars: [a", "this is not YAML", 1),
    ],
)
def test_wrong_hint_files(hint: str, message: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(TazunaError) as caught:
        applied(tmp_path, hint, {}, {})
    assert message in caught.value.message
    assert caught.value.exit_code == 2
    assert caught.value.place is not None
    assert (Path(caught.value.place.file).name, caught.value.place.line) == ("tazuna.hint.yaml", line)


FORMATS = {
    HintFormat.HOSTNAME: ("a a.b-c.D9 1.2", "-a a- a..b a_b a." + " " + "x" * 64),
    HintFormat.URL: (
        "https://a http://a:1/b?c#d mailto:x oci://r/x http://[::1]:8080/ http://u:p@h/",
        "a /a a/b ://a 1a://b http://a:b/ http://a%zz",
    ),
    HintFormat.EMAIL: ("a@b.cd a.b+c@d-e.fg", "a a@b @b.cd a@b.c a@@b.cd"),
    HintFormat.IP: ("1.2.3.4 ::1 fe80::1 ::ffff:1.2.3.4", "1.2.3 01.2.3.4 1.2.3.4/8 fe80::1%eth0 256.1.1.1"),
    HintFormat.CIDR: (
        "10.0.0.0/8 10.1.2.3/8 ::/0 fd00::/64",
        "10.0.0.0 10.0.0.0/33 10.0.0.0/255.0.0.0 ::/129 a/8 10.0.0.0/",
    ),
    HintFormat.UUID: (
        "123e4567-e89b-12d3-a456-426614174000 FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        "123e4567e89b12d3a456426614174000 {x}",
    ),
    HintFormat.SEMVER: ("1.2.3 v1.2.3 1.2.3-rc.1 1.2.3+b.7 1.2.3-a+b", "1.2 1.2.3.4 V1.2.3 1.2.3- 1.2.3-a..b"),
    HintFormat.DATETIME: (
        "2026-11-30T03:12:44Z 2026-11-30T03:12:44.5+09:00",
        "2026-11-30 2026-11-30T03:12:44 2026-02-30T00:00:00Z 2026-11-30T24:00:00Z 2026-11-30t03:12:44z",
    ),
}


@pytest.mark.parametrize("wanted", HintFormat)
def test_formats(wanted: HintFormat) -> None:
    good, bad = FORMATS[wanted]
    assert [text for text in good.split() if not fits(text, wanted)] == []
    assert [text for text in bad.split() if fits(text, wanted)] == []
    assert fits("", wanted)
    assert not fits(good.split()[0] + "\n", wanted)
