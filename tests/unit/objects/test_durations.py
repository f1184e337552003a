"""Go's durations (verdicts 3.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.objects.durations import parse_duration


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("60m", "1h0m0s"), ("1.5h", "90m"), (".5s", "500ms"), ("1us", "1µs"), ("1μs", "1000ns"), ("-1m", "-60s"),
        ("+1m", "1m"), ("0", "0s"), ("-0", "0s"), ("5.s", "5s"),
    ],
)  # fmt: skip
def test_equal_spans(one: str, other: str) -> None:
    assert parse_duration(one) == parse_duration(other) is not None


@pytest.mark.parametrize(
    "text", ["", "-", "1", "1d", "m", "1h 1m", " 1m", "1m ", "1h-1m", ".s", "1e3s", "١s", "1000m0", "99999999999h"]
)
def test_what_is_no_duration(text: str) -> None:
    assert parse_duration(text) is None


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_parts_add_up(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == (hours * 3600 + minutes * 60 + seconds) * 10**9
