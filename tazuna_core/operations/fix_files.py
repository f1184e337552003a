"""`check --fix`: writes tazuna.yaml and its includes as they should be."""

from __future__ import annotations

from pathlib import Path

from tazuna_core.errors import Place, UsageError
from tazuna_core.report.model import ErrorLine
from tazuna_core.spec.fix import fix
from tazuna_core.whole_file import replace_file

_MARK = b"\xef\xbb\xbf"


def fix_files(path: Path, environment: str) -> tuple[ErrorLine, ...]:
    """Mends the files in place and returns what was done, with its lines as they are now.

    Raises UsageError for a file that cannot be written; those before it are.
    """
    done: list[ErrorLine] = []
    for file in fix(path, environment):
        target = file.path.resolve()  # a link stays one
        try:
            mark = _MARK if target.read_bytes().startswith(_MARK) else b""
            replace_file(target, mark + file.text.encode())
        except OSError as error:
            raise UsageError(
                f"it cannot be written: {error.strerror}", advice="Check its rights.", place=Place(str(file.path))
            ) from None
        done += [
            ErrorLine(
                code=remark.code,
                message=remark.message,
                file=remark.place.file if remark.place else "",
                line=remark.place.line if remark.place else 0,
            )
            for remark in file.remarks
        ]
    return tuple(done)
