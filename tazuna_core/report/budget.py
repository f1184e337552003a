"""Fits a document into a number of bytes: what matters most stays longest, and every piece is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["title", "notice", "object", "more", "part"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document in several forms, from shortest to full, each with its fences and elements closed.

    ``rank`` says how long it stays (0 longest). ``parent`` is the index of the heading it can't stand without. ``cut``
    returns a form of at most so many bytes, or "" where it can't.
    """

    rank: int
    forms: tuple[str, ...]
    role: Role = "part"
    parent: int | None = None
    cut: Callable[[int], str] | None = None
    objects: int = 1
    """How many objects it shows, where it is of the role."""


@dataclass
class _Choice:
    """What stands for each block, and the bytes used so far."""

    blocks: Sequence[Block]
    sizes: list[list[int]]
    limit: int
    level: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    used: int = 0

    def put(self, index: int, level: int, text: str) -> None:
        self.used += size(text) - size(self.texts[index])
        self.level[index], self.texts[index] = level, text

    def raise_to(self, index: int, level: int) -> None:
        """Shows a longer form where it fits, with the heading that it needs."""
        block = self.blocks[index]
        cost = self.sizes[index][level] - size(self.texts[index])
        parent = block.parent
        heading = 0 if parent is None or self.texts[parent] else self.sizes[parent][-1]
        if self.used + cost + heading > self.limit:
            return
        if parent is not None and heading:
            self.put(parent, len(self.blocks[parent].forms) - 1, self.blocks[parent].forms[-1])
        self.put(index, level, block.forms[level])


def size(text: str) -> int:
    """Returns the bytes of ``text`` in UTF-8, the measure of all limits."""
    return len(text.encode())


def sizes_of(blocks: Sequence[Block]) -> list[list[int]]:
    """Returns the bytes of every form of every block."""
    return [[size(form) for form in block.forms] for block in blocks]


def fit(blocks: Sequence[Block], limit: int, notice: Callable[[int, int], str], more: Callable[[int], str]) -> str:
    """Returns the document in at most ``limit`` bytes.

    All of it, where that fits. Else the title, ``notice(objects shown in full, objects)`` on top, then names before
    contents, both by rank; what is left of the room goes to a part of the first block that did not fit. ``more(n)``
    stands for the objects without even a name.
    """
    sizes = sizes_of(blocks)
    if sum(each[-1] for each in sizes) <= limit:
        return tidy("".join(block.forms[-1] for block in blocks))
    total = sum(block.objects for block in blocks if block.role == "object")
    reserve = size(notice(total, total)) + size(more(total))
    title = next(index for index, block in enumerate(blocks) if block.role == "title")
    if sizes[title][0] + reserve > limit:
        return clip(blocks[title].forms[0] + notice(0, total), limit)
    choice = _Choice(blocks, sizes, limit - reserve, [0] * len(blocks), [block.forms[0] for block in blocks])
    choice.used = sum(each[0] for each in sizes)
    ranked = sorted(range(len(blocks)), key=lambda index: blocks[index].rank)
    for level in range(1, max(len(block.forms) for block in blocks)):
        for index in ranked:
            if choice.level[index] == level - 1 and level < len(blocks[index].forms):
                choice.raise_to(index, level)
    _fill(choice, ranked)
    return _assembled(choice, notice, more, total)


def tidy(text: str) -> str:
    """Returns the document with single blank lines; no line inside a fence is empty, so contents stay as they are."""
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def clip(text: str, limit: int) -> str:
    """Returns the start of ``text`` in at most ``limit`` bytes, never half a character."""
    return text.encode()[: max(0, limit)].decode("utf-8", "ignore")


def _fill(choice: _Choice, ranked: list[int]) -> None:
    for index in ranked:
        block = choice.blocks[index]
        shown = choice.level[index] == len(block.forms) - 1
        if shown or block.cut is None or (block.parent is not None and not choice.texts[block.parent]):
            continue
        part = block.cut(choice.limit - choice.used + size(choice.texts[index]))
        if size(part) > size(choice.texts[index]):
            choice.put(index, max(choice.level[index], 1), part)


def _assembled(choice: _Choice, notice: Callable[[int, int], str], more: Callable[[int], str], total: int) -> str:
    blocks = choice.blocks
    objects = [index for index, block in enumerate(blocks) if block.role == "object"]
    shown = sum(blocks[i].objects for i in objects if choice.level[i] == len(blocks[i].forms) - 1)
    nameless = sum(blocks[i].objects for i in objects if not choice.texts[i])
    result = []
    for block, text in zip(blocks, choice.texts, strict=True):
        if block.role == "notice":
            result.append(notice(shown, total))
        elif block.role == "more":
            result.append(more(nameless) if nameless else "")
        else:
            result.append(text)
    return tidy("".join(result))
