"""Manifests of type directory: plain YAML and JSON files, read as they are. An extension of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.errors import BuildError
from tazuna_core.objects.yaml_documents import Documents, load_documents
from tazuna_core.spec.manifest import Manifest

ENDINGS = (".yaml", ".yml", ".json")
NOT_OBJECTS = frozenset({"kustomization.yaml", "kustomization.yml", "tazuna.yaml", "tazuna.drift.yaml"})
"""Files of other tools (and of this one) that lie beside objects and are none."""


def build(manifest: Manifest, _settings: BuildSettings) -> Rendered:
    """Reads the file or folder of ``manifest`` in order of the files' names. Raises BuildError naming the file."""
    source = manifest.source
    shown = source  # as the user would name it: an editor and GitHub find the file
    if source.is_file():
        return Rendered((_documents(source, shown),))
    if not source.is_dir():
        raise BuildError(f"{shown} does not exist", advice="`path` is seen from the folder of tazuna.yaml.")
    found = [_documents(file, shown / file.relative_to(source)) for file in object_files(manifest)]
    if not found:
        recurse = bool(manifest.directory and manifest.directory.recurse)
        raise BuildError(
            f"{shown} holds no file that ends in {', '.join(ENDINGS)}",
            advice="" if recurse else "Set `directory: {recurse: true}` to read the folders below as well.",
        )
    return Rendered(tuple(found))


def object_files(manifest: Manifest) -> list[Path]:
    """Returns the files that a directory manifest reads, in order."""
    source = manifest.source
    return (
        [source] if source.is_file() else list(_files(source, bool(manifest.directory and manifest.directory.recurse)))
    )


def _files(folder: Path, recurse: bool) -> Iterator[Path]:
    paths = folder.rglob("*") if recurse else folder.iterdir()
    for path in sorted(paths):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix in ENDINGS and path.name not in NOT_OBJECTS and not hidden and path.is_file():
            yield path


def _documents(file: Path, shown: Path) -> Documents:
    try:
        return load_documents(file.read_bytes(), str(shown))
    except OSError as error:
        raise BuildError(f"{shown} cannot be read: {error.strerror}") from None
