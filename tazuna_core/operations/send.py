"""Sends one object: server-side apply, or delete and create where the API allows nothing else (verdicts 7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from tazuna_core.cluster.api_server import ApiServer, ServerAnswer
from tazuna_core.diff.baseline import baseline_of, no_longer_declared
from tazuna_core.diff.drift import drift_of
from tazuna_core.diff.proven import first_baseline, known_managers
from tazuna_core.diff.secrets import masked, provable_skeleton
from tazuna_core.diff.subject import Subject
from tazuna_core.errors import ApplyError
from tazuna_core.objects.comparable import comparable, same
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managed_fields import entries_of
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import ABSENT, lookup, path_pointer
from tazuna_core.objects.sendable import is_secret, sendable
from tazuna_core.operations.migrate import migrate_client_side_apply
from tazuna_core.state.model import Content, Parts, RecordedObject

Action = Literal["created", "configured", "unchanged", "re-created"]
RE_CREATED_KINDS = frozenset({("batch", "Job"), ("", "Pod")})
"""Kinds whose objects cannot be changed in place; they are deleted and created anew, and only when they differ."""
GONE_SECONDS = 120.0
_REMOVE_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of sending one object: the action, and the record of it."""

    action: Action
    recorded: RecordedObject
    live: JsonObject


MakeSubject = Callable[[JsonObject], Subject]
"""From a live object to a comparison with the previous record."""


def send(
    api: ApiServer, built: BuiltObject, ref: ObjectRef, subject: MakeSubject, live: JsonObject | None, *,
    recreate: bool, synced_at: str | None, without_extras: bool = False,
) -> Sent:  # fmt: skip
    """Applies one built object.

    ``live`` is the object as it was read before, None where there was none; its metadata is enough but for kinds that
    are created anew. ``synced_at`` is when state last knew of it, None for our first apply of it. ``without_extras``
    removes what others added, too. Raises ApplyError with the object and the server's reason. A 500 is never retried:
    for an apply it means a field that the API does not know.
    """
    body = sendable(built.data, ref)
    if (ref.group, ref.kind) in RE_CREATED_KINDS and live is not None:
        known = subject(live)
        recorded = known.recorded
        as_applied = recorded is not None and recorded.content_hash == built.content_hash
        if as_applied and not recreate and not drift_of(known, built.content_hash).fields and recorded is not None:
            return Sent("unchanged", replace(recorded, key=built.key), live)  # it may have been another manifest's
        _delete(api, ref, live)
        answer = _required(api.create(ref, body, field_manager=OUR_MANAGER), ref)
        return Sent("re-created", _recorded(built, body, answer, _anew(subject(answer.body)), None), answer.body)
    if (ref.group, ref.kind) in RE_CREATED_KINDS:
        answer = _required(api.create(ref, body, field_manager=OUR_MANAGER), ref)
    else:
        if live is not None and synced_at is None:
            migrate_client_side_apply(api, ref, live)
        answer = _required(api.apply(ref, body, field_manager=OUR_MANAGER), ref)
    answer = _without_leftovers(api, built, ref, subject, answer, body, without_extras=without_extras)
    known = subject(answer.body)
    if live is None:
        known, synced_at = _anew(known), None
    return Sent(_action(live, known), _recorded(built, body, answer, known, synced_at), answer.body)


def _anew(created: Subject) -> Subject:
    """Returns an object that this apply created as one without a past: what others once added to it went with it."""
    return replace(created, recorded=None)


def _without_leftovers(
    api: ApiServer, built: BuiltObject, ref: ObjectRef, subject: MakeSubject, answer: ServerAnswer, body: JsonObject, *,
    without_extras: bool,
) -> ServerAnswer:  # fmt: skip
    """Removes what the apply left; where somebody writes in between, what is left over is looked for anew."""
    for attempt in range(_REMOVE_ATTEMPTS):
        pointers = _leftovers(subject(answer.body), body, built.content_hash, without_extras=without_extras)
        if not pointers:
            return answer
        removed = _remove(api, ref, answer, pointers)
        # 422 is a failed test of the resourceVersion, or a field that must be there
        if removed.status not in (409, 422) or attempt == _REMOVE_ATTEMPTS - 1:
            return _required(removed, ref)
        answer = _required(api.get(ref), ref)
    return answer


def _leftovers(known: Subject, body: JsonObject, content_hash: str, *, without_extras: bool) -> list[str]:
    """Returns pointers to what is to be removed: formerly declared by us, and with ``without_extras`` what is extra."""
    paths = list(no_longer_declared(known, body))
    if without_extras:
        extras = [field.path for field in drift_of(known, content_hash).fields if field.verdict == "extra"]
        live = (path for path in extras if lookup(known.live, path, known.schema) is not ABSENT)
        paths += [path for path in live if not any(path[: len(other)] == other for other in paths)]
    return [path_pointer(path, known.live, known.schema) for path in paths]


