"""Words that are clearly meant to be another: the same but for capitals and dashes, or one or two slips away."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST, _TWO_SLIPS_FROM = 3, 6


def clear_match(word: str, known: Iterable[str]) -> str:
    """Returns the one known word that `word` is clearly meant to be, "" where there is none or more than one.

    Slips are letters left out, added, changed, or swapped with their neighbour (optimal string alignment distance):
    one in words of three letters and more, two from six.
    """
    others = [(name, folded(name)) for name in known]
    mine = folded(word)
    same = [name for name, text in others if text == mine]
    if same:
        return same[0] if len(same) == 1 else ""
    allowed = 0 if len(mine) < _SHORTEST else 1 if len(mine) < _TWO_SLIPS_FROM else 2
    near = [name for name, text in others if _slips(mine, text, allowed) <= allowed]
    return near[0] if len(near) == 1 else ""


def folded(word: str) -> str:
    """Returns a word without what people mix up first: capitals, dashes, underscores."""
    return word.casefold().replace("_", "").replace("-", "")


def _slips(one: str, two: str, most: int) -> int:
    """How many slips lie between two words; more than `most` is any larger number."""
    if abs(len(one) - len(two)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for at, left in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, right in enumerate(two, 1):
            cost = min(row[-1] + 1, before[to] + 1, before[to - 1] + (left != right))
            if at > 1 and to > 1 and left == two[to - 2] and one[at - 2] == right:
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]
