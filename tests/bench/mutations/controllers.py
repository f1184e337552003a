"""Edits of controllers: those by design are never reported and always in the ledger, the others are drift."""

from __future__ import annotations

import base64
import copy
import random
from collections.abc import Callable, Sequence

from tests.bench.mutations.edits import SCALED, WEBHOOKS, Edit, Make, scalar
from tests.bench.mutations.schema import Json, Node
from tests.bench.mutations.view import Ref
from tests.harness.certificates import Authority

BUNDLE = base64.b64encode(Authority("bench").certificate).decode()


def autoscaler(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Replicas written to the scale subresource by the controller manager, as a HorizontalPodAutoscaler does."""
    after = copy.deepcopy(obj)
    after["spec"]["replicas"] = obj["spec"].get("replicas", 1) + rng.choice((1, 2))
    return Edit("autoscaler", ref, obj, after, tool="scale subresource", manager="kube-controller-manager")


def ca_injector(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A bundle put where desired has none or a placeholder."""
    after = copy.deepcopy(obj)
    for webhook in after["webhooks"]:
        if webhook["clientConfig"].get("caBundle", "Cg==") not in ("", "Cg==", "Cgo="):
            return None
        webhook["clientConfig"]["caBundle"] = BUNDLE
    manager = rng.choice(("cainjector", "cert-manager-cainjector", "some-other-injector"))
    return Edit("caBundle injector", ref, obj, after, tool="raw PUT", manager=manager)


def crd_injector(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A bundle put into the conversion webhook of a CRD."""
    client = obj["spec"].get("conversion", {}).get("webhook", {}).get("clientConfig")
    if client is None or client.get("caBundle", "Cg==") not in ("", "Cg==", "Cgo="):
        return None
    after = copy.deepcopy(obj)
    after["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = BUNDLE
    return Edit("caBundle injector", ref, obj, after, tool="raw PUT", manager="cert-manager-cainjector")


def token_controller(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Generated secrets listed in a ServiceAccount, as token and registry controllers do."""
    after = copy.deepcopy(obj)
    name = obj["metadata"]["name"]
    field, what = rng.choice((("secrets", "token"), ("imagePullSecrets", "dockercfg")))
    after.setdefault(field, []).append({"name": f"{name}-{what}-x{rng.randrange(100)}"})
    return Edit("generated secret", ref, obj, after, tool="raw PUT", manager="openshift-controller-manager")


def note(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A controller's own label or annotation."""
    after = copy.deepcopy(obj)
    after["metadata"].setdefault(rng.choice(("labels", "annotations")), {})["karpenter.sh/seen"] = "yes"
    return Edit("controller's own key", ref, obj, after, tool="raw PUT", manager=rng.choice(("karpenter", "kubelet")))


def overruling(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A controller that changes what we declare: that is drift."""
    edit = scalar(ref, obj, node, rng)
    if edit is None:
        return None
    return Edit("controller on a field", ref, obj, edit.after, edit.path, (), "raw PUT", "kube-controller-manager")


def status(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Status written by an operator."""
    after = copy.deepcopy(obj)
    after.setdefault("status", {})["observed"] = rng.randrange(1000)
    return Edit("status", ref, obj, after, tool="status subresource", manager="some-operator")


EDITS: Sequence[tuple[int, str, Make, Callable[[Json], bool]]] = (
    (4, "autoscaler", autoscaler, lambda o: o["kind"] in SCALED),
    (3, "caBundle injector", ca_injector, lambda o: o["kind"] in WEBHOOKS),
    (2, "caBundle injector", crd_injector, lambda o: o["kind"] == "CustomResourceDefinition"),
    (3, "generated secret", token_controller, lambda o: o["kind"] == "ServiceAccount"),
    (3, "controller's own key", note, lambda o: o["kind"] != "Namespace"),
    (3, "controller on a field", overruling, lambda o: o["kind"] not in {"Secret", "CustomResourceDefinition"}),
    (2, "status", status, lambda o: o["kind"] == "Garden"),
)
"""Weight, name, maker, and which objects it is for."""
