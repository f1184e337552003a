"""Which commit is checked out: asked of git, so that a report never speaks of another commit than it was made from."""

from __future__ import annotations

from pathlib import Path

from entrypoints.events import Checkout
from tazuna_core.build.process import Command, run
from tazuna_core.errors import TazunaError

_SECONDS = 20.0


def read_checkout(folder: Path) -> Checkout | None:
    """Returns the commit of the work tree that ``folder`` lies in; None without git or outside a work tree."""
    # safe.directory: in a container the files may be another user's; reading one object runs nothing of theirs.
    git = ("git", "-c", "safe.directory=*", "-C", str(folder))
    try:
        sha = _output(*git, "rev-parse", "--verify", "HEAD^{commit}").strip()
        # The commit object itself, for in a shallow clone `git log` hides the parents.
        header = _output(*git, "cat-file", "commit", sha).partition("\n\n")[0]
    except TazunaError:
        return None
    parents = (line.removeprefix("parent ") for line in header.splitlines() if line.startswith("parent "))
    return Checkout(sha=sha, parents=tuple(parents))


def _output(*arguments: str) -> str:
    return run(Command(arguments, seconds=_SECONDS)).stdout.decode(errors="replace")
