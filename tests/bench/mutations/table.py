"""The bench's result as text: one line a kind of edit and tool, then every mismatch with its way back to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.bench.mutations.bench import Attempt, Outcome

_COLUMNS = ("edits", "found", "wrong path", "wrong manager", "extra", "other", "refused")


def table(attempts: Iterable[Attempt], *, by_tool: bool = False) -> str:
    """Counts by kind of edit, or by tool."""
    rows: dict[str, list[int]] = {}
    for attempt in attempts:
        row = rows.setdefault(attempt.tool if by_tool else attempt.edit.kind, [0] * len(_COLUMNS))
        for index, value in enumerate(_counts(attempt)):
            row[index] += value
    total = [sum(row[index] for row in rows.values()) for index in range(len(_COLUMNS))]
    head = f"{'tool' if by_tool else 'kind of edit':30}" + "".join(f"{name:>15}" for name in _COLUMNS)
    lines = [f"{name:30}" + "".join(f"{value:15}" for value in rows[name]) for name in sorted(rows)]
    return "\n".join([head, *lines, f"{'total':30}" + "".join(f"{value:15}" for value in total)])


def _counts(attempt: Attempt) -> Sequence[int]:
    refused = attempt.done is not None and not attempt.done.ok and not attempt.effect
    if not attempt.effect:
        return (0, 0, 0, 0, 0, 0, int(refused))
    bad = attempt.mismatch
    if bad is None:
        return (1, 1, 0, 0, 0, 0, 0)
    found = not bad.missed
    return (1, int(found), *(int(bool(one)) for one in (bad.wrong_path, bad.wrong_manager, bad.extra, bad.other)), 0)


def details(seed: int, attempts: Iterable[Attempt], strays: Iterable[Outcome], bundles: str) -> Iterator[str]:
    """Every mismatch, with the line that makes it again."""
    again = f"python -m tests.bench.mutations --seed {seed} --bundles {bundles}"
    for attempt in attempts:
        if attempt.mismatch:
            yield f"#{attempt.number} {attempt.edit.kind} with {attempt.tool} on {attempt.edit.ref}"
            yield f"    {attempt.done.shown if attempt.done else ''}"
            yield from (f"    {line}" for line in attempt.mismatch.lines())
            yield f"    {again} --only {attempt.number}"
    for stray in strays:
        yield f"{stray.ref} ({stray.where})"
        yield from (f"    {line}" for line in stray.mismatch.lines())
