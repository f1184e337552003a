"""`init`: writes the first tazuna.yaml of a repository."""

from __future__ import annotations

import errno
from pathlib import Path

from tazuna_core.errors import UsageError
from tazuna_core.whole_file import replace_file


def write_first_file(path: Path, content: str, *, force: bool) -> None:
    """Writes ``content``; raises UsageError where there is a file already and no ``force``."""
    if not force and (path.exists() or path.is_symlink()):
        raise UsageError(f"{path} is there already", advice="--force writes over it; -f names another file.")
    try:
        if force:
            replace_file(path, content.encode())
        else:
            with path.open("x", encoding="utf-8") as file:  # fails where somebody else made the file meanwhile
                file.write(content)
    except OSError as error:
        reason = "it is there already" if error.errno == errno.EEXIST else error.strerror
        raise UsageError(f"{path} cannot be written: {reason}", advice="Check -f/--file-path.") from None
