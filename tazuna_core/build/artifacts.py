"""Unpacked artifacts on disk, by digest, laid out as the Go CLI does; each with a seal that tells whether it is whole.

<cache>/oras/blobs/sha256-<hex>/       what the artifact holds
<cache>/oras/blobs/sha256-<hex>.seal   a digest of that
<cache>/oras/refs/<reference>          the digest that a tag had last
"""

from __future__ import annotations

import fcntl
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.registry import Reference
from tazuna_core.build.tree import CannotDigestError, tree_digest
from tazuna_core.build.workspace import make_private, replace_private

_UNPACKING = ".unpacking-"
_ABANDONED_SECONDS = 24 * 3600
_MOST_FILES, _MOST_BYTES = 25_000, 5 << 30
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ArtifactStore:
    """The artifacts in ``folder``."""

    folder: Path

    def known_digest(self, reference: Reference) -> str:
        """The digest of a reference without asking the registry: its own, or what its tag had last; "" if unknown."""
        if reference.digest:
            return reference.digest
        try:
            text = self._ref(reference).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return text if _DIGEST.fullmatch(text) else ""

    def remember(self, reference: Reference, digest: str) -> None:
        """Notes which digest a tag has now."""
        if not reference.digest:
            replace_private(self._ref(reference), digest.encode())

    def find(self, digest: str) -> Path | None:
        """The folder of an artifact; None where there is none, or one that is not just as it was unpacked."""
        folder = self._blob(digest)
        try:
            sealed = self._seal(digest).read_text(encoding="ascii")
            return folder if sealed == self._tree(folder) else None
        except (OSError, UnicodeDecodeError, CannotDigestError):
            return None

    def add(self, digest: str, fill: Callable[[Path], None]) -> Path:
        """Adds an artifact: ``fill`` unpacks it into an empty folder, which takes its place when all went well.

        What ``fill`` raises passes through and leaves nothing behind. One that is there and whole stays.
        """
        blobs = self.folder / "blobs"
        make_private(blobs)
        _remove_abandoned(blobs)
        new = Path(tempfile.mkdtemp(prefix=_UNPACKING, dir=blobs))
        try:
            content = new / "content"
            content.mkdir(mode=0o755)
            fill(content)
            seal = self._tree(content)
            with _lock(blobs / ".lock"):
                present = self.find(digest)
                if present is None:
                    if self._blob(digest).exists():
                        self._blob(digest).rename(new / "old")
                    replace_private(self._seal(digest), seal.encode())
                    content.rename(self._blob(digest))
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return self._blob(digest)

    @staticmethod
    def _tree(folder: Path) -> str:
        return tree_digest(folder, most_files=_MOST_FILES, most_bytes=_MOST_BYTES)

    def _blob(self, digest: str) -> Path:
        return self.folder / "blobs" / digest.replace(":", "-")

    def _seal(self, digest: str) -> Path:
        return self.folder / "blobs" / f"{digest.replace(':', '-')}.seal"

    def _ref(self, reference: Reference) -> Path:
        return self.folder / "refs" / re.sub("[/:@]", "_", str(reference))


def _remove_abandoned(blobs: Path) -> None:
    """Removes what a killed process was unpacking."""
    for path in blobs.glob(f"{_UNPACKING}*"):
        if path.lstat().st_mtime < time.time() - _ABANDONED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
