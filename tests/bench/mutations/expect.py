"""What a report must say of a change: reported with whom, or hidden by which rule (verdicts 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.bench.mutations.schema import Json, Node
from tests.bench.mutations.truth import MISSING, Change, Holder, Path, at, changes, holders, path_text

OURS = "tazuna"
CONTROLLERS = frozenset(
    {
        "kube-controller-manager", "kube-apiserver", "clusterrole-aggregation-controller", "cainjector",
        "cert-manager-cainjector", "karpenter", "kubelet",
    }
)  # fmt: skip
"""The controllers that run here, and those that the bench plays."""
SWITCHES = {"replicas", "paused", "suspend"}
JOB_LABELS = {
    ("controller-uid",): "uid",
    ("batch.kubernetes.io/controller-uid",): "uid",
    ("job-name",): "name",
    ("batch.kubernetes.io/job-name",): "name",
}
"""Labels that are generated for a Job, and what of its metadata they repeat."""
KEPT = {
    ("apps/v1", "DaemonSet"): {("deprecated.daemonset.template.generation",)},
    ("autoscaling/v1", "HorizontalPodAutoscaler"): {
        ("autoscaling.alpha.kubernetes.io/conditions",), ("autoscaling.alpha.kubernetes.io/current-metrics",),
    },
}  # fmt: skip
"""Annotations that the API server writes itself, whoever is said to hold them."""


@dataclass(frozen=True)
class Expected:
    """One line that the report must have, under its fields or in its ledger."""

    path: str
    holders: tuple[Holder | None, ...]
    verdict: str
    """``drifted``, ``extra`` or, in the ledger, ``hidden``."""
    rule: str = ""
    """The rule that hides it."""


def expected(node: Node, before: Json, after: Json, declared: Json, scaled: bool) -> list[Expected]:
    """What must be said of an object that was stored as ``before`` and is ``after``."""
    before, before_generated = _without_generated(before)
    after, after_generated = _without_generated(after)
    out = [
        Expected(path_text((("f", field),)), (None,), "hidden", "generated secret")
        for field in ("secrets", "imagePullSecrets")
        if after_generated.get(field, []) != before_generated.get(field, [])
    ]
    for change in _unknowable(before, after, declared, changes(node, before, after)):
        known = holders(after, change)
        sent = _sent(node, declared, change)
        rule = _hidden(before, after, change, known, sent, scaled)
        verdict = "hidden" if rule else "extra" if sent is MISSING else "drifted"
        if rule == "kept by the server" and after["kind"] == "HorizontalPodAutoscaler":
            continue  # status by another name: it comes and goes, and may be what it was at the apply
        out.append(Expected(path_text(change.path), known, verdict, rule))
    return out


def _unknowable(before: Json, after: Json, declared: Json, found: list[Change]) -> list[Change]:
    """One path for all values of a Secret that was created anew: who created it holds every key, changed or not.

    No value is kept anywhere, so with several keys nobody can say which of them changed.
    """
    keys = before.get("data", {}).keys() & after.get("data", {}).keys() & (declared.get("data") or {}).keys()
    values = [c for c in found if c.path[:1] == (("f", "data"),) and len(c.path) == 2 and c.path[1][1] in keys]
    if after["kind"] != "Secret" or before["metadata"]["uid"] == after["metadata"]["uid"] or len(keys) < 2:
        return found
    whole = [Change((("f", "data"),), True, True)] if values else []
    return [change for change in found if change not in values] + whole


def _sent(node: Node, declared: Json, change: Change) -> Any:
    value = at(node, declared, change.path)
    if value is MISSING and change.atomic is not None:
        return at(node, declared, change.atomic)
    return value


def _hidden(
    before: Json, after: Json, change: Change, known: tuple[Holder | None, ...], sent: Any, scaled: bool
) -> str:
    anew = before["metadata"]["uid"] != after["metadata"]["uid"]
    if path_text(change.path) == 'metadata.annotations["deployment.kubernetes.io/revision"]' and (
        anew or all(one is None or is_controller(one) for one in known)
    ):
        return "deployment revision"
    controller = any(one is not None and is_controller(one) for one in known)
    person = any(one is not None and is_person(one) for one in known)
    rule = _by_design(after, change, controller, person, known, sent, scaled)
    if rule or sent is not MISSING:
        return rule
    if controller:
        return "" if takes_over(after, change) else "controller"
    if known == (None,) and not counts_unowned(change.path):
        return "server default"
    return ""


def _by_design(
    after: Json, change: Change, controller: bool, person: bool, known: tuple[Holder | None, ...], sent: Any,
    scaled: bool,
) -> str:  # fmt: skip
    names = tuple(step[1] for step in change.path if step[0] == "f")
    kind = after["kind"]
    if names[:2] == ("metadata", "annotations") and names[2:] in KEPT.get((after["apiVersion"], kind), ()):
        return "kept by the server"
    if kind == "Job" and names[-1:] in JOB_LABELS and sent is MISSING:
        return "generated selector" if change.after == after["metadata"][JOB_LABELS[names[-1:]]] else ""
    if names == ("spec", "replicas") and (
        (scaled and not person) or (controller and any(one is not None and one.subresource == "scale" for one in known))
    ):
        return "autoscaled replicas"
    if names[-1:] == ("caBundle",):
        ours = any(one is not None and one.manager == OURS for one in known)
        injected = any(one is not None and "cainjector" in one.manager for one in known)
        if injected or ((sent is MISSING or sent in ("", "Cg==", "Cgo=")) and not person and not ours):
            return "injected caBundle"
    if person:
        return ""
    if kind == "ClusterRole" and after.get("aggregationRule") and names[:1] == ("rules",):
        return "aggregated role"
    token = kind == "Secret" and after.get("type") == "kubernetes.io/service-account-token"
    if token and names[:1] == ("data",) and sent is MISSING:
        return "token secret"
    if kind == "Service" and change.after != "None" and (sent is MISSING or sent in ("", 0)):
        assigned = {("spec", "clusterIP"), ("spec", "clusterIPs"), ("spec", "ports", "nodePort")}
        if names in assigned or names == ("spec", "healthCheckNodePort"):
            return "cluster-assigned"
    return ""


_TAKES_OVER = {
    "NetworkPolicy": ("spec",),
    "Role": ("rules",),
    "ClusterRole": ("rules", "aggregationRule"),
    "RoleBinding": ("subjects", "roleRef"),
    "ClusterRoleBinding": ("subjects", "roleRef"),
    "MutatingWebhookConfiguration": ("webhooks",),
    "ValidatingWebhookConfiguration": ("webhooks",),
}


def takes_over(obj: Json, change: Change) -> bool:
    """Whether a change is shown whoever says to have made it: what pods run, who may do what, what admission asks."""
    names = tuple(step[1] for step in change.path if step[0] == "f")
    if obj["kind"] == "Service":
        return names[:2] in {("spec", "selector"), ("spec", "externalIPs"), ("spec", "externalName")}
    in_template = names[:3] == ("spec", "template", "spec") or names[:3] == ("spec", "jobTemplate", "spec")
    return in_template or names[:1] in {(name,) for name in _TAKES_OVER.get(obj["kind"], ())}


def counts_unowned(path: Path) -> bool:
    """Whether a path that we never declared counts although nobody holds it."""
    last = path[-1]
    if last[0] in "kv":
        return True
    names = [step[1] for step in path]
    if len(path) == 2 and names[0] == "spec" and names[1] in SWITCHES:
        return True
    if len(path) == 2 and names[0] in ("data", "binaryData"):
        return True
    return len(path) >= 3 and names[-3] == "metadata" and names[-2] in ("labels", "annotations")


def expires(obj: Json) -> bool:
    """Whether an object is meant to go by itself: nobody can tell that from a deletion by hand."""
    return obj["kind"] == "Job" and "ttlSecondsAfterFinished" in obj["spec"]


def is_controller(holder: Holder) -> bool:
    """Whether a holder is a controller: by name, or because it writes status."""
    return holder.manager in CONTROLLERS or (holder.subresource == "status" and not is_person(holder))


def is_person(holder: Holder) -> bool:
    """Whether a holder is a person's tool, of those that the bench uses."""
    return holder.manager.startswith("kubectl") or holder.manager in {"Mozilla", "k9s", "Lens", "rancher"}


def _without_generated(obj: Json) -> tuple[Json, Json]:
    """Takes the secrets that were generated for a ServiceAccount out of it."""
    if obj["kind"] != "ServiceAccount":
        return obj, {}
    prefixes = tuple(f"{obj['metadata']['name']}-{what}-" for what in ("token", "dockercfg"))
    out, generated = dict(obj), {}
    for field in ("secrets", "imagePullSecrets"):
        items = obj.get(field, [])
        generated[field] = [item for item in items if str(item.get("name", "")).startswith(prefixes)]
        if generated[field]:
            out[field] = [item for item in items if item not in generated[field]]
            if not out[field]:
                del out[field]
    return out, generated
