"""Kubernetes quantities as exact rationals (C01)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?\Z", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def parse_quantity(value: Any) -> Fraction | None:
    """Returns the exact value of a quantity (``1000m``, ``0.5Gi``, ``1e3``, a JSON number), None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return Fraction(str(value))
    match = _QUANTITY.match(value) if isinstance(value, str) and len(value) <= 64 else None
    if match is None:
        return None
    number, exponent, suffix = match.groups()
    amount = Fraction(number)
    if exponent:
        power = int(exponent[1:])
        return amount * Fraction(10) ** power if abs(power) <= 100 else None
    if suffix in _BINARY:
        return amount * Fraction(1024) ** _BINARY[suffix]
    return amount * Fraction(10) ** _DECIMAL[suffix or ""]
