"""What git says of the repository that tazuna.yaml lies in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.process import Command, MissingProgramError, run
from tazuna_core.errors import BuildError

_SCHEME_AND_USER = re.compile(r"\A(?:[a-z+]+://)?(?:[^/@]*@)?")
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Checkout:
    """A git work tree: its root, the commit that is checked out ("" before the first), and where it came from."""

    root: Path
    commit: str
    repository: str
    """What names the repository wherever it is cloned: ``host/path`` of its origin, else its first commit."""


def checkout_of(folder: Path) -> Checkout | None:
    """Returns the work tree that ``folder`` is in, None where there is none or git is not installed."""
    try:
        root = _git(folder, "rev-parse", "--show-toplevel")
    except (BuildError, MissingProgramError):
        return None
    return Checkout(Path(root), _or_empty(folder, "rev-parse", "--verify", "HEAD"), _identity(folder))


def is_clean(folder: Path) -> bool:
    """Whether nothing of the work tree differs from the commit, untracked files included. Raises BuildError."""
    return not _git(folder, "status", "--porcelain")


def has_changes(file: Path) -> bool:
    """Whether a file differs from the commit, or is not in it. Raises BuildError."""
    return bool(_git(file.parent, "status", "--porcelain", "--ignored", "--", str(file)))


def is_ignored(file: Path) -> bool:
    """Whether git ignores a file, there or not, that it does not follow already. Raises BuildError."""
    arguments = ("git", "-C", str(file.parent), "check-ignore", "--quiet", "--", str(file))
    return run(Command(arguments, seconds=_SECONDS, allowed=frozenset({0, 1}))).code == 0


def _identity(folder: Path) -> str:
    """One name for all ways to clone a repository: scheme, user, port-less ``host:path`` and ``.git`` do not count."""
    address = _or_empty(folder, "config", "--get", "remote.origin.url")
    if address:
        return _SCHEME_AND_USER.sub("", address).removesuffix("/").removesuffix(".git").replace(":", "/", 1)
    first = _or_empty(folder, "rev-list", "--max-parents=0", "HEAD").split()
    return f"git:{first[-1]}" if first else ""


def _or_empty(folder: Path, *arguments: str) -> str:
    try:
        return _git(folder, *arguments)
    except BuildError:
        return ""


def _git(folder: Path, *arguments: str) -> str:
    command = Command(("git", "-C", str(folder), *arguments), seconds=_SECONDS)
    return run(command).stdout.decode(errors="replace").strip()
