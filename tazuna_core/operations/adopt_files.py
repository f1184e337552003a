"""The files that an adoption changes: read, changed in memory, shown as a difference, written whole or put back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from tazuna_core.build.secrecy import hide
from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.errors import Place, RefusedError
from tazuna_core.whole_file import replace_file

_CONTEXT = 3


@dataclass
class Overlay:
    """Files as they would be. ``root`` is the folder that nothing is written outside of."""

    root: Path
    before: dict[Path, bytes | None] = field(default_factory=dict)
    after: dict[Path, bytes] = field(default_factory=dict)
    owners: dict[Path, list[str]] = field(default_factory=dict)
    hidden: dict[Path, set[str]] = field(default_factory=dict)
    """Values of Secrets that a file holds beside what is adopted."""

    def target(self, path: Path) -> Path:
        """Where a path's content really is. Raises CannotEditError outside of the repository."""
        real = path.resolve()
        if not real.is_relative_to(self.root):
            raise CannotEditError(f"{path} lies outside of the repository {self.root}")
        return real

    @contextmanager
    def named(self, path: Path) -> Iterator[None]:
        """Gives a CannotEditError from within the name of the file that it is about."""
        try:
            yield
        except CannotEditError as error:
            real = path.resolve()
            error.file = error.file or (self.shown(real) if real.is_relative_to(self.root) else str(path))
            raise

    def read(self, path: Path) -> bytes | None:
        """Returns a file's content as it would be, None where there is no such file."""
        real = self.target(path)
        if real in self.after:
            return self.after[real]
        if real not in self.before:
            self.before[real] = real.read_bytes() if real.is_file() else None
        return self.before[real]

    def put(self, path: Path, content: bytes, key: str, hidden: Iterable[str] = ()) -> None:
        """Gives a file, which was read before, other content, on behalf of the object ``key``."""
        real = self.target(path)
        self.after[real] = content
        if key not in self.owners.setdefault(real, []):
            self.owners[real].append(key)
        self.hidden.setdefault(real, set()).update(hidden)

    def changed(self) -> list[Path]:
        """The files that differ from those on disk, by name."""
        return sorted(path for path, content in self.after.items() if content != self.before.get(path))

    def shown(self, path: Path) -> str:
        """How the repository calls a file."""
        return path.relative_to(self.root).as_posix()

    def difference(self, path: Path) -> str:
        """Returns the unified difference of a file, as `git apply` takes it. No line shows a value of a Secret."""
        before, after = self.before.get(path), self.after[path]
        name, hidden = self.shown(path), self.hidden.get(path, set())
        old, new = (_lines((text or b"").decode("utf-8", "replace")) for text in (before, after))
        heads = ("/dev/null" if before is None else f"a/{name}", f"b/{name}")
        lines = unified_diff(old, new, *heads, n=0 if hidden else _CONTEXT)
        return hide("".join(_ended(line) for line in lines), hidden)

    def write(self) -> None:
        """Writes the changed files; puts all back and raises RefusedError where one cannot be written."""
        changed = self.changed()
        for path in changed:
            if _content(path) != self.before.get(path):
                raise RefusedError(f"{self.shown(path)} has changed meanwhile", advice="Run it again.", code="changed")
        written: list[Path] = []
        try:
            # a patch before the kustomization that names it: nobody ever reads a name without a file
            for path in sorted(changed, key=lambda path: self.before.get(path) is not None):
                try:
                    replace_file(path, self.after[path])
                except OSError as error:
                    raise _unwritable(self.shown(path), "written", error, "All files are as they were.") from None
                written.append(path)
        except BaseException:
            self.put_back(written)
            raise

    def put_back(self, paths: Iterable[Path] | None = None) -> None:
        """Gives files the content they had. Raises RefusedError, after the rest, where one could not."""
        failed: RefusedError | None = None
        for path in self.changed() if paths is None else paths:
            content = self.before.get(path)
            try:
                if content is None:
                    path.unlink(missing_ok=True)
                else:
                    replace_file(path, content)
            except OSError as error:
                advice = "`git diff` shows what is left of the change."
                failed = failed or _unwritable(self.shown(path), "put back", error, advice)
        if failed is not None:
            raise failed


def _unwritable(name: str, done: str, error: OSError, advice: str) -> RefusedError:
    why = error.strerror or type(error).__name__
    return RefusedError(f"{name} cannot be {done}: {why}", advice=advice, place=Place(name), code="unwritable")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _lines(text: str) -> list[str]:
    """Lines with their ends; `str.splitlines` takes characters for ends of lines that are none to `patch`."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + ([rest] if (rest := text.rpartition("\n")[2]) else [])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
