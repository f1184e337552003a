"""Hostile archives are refused with their reason and reach nothing outside; honest ones come out as they went in."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tazuna_core.build.archive import Limits, unpack
from tazuna_core.errors import BuildError
from tests.tools.hostile import HOSTILE, archive, file, hard, header, link, special, zeros


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_refused(name: str, tmp_path: Path) -> None:
    layer, target = tmp_path / "layer", tmp_path / "a" / "b" / "target"
    content, reason = HOSTILE[name]
    layer.write_bytes(content)
    target.mkdir(parents=True)
    with pytest.raises(BuildError, match=r"^the artifact is refused: ") as caught:
        unpack(layer, target)
    assert reason in caught.value.message
    assert caught.value.code == "artifact"
    outside = {path for path in tmp_path.rglob("*") if not path.is_relative_to(target)}
    assert outside == {layer, tmp_path / "a", tmp_path / "a" / "b", target} - {target}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_an_honest_archive_comes_out_whole(form: int, tmp_path: Path) -> None:
    deep = "d/" + "n" * 90 + "/" + "m" * 60
    content = archive(
        [
            special("./", tarfile.DIRTYPE),
            file("./helmfile.yaml", b"releases: []\n"),
            file("run.sh", b"#!/bin/sh\n", 0o4775),
            file(deep, b"deep"),
            link("d/up", "../helmfile.yaml"),
            hard("again", "run.sh"),
            file("helmfile.yaml", b"releases:\n"),
        ],
        form,
    )
    (tmp_path / "layer").write_bytes(content)
    target = tmp_path / "target"
    target.mkdir()
    unpack(tmp_path / "layer", target)
    assert (target / "d/up").read_text() == "releases:\n"
    assert (target / deep).read_text() == "deep"
    assert (target / "again").samefile(target / "run.sh")
    assert os.access(target / "run.sh", os.X_OK)
    assert (target / "run.sh").stat().st_mode & 0o7000 == 0


def test_a_plain_tar_file_is_taken_too(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:") as tar:
        entry, content = file("a")
        tar.addfile(entry, io.BytesIO(content))
    (tmp_path / "layer").write_bytes(out.getvalue())
    (tmp_path / "target").mkdir()
    unpack(tmp_path / "layer", tmp_path / "target")
    assert (tmp_path / "target/a").read_bytes() == b"x"


def test_limits_are_what_is_still_taken(tmp_path: Path) -> None:
    (tmp_path / "layer").write_bytes(archive(file(f"f{number}", b"12345") for number in range(10)))
    for number, limits in enumerate((Limits(10, 50), Limits(9, 50), Limits(10, 49))):
        target = tmp_path / str(number)
        target.mkdir()
        if number == 0:
            unpack(tmp_path / "layer", target, limits)
        else:
            with pytest.raises(BuildError, match="more"):
                unpack(tmp_path / "layer", target, limits)


UNPACK = """
import sys
from pathlib import Path
from tazuna_core.build.archive import unpack
from tazuna_core.errors import BuildError
try:
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
    print("unpacked")
except BuildError as error:
    print(error.message)
# ru_maxrss would count the test process that this one was forked from
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""
MOST_MEMORY = 200 << 20


@pytest.mark.parametrize(
    ("start", "size", "said"),
    [
        (header("a", 250 << 20), 250 << 20, "unpacked"),
        (header("a", 900 << 20, tarfile.GNUTYPE_LONGNAME), 900 << 20, "a header of its archive is too large"),
        (header("a", 900 << 20, tarfile.XGLTYPE), 900 << 20, "a header of its archive is too large"),
        (header("a", 0), 1200 << 20, "it unpacks to more than an artifact may"),
        (b"", 300 << 20, "unpacked"),  # an archive that ends at once
    ],
    ids=["file", "name", "attributes", "padding", "zeros"],
)
def test_a_bomb_takes_little_memory(start: bytes, size: int, said: str, tmp_path: Path) -> None:
    zeros(start, size)(tmp_path / "layer")
    (tmp_path / "target").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", UNPACK, tmp_path / "layer", tmp_path / "target"],
        capture_output=True,
        text=True,
        check=True,
    )
    words, memory = done.stdout.splitlines()
    assert said in words
    assert int(memory) << (0 if sys.platform == "darwin" else 10) < MOST_MEMORY
