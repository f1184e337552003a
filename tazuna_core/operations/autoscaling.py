"""Which workloads an autoscaler targets: their replicas are its business (C29)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tazuna_core.cluster.reader import Answer, ClusterReader, Unavailable
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, split_api_version

AUTOSCALERS = (("autoscaling/v2", "HorizontalPodAutoscaler"), ("keda.sh/v1alpha1", "ScaledObject"))
_KINDS = frozenset(kind for _, kind in AUTOSCALERS)


def may_scale(ref: ObjectRef) -> bool:
    """Whether an object may be an autoscaler; any group's, as in ``targets_of``."""
    return ref.kind in _KINDS


def targets_of(objects: Iterable[JsonObject]) -> frozenset[Identity]:
    """Returns the workloads that these objects scale; those that are no autoscalers are passed over."""
    return frozenset(target for obj in objects if obj.get("kind") in _KINDS for target in _target(obj))


def autoscaled(
    cluster: ClusterReader, answers: Mapping[ObjectRef, Answer], differing: Iterable[ObjectRef]
) -> frozenset[Identity]:
    """Returns the autoscaled workloads.

    By the autoscalers among ``answers`` first; then by one LIST in each namespace where a workload of ``differing``
    has other replicas than recorded. A LIST that is forbidden tells nothing and is no error.
    """
    known = targets_of(answer for answer in answers.values() if not isinstance(answer, Unavailable))
    namespaces = {ref.namespace for ref in differing if ref.identity not in known}
    kinds = cluster.kinds() if namespaces else None
    for api_version, kind in AUTOSCALERS:
        if kinds is None or kinds.get(api_version, kind) is None:
            continue
        for namespace in sorted(namespaces):
            listed = cluster.list_kind(api_version, kind, namespace)
            if not isinstance(listed, Unavailable):
                known |= targets_of({**obj, "kind": kind} for obj in listed)
    return known


def _target(obj: JsonObject) -> Iterable[Identity]:
    target = (obj.get("spec") or {}).get("scaleTargetRef")
    if isinstance(target, dict) and target.get("name"):
        group, _ = split_api_version(str(target.get("apiVersion") or "apps/v1"))
        namespace = str((obj.get("metadata") or {}).get("namespace") or "default")
        yield Identity(group, str(target.get("kind") or "Deployment"), namespace, str(target["name"]))
