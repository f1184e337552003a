"""What must be found nowhere: values of Secrets, in every form in which one could slip through."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

SHORTEST_LINE = 28
"""Shorter lines of a long value are no evidence: `[server]` stands in many files."""


def needles_of(value: str) -> dict[str, bytes]:
    """A value plain, as JSON has it, base64, base64 of that, and hashed."""
    once = base64.b64encode(value.encode())
    return {
        "plain": value.encode(),
        "json": json.dumps(value)[1:-1].encode(),
        "base64": once,
        "twice": base64.b64encode(once),
        "sha256": hashlib.sha256(value.encode()).hexdigest().encode(),
        "sha256 of base64": hashlib.sha256(once).hexdigest().encode(),
    }


def secrets_of(folder: Path) -> Iterator[str]:
    """Every value of every Secret in the YAML files below a folder."""
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text()
        if "kind: Secret\n" not in text:
            continue
        for document in text.split("\n---"):
            if "kind: Secret\n" in document:
                yield from values_of(yaml.load(document, Loader=yaml.CSafeLoader))


def values_of(secret: Mapping[str, Any]) -> Iterator[str]:
    """The values of one Secret, decoded."""
    if secret.get("kind") == "Secret":
        yield from (str(value) for value in (secret.get("stringData") or {}).values())
        yield from (base64.b64decode(value).decode() for value in (secret.get("data") or {}).values())


def lines_of(value: str, elsewhere: bytes) -> list[str]:
    """The lines of a long value that stand nowhere else: a part of it is a leak too."""
    lines = (line.strip() for line in value.splitlines()[1:])
    return [line for line in lines if len(line) >= SHORTEST_LINE and line.encode() not in elsewhere]


def unpacked(raw: bytes) -> bytes:
    """The bytes and what is packed in them: gzip, and base64 of gzip inside JSON (binaryData of ConfigMaps)."""
    if raw[:2] == b"\x1f\x8b":
        return raw + gzip.decompress(raw)
    try:
        found = json.loads(raw)
    except ValueError:
        return raw
    return raw + b"\n".join(_packed(found))


def _packed(value: Any) -> Iterable[bytes]:
    if isinstance(value, dict):
        return [one for item in value.values() for one in _packed(item)]
    if isinstance(value, list):
        return [one for item in value for one in _packed(item)]
    if isinstance(value, str) and value.startswith("H4sI"):  # gzip in base64
        return [gzip.decompress(base64.b64decode(value))]
    return []
