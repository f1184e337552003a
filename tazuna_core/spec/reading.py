"""Reads the files of a specification; the one module of this package that opens any."""

from __future__ import annotations

import os
from pathlib import Path

from tazuna_core.errors import Place, UsageError
from tazuna_core.spec.source import decoded

LARGEST_FILE = 8 * 1024 * 1024


def read_text(path: Path, *, shown: str = "", asked_at: Place | None = None, advice: str = "") -> str:
    """The text of a regular UTF-8 file.

    `shown` is its name in messages, `asked_at` the place that names the file (an include), `advice` what to say
    where there is no such file. Raises UsageError for anything that is no readable, regular, UTF-8 file.
    """
    shown = shown or str(path)
    place = asked_at or Place(shown)
    subject = f"the file '{shown}'" if asked_at else "this"
    try:
        if path.is_dir():
            inner = path / "tazuna.yaml"
            hint = f"Did you mean '{os.path.join(shown, 'tazuna.yaml')}'?" if inner.is_file() else "Name a file."  # noqa: PTH118 - keeps the name as the user wrote it
            raise UsageError(f"{subject} is a directory", advice=hint, place=place, code="no-file")
        if path.exists() and not path.is_file():
            # A device or a pipe could be read for ever.
            raise UsageError(f"{subject} is not a regular file", advice="Name a file.", place=place, code="no-file")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        missing = f"{subject} does not exist" if asked_at else "there is no such file"
        raise UsageError(missing, advice=advice, place=place, code="no-file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{subject} can't be read: {reason}", advice="Check its name and rights.", place=place, code="no-file"
        ) from None
    if len(content) > LARGEST_FILE:
        raise UsageError(f"{subject} is larger than {LARGEST_FILE >> 20} MiB", place=place, code="no-file")
    return decoded(content, shown)
