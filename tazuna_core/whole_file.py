"""Writes files whole or not at all: who reads meanwhile sees the old content or the new."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

PRIVATE = 0o600


def replace_file(path: Path, content: bytes, *, mode: int | None = None, durable: bool = False) -> None:
    """Gives a file, perhaps a new one, other content; its folder must be there.

    Without ``mode`` it keeps its permissions, and a new one has those that the user gives files. ``durable`` waits
    until the disk has it. Raises OSError, and then nothing has changed. The path of a link would replace the link:
    resolve it before.
    """
    if mode is None:
        mode = path.stat().st_mode & 0o7777 if path.is_file() else _usual_mode()
    descriptor, name = tempfile.mkstemp(prefix=".tazuna-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
