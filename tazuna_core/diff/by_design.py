"""Fields that others own by design: each rule is one function, hides with its own name, and never a person's edit.

A rule looks at one difference and says nothing about the rest of the object (B65).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import HiddenDifference
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.comparable import LAST_APPLIED
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.paths import ABSENT, Item, Key, Path, lookup
from tazuna_core.objects.sendable import REVISION
from tazuna_core.objects.times import later

Rule = Callable[[Subject, Difference, FieldsEntry | None, Any], bool]
"""(subject, difference, owner, what was sent at the path) -> whether the difference is somebody else's by design."""

PLACEHOLDERS = frozenset({"", "Cg==", "Cgo="})
"""What charts put where a bundle will be injected: nothing, or an encoded line feed."""


def hidden_by_design(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> str:
    """Returns the name of the rule that hides ``difference``, or the empty string."""
    for name, rule in RULES:
        if rule(subject, difference, owner, sent):
            return name
    return ""


def _autoscaled(subject: Subject, difference: Difference, owner: FieldsEntry | None, _sent: Any) -> bool:
    """C29: an autoscaler targets the workload, or a controller wrote the scale subresource."""
    if difference.path != (Key("spec"), Key("replicas")):
        return False
    scaled = owner is not None and owner.subresource == "scale" and subject.origin(owner) == "controller"
    return scaled or (subject.ref.identity in subject.context.autoscaled and subject.origin(owner) != "person")


def _injected_bundle(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C28: a bundle that we left empty, or that an injector holds, where the API server trusts one."""
    if _names(difference.path) not in _BUNDLES.get((subject.ref.group, subject.ref.kind), ()):
        return False
    if owner is not None and "cainjector" in owner.manager:
        return True
    left_empty = sent is ABSENT or (isinstance(sent, str) and sent in PLACEHOLDERS)
    return left_empty and subject.origin(owner) not in ("person", "tazuna")


def _aggregated_role(subject: Subject, difference: Difference, owner: FieldsEntry | None, _sent: Any) -> bool:
    """The aggregation controller fills ``rules`` of a ClusterRole with an aggregationRule."""
    # the rule that we applied: one that somebody added to a role of ours makes nothing of it the controller's
    ours = subject.recorded.answer if subject.recorded is not None else subject.live
    aggregated = subject.ref.kind == "ClusterRole" and ours.get("aggregationRule") is not None
    return aggregated and difference.path[:1] == (Key("rules"),) and _by_machine(subject, owner)


def _token_secret(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C77: the token controller fills a service-account-token Secret."""
    if subject.ref.kind != "Secret" or subject.live.get("type") != "kubernetes.io/service-account-token":
        return False
    filled = difference.path[:1] == (Key("data"),) or difference.path == _TOKEN_UID
    return filled and sent is ABSENT and _by_machine(subject, owner)


def _cluster_assigned(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C78: addresses, node ports and volume names that we left to the cluster; `None` is a choice, not an address."""
    if _names(difference.path) not in _ASSIGNED.get((subject.ref.group, subject.ref.kind), ()):
        return False
    return sent in (ABSENT, "", 0) and difference.right not in ("None", ["None"]) and _by_machine(subject, owner)


def _revision(subject: Subject, difference: Difference, owner: FieldsEntry | None, _sent: Any) -> bool:
    """C35: the Deployment controller counts its roll-outs; its entry may have been cleared.

    Whoever creates the object anew from an export holds what the export brought along.
    """
    anew = subject.recorded is not None and subject.live["metadata"].get("uid") != subject.recorded.uid
    forgotten = owner is not None and owner.manager == _BEFORE_FIRST_APPLY
    return difference.path == _REVISION and (anew or forgotten or _by_machine(subject, owner))


def _kept_by_server(subject: Subject, difference: Difference, _owner: FieldsEntry | None, _sent: Any) -> bool:
    """Annotations that the API server writes itself, whatever a request says and whoever holds them afterwards.

    A DaemonSet's counts changes of its template; an autoscaler's are its status, read at autoscaling/v1.
    """
    return difference.path in _KEPT.get((subject.ref.api_version, subject.ref.kind), ())


def _generated_selector(subject: Subject, difference: Difference, _owner: FieldsEntry | None, sent: Any) -> bool:
    """A Job's generated labels name its uid, which a re-created Job has anew, and itself.

    The server copies them from the template to a Job that has no labels of its own.
    """
    last = difference.path[-1] if difference.path else None
    if (subject.ref.group, subject.ref.kind) != ("batch", "Job") or not isinstance(last, Key) or sent is not ABSENT:
        return False
    field = _JOB_LABELS.get(last.name)
    return field is not None and difference.right == subject.live["metadata"].get(field)


def _by_machine(subject: Subject, owner: FieldsEntry | None) -> bool:
    """Whether a value came from the server or a controller: whoever else writes such a field leaves an entry."""
    return owner is None or subject.origin(owner) == "controller"


def _names(path: Path) -> tuple[str, ...]:
    return tuple(element.name for element in path if isinstance(element, Key))


_ANNOTATIONS: Path = (Key("metadata"), Key("annotations"))
_TOKEN_UID: Path = (*_ANNOTATIONS, Key("kubernetes.io/service-account.uid"))
_LAST_APPLIED_PATH: Path = (*_ANNOTATIONS, Key(LAST_APPLIED))
_BEFORE_FIRST_APPLY = "before-first-apply"
"""Who holds what nobody was known to hold when managedFields had been cleared and we applied."""
_REVISION: Path = (*_ANNOTATIONS, Key(REVISION))
_JOB_LABELS = {
    "controller-uid": "uid",
    "batch.kubernetes.io/controller-uid": "uid",
    "job-name": "name",
    "batch.kubernetes.io/job-name": "name",
}
_KEPT: dict[tuple[str, str], frozenset[Path]] = {
    ("apps/v1", "DaemonSet"): frozenset({(*_ANNOTATIONS, Key("deprecated.daemonset.template.generation"))}),
    ("autoscaling/v1", "HorizontalPodAutoscaler"): frozenset(
        (*_ANNOTATIONS, Key(f"autoscaling.alpha.kubernetes.io/{what}")) for what in ("conditions", "current-metrics")
    ),
}
_WEBHOOK_BUNDLE = frozenset({("webhooks", "clientConfig", "caBundle")})
_BUNDLES = {
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _WEBHOOK_BUNDLE,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _WEBHOOK_BUNDLE,
    ("apiregistration.k8s.io", "APIService"): frozenset({("spec", "caBundle")}),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): frozenset(
        {("spec", "conversion", "webhook", "clientConfig", "caBundle")}
    ),
}
_ASSIGNED = {
    ("", "Service"): frozenset(
        {
            ("spec", "clusterIP"),
            ("spec", "clusterIPs"),
            ("spec", "ports", "nodePort"),
            ("spec", "healthCheckNodePort"),
        }
    ),
    ("", "PersistentVolumeClaim"): frozenset({("spec", "volumeName")}),
}

RULES: tuple[tuple[str, Rule], ...] = (
    ("autoscaled replicas", _autoscaled),
    ("injected caBundle", _injected_bundle),
    ("aggregated role", _aggregated_role),
    ("token secret", _token_secret),
    ("cluster-assigned", _cluster_assigned),
    ("deployment revision", _revision),
    ("kept by the server", _kept_by_server),
    ("generated selector", _generated_selector),
)

GENERATED_SECRETS = "generated secrets of a ServiceAccount"


def without_generated_secrets(ref: ObjectRef, obj: JsonObject) -> JsonObject:
    """Takes the token and dockercfg secrets that were generated for a ServiceAccount out of it (C32)."""
    if (ref.group, ref.kind) != ("", "ServiceAccount"):
        return obj
    out = dict(obj)
    for field in _SECRET_LISTS:
        items = obj.get(field)
        kept = [item for item in items if not _generated(ref, item)] if isinstance(items, list) else []
        if isinstance(items, list) and len(kept) != len(items):
            out[field] = kept
            if not kept:
                del out[field]
    return out


def generated_secrets_hidden(subject: Subject) -> tuple[HiddenDifference, ...]:
    """Returns the ledger's lines for what ``without_generated_secrets`` took out of one side and not of the other."""
    ref, recorded = subject.ref, subject.recorded.answer if subject.recorded else {}
    if (ref.group, ref.kind) != ("", "ServiceAccount"):
        return ()
    out = []
    for field in _SECRET_LISTS:
        before, now = (
            [item["name"] for item in side.get(field) or () if _generated(ref, item)]
            for side in (recorded, subject.live)
        )
        out += [
            HiddenDifference(GENERATED_SECRETS, (Key(field), Item((("name", name),))))
            for name in dict.fromkeys([*before, *now])
            if (name in before) != (name in now)
        ]
    return tuple(out)


def last_applied_hidden(subject: Subject) -> tuple[HiddenDifference, ...]:
    """Returns the ledger's line for a `kubectl apply` since our own that left its annotation.

    The annotation is no part of any comparison, for it repeats the object, values of Secrets included; what that apply
    changed is compared field by field.
    """
    annotations = subject.live["metadata"].get("annotations") or {}
    if subject.recorded is None or LAST_APPLIED not in annotations:
        return ()
    owner = subject.owner(_LAST_APPLIED_PATH)
    since = owner is not None and later(owner.time, subject.recorded.time)
    return (HiddenDifference("last-applied annotation", _LAST_APPLIED_PATH),) if since else ()


def _generated(ref: ObjectRef, item: Any) -> bool:
    name = item.get("name") if isinstance(item, dict) else None
    return isinstance(name, str) and name.startswith((f"{ref.name}-token-", f"{ref.name}-dockercfg-"))


_SECRET_LISTS = ("secrets", "imagePullSecrets")


def sent_at(subject: Subject, difference: Difference) -> Any:
    """Returns what we sent at a difference's path, or at the atomic ancestor that holds it; ABSENT where undeclared."""
    if subject.recorded is None:
        return ABSENT
    value = lookup(subject.recorded.sent, difference.path, subject.schema)
    if value is ABSENT and difference.atomic is not None:
        return lookup(subject.recorded.sent, difference.atomic, subject.schema)
    return value
