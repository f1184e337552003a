"""Unpacks the layer of an artifact as a stream, within limits, and never outside its folder.

The archive is a stranger's: what it says of itself (sizes, names, links) is checked before anything is written.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from tazuna_core.errors import BuildError

_BLOCK = 1 << 20
_LARGEST_HEADER = 64 << 10
_ALL_HEADERS = 32 << 20
_GZIP = b"\x1f\x8b"
_EXTENDED = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
_DAMAGED = frozenset({"InvalidHeaderError", "TruncatedHeaderError"})  # tarfile names them, and exports neither
_ADVICE = "The artifact was not unpacked. Look at who pushed it."


@dataclass(frozen=True, slots=True)
class Limits:
    """What an artifact may unpack to (format reference, 2.4)."""

    entries: int = 10_000
    size: int = 1 << 30


def unpack(layer: Path, target: Path, limits: Limits = Limits()) -> None:
    """Unpacks a tar file, plain or gzipped, into the empty folder ``target``.

    Raises BuildError (code ``artifact``) for what is no such archive or cut off, too large, or would reach outside:
    absolute paths, `..`, links that escape, special files. ``target`` may then hold a part; delete it.
    """
    try:
        with (
            _decompressed(layer, limits) as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Entry) as tar,
        ):
            _Unpacking(tar, target, limits).run()
            while stream.read(_BLOCK):  # to its end, where gzip's checksum is
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, RecursionError, UnicodeError) as error:
        raise _refused(f"its layer is no whole tar archive ({type(error).__name__})") from None
    except OSError as error:
        raise _refused(f"its layer cannot be unpacked: {error.strerror or type(error).__name__}") from None


class _Entry(tarfile.TarInfo):
    """An entry whose extended headers, which are read into memory, have limits; damage is never the end."""

    @classmethod
    def fromtarfile(cls, tarfile_: Any) -> Any:
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.HeaderError as error:
            if type(error).__name__ not in _DAMAGED:
                raise
            # After the first entry tarfile would take either for the end of the archive.
            raise _refused("its layer is no whole tar archive") from None

    def _proc_member(self, tar: Any) -> Any:
        if self.type in _EXTENDED:
            tar.extended = getattr(tar, "extended", 0) + self.size
            if self.size > _LARGEST_HEADER or tar.extended > _ALL_HEADERS:
                raise _refused("a header of its archive is too large")
        return super()._proc_member(tar)  # type: ignore[misc]

    def _proc_gnusparse_10(self, *_: Any) -> None:
        raise _refused("it holds a sparse file")


class _Counted(io.RawIOBase):
    """A stream that refuses to give more than an artifact may unpack to, headers and padding included."""

    def __init__(self, inner: IO[bytes], most: int) -> None:
        self._inner, self._left = inner, most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._inner.read(min(size, _BLOCK) if size >= 0 else _BLOCK)
        self._left -= len(data)
        if self._left < 0:
            raise _refused("it unpacks to more than an artifact may")
        return data


@contextmanager
def _decompressed(layer: Path, limits: Limits) -> Iterator[IO[bytes]]:
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(layer.open("rb"))
        is_gzip = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        inner = cast("IO[bytes]", stack.enter_context(gzip.GzipFile(fileobj=raw)) if is_gzip else raw)
        most = limits.size + (limits.entries + 2) * 2 * tarfile.BLOCKSIZE + _ALL_HEADERS
        yield cast("IO[bytes]", _Counted(inner, most))


class _Unpacking:
    def __init__(self, tar: tarfile.TarFile, target: Path, limits: Limits) -> None:
        self._tar, self._target = tar, target
        self._entries, self._folders, self._size = limits.entries, limits.entries, limits.size
        self._links: list[Path] = []

    def run(self) -> None:
        for entry in self._tar:
            self._entries -= 1
            if self._entries < 0:
                raise _refused("it holds more entries than an artifact may")
            self._unpack(entry, _inner_path(entry.name, "the path"))
        root = self._target.resolve()
        for link in self._links:
            # Only now: where a link leads depends on the links before and after it.
            if not link.resolve().is_relative_to(root):
                raise _refused(f"the link '{link.relative_to(self._target)}' leads out of it")

    def _unpack(self, entry: tarfile.TarInfo, path: PurePosixPath) -> None:
        if entry.issparse():
            raise _refused("it holds a sparse file")
        if entry.isdir():
            self._folder(path)
        elif entry.isreg():
            self._file(entry, path)
        elif entry.issym():
            self._symlink(entry, path)
        elif entry.islnk():
            self._hardlink(entry, path)
        else:
            raise _refused(f"'{path}' is a device, a pipe or something else that is no file")

    def _folder(self, path: PurePosixPath) -> Path:
        """The folder, made with those above it; none of them may be a link, or writing would follow it."""
        at = self._target
        for part in path.parts:
            at = at / part
            if at.is_symlink() or (at.exists() and not at.is_dir()):
                raise _refused(f"'{path}' goes through what is no folder")
            if not at.exists():
                # Each entry may name thousands of folders that have no entry of their own.
                self._folders -= 1
                if self._folders < 0:
                    raise _refused("it holds more folders than an artifact may")
                at.mkdir(mode=0o755)
        return at

    def _free(self, path: PurePosixPath) -> Path:
        """Where to write an entry; an earlier entry of the name makes way, as in tar."""
        if not path.parts:
            raise _refused("an entry has no name")
        at = self._folder(path.parent) / path.name
        if at.is_dir() and not at.is_symlink():
            raise _refused(f"'{path}' is a folder and something else too")
        at.unlink(missing_ok=True)
        return at

    def _file(self, entry: tarfile.TarInfo, path: PurePosixPath) -> None:
        self._size -= entry.size
        if self._size < 0:
            raise _refused("it unpacks to more than an artifact may")
        mode = 0o755 if entry.mode & 0o100 else 0o644
        content = self._tar.extractfile(entry)
        descriptor = os.open(self._free(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(descriptor, "wb") as file:
            if content is not None:
                shutil.copyfileobj(content, file, _BLOCK)
            if file.tell() != entry.size:
                raise _refused("its layer is cut off")

    def _symlink(self, entry: tarfile.TarInfo, path: PurePosixPath) -> None:
        goal = PurePosixPath(entry.linkname)
        if not entry.linkname or goal.is_absolute():
            raise _refused(f"the link '{path}' leads out of it")
        at = self._free(path)
        at.symlink_to(entry.linkname)
        self._links.append(at)

    def _hardlink(self, entry: tarfile.TarInfo, path: PurePosixPath) -> None:
        goal = _inner_path(entry.linkname, f"the link '{path}'")
        source = self._folder(goal.parent) / goal.name
        if source.is_symlink() or not source.is_file():
            raise _refused(f"the link '{path}' leads to no file of it")
        os.link(source, self._free(path), follow_symlinks=False)


def _inner_path(name: str, what: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise _refused(f"{what} '{name[:200]}' leads out of it")
    return path


def _refused(reason: str) -> BuildError:
    return BuildError(f"the artifact is refused: {reason}", advice=_ADVICE, code="artifact")
