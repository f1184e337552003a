"""Digests of files and folders: what a build read, so that a later one knows whether it would read the same."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

MOST_FILES = 20_000
MOST_BYTES = 256 << 20
_BLOCK = 1 << 20
_NOT_READ = frozenset({".git"})

Update = Callable[[bytes], None]


class CannotDigestError(Exception):
    """A tree that is not worth a digest (too large, changing, unreadable) or that has none (devices, loops)."""


def digest_of(*parts: str | bytes | None) -> str:
    """Returns one digest (64 hex digits) for a list of texts; None differs from the empty text."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"-" if data is None else b"%d:" % len(data) + data)
    return digest.hexdigest()


def tree_digest(root: Path, *, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> str:
    """Returns a digest of a file, or of a folder with all names, contents and links below it; `.git` does not count.

    Links count as what they lead to, wherever that is. Raises CannotDigestError beyond the limits, for special files
    and for links in a circle.
    """
    walk = _Walk(most_files, most_bytes)
    try:
        walk.add(root, ())
    except OSError as error:
        raise CannotDigestError(f"{root}: {error.strerror}") from None
    return walk.digest.hexdigest()


class _Walk:
    def __init__(self, most_files: int, most_bytes: int) -> None:
        self.digest = hashlib.sha256()
        self._files, self._bytes = most_files, most_bytes

    def add(self, path: Path, above: tuple[tuple[int, int], ...]) -> None:
        """Adds a file or folder; ``above`` are device and inode of the folders it was reached through."""
        self._files -= 1
        if self._files < 0:
            raise CannotDigestError("too many files")
        if path.is_symlink():
            self._note(b"l", os.fsencode(path.readlink()))
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            self._add_file(path, found.st_mode)
        elif stat.S_ISDIR(found.st_mode):
            here = (found.st_dev, found.st_ino)
            if here in above:
                raise CannotDigestError(f"{path}: a link in a circle")
            self._add_folder(path, (*above, here))
        else:
            raise CannotDigestError(f"{path}: a special file")

    def _add_folder(self, path: Path, above: tuple[tuple[int, int], ...]) -> None:
        names = sorted(name for name in os.listdir(path) if name not in _NOT_READ)  # noqa: PTH208 - names are enough
        self._note(b"d", b"%d" % len(names))
        for name in names:
            self._note(b"n", os.fsencode(name))
            child = path / name
            if child.is_symlink() and not child.exists():
                self._note(b"b", os.fsencode(child.readlink()))
            else:
                self.add(child, above)

    def _add_file(self, path: Path, mode: int) -> None:
        content = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                self._bytes -= len(block)
                if self._bytes < 0:
                    raise CannotDigestError("too many bytes")
                content.update(block)
        self._note(b"x" if mode & stat.S_IXUSR else b"f", content.digest())

    def _note(self, kind: bytes, data: bytes) -> None:
        self.digest.update(kind + b"%d:" % len(data) + data)
