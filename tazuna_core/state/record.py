"""The record as ConfigMaps: shard 0 commits, the others carry what does not fit (verdicts 2)."""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.state.delta import decode_delta, encode_delta
from tazuna_core.state.model import NAMESPACE, Content, Parts, Record, RecordedObject, Source

PREFIX = "tazuna-record-"
FORMAT = 1
"""The format's major. A record of a newer one is never read as "void": the user is told to upgrade."""
SHARD_LIMIT = 900 * 1024
"""Bytes of gzip in one ConfigMap; its own limit is 1 MiB with metadata."""
HEADER, PLAIN, PACKED = "record.json", "objects.json", "objects.jsonl.gz"
"""PLAIN is one list of objects. PACKED is lines: the list of objects without their content, then the content of each,
so that the content of an object nobody touched, most of the text, is never parsed."""


class NewerRecordError(StateError):
    """The record was written by a newer version of this program."""

    default_code = "newer-record"


def shard_name(manifest: str, number: int) -> str:
    """Returns the ConfigMap's name; a dot cannot occur in a manifest's name, so no two manifests collide."""
    return f"{PREFIX}{manifest}.{number}"


def parse_shard_name(name: str) -> tuple[str, int] | None:
    """Returns manifest and shard number, or None where ``name`` is no record's."""
    manifest, dot, number = name.removeprefix(PREFIX).rpartition(".")
    return (manifest, int(number)) if name.startswith(PREFIX) and dot and number.isdigit() else None


def encode_record(record: Record, previous_parts: Sequence[int] = (), *, packed: bool = True) -> list[JsonObject]:
    """Returns the ConfigMaps to write, shard 0 last.

    Parts get numbers that ``previous_parts`` (those of the record being replaced) do not use, so that a reader sees
    the old record whole until shard 0 is swapped. ``packed=False`` keeps the text readable (folder store).
    """
    objects = [obj for _, obj in sorted(record.objects.items())]
    header: dict[str, Any] = {
        "format": FORMAT,
        "manifest": record.manifest,
        "source": {
            "repository": record.source.repository,
            "file": record.source.file,
            "environment": record.source.environment,
        },
        "gitCommit": record.git_commit,
        "recordedAt": record.recorded_at,
        "parts": [],
    }
    if not packed:
        entries = [_encode_object(obj) | orjson.loads(_encode_content(obj)) for obj in objects]
        readable = orjson.dumps(entries, option=orjson.OPT_INDENT_2).decode()
        return [_shard(record.manifest, 0, {HEADER: orjson.dumps(header).decode(), PLAIN: readable})]
    lines = [orjson.dumps([_encode_object(obj) for obj in objects]), *map(_encode_content, objects)]
    blob = gzip.compress(b"\n".join(lines), compresslevel=6, mtime=0)
    pieces = [blob[start : start + SHARD_LIMIT] for start in range(0, len(blob), SHARD_LIMIT)]
    if len(pieces) == 1:
        return [_shard(record.manifest, 0, {HEADER: orjson.dumps(header).decode()}, {PACKED: _base64(pieces[0])})]
    number, shards = 0, []
    for piece in pieces:
        number = next(n for n in range(number + 1, number + 2 + len(previous_parts)) if n not in previous_parts)
        header["parts"].append({"shard": number, "sha256": hashlib.sha256(piece).hexdigest()})
        shards.append(_shard(record.manifest, number, {}, {PACKED: _base64(piece)}))
    return [*shards, _shard(record.manifest, 0, {HEADER: orjson.dumps(header).decode()})]


def parts_of(shard0: JsonObject) -> list[int]:
    """Returns the numbers of the further shards that shard 0 names."""
    return [part["shard"] for part in _header(shard0)["parts"]]


def decode_record(shards: Mapping[int, JsonObject]) -> Record:
    """Reads a record from its shards by number.

    Raises NewerRecordError for a newer format, StateError when a shard is missing, torn, or no record at all.
    """
    header = _header(shards[0])
    manifest = str(header["manifest"])
    try:
        plain = (shards[0].get("data") or {}).get(PLAIN)
        objects = _plain_objects(plain) if plain is not None else _packed_objects(manifest, header, shards)
    except (KeyError, TypeError, ValueError, AttributeError, OSError, EOFError, zlib.error) as error:
        raise _damaged(manifest, str(error)) from None
    source = header.get("source") or {}
    return Record(
        manifest=manifest,
        source=Source(source.get("repository", ""), source.get("file", ""), source.get("environment", "")),
        git_commit=header.get("gitCommit", ""),
        recorded_at=header.get("recordedAt", ""),
        objects={str(obj.key): obj for obj in objects},
    )


