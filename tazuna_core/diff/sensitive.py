"""Paths by which a cluster is taken over: what pods run and as whom, who may do what, what admission asks and of whom.

A manager's name is a claim (verdicts 5), so no name alone hides a change here. It costs nothing: controllers write
replicas, annotations, addresses and bundles of what others declare, and act on Pods, not on templates of workloads. A
controller that does write here is one that the user names under ``managers`` of tazuna.drift.yaml.
"""

from __future__ import annotations

from typing import Final

from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.paths import Key, Path

_Names = tuple[str, ...]

_TEMPLATE: Final = frozenset({("spec", "template", "spec")})
_ADMISSION: Final = frozenset({("spec",)})
_PREFIXES: Final[dict[tuple[str, str], frozenset[_Names]]] = {
    ("", "Pod"): frozenset({("spec",)}),
    ("", "PodTemplate"): frozenset({("template", "spec")}),
    ("", "ReplicationController"): _TEMPLATE,
    ("", "Service"): frozenset({("spec", "selector"), ("spec", "externalIPs"), ("spec", "externalName")}),
    ("", "ServiceAccount"): frozenset({("automountServiceAccountToken",)}),
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): frozenset({("spec", "jobTemplate", "spec", "template", "spec")}),
    ("batch", "Job"): _TEMPLATE,
    ("networking.k8s.io", "NetworkPolicy"): frozenset({("spec",)}),
    ("rbac.authorization.k8s.io", "ClusterRole"): frozenset({("rules",), ("aggregationRule",)}),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): frozenset({("subjects",), ("roleRef",)}),
    ("rbac.authorization.k8s.io", "Role"): frozenset({("rules",)}),
    ("rbac.authorization.k8s.io", "RoleBinding"): frozenset({("subjects",), ("roleRef",)}),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): _ADMISSION,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): _ADMISSION,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): frozenset({("webhooks",)}),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): _ADMISSION,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): _ADMISSION,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): frozenset({("webhooks",)}),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): frozenset({("spec", "conversion")}),
    # not its port: that is a default which the server fills in later than at the apply
    ("apiregistration.k8s.io", "APIService"): frozenset(
        {("spec", "insecureSkipTLSVerify"), ("spec", "service", "name"), ("spec", "service", "namespace")}
    ),
}
# The scheduler places a Pod, autoscalers resize it in place.
_OF_MACHINES_IN_PODS: Final = frozenset({"nodeName", "resources"})


def is_sensitive(ref: ObjectRef, path: Path) -> bool:
    """Tells whether a change at ``path`` of an object is shown whoever claims to have made it.

    A path above a sensitive one counts too: what is added there as a whole holds it.
    """
    prefixes = _PREFIXES.get((ref.group, ref.kind))
    if prefixes is None:
        return False
    names = tuple(element.name for element in path if isinstance(element, Key))
    if (ref.group, ref.kind) == ("", "Pod") and not _OF_MACHINES_IN_PODS.isdisjoint(names):
        return False
    return any(names[: len(prefix)] == prefix[: len(names)] for prefix in prefixes)
