"""A copy of what manifests are built from, in a private folder: to see what changed files would build to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tazuna_core.build.kustomization import reach
from tazuna_core.build.workspace import private_folder
from tazuna_core.errors import BuildError
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType

_MOST_FILES = 20_000
_NOT_READ = frozenset({".git"})


def roots_of(manifest: Manifest) -> tuple[Path, ...]:
    """Returns the folders and files that a manifest is built from, as far as they are files of this machine."""
    source = _absolute(manifest.source)
    return tuple(reach(source).roots) if manifest.type is ManifestType.KUSTOMIZE else (source,)


class Scratch:
    """Copies of folders, each below a private one at the path it has."""

    def __init__(self, folder: Path, roots: Iterable[Path]) -> None:
        self._folder = folder
        self._copies: dict[Path, list[Path]] = {}
        """Of each real file, the copies: links are copied as what they lead to."""
        self._changed: set[Path] = set()
        for root in dict.fromkeys(roots):
            self._copy(root)

    def manifest(self, manifest: Manifest) -> Manifest:
        """The manifest, built from the copies."""
        return manifest.model_copy(update={"base": self._inside(_absolute(manifest.base))})

    def set(self, files: Mapping[Path, bytes]) -> None:
        """Gives files (by their real paths) other content; those of the last time have their own again."""
        for path in self._changed - files.keys():
            for copy in self._copies[path]:
                if path.is_file():
                    shutil.copyfile(path, copy)
                else:
                    copy.unlink()
        for path, content in files.items():
            for copy in self._copies.setdefault(path, [self._inside(path)]):
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
        self._changed = set(files)

    def _copy(self, root: Path) -> None:
        for path in [root] if root.is_file() else _below(root):
            copy, real = self._inside(path), path.resolve()
            if copy in self._copies.get(real, ()):
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            self._copies.setdefault(real, []).append(copy)
            if len(self._copies) > _MOST_FILES:
                raise BuildError(f"{root} holds more than {_MOST_FILES} files", code="too-large")

    def _inside(self, path: Path) -> Path:
        return self._folder / path.relative_to(path.anchor)


@contextmanager
def scratch(manifests: Iterable[Manifest]) -> Iterator[Scratch]:
    """Copies what manifests are built from; the copies are gone at the end."""
    with private_folder() as folder:
        yield Scratch(folder, [root for manifest in manifests for root in roots_of(manifest)])


def _below(root: Path) -> Iterator[Path]:
    seen = set()
    for folder, folders, files in os.walk(root, followlinks=True):
        real = Path(folder).resolve()
        folders[:] = [] if real in seen else [name for name in folders if name not in _NOT_READ]
        seen.add(real)
        yield from (path for name in files if (path := Path(folder, name)).is_file())


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links are kept: kustomize names files by them
