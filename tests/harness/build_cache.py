"""Programs built from source for the tests, kept per user so that each is built once a version."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_root() -> Path:
    """The folder of everything cached: `tazuna-tests` under `$XDG_CACHE_HOME`, else under `~/.cache`."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification: a relative path is to be ignored.
    base = Path(configured) if Path(configured).is_absolute() else Path.home() / ".cache"
    return base / "tazuna-tests"


def cached_folder(name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache; if it is missing, `build` is called with an empty folder to fill.

    `name` must hold everything that decides the content (version, digest), for a folder once built is never
    rebuilt. It appears whole or not at all, and processes that ask at the same time wait for the one that builds.
    What `build` raises passes through and leaves nothing behind.
    """
    folder = cache_root() / f"{sys.platform}-{platform.machine()}" / name
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(folder.with_name(folder.name + ".lock")):
        if folder.is_dir():
            return folder
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            build(unfinished)
            unfinished.rename(folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return folder


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Holds `path` for this process alone; the system frees it if the process dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