def _remove(api: ApiServer, ref: ObjectRef, answer: ServerAnswer, pointers: list[str]) -> ServerAnswer:
    version = answer.body["metadata"]["resourceVersion"]
    operations: list[JsonObject] = [{"op": "test", "path": "/metadata/resourceVersion", "value": version}]
    # later list items first, so that the pointers of the others stay what they are
    ordered = sorted(pointers, key=_position, reverse=True)
    operations.extend({"op": "remove", "path": pointer} for pointer in ordered)
    return api.json_patch(ref, operations, field_manager=OUR_MANAGER)


def _position(pointer: str) -> list[tuple[int, str]]:
    return [(int(token) if token.isdigit() else -1, token) for token in pointer.split("/")]


def _delete(api: ApiServer, ref: ObjectRef, live: JsonObject) -> None:
    """Deletes an object and waits until it is gone: an apply right after would land on the dying one."""
    uid = str(live["metadata"].get("uid", ""))
    answer = api.delete(ref, uid=uid or None, propagation="Background")
    if answer.status == 404:
        return
    _required(answer, ref)
    end = time.monotonic() + GONE_SECONDS
    while time.monotonic() < end:
        found = api.get(ref)
        if found.status == 404 or (found.ok and found.body["metadata"].get("uid") != uid):
            return
        time.sleep(0.2)
    raise ApplyError(
        f"{ref} was deleted to be created anew and is still there after {GONE_SECONDS:g} s",
        advice="A finalizer holds it: see metadata.finalizers of the object.",
    )


def _recorded(
    built: BuiltObject, body: JsonObject, answer: ServerAnswer, subject: Subject, synced_at: str | None
) -> RecordedObject:
    metadata = answer.body["metadata"]
    secret = is_secret(body)
    previous = subject.recorded
    if previous is None and synced_at is not None:
        baseline, managers = first_baseline(subject, built, synced_at), known_managers(subject, synced_at)
    else:
        baseline = baseline_of(subject, body)
        others = frozenset(entry.manager for entry in entries_of(answer.body)) - {OUR_MANAGER}
        managers = previous.managers if previous is not None else others
    kept_extras = not same(baseline, comparable(masked(answer.body) if secret else answer.body))
    return RecordedObject(
        key=built.key,
        content_hash=built.content_hash,
        uid=str(metadata.get("uid", "")),
        # an extra that was not blessed makes this very version of the object one that differs
        resource_version="" if kept_extras else str(metadata.get("resourceVersion", "")),
        generation=int(metadata.get("generation") or 0),
        time=answer.time,
        manager=OUR_MANAGER,
        content=Content(
            Parts(
                answer=baseline,
                sent=masked(body) if secret else body,
                secret_skeleton=provable_skeleton(built.data, built.content_hash, answer.body) if secret else None,
            )
        ),
        managers=managers,
    )


def _action(live: JsonObject | None, known: Subject) -> Action:
    """Says what an apply did; ``known`` is the answer.

    The server writes an object that declares no field (a bare Namespace) once more for its own bookkeeping of owners:
    what was recorded before and is the same after was not changed.
    """
    if live is None:
        return "created"
    before, after, recorded = live["metadata"], known.live["metadata"], known.recorded
    if before.get("uid") == after.get("uid") and before.get("resourceVersion") == after.get("resourceVersion"):
        return "unchanged"
    as_recorded = (
        recorded is not None
        and before.get("uid") == recorded.uid
        and before.get("resourceVersion") == recorded.resource_version
        and not is_secret(known.live)
        and same(recorded.answer, known.comparable_live)
    )
    return "unchanged" if as_recorded else "configured"


def _required(answer: ServerAnswer, ref: ObjectRef) -> ServerAnswer:
    if answer.ok:
        return answer
    message = answer.body.get("message") if isinstance(answer.body, dict) else ""
    if ref.kind == "Secret":
        message = without_values(message or "", answer.body)
    raise ApplyError(
        f"{ref} is refused ({answer.status}): {message or 'no reason given'}",
        advice=_ADVICE.get(answer.status, ""),
        code="apply-refused",
    )


def without_values(message: str, status: Any) -> str:
    """Returns what may be said of a refused Secret: the reason and the fields, never the server's own words.

    They quote values (C55).
    """
    details = status.get("details") if isinstance(status, dict) else None
    causes = details.get("causes") if isinstance(details, dict) else None
    fields = [str(cause.get("field")) for cause in causes or () if isinstance(cause, dict) and cause.get("field")]
    reason = status.get("reason") if isinstance(status, dict) else ""
    return f"{reason or 'refused'}{': ' + ', '.join(fields) if fields else ''}" if message else ""


_ADVICE = {
    403: "`tazuna rbac --for apply` prints the rights that are needed.",
    404: "Its kind or its namespace is not there: does a manifest before this one create it?",
    409: "The object is being changed or deleted by somebody else; apply again.",
    422: "Change what the message names. A field that cannot be changed needs the object to be deleted first.",
    500: "Under server-side apply: a value of another type than the API wants (quote what must be text), a field that "
    "it does not know, or a webhook that cannot be reached.",
}
