"""Quantities, exactly (C01)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.objects.quantity import parse_quantity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1000m", "1"), ("1000m", 1), ("1000M", "1G"), ("1024Mi", "1Gi"), ("0.5", "500m"), (".5Gi", "512Mi"),
        ("1e3", "1k"),
        ("1E3", "1000"), ("1E", "1e18"), ("5.", "5"), ("+1", "1"), ("-1k", "-1000"), ("0", 0), ("0Mi", "0"),
        (0.1, "100m"),
        ("1000000n", "1m"), ("1000u", "1m"), ("1Ki", 1024), ("12000m", "12"), ("1e-3", "1m"),
    ],
)  # fmt: skip
def test_c01_equal_quantities(one: Any, other: Any) -> None:
    assert parse_quantity(one) == parse_quantity(other) is not None


@pytest.mark.parametrize(("one", "other"), [("1G", "1Gi"), ("1m", "1M"), ("1E", "1Ei"), ("1", "1.0000000001")])
def test_c01_quantities_that_differ(one: str, other: str) -> None:
    assert parse_quantity(one) != parse_quantity(other)


@pytest.mark.parametrize(
    "value",
    ["", "m", "1 ", " 1", "1K", "1mm", "1e", "1KI", "0x1", "1_000", "1,5", "--1", "1e999",
     ".", "١", "inf", True, None, []],
)  # fmt: skip
def test_what_is_no_quantity(value: Any) -> None:
    assert parse_quantity(value) is None


@given(st.integers(-(10**12), 10**12), st.sampled_from(["m", "", "k", "Mi"]))
def test_integers_with_a_suffix_are_exact(number: int, suffix: str) -> None:
    factor = {"m": Fraction(1, 1000), "": Fraction(1), "k": Fraction(1000), "Mi": Fraction(1024**2)}[suffix]
    assert parse_quantity(f"{number}{suffix}") == number * factor
