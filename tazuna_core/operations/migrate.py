"""Takes over what a client-side `kubectl apply` owned, so that fields which are no longer declared go away.

Under server-side apply the server removes a field only when its last owner gives it up. What kubectl applied the old
way is owned by an Update entry that nobody would ever give up. Renamed to our Apply entry before our first apply, its
fields are ours, and the apply itself removes what it does not declare (verdicts 7; kubectl does the same in
client-go's `csaupgrade` when it turns to server-side apply).
"""

from __future__ import annotations

from typing import Any

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.errors import ApplyError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managed_fields import Trie
from tazuna_core.objects.managers import OUR_MANAGER

CLIENT_SIDE = "kubectl-client-side-apply"
_ATTEMPTS = 4


def migrate_client_side_apply(api: ApiServer, ref: ObjectRef, live: JsonObject) -> bool:
    """Makes a client-side apply's fields ours; returns whether there were any.

    Only before our first apply: a client-side apply over an object of ours is a change by hand, and its extra fields
    are nobody's to remove. managedFields alone do not tell: who overwrites all of our fields takes our entry away.
    Raises ApplyError with the server's reason.
    """
    for _ in range(_ATTEMPTS):
        entries = migrated(live)
        if entries is None:
            return False
        version = live["metadata"]["resourceVersion"]
        operations: list[JsonObject] = [
            {"op": "replace", "path": "/metadata/managedFields", "value": entries},
            # the server compares it, and answers 409 when somebody wrote meanwhile
            {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
        ]
        answer = api.json_patch(ref, operations, field_manager=OUR_MANAGER)
        if answer.ok:
            return True
        found = api.get(ref) if answer.status == 409 else answer
        if not found.ok:
            message = found.body.get("message") if isinstance(found.body, dict) else f"HTTP status {found.status}"
            raise ApplyError(f"{ref}: its ownership cannot be taken over from kubectl: {message}", code="migrate")
        live = found.body
    raise ApplyError(f"{ref} is being changed by somebody else all the time", code="migrate", advice="Apply again.")


def migrated(live: JsonObject) -> list[JsonObject] | None:
    """Returns the managedFields after the migration, None where there is nothing to migrate."""
    entries: list[JsonObject] = [
        entry for entry in live["metadata"].get("managedFields") or [] if isinstance(entry, dict)
    ]
    if any(entry.get("manager") == OUR_MANAGER and entry.get("operation") == "Apply" for entry in entries):
        return None
    old = [entry for entry in entries if _is_client_side(entry)]
    if not old:
        return None
    newest = max(old, key=lambda entry: str(entry.get("time") or ""))
    same_version = [entry for entry in old if entry.get("apiVersion") == newest.get("apiVersion")]
    fields: Trie = {}
    for entry in same_version:
        _merge(fields, entry.get("fieldsV1") or {})
    ours = {**newest, "manager": OUR_MANAGER, "operation": "Apply", "fieldsV1": fields}
    return [*(entry for entry in entries if not _is_client_side(entry)), ours]


def _is_client_side(entry: JsonObject) -> bool:
    return entry.get("manager") == CLIENT_SIDE and entry.get("operation") == "Update" and not entry.get("subresource")


def _merge(into: Trie, other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
