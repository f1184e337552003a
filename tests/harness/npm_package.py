"""Files of npm packages that tests need as data (GitHub's API description, its webhook examples), kept per user."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.harness.build_cache import cached_folder


def npm_file(package: str, version: str, member: str) -> Path:
    """Returns one file of a package: `member` is its path inside. Nothing of the package is run.

    The tarball comes through the ordinary npm client, so its registry settings and integrity check apply.
    """
    digest = hashlib.sha256(f"{package}@{version}/{member}".encode()).hexdigest()[:16]

    def build(folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(f"npm is needed on PATH to fetch {package}@{version} for the tests")
        with tempfile.TemporaryDirectory() as scratch:
            command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", scratch]
            command.append(f"{package}@{version}")
            subprocess.run(command, check=True, cwd=scratch, timeout=300, stdout=subprocess.DEVNULL)
            (tarball,) = Path(scratch).glob("*.tgz")
            with tarfile.open(tarball) as archive:
                content = archive.extractfile(f"package/{member}")
                assert content is not None, f"{member} is no file of {package}@{version}"
                (folder / "file").write_bytes(content.read())

    return cached_folder(f"npm-{digest}", build) / "file"
