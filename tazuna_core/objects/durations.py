"""Go's durations, as custom resources write them: ``1h0m0s`` and ``60m`` are one span (verdicts 3.4)."""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_LARGEST = 2**63


def parse_duration(text: str) -> Fraction | None:
    """Returns the span in nanoseconds, None where ``text`` is no duration of Go's ``time.ParseDuration``."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if rest == "0":
        return Fraction(0)  # the one span that needs no unit
    if not rest or len(rest) > 64:
        return None
    total, position = Fraction(0), 0
    for part in _PART.finditer(rest):
        if part.start() != position:
            return None
        total += Fraction(part[1]) * _UNITS[part[2]]
        position = part.end()
    return sign * total if position == len(rest) and total < _LARGEST else None
