"""Which items of a list stay, change, go and come, so that as little text as possible changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import orjson

KEEP, EDIT, NEW = "keep", "edit", "new"
_NAMES = ("name", "key", "mountPath", "containerPort", "port", "devicePath", "topologyKey", "ip", "kind")
"""What most lists of Kubernetes tell their items apart by. A wrong guess costs a larger change, never a wrong one."""


class Step(NamedTuple):
    """One item of the new list. ``old`` is the index of the old item that it is made of, -1 for none."""

    kind: str
    old: int
    value: Any


def align(old: Sequence[Any], new: Sequence[Any]) -> list[Step]:
    """Returns a step for each new item. The indexes of kept and edited ones rise; a new one may name one that moved."""
    before, after = [_text(item) for item in old], [_text(item) for item in new]
    steps: list[Step] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            steps += [Step(KEEP, i, new[j]) for i, j in zip(range(i1, i2), range(j1, j2), strict=True)]
        else:
            steps += _paired(old, new, range(i1, i2), range(j1, j2))
    used = {step.old for step in steps if step.kind != NEW}
    for at, (step, text) in enumerate(zip(steps, after, strict=True)):
        if step.kind == NEW:
            moved = next((i for i, one in enumerate(before) if one == text and i not in used), -1)
            used.add(moved)
            steps[at] = Step(NEW, moved, step.value)
    return steps


def _paired(old: Sequence[Any], new: Sequence[Any], olds: range, news: range) -> Iterator[Step]:
    names = {identity(old[i]) for i in olds} & {identity(new[j]) for j in news}
    by_position = len(olds) == len(news) and not names - {()}  # renamed, or without names
    at = olds.start
    for j in news:
        if by_position:
            found = olds.start + j - news.start
        else:
            wanted = identity(new[j])
            found = next((i for i in range(at, olds.stop) if wanted and identity(old[i]) == wanted), -1)
        if found >= 0:
            at = found + 1
        yield Step(EDIT if found >= 0 else NEW, found, new[j])


def identity(item: Any) -> tuple[str, ...]:
    """Returns the field that tells an item from its neighbours and its value; nothing where there is none."""
    if not isinstance(item, dict):
        return ()
    metadata = item.get("metadata")
    named = item if "name" in item or not isinstance(metadata, dict) else metadata
    return next(((name, _text(named[name]).decode()) for name in _NAMES if name in named), ())


def _text(item: Any) -> bytes:
    return orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
