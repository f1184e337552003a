"""Appends the report to the step summary, which GitHub drops as a whole when it is one byte too big."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

LIMIT_BYTES = 1024 * 1024 - 1
"""GitHub takes at most 1 MiB for one step, what was there before us included."""
_SMALLEST = 200  # below this nothing sensible can be said


def append_summary(path: Path | None, render: Callable[[int], str]) -> bool:
    """Appends what ``render`` makes of the bytes that are left. Returns False when there is no file or no room."""
    if path is None:
        return False
    before = path.read_bytes() if path.exists() else b""
    lead = b"\n" if before and not before.endswith(b"\n") else b""
    room = LIMIT_BYTES - len(before) - len(lead) - 1
    if room < _SMALLEST:
        return False
    text = render(room).rstrip("\n").encode()
    if len(text) > room:
        raise ValueError(f"a summary of {len(text)} bytes was rendered for {room}")
    with path.open("ab") as file:
        file.write(lead + text + b"\n")
    return True
