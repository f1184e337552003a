"""Values on one line, and long values by lines."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.line_diff import line_diff, needs_lines
from tazuna_core.report.values import HARMFUL, clean, masked_word, one_line, one_line_each
from tests.unit.report.strategies import values


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("nginx:1.27@sha256:ab", "nginx:1.27@sha256:ab"),
        ("3", '"3"'),
        (3, "3"),
        (True, "true"),
        ("true", '"true"'),
        ("on", '"on"'),
        ("1e3", '"1e3"'),
        ("0x1f", '"0x1f"'),
        ("12:30:45", '"12:30:45"'),
        ("~", '"~"'),
        ("null", '"null"'),
        (None, "null"),
        (ABSENT, "(absent)"),
        ("(absent)", '"(absent)"'),
        ({"masked": True}, "(secret)"),
        ("", '""'),
        ("a b", '"a b"'),
        ("日本", '"日本"'),
        ("100m", "100m"),
        ("1.2.3", "1.2.3"),
        ({"a": [1, "x", None], "b": {}}, '{"a":[1,"x",null],"b":{}}'),
        ("\x1b[31m\u202e", '"\\u001b[31m\\u202e"'),
        ("a\nb", '"a\\nb"'),
    ],
)
def test_b41_one_line(value: Any, shown: str) -> None:
    assert one_line(value) == shown


@given(values, values)
@settings(max_examples=200, deadline=None)
def test_unequal_values_never_look_equal(a: Any, b: Any) -> None:
    same = json.dumps(a) == json.dumps(b)
    assert (one_line(a) == one_line(b)) == same
    first, second = one_line_each([a, b], 20)
    assert (first == second) == same


@given(st.text(min_size=150, max_size=400), st.integers(0, 149), st.integers(0, 149))
@settings(max_examples=100, deadline=None)
def test_long_values_are_cut_where_they_differ(text: str, first: int, second: int) -> None:
    sides = [text, text[:first] + "ä" + text[first + 1 :], text[:second] + "ö" + text[second + 1 :]]
    shown = one_line_each(sides, 40)
    assert len(set(shown)) == len(set(sides))
    assert all(len(one) < 100 for one in shown)


def test_clean_makes_one_harmless_line() -> None:
    assert clean("a\x1b[31mred\x1b[0m\r\n\tb\u202e\x00c") == "ared b c"


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (ABSENT, {"masked": True}, "added"),
        ({"masked": True}, ABSENT, "removed"),
        ({"masked": True}, {"masked": True}, "changed"),
    ],
)
def test_masked_words(before: Any, after: Any, word: str) -> None:
    assert masked_word(before, after) == word
    assert masked_word(1, 2) is None


def test_b31_unchanged_list_items_start_with_a_blank() -> None:
    before = {
        "containers": [{"name": "x", "image": "registry.example.com/a-rather-long-name:1"}, {"name": "y"}],
        "other": "v" * 60,
    }
    after = {**before, "other": "w" * 60}
    assert needs_lines(before, after)
    lines = [one.mark + one.text for one in line_diff(before, after).lines]
    assert " - name: x" in lines or "   image: registry.example.com/a-rather-long-name:1" in lines
    assert not [line for line in lines if line.startswith("-") and "name" in line]


@pytest.mark.parametrize(
    ("before", "after", "remark"),
    [
        ("a\r\nb\r\n", "a\nb\n", "line-endings"),
        ("a\nb", "a\nb\n\n", "final-newline"),
        ("a \nb", "a\nb", "trailing-blanks"),
    ],
)
def test_b32_line_endings_only(before: str, after: str, remark: str) -> None:
    found = line_diff(before, after)
    assert (found.remark, found.lines) == (remark, ())


def test_json_on_one_line_is_compared_formatted() -> None:
    before = json.dumps({"panels": [{"id": n, "title": f"panel {n}"} for n in range(9)]})
    found = line_diff(before, before.replace("panel 4", "panel four"))
    assert found.remark == "json"
    assert [one.text.strip() for one in found.lines if one.mark in "+-"] == [
        '"title": "panel 4"',
        '"title": "panel four"',
    ]
    assert line_diff(before, before.replace(": ", ":")).remark == "json-layout"


@given(
    st.lists(st.sampled_from(["a", "b", "\\x", "\x1b", "\r", ""]), max_size=12),
    st.lists(st.sampled_from(["a", "b", "\r"]), max_size=12),
)
@settings(max_examples=100, deadline=None)
def test_a_line_diff_holds_both_sides(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    found = line_diff(old, new)
    assert not any(HARMFUL.search(one.text) for one in found.lines)
    if old != new:
        assert found.remark not in (None, "escaped") or any(one.mark in "+-" for one in found.lines)


def test_a_diff_of_a_large_schema_ends() -> None:
    old = [f"line {n % 50}" for n in range(12_000)]
    new = [line if n % 7 else f"{line}!" for n, line in enumerate(old)]
    started = time.process_time()
    assert line_diff("\n".join(old), "\n".join(new)).lines
    assert time.process_time() - started < 30  # a hang, not a measure


def test_huge_texts_show_the_beginning_of_both_sides_and_count_the_rest() -> None:
    before = "\n".join(f"old {number}" for number in range(150_000))
    after = "\n".join(f"new {number}" for number in range(160_000))
    found = line_diff(before, after)
    shown = [one for one in found.lines if one.mark != "@"]
    assert len(found.lines) <= 60_001
    assert {one.mark for one in shown[:100]} == {"-"}
    assert any(one.text == "new 0" for one in shown)
    assert len(shown) + sum(one.rest for one in found.lines) == 310_000


def test_huge_maps_are_json_by_lines() -> None:
    before = [{"a": number, "secret": {"masked": True}} for number in range(40_000)]
    found = line_diff(before, [*before[:-1], {"a": -1}])
    text = "\n".join(one.text for one in found.lines)
    assert '"a": -1' in text
    assert "masked" not in text
    assert needs_lines(before, before)
    assert line_diff([*before, 2**70], before).lines


def test_huge_lines_of_blanks_and_json_end() -> None:
    assert line_diff("a" + " " * 300_000 + "b\n", "a" + " " * 300_000 + "c\n").lines
    assert line_diff("[" * 2_000_000, "[" * 2_000_001).lines
