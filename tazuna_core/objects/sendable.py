"""From a built object to what is sent to the server, and so to the fields that are declared (verdicts 7)."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from tazuna_core.objects.comparable import comparable
from tazuna_core.objects.identity import JsonObject, ObjectRef

REVISION = "deployment.kubernetes.io/revision"


def sendable(obj: JsonObject, ref: ObjectRef | None = None) -> JsonObject:
    """Returns what is sent for a built object; the input is left as it is.

    ``stringData`` becomes base64 ``data`` (under server-side apply the server keeps ownership of ``f:stringData``
    otherwise), nulls go (``data: {k: null}`` would set an empty string), so do status, server metadata and a declared
    Deployment revision; the rules of an aggregated role belong to the aggregation controller. ``ref`` gives the
    effective namespace: set where the kind has one, removed where it has none.
    """
    out: JsonObject = without_nulls(comparable(obj))
    metadata = out["metadata"]
    if isinstance(metadata.get("annotations"), dict):
        metadata["annotations"].pop(REVISION, None)
    if ref is not None:
        metadata.pop("namespace", None)
        if ref.namespace:
            metadata["namespace"] = ref.namespace
    if is_secret(out):
        _fold_string_data(out)
    if out.get("aggregationRule") is not None:
        out.pop("rules", None)
    return out


def is_secret(obj: JsonObject) -> bool:
    """Whether the object is a core Secret, the kind whose values never leave the process."""
    return obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"


def without_nulls(value: Any) -> Any:
    """Returns a copy in which maps have no null entries: null means "no opinion" (C13)."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def decoded(value: Any) -> bytes | None:
    """Returns the bytes of a Secret's base64 value as the server reads it (line breaks allowed), None if it is none."""
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return None


def _fold_string_data(secret: JsonObject) -> None:
    strings = secret.pop("stringData", None)
    if not isinstance(strings, dict):
        return
    data = dict(secret.get("data") or {})
    for key, value in strings.items():
        data[key] = base64.b64encode(str(value).encode()).decode()
    secret["data"] = data
