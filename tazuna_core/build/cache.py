"""Rendered text, kept by the digest of all that went into it: a second build of the same input runs no program.

Kept are texts without Secrets only, readable by this user alone. An entry that is damaged counts as missing.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.tree import CannotDigestError, digest_of
from tazuna_core.build.workspace import replace_private
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.yaml_documents import Documents, load_documents

FORMAT = "1"
"""Part of every key: another number forgets all entries."""

_FOLDER = "renders"
_KEPT_SECONDS = 30 * 24 * 3600
_CHECKSUM = 32

Key = Callable[[], str]
"""Works out the digest of all inputs; raises CannotDigestError where they cannot be told."""


@dataclass(frozen=True, slots=True)
class RenderCache:
    """The folder of kept texts; ``folder`` is None where nothing is to be kept or read."""

    folder: Path | None

    @classmethod
    def of(cls, settings: BuildSettings) -> RenderCache:
        """The cache that these settings allow."""
        directory = settings.cache_directory
        return cls(None if directory is None or settings.no_cache or settings.render_anew else directory / _FOLDER)

    def text(self, key: Key, render: Callable[[], bytes], source: str) -> tuple[bytes, Documents]:
        """Returns what ``render`` prints, and its documents; from the cache where the inputs are those of before.

        ``source`` names it in messages. A text is kept only when the inputs did not change while it was rendered.
        """
        if self.folder is None:
            text = render()
            return text, load_documents(text, source)
        path = self._path(self.folder, key)
        kept = _read(path) if path else None
        text = kept if kept is not None else render()
        documents = load_documents(text, source)
        if path and kept is None and not holds_secret(documents) and self._path(self.folder, key) == path:
            _write(path, text)
        return text, documents

    @staticmethod
    def _path(folder: Path, key: Key) -> Path | None:
        """Where the text for these inputs is kept; None where they cannot be told."""
        try:
            digest = digest_of(FORMAT, key())
        except CannotDigestError:
            return None
        return folder / digest[:2] / digest


def holds_secret(documents: Documents) -> bool:
    """Whether any object of the documents is a Secret, in lists too."""
    return any(_is_secret(document.data) for document in documents.documents)


def _is_secret(data: JsonObject) -> bool:
    kind, items = data.get("kind"), data.get("items")
    if isinstance(kind, str) and kind in ("Secret", "SecretList"):
        return True
    return isinstance(items, list) and any(isinstance(item, dict) and _is_secret(item) for item in items)


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, text = content[:_CHECKSUM], content[_CHECKSUM:]
    return text if hashlib.sha256(text).digest() == checksum else None


def _write(path: Path, text: bytes) -> None:
    try:
        replace_private(path, hashlib.sha256(text).digest() + text)
        _forget_old(path.parent)
    except OSError:
        return  # a full or read-only disk costs the next build its speed, not this one its result


def _forget_old(folder: Path) -> None:
    """Removes what nobody wrote again for long; the folder is one of 256, so this stays cheap."""
    oldest = time.time() - _KEPT_SECONDS
    for path in folder.iterdir():
        if path.lstat().st_mtime < oldest:
            path.unlink(missing_ok=True)
