"""A private place for what other programs must read and nobody else may: gone when the work is done."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tazuna_core import whole_file


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that only this user can enter; removed with all it holds at the end, whatever happens."""
    with tempfile.TemporaryDirectory(prefix="tazuna-") as name:
        yield Path(name).resolve()


def write_private(path: Path, content: bytes) -> Path:
    """Writes a new file that only this user can read, and returns its path."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return path


def make_private(folder: Path) -> None:
    """Makes a folder and those above it that are missing; only this user can enter what it makes."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)


def replace_private(path: Path, content: bytes) -> None:
    """Writes a file that only this user can read, whole or not at all, and makes the folders it needs as private."""
    make_private(path.parent)
    whole_file.replace_file(path, content, mode=whole_file.PRIVATE)
