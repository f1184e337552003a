"""Waits until CustomResourceDefinitions serve their kinds: before that, their objects are refused."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from tazuna_core.cluster.reader import Answer, ClusterReader, Reason, Unavailable
from tazuna_core.objects.identity import JsonObject, ObjectRef

SECONDS = 60.0
_PAUSE = 0.1


def wait_established(cluster: ClusterReader, refs: Sequence[ObjectRef]) -> Mapping[ObjectRef, Answer]:
    """Returns each definition as it is once its condition ``Established`` is true, or why it never became so."""
    end = time.monotonic() + SECONDS
    done: dict[ObjectRef, Answer] = {}
    waiting = list(dict.fromkeys(refs))
    while waiting:
        answers = cluster.read(waiting)
        late = time.monotonic() > end
        for ref in list(waiting):
            answer = answers[ref]
            if isinstance(answer, Unavailable) or _established(answer):
                done[ref] = answer
            elif late:
                done[ref] = Unavailable(Reason.TIMEOUT, f"after {SECONDS:g} s: {_why(answer)}")
        waiting = [ref for ref in waiting if ref not in done]
        if waiting:
            time.sleep(_PAUSE)
    return done


def _established(definition: JsonObject) -> bool:
    return any(c.get("type") == "Established" and c.get("status") == "True" for c in _conditions(definition))


def _why(definition: JsonObject) -> str:
    false = [c for c in _conditions(definition) if c.get("status") != "True" and c.get("message")]
    return "; ".join(f"{c.get('type')}: {c['message']}" for c in false) or "the server gives no reason"


def _conditions(definition: JsonObject) -> list[JsonObject]:
    conditions = (definition.get("status") or {}).get("conditions")
    return [c for c in conditions if isinstance(c, dict)] if isinstance(conditions, list) else []
