"""Schemas that the API server publishes, fetched one group-version at a time and kept by their content hash."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.openapi import FORMAT, Schemas, compile_openapi
from tazuna_core.objects.schema import Schema
from tazuna_core.whole_file import PRIVATE, replace_file

_HASH = re.compile(r"[?&]hash=([0-9A-Za-z]{16,128})(?:&|$)")


class SchemaCache:
    """Schemas by kind. ``directory`` keeps their compiled form between runs; None keeps nothing.

    A file is named by the hash of what it was made from, so it never has to be checked or thrown away.
    """

    def __init__(self, api: ApiServer, directory: Path | None = None) -> None:
        self._api = api
        self._directory = directory
        self._lock = threading.Lock()
        self._addresses: Mapping[str, str] | None = None
        self._loaded: dict[str, Schemas | None] = {}

    def schema(self, api_version: str, kind: str) -> Schema | None:
        """Returns the schema of a kind, or None where the server publishes none or does not answer."""
        with self._lock:
            if api_version not in self._loaded:
                compiled = self._compiled(api_version)
                self._loaded[api_version] = None if compiled is None else Schemas(compiled)
            schemas = self._loaded[api_version]
        return schemas.get(api_version, kind) if schemas is not None else None

    def document(self, api_version: str) -> JsonObject | None:
        """Returns the OpenAPI document of a group-version as the server publishes it."""
        address = self.addresses().get(_path(api_version))
        return self._get(address) if address else None

    def addresses(self) -> Mapping[str, str]:
        """Returns path and query of every document, by ``api/v1``, ``apis/apps/v1`` and so on."""
        if self._addresses is None:
            index = self._get("/openapi/v3") or {}
            paths = index.get("paths") or {}
            self._addresses = {path: entry.get("serverRelativeURL", "") for path, entry in paths.items()}
        return self._addresses

    def _compiled(self, api_version: str) -> JsonObject | None:
        address = self.addresses().get(_path(api_version), "")
        found = _HASH.search(address)
        file = self._directory / f"openapi-{found[1]}.{FORMAT}.json" if self._directory and found else None
        compiled = _read(file) if file is not None else None
        if compiled is not None:
            return compiled
        document = self._get(address) if address else None
        if document is None:
            return None
        compiled = compile_openapi([document])
        if file is not None:
            _write(file, compiled)
        return compiled

    def _get(self, address: str) -> JsonObject | None:
        try:
            answer = self._api.request("GET", address)
        except ClusterError:
            return None
        return answer.json if answer.ok and isinstance(answer.json, dict) else None


def _path(api_version: str) -> str:
    return f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"


def _read(file: Path) -> JsonObject | None:
    try:
        data: Any = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return data if isinstance(data, dict) and data.get("format") == FORMAT else None


def _write(file: Path, compiled: JsonObject) -> None:
    """Puts a file in place whole or not at all; a cache that cannot be written is only slower."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, orjson.dumps(compiled), mode=PRIVATE)
