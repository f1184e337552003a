"""Reads what is live of tracked objects, and of each no more than it takes to know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tazuna_core import tracing
from tazuna_core.cluster.reader import Answer, ClusterReader, Unavailable
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.operations.tracked import Tracked


@dataclass(frozen=True, slots=True)
class Live:
    """Answers by reference. Objects in ``untouched`` have metadata only: the server says nothing else was written."""

    answers: Mapping[ObjectRef, Answer]
    untouched: frozenset[ObjectRef] = frozenset()


@tracing.traced(lambda *_, **__: ("read cluster", {}))
def read_live(
    cluster: ClusterReader,
    tracked: Iterable[Tracked],
    in_full: Iterable[ObjectRef] = (),
) -> Live:
    """Reads tracked objects, and ``in_full`` (tracked or not) whole even when untouched.

    An object whose uid and resourceVersion are the recorded ones is what was recorded (verdicts 3), so its metadata is
    enough: megabytes of definitions, and the values of Secrets, never leave the server.
    """
    tracked = list(tracked)
    whole = dict.fromkeys(in_full)
    recorded = {
        obj.ref: obj
        for obj in tracked
        if obj.recorded is not None and obj.recorded.resource_version and _keeps_its_version(obj.ref)
    }
    answers = dict(cluster.read_metadata([ref for ref in recorded if ref not in whole]))
    untouched = frozenset(
        ref
        for ref, answer in answers.items()
        if not isinstance(answer, Unavailable) and _same_version(answer, recorded[ref])
    )
    known = {ref for ref, answer in answers.items() if ref in untouched or isinstance(answer, Unavailable)}
    rest = [ref for ref in dict.fromkeys([*(obj.ref for obj in tracked), *whole]) if ref not in known]
    answers.update(cluster.read(rest))
    tracing.note({"tazuna.objects": len(answers), "tazuna.objects.untouched": len(untouched)})
    return Live(answers, untouched)


_STATUS_FOLLOWS = frozenset(
    {
        ("apps", "Deployment"), ("apps", "DaemonSet"), ("apps", "StatefulSet"), ("apps", "ReplicaSet"),
        ("batch", "Job"), ("batch", "CronJob"), ("policy", "PodDisruptionBudget"),
        ("autoscaling", "HorizontalPodAutoscaler"), ("apiregistration.k8s.io", "APIService"), ("", "Pod"),
        ("", "PersistentVolumeClaim"),
    }
)  # fmt: skip


def _keeps_its_version(ref: ObjectRef) -> bool:
    """Whether an object may still have the version that apply left: a controller writes the status of these at once.

    They are small, so asking for their metadata first would be a request for nothing.
    """
    return (ref.group, ref.kind) not in _STATUS_FOLLOWS


def _same_version(answer: JsonObject, obj: Tracked) -> bool:
    metadata = answer["metadata"]
    return (
        obj.recorded is not None
        and metadata.get("uid") == obj.recorded.uid
        and metadata.get("resourceVersion") == obj.recorded.resource_version
    )
