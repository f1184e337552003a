"""What of an object counts: everything but status, the server's metadata and last-applied (verdicts 3.1)."""

from __future__ import annotations

from typing import Any

import orjson

from tazuna_core.objects.identity import JsonObject

SERVER_METADATA = frozenset(
    {
        "resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink",
        "deletionTimestamp", "deletionGracePeriodSeconds",
    }
)  # fmt: skip
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def comparable(obj: JsonObject) -> JsonObject:
    """Returns the object without status, server metadata and last-applied; the input is left as it is (C34, C36)."""
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key not in SERVER_METADATA}
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and LAST_APPLIED in annotations:
        rest = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
        if rest:
            metadata["annotations"] = rest
        else:
            del metadata["annotations"]
    out = {key: value for key, value in obj.items() if key != "status"}
    out["metadata"] = metadata
    return out


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, types included: 1 is not true, and the order of keys does not count."""
    if left is right:
        return True
    if type(left) is not type(right) and not (_number(left) and _number(right)):
        return False
    if isinstance(left, (dict, list)):
        # encoding in C beats a walk in Python; unequal texts of equal values differ in numbers alone (1 and 1.0)
        return left == right and orjson.dumps(left, option=_SORTED) == orjson.dumps(right, option=_SORTED)
    return bool(left == right)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_SORTED = orjson.OPT_SORT_KEYS
