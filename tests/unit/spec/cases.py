"""Reads tables of wrong files and what is to be said of them."""

from __future__ import annotations

from pathlib import Path

MARK = "▸"


def marked_cases(name: str) -> list[tuple[str, int, int, str]]:
    """The cases of a file beside this one: content, line, column, message with advice.

    Cases stand between `====` lines: the content with a mark before what is wrong, `----`, the message, the advice.
    """
    text = Path(__file__).with_name(name).read_text(encoding="utf-8").removesuffix("\n")
    cases = []
    for case in text.split("\n====\n"):
        marked, expected = case.split("\n----\n")
        before, mark, after = marked.partition(MARK)
        assert mark, f"no {MARK} in {marked}"
        cases.append((before + after + "\n", before.count("\n") + 1, len(before) - before.rfind("\n"), expected))
    return cases
