"""Small builders for comparisons: what was sent and answered, what is live and who holds it."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import date
from typing import Any

from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.drift import drift_of
from tazuna_core.diff.ignore import IgnoreRule
from tazuna_core.diff.plan import Wanted, plan_of
from tazuna_core.diff.secrets import masked, provable_skeleton
from tazuna_core.diff.subject import RunContext, Subject
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict
from tazuna_core.objects.builtin_schema import builtin_kinds, builtin_schema
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.comparable import comparable
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, StateKey
from tazuna_core.objects.paths import path_text
from tazuna_core.objects.schema import ANY, Schema
from tazuna_core.objects.sendable import is_secret, sendable
from tazuna_core.state.model import Content, Parts, RecordedObject

APPLIED = "2026-11-30T10:00:00Z"
BEFORE = "2026-11-30T09:00:00Z"
AFTER = "2026-11-30T11:00:00Z"
TODAY = date(2026, 11, 30)


def obj(api_version: str, kind: str, name: str = "a", namespace: str = "n", **content: Any) -> JsonObject:
    """An object; ``metadata`` adds to its name and namespace."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **content.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


def config_map(data: JsonObject | None = None, **metadata: Any) -> JsonObject:
    return obj("v1", "ConfigMap", metadata=metadata, **({} if data is None else {"data": data}))


def secret(data: JsonObject | None = None, **content: Any) -> JsonObject:
    return obj("v1", "Secret", **({} if data is None else {"data": data}), **content)


def deployment(container: JsonObject | None = None, metadata: JsonObject | None = None, **spec: Any) -> JsonObject:
    """A Deployment with one container ``app``; ``container`` adds to it, ``pod`` to the pod's spec."""
    pod = {"containers": [{"name": "app", "image": "i:1", **(container or {})}], **spec.pop("pod", {})}
    template = {"metadata": {"labels": {"app": "a"}}, "spec": pod}
    return obj("apps/v1", "Deployment", metadata=metadata or {}, spec={"template": template, **spec})


def entry(
    manager: str, fields: JsonObject, operation: str = "Update", time: str | None = AFTER, **more: str
) -> JsonObject:
    """One entry of managedFields; ``fields`` is its fieldsV1."""
    out = {"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields, **more}
    return out if time is None else {**out, "time": time}


def f(*steps: str) -> JsonObject:
    """fieldsV1 of one path: names become ``f:``, steps that begin with ``k:`` or ``v:`` stay; the last is a leaf."""
    node: JsonObject = {}
    for step in reversed(steps):
        key = step if step[:2] in ("k:", "v:") else f"f:{step}"
        node = {key: {**({".": {}} if step[:2] == "k:" else {}), **node}}
    return node


OURS = entry("tazuna", f("spec", "template"), "Apply", time=APPLIED)
"""What a real object always has: the entry of our own apply. Where it is gone, somebody cleared managedFields."""


def live(content: JsonObject, *entries: JsonObject, uid: str = "u1", version: str = "2", **metadata: Any) -> JsonObject:
    """The object as the server returns it; entries without apiVersion are in the object's own."""
    out = copy.deepcopy(content)
    held = [{"apiVersion": out["apiVersion"], **one} for one in entries]
    out["metadata"] |= {"uid": uid, "resourceVersion": version, "creationTimestamp": BEFORE, "generation": 2}
    out["metadata"] |= {"managedFields": held, **metadata}
    return out


def recorded(
    built: JsonObject, answer: JsonObject | None = None, managers: Iterable[str] = (), **more: Any
) -> RecordedObject:
    """What an apply of ``built`` left; ``answer`` is the server's (what was sent, where nothing is given)."""
    sent = sendable(built)
    answer = comparable(answer if answer is not None else sent)
    stored = content_hash(built)
    secret = is_secret(sent)
    fields: dict[str, Any] = {
        "key": StateKey.of("m", built),
        "content_hash": stored,
        "uid": "u1",
        "resource_version": "1",
        "generation": 1,
        "time": APPLIED,
        "manager": "tazuna",
        "answer": masked(answer) if secret else answer,
        "sent": masked(sent) if secret else sent,
        "managers": frozenset(managers),
        "secret_skeleton": provable_skeleton(built, stored, answer) if secret else None,
    }
    fields |= more
    parts = Parts(fields.pop("answer"), fields.pop("sent"), fields.pop("secret_skeleton"))
    return RecordedObject(content=Content(parts), **fields)


def subject(
    current: JsonObject,
    record: RecordedObject | None = None,
    *,
    schema: Schema | None = None,
    rules: Iterable[IgnoreRule] = (),
    controllers: Iterable[str] = (),
    autoscaled: Iterable[Identity] = (),
    unstable: Iterable[Any] = (),
) -> Subject:
    metadata = current["metadata"]
    ref = ObjectRef(current["apiVersion"], current["kind"], metadata.get("namespace", ""), metadata["name"])
    context = RunContext(frozenset(controllers), frozenset(autoscaled), tuple(rules), TODAY)
    known = schema or builtin_schema(ref.api_version, ref.kind) or ANY
    return Subject(StateKey.of("m", current), ref, current, lambda: known, context, record, frozenset(unstable))


def drift(current: JsonObject, record: RecordedObject | None = None, **how: Any) -> ObjectVerdict:
    stored = record.content_hash if record else how.pop("stored", "0" * 64)
    synced_at = how.pop("synced_at", "")
    return drift_of(subject(current, record, **how), stored, synced_at)


def plan(
    built: JsonObject, current: JsonObject, record: RecordedObject | None = None, stored: str | None = "0", **how: Any
) -> ObjectVerdict:
    """Plans ``built``; without ``stored`` the record's hash, with None an object that state does not know."""
    stored = record.content_hash if record else stored
    built_in = (built["apiVersion"], built["kind"]) in builtin_kinds()
    wanted = Wanted(sendable(built), content_hash(built), Meaning(built_in))
    return plan_of(subject(current, record, **how), wanted, stored)


def shown(verdict: ObjectVerdict) -> dict[str, str]:
    """Path and verdict of every field."""
    return {path_text(field.path): field.verdict for field in verdict.fields}


def hidden(verdict: ObjectVerdict) -> dict[str, str]:
    """Path and rule of every line of the ledger."""
    return {path_text(line.path): line.rule for line in verdict.hidden}


def field(verdict: ObjectVerdict, path: str) -> FieldVerdict:
    return next(one for one in verdict.fields if path_text(one.path) == path)


def owner(verdict: ObjectVerdict, path: str) -> str | None:
    held = field(verdict, path).owner
    return held.manager if held else None
