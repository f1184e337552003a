"""Whose hand a field manager's name speaks of: a person's, a controller's, ours, or nobody we know.

A name is a claim, not a proof: clients choose it. It decides how a change is reported, never whether it exists.
"""

from __future__ import annotations

from typing import Literal

from tazuna_core.objects.managed_fields import FieldsEntry

Origin = Literal["person", "controller", "tazuna", "unknown"]

OUR_MANAGER = "tazuna"

PERSONS = frozenset(
    {
        # interactive clients; a browser-based console sends the browser's User-Agent
        "k9s", "Lens", "OpenLens", "lens", "freelens", "Freelens", "Mozilla", "rancher", "Rancher", "headlamp",
        "octant", "oc", "aptakube", "kubernetes-dashboard", "dashboard", "kubenav", "kubectl",
    }
)  # fmt: skip
PERSON_PREFIXES = ("kubectl-", "oc-")

CONTROLLERS = frozenset(
    {
        "kube-controller-manager", "kube-apiserver", "kube-scheduler", "kubelet", "kube-proxy",
        "cloud-controller-manager", "clusterrole-aggregation-controller", "horizontal-pod-autoscaler",
        "vertical-pod-autoscaler", "vpa-updater", "vpa-recommender", "cluster-autoscaler", "keda", "keda-operator",
        "cainjector", "cert-manager-cainjector", "cert-manager-certificates-issuing", "cert-manager-webhook",
        "argocd-application-controller", "argocd-controller", "kustomize-controller", "helm-controller",
        "service-ca-operator", "external-secrets", "external-secrets-controller", "node-problem-detector",
        "knative-autoscaler", "karpenter",
    }
)  # fmt: skip


def origin_of(entry: FieldsEntry, controllers: frozenset[str] = frozenset()) -> Origin:
    """Classifies the manager of an entry (verdicts 5).

    ``controllers`` are further names that count as controllers: managers that the recorded answer already had, and
    those the user names in tazuna.drift.yaml. Names match exactly. Whatever writes the status subresource is a
    controller.
    """
    if entry.manager == OUR_MANAGER:
        return "tazuna"
    if entry.manager in PERSONS or entry.manager.startswith(PERSON_PREFIXES):
        return "person"
    if entry.subresource == "status" or entry.manager in CONTROLLERS or entry.manager in controllers:
        return "controller"
    return "unknown"
