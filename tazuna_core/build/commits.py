"""The files of another commit, beside the work tree and without touching it, its index, or anything in ``.git``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.git import Checkout, checkout_of
from tazuna_core.build.process import Command, run
from tazuna_core.build.workspace import private_folder
from tazuna_core.errors import BuildError, UsageError

FETCH_SECONDS = 60.0
_SECONDS = 120.0
_SUBMODULE = "160000"


class MissingCommitError(BuildError):
    """The repository has not got a commit that is needed."""

    default_code = "missing-commit"


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of a commit. ``missing`` names the submodules whose commits are not here: their folders are empty."""

    folder: Path
    commit: str
    missing: tuple[str, ...] = ()


def commit_of(root: Path, ref: str) -> str:
    """Returns the commit that ``ref`` names. Raises UsageError for what can be no ref, MissingCommitError."""
    if not ref or ref.startswith("-"):
        raise UsageError(f"'{ref}' names no commit", advice="Give a branch, a tag or a commit, such as origin/main.")
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").strip()
    except BuildError:
        shallow = is_shallow(root)
        raise MissingCommitError(
            f"commit {ref} is not in this {'shallow clone' if shallow else 'repository'}",
            advice="Check out with `fetch-depth: 0`, or `git fetch` it." if shallow else "`git fetch` it first.",
        ) from None


def is_shallow(root: Path) -> bool:
    """Whether the repository's history was cut off when it was cloned."""
    return _git(root, "rev-parse", "--is-shallow-repository").strip() == "true"


def merge_base(root: Path, base: str, head: str) -> str:
    """Returns the commit that ``head`` went out from when it left ``base``; "" where the history does not tell.

    A parent of ``head`` is told by the commit itself, which a shallow clone has though it has no history.
    """
    header = _git(root, "cat-file", "commit", head).partition("\n\n")[0]
    if f"parent {base}" in header.splitlines():
        return base
    try:
        return _git(root, "merge-base", base, head).strip()
    except BuildError:
        return ""


def fetch_commit(root: Path, commit: str) -> None:
    """Fetches one commit without its history from ``origin``. Raises BuildError where that fails or takes a minute."""
    _git(root, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit, seconds=FETCH_SECONDS)


@contextmanager
def files_of(checkout: Checkout, commit: str) -> Iterator[Exported]:
    """Hands out the files of a commit in a folder of their own, which is removed afterwards. Raises BuildError.

    An index of their own holds them: `git worktree` would write into ``.git`` (which may be read-only) and run hooks.
    Submodules are filled from their own checkouts, as far as those have the commits.
    """
    with private_folder() as scratch:
        folder = scratch / "files"
        folder.mkdir()
        missing = tuple(_export(checkout.root, commit, folder, scratch / "index"))
        yield Exported(folder.resolve(), commit, missing)


def _export(root: Path, commit: str, folder: Path, index: Path) -> Iterator[str]:
    environment = {"GIT_INDEX_FILE": str(index)}
    _git(root, "read-tree", commit, environment=environment)
    _git(root, "checkout-index", "--all", f"--prefix={folder}/", environment=environment)
    listed = _git(root, "ls-files", "--stage", "-z", environment=environment)
    for number, (path, wanted) in enumerate(_submodules(listed)):
        (folder / path).mkdir(parents=True, exist_ok=True)
        inner = checkout_of(root / path) if (root / path).is_dir() else None
        if inner is None or inner.root.resolve() != (root / path).resolve():
            yield path  # never initialised: git finds the outer repository from its empty folder
            continue
        try:
            commit_of(inner.root, wanted)
            for deeper in _export(inner.root, wanted, folder / path, index.with_name(f"{index.name}-{number}")):
                yield f"{path}/{deeper}"
        except BuildError:
            yield path


def _submodules(listed: str) -> Iterator[tuple[str, str]]:
    for entry in listed.split("\0"):
        facts, _, path = entry.partition("\t")
        if facts.startswith(_SUBMODULE):
            yield path, facts.split()[1]


def _git(root: Path, *arguments: str, environment: dict[str, str] | None = None, seconds: float = _SECONDS) -> str:
    command = Command(("git", "-C", str(root), *arguments), environment=environment or {}, seconds=seconds)
    return run(command).stdout.decode(errors="replace")
