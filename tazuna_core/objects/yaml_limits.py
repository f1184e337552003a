"""How deep and how large a document may unfold, so that hostile or broken text is an error and no exhausted memory."""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 250
"""Levels of nesting that are read: far more than Kubernetes objects have, few enough for every walk over them."""

MAX_ALIASED_TEXT = 64 * 2**20
"""Characters that a document with aliases may unfold to; etcd holds objects of 1.5 MiB."""


def is_excessive(decoded: int, aliased: int) -> bool:
    """Tells whether go-yaml v2 refuses a document that unfolds to ``decoded`` nodes, ``aliased`` of them by aliases.

    It lets 99 % come from aliases up to 400,000 nodes, 10 % from 4,000,000, and in between in proportion.
    """
    allowed = 0.99 - 0.89 * min(max((decoded - 400_000) / 3_600_000, 0.0), 1.0)
    return aliased > 100 and decoded > 1000 and aliased / decoded > allowed


def unfolded_text(value: Any) -> int:
    """Returns the characters of all strings in ``value`` when everything shared is written out."""
    return _unfolded_text(value, {})


def _unfolded_text(value: Any, known: dict[int, int]) -> int:
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list):
        return 1
    size = known.get(id(value))
    if size is None:
        size = sum(map(len, value)) if isinstance(value, dict) else 0
        for member in value.values() if isinstance(value, dict) else value:
            size += _unfolded_text(member, known)
        known[id(value)] = size
    return size
