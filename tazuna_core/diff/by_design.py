"""Fields that others own by design: each rule is one function, hides with its own name, and never a person's edit.

A rule looks at one difference and says nothing about the rest of the object (B65).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tazuna_core.diff.subject import Subject
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.paths import ABSENT, Key, Path, lookup

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
    return scaled or subject.ref.identity in subject.context.autoscaled


def _injected_bundle(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C28: a bundle that we left empty, or that an injector holds."""
    if not difference.path or difference.path[-1] != Key("caBundle"):
        return False
    if owner is not None and "cainjector" in owner.manager:
        return True
    return (sent is ABSENT or sent in PLACEHOLDERS) and subject.origin(owner) != "person"


def _aggregated_role(subject: Subject, difference: Difference, owner: FieldsEntry | None, _sent: Any) -> bool:
    """The aggregation controller fills ``rules`` of a ClusterRole with an aggregationRule."""
    aggregated = subject.ref.kind == "ClusterRole" and subject.live.get("aggregationRule") is not None
    return aggregated and difference.path[:1] == (Key("rules"),) and subject.origin(owner) != "person"


def _token_secret(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C77: the token controller fills a service-account-token Secret."""
    if subject.ref.kind != "Secret" or subject.live.get("type") != "kubernetes.io/service-account-token":
        return False
    filled = difference.path[:1] == (Key("data"),) or difference.path == _TOKEN_UID
    return filled and sent is ABSENT and subject.origin(owner) != "person"


def _cluster_assigned(subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any) -> bool:
    """C78: addresses, node ports and volume names that we left to the cluster; `None` is a choice, not an address."""
    names = tuple(element.name for element in difference.path if isinstance(element, Key))
    assigned = names in _ASSIGNED.get(subject.ref.kind, ())
    return assigned and sent in (ABSENT, "", 0) and difference.right != "None" and subject.origin(owner) != "person"


_TOKEN_UID: Path = (Key("metadata"), Key("annotations"), Key("kubernetes.io/service-account.uid"))
_ASSIGNED: dict[str, set[tuple[str, ...]]] = {
    "Service": {
        ("spec", "clusterIP"),
        ("spec", "clusterIPs"),
        ("spec", "ports", "nodePort"),
        ("spec", "healthCheckNodePort"),
    },
    "PersistentVolumeClaim": {("spec", "volumeName")},
}

RULES: tuple[tuple[str, Rule], ...] = (
    ("autoscaled replicas", _autoscaled),
    ("injected caBundle", _injected_bundle),
    ("aggregated role", _aggregated_role),
    ("token secret", _token_secret),
    ("cluster-assigned", _cluster_assigned),
)


def without_generated_secrets(kind: str, name: str, obj: dict[str, Any]) -> tuple[dict[str, Any], list[Path]]:
    """Takes the token and dockercfg secrets that were generated for a ServiceAccount out of it (C32).

    Returns the object and the paths that lost something.
    """
    if kind != "ServiceAccount":
        return obj, []
    prefixes = (f"{name}-token-", f"{name}-dockercfg-")
    out, touched = dict(obj), list[Path]()
    for field in ("secrets", "imagePullSecrets"):
        items = lookup_list(obj, field)
        kept = [item for item in items if not str(item.get("name", "")).startswith(prefixes)]
        if len(kept) != len(items):
            touched.append((Key(field),))
            if kept:
                out[field] = kept
            else:
                del out[field]
    return out, touched


def lookup_list(obj: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """Returns the objects of a list field, none where there is no list."""
    items = obj.get(field)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def sent_at(subject: Subject, difference: Difference) -> Any:
    """Returns what we sent at a difference's path, or at the atomic ancestor that holds it; ABSENT where undeclared."""
    if subject.recorded is None:
        return ABSENT
    value = lookup(subject.recorded.sent, difference.path, subject.schema)
    if value is ABSENT and difference.atomic is not None:
        return lookup(subject.recorded.sent, difference.atomic, subject.schema)
    return value
