"""Which commit is checked out: asked of git, so that a report never speaks of another commit than it was made from."""

from __future__ import annotations

import subprocess
from pathlib import Path

from entrypoints.events import Checkout

_SECONDS = 20


def read_checkout(folder: Path) -> Checkout | None:
    """Returns the commit of the work tree that ``folder`` lies in; None without git or outside a work tree."""
    # The commit object itself, for in a shallow clone `git log` hides the parents. safe.directory: in a container
    # the files may be another user's; reading one object runs nothing of the repository's.
    command = ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", str(folder)]
    try:
        sha = _output([*command, "rev-parse", "--verify", "HEAD^{commit}"]).strip()
        header = _output([*command, "cat-file", "commit", sha]).partition("\n\n")[0]
    except (OSError, subprocess.SubprocessError):
        return None
    parents = (line.removeprefix("parent ") for line in header.splitlines() if line.startswith("parent "))
    return Checkout(sha=sha, parents=tuple(parents))


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS, text=True, errors="replace")
    return done.stdout
