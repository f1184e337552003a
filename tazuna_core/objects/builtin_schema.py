"""Schemas and scopes of the kinds that every API server has, for when there is no server to ask.

The data beside this module comes from a real server; ``python -m tests.cluster.refresh_builtin_schema`` writes it.
"""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.openapi import Schemas
from tazuna_core.objects.schema import Schema

FILE = "builtin_schema.json"


class BuiltinKind(NamedTuple):
    """The plural that URLs use, and whether the kind lives in namespaces."""

    plural: str
    namespaced: bool


def builtin_schema(api_version: str, kind: str) -> Schema | None:
    """Returns the schema of a built-in kind, or None for any other."""
    return _schemas().get(api_version, kind)


def builtin_kinds() -> Mapping[tuple[str, str], BuiltinKind]:
    """Returns the built-in kinds by apiVersion and kind, as of ``builtin_version``."""
    return _kinds()


def builtin_version() -> str:
    """Returns the version of the server that the data comes from, such as ``v1.36.3``."""
    return str(_data()["server"])


@functools.cache
def _data() -> JsonObject:
    content = pkgutil.get_data(__package__, FILE)
    assert content is not None  # noqa: S101 - part of the package
    data: JsonObject = orjson.loads(content)
    return data


@functools.cache
def _schemas() -> Schemas:
    return Schemas(_data())


@functools.cache
def _kinds() -> Mapping[tuple[str, str], BuiltinKind]:
    return {
        (api_version, kind): BuiltinKind(plural, namespaced)
        for api_version, kinds in _data()["resources"].items()
        for kind, (plural, namespaced) in kinds.items()
    }
