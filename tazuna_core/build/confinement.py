"""Keeps what a build reads inside a folder, where its files are not the user's own (artifacts, forks)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.errors import RefusedError

_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Confinement:
    """What may be read: everything below ``root``, or everything where it is None."""

    root: Path | None = None

    def check(self, path: Path, what: str) -> None:
        """Raises RefusedError when a file, or anything in a folder, leads out of the root, by `..` or by links."""
        if self.root is None:
            return
        root = self.root.resolve()
        self._inside(path, root, what)
        if not path.is_dir():
            return
        seen = 0
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                seen += 1
                if seen > _MOST:
                    raise RefusedError(f"{what} holds more than {_MOST} files", code="outside")
                entry = Path(folder, name)
                if entry.is_symlink():
                    self._inside(entry, root, what)

    def _inside(self, path: Path, root: Path, what: str) -> None:
        if not path.resolve().is_relative_to(root):
            raise RefusedError(
                f"{what} leads out of the folder that this build may read",
                advice="Files of artifacts and of forks may name only what lies beside them.",
                code="outside",
            )