def _plain_objects(text: str) -> list[RecordedObject]:
    return [_decode_object(entry, Content(_decode_parts(entry))) for entry in orjson.loads(text)]


def _packed_objects(manifest: str, header: dict[str, Any], shards: Mapping[int, JsonObject]) -> list[RecordedObject]:
    def read(line: bytes) -> Parts:
        try:
            return _decode_parts(orjson.loads(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(manifest, str(error)) from None

    first, *lines = gzip.decompress(_blob(manifest, header, shards)).split(b"\n")
    pairs = zip(orjson.loads(first), lines, strict=True)
    return [_decode_object(entry, Content(partial(read, line), line)) for entry, line in pairs]


def _blob(manifest: str, header: dict[str, Any], shards: Mapping[int, JsonObject]) -> bytes:
    if not header["parts"]:
        return _piece(shards[0])
    pieces = []
    for part in header["parts"]:
        shard = shards.get(part["shard"])
        if shard is None:
            raise _damaged(manifest, f"shard {part['shard']} is missing")
        piece = _piece(shard)
        if hashlib.sha256(piece).hexdigest() != part["sha256"]:
            raise _damaged(manifest, f"shard {part['shard']} is not the one that was written")
        pieces.append(piece)
    return b"".join(pieces)


def _header(shard0: JsonObject) -> dict[str, Any]:
    name = shard0["metadata"]["name"]
    try:
        header = orjson.loads((shard0.get("data") or {})[HEADER])
        major = int(header["format"])
    except (KeyError, TypeError, ValueError):
        raise _damaged(str(name), "it has no header") from None
    if major > FORMAT:
        raise NewerRecordError(
            f"ConfigMap {NAMESPACE}/{name} is of record format {major}; this version reads {FORMAT}",
            advice="Upgrade tazuna-core to the version that applied last.",
        )
    parts = header.get("parts", [])
    if not isinstance(parts, list) or not all(isinstance(part, dict) and "shard" in part for part in parts):
        raise _damaged(str(name), "its header names no shards")
    return {"manifest": "", **header, "parts": parts}


def _damaged(manifest: str, what: str) -> StateError:
    return StateError(
        f"the record of manifest '{manifest}' cannot be read: {what}",
        advice="Run `tazuna state record`, or apply the manifest again.",
        code="damaged-record",
    )


def _encode_object(obj: RecordedObject) -> dict[str, Any]:
    out: dict[str, Any] = {
        "key": str(obj.key),
        "contentHash": obj.content_hash,
        "uid": obj.uid,
        "resourceVersion": obj.resource_version,
        "generation": obj.generation,
        "time": obj.time,
        "manager": obj.manager,
    }
    if obj.managers:
        out["managers"] = sorted(obj.managers)
    return out


def _encode_content(obj: RecordedObject) -> bytes:
    """Returns one line of JSON: that which was read, where the content is as it was."""
    if obj.content.line:
        return obj.content.line
    out: dict[str, Any] = {"answer": obj.answer, "sent": encode_delta(obj.sent, obj.answer)}
    if obj.secret_skeleton is not None:
        out["secretSkeleton"] = obj.secret_skeleton
    return orjson.dumps(out)


def _decode_object(entry: dict[str, Any], content: Content) -> RecordedObject:
    return RecordedObject(
        key=StateKey.parse(entry["key"]),
        content_hash=entry["contentHash"],
        uid=entry["uid"],
        resource_version=entry["resourceVersion"],
        generation=entry["generation"],
        time=entry["time"],
        manager=entry["manager"],
        content=content,
        managers=frozenset(entry.get("managers", ())),
    )


def _decode_parts(entry: dict[str, Any]) -> Parts:
    answer = entry["answer"]
    return Parts(answer, decode_delta(entry["sent"], answer), entry.get("secretSkeleton"))


def _shard(manifest: str, number: int, data: dict[str, str], binary: dict[str, str] | None = None) -> JsonObject:
    shard: JsonObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": shard_name(manifest, number), "namespace": NAMESPACE},
    }
    if data:
        shard["data"] = data
    if binary:
        shard["binaryData"] = binary
    return shard


def _piece(shard: JsonObject) -> bytes:
    content = (shard.get("binaryData") or {}).get(PACKED)
    if content is None:
        raise ValueError(f"{shard['metadata']['name']} holds no {PACKED}")
    return base64.b64decode(content)


def _base64(blob: bytes) -> str:
    return base64.b64encode(blob).decode()
