"""The text that YAML sees, and the way from each of its characters back to the file as it was written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tazuna_core.errors import Place, UsageError

LEFT = "{{"
"""Where an action of a template begins."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of rendered text and where it comes from.

    ``offset`` is the place in the written text; if ``literal``, each further character comes from the next one
    there, else the whole stretch is the output of one action.
    """

    text: str
    offset: int
    literal: bool


@dataclass(frozen=True)
class SourceText:
    """A file's text as written and as rendered; the same where the file holds no template."""

    file: str
    written: str
    pieces: tuple[Piece, ...]

    @classmethod
    def plain(cls, file: str, written: str) -> SourceText:
        """A text without templates."""
        return cls(file, written, (Piece(written, 0, literal=True),))

    @classmethod
    def rendered(cls, file: str, written: str, pieces: Iterable[Piece]) -> SourceText:
        """A text made of pieces of ``written`` and outputs of its actions."""
        return cls(file, written, tuple(piece for piece in pieces if piece.text))

    @cached_property
    def text(self) -> str:
        """What YAML is to read."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for piece in self.pieces:
            starts.append(at)
            at += len(piece.text)
        return starts

    @cached_property
    def _line_starts(self) -> list[int]:
        return line_starts(self.written)

    def place(self, offset: int) -> Place:
        """Where in the file the character at `offset` of the rendered text was written."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return self.written_place(0)
        piece = self.pieces[index]
        within = min(offset - self._starts[index], len(piece.text))
        return self.written_place(piece.offset + (within if piece.literal else 0))

    def written_place(self, offset: int) -> Place:
        """Line and column, from 1, of the character at `offset` of the written text."""
        return _place(self.file, self._line_starts, offset)


def line_starts(text: str) -> list[int]:
    """The offsets at which the lines of a text begin."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def decoded(content: bytes, file: str) -> str:
    """The text of a file's bytes, without a byte order mark; raises UsageError where they are not UTF-8."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        raise UsageError(
            f"the byte 0x{content[error.start]:02x} is not UTF-8",
            advice="Save the file as UTF-8.",
            place=_place(file, line_starts(before), len(before)),
            code="encoding",
        ) from None
    return text.removeprefix("\ufeff")


def _place(file: str, starts: list[int], offset: int) -> Place:
    line = bisect_right(starts, offset)
    return Place(file, line, offset - starts[line - 1] + 1)
