"""What was sent, written down against the answer: nearly all of it is the same, and says so in one character."""

from __future__ import annotations

from typing import Any

from tazuna_core.objects.comparable import same

SAME = 0
"""The delta of a value that the answer has at the same place."""


def encode_delta(sent: Any, answer: Any) -> Any:
    """Returns the delta from which ``sent`` comes back with ``answer``.

    ``0`` is "the same"; ``{"m": {...}}`` a map with deltas of its entries, ``{"l": [...]}`` a list of deltas,
    ``{"v": ...}`` any other value as it is.
    """
    if same(sent, answer):
        return SAME
    if isinstance(sent, dict) and isinstance(answer, dict):
        return {"m": {key: encode_delta(value, answer.get(key)) for key, value in sent.items()}}
    if isinstance(sent, list) and isinstance(answer, list) and len(sent) == len(answer):
        return {"l": [encode_delta(one, other) for one, other in zip(sent, answer, strict=True)]}
    return {"v": sent}


def decode_delta(delta: Any, answer: Any) -> Any:
    """Undoes ``encode_delta``."""
    if delta == SAME:
        return answer
    if "v" in delta:
        return delta["v"]
    if "l" in delta:
        return [decode_delta(one, other) for one, other in zip(delta["l"], answer, strict=True)]
    return {
        key: decode_delta(value, answer.get(key) if isinstance(answer, dict) else None)
        for key, value in delta["m"].items()
    }
