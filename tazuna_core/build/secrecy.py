"""Takes values that must not be seen out of what other programs say."""

from __future__ import annotations

from collections.abc import Iterable

MASK = "***"
_SHORTEST_LINE = 6


def hide(text: str, values: Iterable[str]) -> str:
    """Returns ``text`` without ``values``, nor the longer lines of those that have several: programs cite by line."""
    pieces: set[str] = set()
    for value in values:
        lines = value.splitlines()
        pieces.update(
            [value], (line.strip() for line in lines if len(lines) > 1 and len(line.strip()) >= _SHORTEST_LINE)
        )
    # The longest first: a value may be part of another.
    for piece in sorted(filter(None, pieces), key=len, reverse=True):
        text = text.replace(piece, MASK)
    return text
