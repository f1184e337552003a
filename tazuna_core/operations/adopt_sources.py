"""Where an object is written down: the file and document of a directory manifest, or a resource of a kustomization."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tazuna_core.build.directory import object_files
from tazuna_core.build.kustomization import NAMES, reach
from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.edit.stream import Part, decoded, parts_of, with_document
from tazuna_core.errors import BuildError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.manifest_objects import expanded
from tazuna_core.objects.sendable import is_secret
from tazuna_core.operations.adopt_files import Overlay
from tazuna_core.spec.manifest import Manifest

_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Written:
    """An object in a file: its document, and its place in that where it is an item of a list."""

    file: Path
    part: Part
    indexes: tuple[int, ...]
    data: JsonObject


def directory_source(overlay: Overlay, manifest: Manifest, key: StateKey) -> Written:
    """Returns where a directory manifest writes an object. Raises CannotEditError when that is not one place."""

    def matches(data: JsonObject) -> bool:
        found = StateKey.of(manifest.name, data)
        return key == (found if found.namespace else StateKey(*_parts(found, manifest.default_namespace)))

    return _one(overlay, object_files(manifest), matches, key)


def resource_source(overlay: Overlay, manifest: Manifest, key: StateKey) -> Written:
    """Returns the file of a kustomization that holds an object. Raises CannotEditError when that is not one place."""
    files = [path for root in reach(manifest.source).roots for path in _files(root)]
    inside = [file for file in dict.fromkeys(files) if file.resolve().is_relative_to(overlay.root)]

    def matches(data: JsonObject) -> bool:
        found = StateKey.of(manifest.name, data)
        same_name = (found.group, found.kind, found.name) == (key.group, key.kind, key.name)
        return (
            same_name
            and found.namespace in ("", key.namespace)
            and set(data) - {"apiVersion", "kind", "metadata"} != set()
        )

    return _one(overlay, inside, matches, key)


def rewritten(overlay: Overlay, source: Written, data: JsonObject, key: str) -> None:
    """Puts other data in the place of an object, into the overlay."""
    with overlay.named(source.file):
        content = overlay.read(source.file)
        if content is None:
            raise CannotEditError("its file is gone")
        text = decoded(content)
        whole = _with_item(source.part.data, source.indexes, data)
        overlay.put(source.file, with_document(text, source.part, whole).encode(), key, secret_values(parts_of(text)))


def secret_values(parts: Iterable[Part]) -> Iterator[str]:
    """Yields what must not show of a file: values of Secrets, and literals that kustomize makes Secrets of."""
    for part in parts:
        for _, data in expanded(part.data):
            if is_secret(data):
                for field in ("data", "stringData"):
                    values = data.get(field)
                    yield from (str(value) for value in (values.values() if isinstance(values, dict) else ()) if value)
        for generator in _list(part.data.get("secretGenerator")):
            for literal in _list(generator.get("literals") if isinstance(generator, dict) else None):
                yield str(literal).partition("=")[2]


def _one(overlay: Overlay, files: Iterable[Path], matches: Any, key: StateKey) -> Written:
    found = [
        Written(file, part, indexes, data)
        for file in files
        for part in _parts_of(overlay, file)
        for indexes, data in expanded(part.data)
        if matches(data)
    ]
    if not found:
        raise CannotEditError(f"no file of {key.manifest} holds the object as it is built")
    if len(found) > 1:
        names = ", ".join(sorted({overlay.shown(overlay.target(one.file)) for one in found}))
        raise CannotEditError(f"the object is written {len(found)} times ({names})")
    return found[0]


def _parts_of(overlay: Overlay, file: Path) -> list[Part]:
    content = overlay.read(file) or b""
    try:
        return _parsed(content)
    except (CannotEditError, BuildError):
        return []  # not the one that is looked for, or the build would have failed


@lru_cache(maxsize=256)
def _parsed(content: bytes) -> list[Part]:
    return parts_of(decoded(content))


def _files(root: Path) -> Iterator[Path]:
    paths = sorted(root.rglob("*")) if root.is_dir() else [root]
    for path in paths:
        if path.suffix in _ENDINGS and path.name not in NAMES and ".git" not in path.parts and path.is_file():
            yield path


def _with_item(data: JsonObject, indexes: tuple[int, ...], item: JsonObject) -> JsonObject:
    if not indexes:
        return item
    items = list(data["items"])
    written = items[indexes[0]]
    # what an item has from its typed list stays there
    own = {name: value for name, value in item.items() if name in written or name not in ("apiVersion", "kind")}
    items[indexes[0]] = _with_item(written, indexes[1:], own)
    return {**data, "items": items}


def _parts(key: StateKey, namespace: str) -> tuple[str, str, str, str, str, str]:
    return key.manifest, key.group, key.version, key.kind, namespace, key.name


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
