"""A scalar of YAML that is no text by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A plain number, bool or date: its text as written, for only the field that takes it knows what it should be.

    ``kind`` is what to call it in a message: `a number`, `true or false`, `a date`.
    """

    text: str
    kind: str
