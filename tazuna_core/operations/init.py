"""`init`: writes the first tazuna.yaml of a repository."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

from tazuna_core.errors import UsageError


def write_first_file(path: Path, content: str, *, force: bool) -> None:
    """Writes ``content`` whole or not at all; raises UsageError where there is a file already and no ``force``."""
    if not force and (path.exists() or path.is_symlink()):
        raise UsageError(f"{path} is there already", advice="--force writes over it; -f names another file.")
    written: Path | None = None
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".", delete=False, encoding="utf-8") as file:
            written = Path(file.name)
            file.write(content)
        written.chmod(0o644)
        if force:
            written.replace(path)
        else:
            path.hardlink_to(written)  # fails where somebody else made the file meanwhile
            written.unlink()
    except OSError as error:
        if written is not None:
            written.unlink(missing_ok=True)
        reason = "it is there already" if error.errno == errno.EEXIST else error.strerror
        raise UsageError(f"{path} cannot be written: {reason}", advice="Check -f/--file-path.") from None
