"""Waits until CustomResourceDefinitions serve their kinds: before that, their objects are refused."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.cluster.reader import ClusterReader, Unavailable
from tazuna_core.objects.identity import JsonObject, ObjectRef

SECONDS = 60.0
_PAUSE = 0.1


def wait_served(
    api: ApiServer, cluster: ClusterReader, definitions: Mapping[ObjectRef, JsonObject]
) -> dict[ObjectRef, str]:
    """Waits until discovery lists what the definitions define; it does so once they are established.

    Asking discovery is one small request for all of them, where the definitions themselves are megabytes. Returns why,
    for each that is still not served after a minute.
    """
    wanted = {ref: _kinds(definition) for ref, definition in definitions.items()}
    end = time.monotonic() + SECONDS
    while True:
        served = api.kinds(refresh=True)
        waiting = [ref for ref, kinds in wanted.items() if any(served.get(*kind) is None for kind in kinds)]
        if not waiting or time.monotonic() > end:
            return {ref: _why(cluster, ref) for ref in waiting}
        time.sleep(_PAUSE)


def _kinds(definition: JsonObject) -> list[tuple[str, str]]:
    spec = definition.get("spec") or {}
    versions = [v for v in spec.get("versions") or () if isinstance(v, dict) and v.get("served")]
    built_in = known_kinds().served
    defined = known_kinds([{**definition, "spec": {**spec, "versions": versions}}]).served
    return [kind for kind in defined if kind not in built_in]


def _why(cluster: ClusterReader, ref: ObjectRef) -> str:
    answer = cluster.read([ref])[ref]
    if isinstance(answer, Unavailable):
        return answer.message or str(answer.reason)
    conditions: Sequence[JsonObject] = (answer.get("status") or {}).get("conditions") or []
    false = [c for c in conditions if c.get("status") != "True" and c.get("message")]
    return "; ".join(f"{c.get('type')}: {c['message']}" for c in false) or "the server gives no reason"
