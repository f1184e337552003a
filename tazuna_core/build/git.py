"""What git says of the repository that tazuna.yaml lies in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.process import Command, MissingProgramError, run
from tazuna_core.errors import BuildError

_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Checkout:
    """A git work tree: its root, the commit that is checked out ("" before the first), and where it came from."""

    root: Path
    commit: str
    repository: str
    """The origin's address without credentials and ``.git``, or the empty string."""


def checkout_of(folder: Path) -> Checkout | None:
    """Returns the work tree that ``folder`` is in, None where there is none or git is not installed."""
    try:
        root = _git(folder, "rev-parse", "--show-toplevel")
    except (BuildError, MissingProgramError):
        return None
    return Checkout(Path(root), _or_empty(folder, "rev-parse", "--verify", "HEAD"), _origin(folder))


def is_clean(folder: Path) -> bool:
    """Whether nothing of the work tree differs from the commit, untracked files included. Raises BuildError."""
    return not _git(folder, "status", "--porcelain")


def _origin(folder: Path) -> str:
    address = _or_empty(folder, "config", "--get", "remote.origin.url")
    return _CREDENTIALS.sub("", address).removesuffix(".git")


def _or_empty(folder: Path, *arguments: str) -> str:
    try:
        return _git(folder, *arguments)
    except BuildError:
        return ""


def _git(folder: Path, *arguments: str) -> str:
    command = Command(("git", "-C", str(folder), *arguments), seconds=_SECONDS)
    return run(command).stdout.decode(errors="replace").strip()
