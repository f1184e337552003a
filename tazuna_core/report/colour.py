"""Puts ANSI colours on lines of text; without colour the same lines are plain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Tone = Literal["", "title", "good", "bad", "new", "changed", "alarm", "quiet"]

_STYLES: dict[Tone, str] = {
    "title": "bold",
    "good": "bold green",
    "bad": "red",
    "new": "green",
    "changed": "yellow",
    "alarm": "bold red",
    "quiet": "dim",
}


class Span(NamedTuple):
    """A piece of a line and its tone. The text holds no control characters."""

    text: str
    tone: Tone = ""


Line = tuple[Span, ...]


def line(*parts: Span | str) -> Line:
    """Returns a line of spans; a plain string has no tone."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def paint(lines: Iterable[Line], colour: bool) -> str:
    """Returns the lines as text, each with its newline. Stripping the colours gives exactly the plain text."""
    if not colour:
        return "".join("".join(span.text for span in one) + "\n" for one in lines)
    from rich.color import ColorSystem
    from rich.style import Style

    styles = {tone: Style.parse(text) for tone, text in _STYLES.items()}
    return "".join(
        "".join(
            styles[span.tone].render(span.text, color_system=ColorSystem.STANDARD)
            if span.tone and span.text
            else span.text
            for span in one
        )
        + "\n"
        for one in lines
    )
