"""Archives that somebody with bad intentions would push, and some honest ones."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

Entry = tuple[tarfile.TarInfo, bytes]


def file(name: str, content: bytes = b"x", mode: int = 0o644) -> Entry:
    """A regular file."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    return entry, content


def special(name: str, kind: bytes, goal: str = "") -> Entry:
    """An entry that is no regular file: a link to ``goal``, a device, a folder."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode = kind, goal, 0o755
    return entry, b""


def link(name: str, goal: str) -> Entry:
    return special(name, tarfile.SYMTYPE, goal)


def hard(name: str, goal: str) -> Entry:
    return special(name, tarfile.LNKTYPE, goal)


def archive(entries: Iterable[Entry], form: int = tarfile.GNU_FORMAT) -> bytes:
    """A gzipped tar file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=form, compresslevel=1) as tar:
        for entry, content in entries:
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def raw(*headers: bytes) -> bytes:
    """A gzipped tar file of headers and contents as they are given."""
    return gzip.compress(b"".join(headers) + bytes(1024), 1)


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A header that promises ``size`` bytes."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.type = size, kind
    return entry.tobuf(tarfile.GNU_FORMAT)


def zeros(header_: bytes, size: int) -> Callable[[Path], None]:
    """Writes an archive whose one entry is ``size`` zeros, small when packed, without holding it in memory."""

    def write(path: Path) -> None:
        with gzip.open(path, "wb", 1) as packed:
            packed.write(header_)
            for _ in range(size >> 20):
                packed.write(bytes(1 << 20))
            packed.write(bytes(1024))

    return write


_FOLDER = tarfile.DIRTYPE
HOSTILE: dict[str, tuple[bytes, str]] = {
    "absolute path": (archive([file("/tmp/evil")]), "the path '/tmp/evil' leads out of it"),
    "dots": (archive([file("a/../../evil")]), "the path 'a/../../evil' leads out of it"),
    "backslashes": (archive([file("..\\evil")]), "leads out of it"),
    "absolute link": (archive([link("a", "/etc/passwd")]), "the link 'a' leads out of it"),
    "link with dots": (archive([link("d/a", "../../etc")]), "the link 'd/a' leads out of it"),
    "link through a link": (
        archive([special("d", _FOLDER), link("d/up", ".."), link("a", "d/up/../..")]),
        "the link 'a' leads out of it",
    ),
    "link made to escape later": (
        archive([link("a", "b/../.."), special("c", _FOLDER), special("c/d", _FOLDER), link("b", "c/d/../..")]),
        "leads out of it",
    ),
    "write through a link": (archive([link("d", "."), file("d/evil")]), "'d' goes through what is no folder"),
    "write through a link to outside": (archive([link("d", ".."), file("d/evil")]), "goes through what is no folder"),
    "folder over a link": (archive([link("d", ".."), special("d", _FOLDER)]), "goes through what is no folder"),
    "file as folder": (archive([file("a"), file("a/b")]), "'a' goes through what is no folder"),
    "folder as file": (archive([file("a/b"), file("a")]), "'a' is a folder and something else too"),
    "hard link out": (archive([hard("a", "../../etc/passwd")]), "leads out of it"),
    "absolute hard link": (archive([hard("a", "/etc/passwd")]), "leads out of it"),
    "hard link to a link": (archive([link("a", "."), hard("b", "a")]), "the link 'b' leads to no file of it"),
    "hard link to nothing": (archive([hard("b", "a")]), "the link 'b' leads to no file of it"),
    "character device": (archive([special("null", tarfile.CHRTYPE)]), "'null' is a device"),
    "block device": (archive([special("sda", tarfile.BLKTYPE)]), "'sda' is a device"),
    "pipe": (archive([special("fifo", tarfile.FIFOTYPE)]), "'fifo' is a device, a pipe"),
    "unknown kind": (raw(header("a", 0, b"Z")), "is a device, a pipe or something else"),
    "sparse file": (raw(header("a", 0, tarfile.GNUTYPE_SPARSE)), "it holds a sparse file"),
    "entries": (archive(file(f"f{number}", b"") for number in range(10_001)), "more entries than an artifact may"),
    "folders": (archive(file(f"{n:x}" + "/x" * 900, b"") for n in range(12)), "more folders"),
    "promised size": (raw(header("a", (1 << 30) + 1)), "unpacks to more than an artifact may"),
    "large header": (raw(header("a", 100 << 20, tarfile.XHDTYPE)), "a header of its archive is too large"),
    "large name": (raw(header("a", 100 << 20, tarfile.GNUTYPE_LONGNAME)), "a header of its archive is too large"),
    "headers without end": (
        raw(*[header("a", 512, tarfile.XGLTYPE), b"512 a=".ljust(511) + b"\n"] * 3000),
        "no whole tar archive",
    ),
    "cut off": (archive([file("a", bytes(range(256)) * 999)])[:-400], "no whole tar archive"),
    "cut off in a file": (gzip.compress(header("a", 5000) + b"x" * 900), "no whole tar archive"),
    "damaged": (gzip.compress(header("a", 0) + b"\x01" * 512), "no whole tar archive"),
    "wrong checksum": (
        archive([file("a")])[:-8] + b"\x00" * 8,
        "no whole tar archive",
    ),
    "no archive": (b"just a text, longer than a header of tar is" * 20, "no whole tar archive"),
    "nothing": (b"", "no whole tar archive"),
}
"""A gzipped layer and what is said of it."""
