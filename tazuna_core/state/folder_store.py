"""State in a folder: one JSON file a ConfigMap, for laptops, demos and clusters that must not be written to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import orjson

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.state.store import ConflictError
from tazuna_core.whole_file import PRIVATE, replace_file


class FolderConfigMaps:
    """ConfigMaps as files ``<name>.json`` of ``folder``. The version of a file is the hash of its bytes."""

    packed = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, names: Iterable[str] | None) -> dict[str, JsonObject]:
        """Returns the ConfigMaps that have a file; raises StateError for a file that is no JSON."""
        if names is None:
            names = sorted(path.stem for path in self._folder.glob("tazuna-*.json"))
        found = {}
        for name in names:
            path = self._path(name)
            try:
                text = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StateError(f"{path} cannot be read: {error.strerror}", advice="Check --state.") from None
            found[name] = self._parsed(path, text)
        return found

    def write(self, config_map: JsonObject, version: str) -> str:
        """Writes a file whole or not at all; see ``ConfigMaps.write``."""
        path = self._path(config_map["metadata"]["name"])
        if self._current(path) != version:
            raise ConflictError(f"{path} was changed by somebody else during this run", advice="Run the command again.")
        metadata = {key: value for key, value in config_map["metadata"].items() if key != "resourceVersion"}
        text = orjson.dumps(
            {**config_map, "metadata": metadata}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, text, mode=PRIVATE, durable=True)
        except OSError as error:
            raise StateError(f"{path} cannot be written: {error.strerror}", advice="Check --state.") from None
        return _version(text)

    def delete(self, name: str) -> None:
        """Removes a file."""
        path = self._path(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StateError(f"{path} cannot be deleted: {error.strerror}", advice="Check --state.") from None

    def _current(self, path: Path) -> str:
        try:
            return _version(path.read_bytes())
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StateError(f"{path} cannot be read: {error.strerror}", advice="Check --state.") from None

    def _path(self, name: str) -> Path:
        if "/" in name or name.startswith("."):
            raise StateError(f"'{name}' is not a name of a ConfigMap")
        return self._folder / f"{name}.json"

    def _parsed(self, path: Path, text: bytes) -> JsonObject:
        try:
            config_map = orjson.loads(text)
            config_map["metadata"]["resourceVersion"] = _version(text)
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise StateError(
                f"{path} is not a ConfigMap in JSON", advice="Restore the file, or delete it and apply again."
            ) from None
        return dict(config_map)


def _version(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
