"""Random edits: what a person, a script or a controller changes in one object."""

from __future__ import annotations

import base64
import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.bench.mutations.schema import Json, Node
from tests.bench.mutations.truth import MISSING, Path, keyed
from tests.bench.mutations.values import Place, new_value, other, places, with_value
from tests.bench.mutations.view import Ref

WORKLOADS = {"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"}
SCALED = {"Deployment", "StatefulSet"}
ROLES = {"Role", "ClusterRole"}
WEBHOOKS = {"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
RESTARTED = {"Deployment", "StatefulSet", "DaemonSet"}
IN_USE = {"Garden", "ServiceMonitor", "PrometheusRule", "Prometheus", "Alertmanager"}
"""Custom resources that are applied: their definitions take them along."""


@dataclass(frozen=True)
class Edit:
    """One edit: the object as it should become (None: gone), and at which path, or a kubectl command that does it."""

    kind: str
    ref: Ref
    before: Json
    after: Json | None = None
    path: Path = ()
    command: tuple[str, ...] = ()
    """A kubectl verb with its arguments; ``{}`` stands for the object."""
    tool: str = ""
    """The tool, where the kind of edit leaves no choice."""
    manager: str = ""
    """The controller that the bench plays."""
    second: Edit | None = None
    """Another edit of the same object, by another hand."""


Make = Callable[[Ref, Json, Node, random.Random], Edit | None]


def _pick(obj: Json, node: Node, rng: random.Random, wanted: Callable[[Place], bool]) -> Place | None:
    found = [place for place in places(obj, node) if wanted(place) and _editable(obj, place)]
    return rng.choice(found) if found else None


def _editable(obj: Json, place: Place) -> bool:
    """Leaves out what would take the cluster down with it, and what belongs to kinds of edits of its own."""
    names = place.names
    if obj["kind"] == "CustomResourceDefinition":
        if any(name.startswith("x-kubernetes-list") for name in names):
            return False  # two objects under one key, and nobody could say what is whose
        return names[:1] == ("metadata",) or "schema" in names[:3] or "additionalPrinterColumns" in names[:3]
    if obj["kind"] in WEBHOOKS and names[-1:] in (("caBundle",), ("url",), ("service",)):
        return False
    return names[:1] == ("metadata",) or names[:2] != ("spec", "finalizers")


def _at(kind: str, ref: Ref, obj: Json, node: Node, place: Place, value: Any) -> Edit:
    return Edit(kind, ref, obj, with_value(obj, node, place.path, value), place.path)


def _is_scalar(place: Place) -> bool:
    return isinstance(place.value, (str, int, float, bool)) and place.names[:1] != ("metadata",)


def scalar(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Another value of a field."""
    place = _pick(obj, node, rng, _is_scalar)
    return _at("scalar", ref, obj, node, place, other(place.value, place, rng)) if place else None


def list_change(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Another value inside a list."""
    place = _pick(obj, node, rng, lambda p: _is_scalar(p) and any(step[0] in "ik" for step in p.path))
    return _at("list item change", ref, obj, node, place, other(place.value, place, rng)) if place else None


def _is_list(place: Place) -> bool:
    return isinstance(place.value, list) and len(place.value) > 0 and place.names[:1] != ("metadata",)


def list_add(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """One more item, like one that is there or a new one, at any position."""
    place = _pick(obj, node, rng, _is_list)
    if place is None:
        return None
    items = list(place.value)
    model = rng.choice(items)
    if isinstance(model, dict):
        item = copy.deepcopy(model) if rng.random() < 0.6 else new_value(place.node.item, rng)
        for key in place.node.list_keys or ("name",):
            if isinstance(item, dict) and key in item:
                item[key] = other(item[key], replace(place, node=place.node.item.field(key)), rng)
    else:
        item = other(model, replace(place, node=place.node.item), rng)
    items.insert(rng.choice((len(items), rng.randint(0, len(items)))), item)
    edit = _at("list item add", ref, obj, node, place, items)
    if place.node.list_keys and isinstance(item, dict):
        steps = [step for step, one in keyed(place.node, items).items() if one is item]
        return replace(edit, path=(*place.path, steps[0])) if steps else edit
    return edit


def list_remove(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """One item less."""
    place = _pick(obj, node, rng, _is_list)
    if place is None:
        return None
    index = rng.randrange(len(place.value))
    edit = _at("list item remove", ref, obj, node, place, place.value[:index] + place.value[index + 1 :])
    if place.node.list_keys:
        return replace(edit, path=(*place.path, list(keyed(place.node, place.value))[index]))
    return edit


def list_reorder(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """The same items in another order."""
    place = _pick(obj, node, rng, lambda p: _is_list(p) and len(p.value) > 1)
    if place is None:
        return None
    cut = rng.randrange(1, len(place.value))
    return _at("list reorder", ref, obj, node, place, place.value[cut:] + place.value[:cut])


def key_add(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A field that was not there, or a key of a map."""
    place = _pick(obj, node, rng, lambda p: isinstance(p.value, dict) and p.names[:1] != ("metadata",))
    if place is None:
        return None
    free = sorted(set(place.node.properties) - set(place.value) - {"status", "$ref"})
    name = rng.choice(free) if free and not place.node.is_map else f"bench-{rng.randrange(100)}"
    path = (*place.path, ("f", name))
    value = new_value(place.node.field(name), rng)
    return Edit("key add", ref, obj, with_value(obj, node, path, value), path)


def key_remove(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A field or key taken out."""
    place = _pick(obj, node, rng, lambda p: p.path[-1][0] == "f" and p.names[:1] != ("metadata",))
    return _at("key remove", ref, obj, node, place, MISSING) if place else None


def _metadata(kind: str, field: str) -> Make:
    def make(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
        have = sorted(key for key in obj["metadata"].get(field, {}) if "last-applied" not in key)
        key = rng.choice([*have, f"bench.example.com/{kind}", f"{kind}-{rng.randrange(100)}"])
        remove = key in have and rng.random() < 0.4
        value = rng.choice(("on", "5", f"v{rng.randrange(100)}"))
        verb = "label" if field == "labels" else "annotate"
        after = copy.deepcopy(obj)
        values = after["metadata"].setdefault(field, {})
        if remove:
            del values[key]
        else:
            values[key] = value
        command: tuple[str, ...] = ()
        if rng.random() < 0.5:
            command = (verb, "{}", "--overwrite", f"{key}-" if remove else f"{key}={value}")
        return Edit(kind, ref, obj, after, (("f", "metadata"), ("f", field), ("f", key)), command)

    return make


def secret_key(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A value of a Secret added, changed or removed."""
    data = obj.get("data", {})
    key = rng.choice([*sorted(data), f"extra{rng.randrange(10)}"])
    after = copy.deepcopy(obj)
    if key in data and rng.random() < 0.4:
        del after["data"][key]
    else:
        value = base64.b64encode(f"bench-secret-{rng.randrange(10**6)}".encode()).decode()
        after.setdefault("data", {})[key] = value
    return Edit("secret key", ref, obj, after, (("f", "data"), ("f", key)))


def _of(kind: str, *makes: Make) -> Make:
    """The general edits under the name of the kind of object that is edited."""

    def make(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
        edit = rng.choice(makes)(ref, obj, node, rng)
        return replace(edit, kind=kind) if edit else None

    return make


def delete(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """The object is gone."""
    return Edit("delete", ref, obj, None)


def held(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Deleted, and held by a finalizer that somebody put there."""
    after = copy.deepcopy(obj)
    after["metadata"].setdefault("finalizers", []).append("bench.example.com/hold")
    return Edit("delete, held", ref, obj, after, tool="finalizer, delete")


def re_create(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Deleted and created again, as it was or with a change."""
    edit = scalar(ref, obj, node, rng) if rng.random() < 0.5 else None
    return Edit("re-create", ref, obj, edit.after if edit and edit.after else obj)


def scale(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Another number of replicas."""
    replicas = rng.choice([n for n in (0, 1, 2, 4, 7) if n != obj["spec"].get("replicas")])
    after = copy.deepcopy(obj)
    after["spec"]["replicas"] = replicas
    path = (("f", "spec"), ("f", "replicas"))
    command = ("scale", "{}", f"--replicas={replicas}") if rng.random() < 0.7 else ()
    return Edit("scale", ref, obj, after, path, command)


def set_verb(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """What `kubectl set` and `kubectl rollout` do."""
    pod = obj["spec"]["template"]["spec"]
    container = rng.choice(pod["containers"])
    names = [env["name"] for env in container.get("env", ()) if "value" in env]
    commands = [
        ("set", "image", "{}", f"{container['name']}=example.invalid/other:{rng.randrange(100)}"),
        ("set", "env", "{}", f"--containers={container['name']}", f"BENCH{rng.randrange(3)}=1"),
        ("set", "resources", "{}", f"--containers={container['name']}", f"--requests=cpu={rng.randrange(1, 99)}m"),
        ("set", "serviceaccount", "{}", "other"),
    ]
    if names:
        commands.append(("set", "env", "{}", f"--containers={container['name']}", f"{rng.choice(names)}-"))
        commands.append(("set", "env", "{}", f"--containers={container['name']}", f"{rng.choice(names)}=changed"))
    if obj["kind"] in RESTARTED:
        commands.append(("rollout", "restart", "{}"))
    if obj["kind"] == "Deployment":
        commands.append(("rollout", "pause", "{}"))
    command = rng.choice(commands)
    return Edit(" ".join(command[:2]), ref, obj, command=command)


def normalised(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """Written otherwise, and stored as it was."""
    containers = obj["spec"]["template"]["spec"]["containers"]
    requests = containers[0].get("resources", {}).get("requests", {})
    after = copy.deepcopy(obj)
    target = after["spec"]["template"]["spec"]["containers"][0]
    if str(requests.get("cpu", "")).endswith("m"):
        target["resources"]["requests"]["cpu"] = f"{int(requests['cpu'][:-1]) / 1000:g}"
    else:
        target["env"] = target.get("env") or []
        target["tty"] = False
    return Edit("normalised", ref, obj, after, tool="raw PUT")


def string_data(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A value of a Secret written as text."""
    after = copy.deepcopy(obj)
    key = rng.choice([*sorted(obj.get("data", {})), "texted"])
    after["stringData"] = {key: f"bench-secret-{rng.randrange(10**6)}"}
    return Edit("secret text", ref, obj, after, (("f", "stringData"), ("f", key)))


def duplicate(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """A variable that is there twice: the API allows it, and the last one counts."""
    after = copy.deepcopy(obj)
    container = rng.choice(after["spec"]["template"]["spec"]["containers"])
    names = [env["name"] for env in container.get("env", ())]
    if not names:
        return None
    container["env"].append({"name": rng.choice(names), "value": "again"})
    return Edit("duplicate key", ref, obj, after, tool="raw PUT by name")


def forgotten(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """An edit after which somebody cleared managedFields."""
    edit = scalar(ref, obj, node, rng)
    return replace(edit, kind="cleared managedFields", path=(), tool="PUT, clear") if edit else None


def other_version(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
    """An edit at another version of the API than the one we declare."""
    after = copy.deepcopy(obj)
    after["spec"]["maxReplicas"] = obj["spec"]["maxReplicas"] + rng.randrange(1, 5)
    return Edit("other version", ref, obj, after, tool="other version")


def two_hands(*makes: Make) -> Make:
    """Two edits of one object by different tools."""

    def make(ref: Ref, obj: Json, node: Node, rng: random.Random) -> Edit | None:
        one, two = rng.choice(makes)(ref, obj, node, rng), rng.choice(makes)(ref, obj, node, rng)
        if one is None or two is None:
            return None
        return replace(one, kind="two edits", command=(), second=replace(two, command=()))

    return make


EDITS: Sequence[tuple[int, str, Make, Callable[[Json], bool]]] = (
    (10, "scalar", scalar, lambda o: o["kind"] != "Secret"),
    (8, "list item add", list_add, lambda o: o["kind"] != "Secret"),
    (8, "list item remove", list_remove, lambda o: o["kind"] != "Secret"),
    (6, "list reorder", list_reorder, lambda o: o["kind"] != "Secret"),
    (6, "list item change", list_change, lambda o: o["kind"] != "Secret"),
    (12, "key add", key_add, lambda o: o["kind"] != "Secret"),
    (8, "key remove", key_remove, lambda o: o["kind"] != "Secret"),
    (6, "label", _metadata("label", "labels"), lambda o: True),
    (6, "annotation", _metadata("annotation", "annotations"), lambda o: True),
    (5, "secret key", secret_key, lambda o: o["kind"] == "Secret" and "service-account" not in o.get("type", "")),
    (5, "CRD schema", _of("CRD schema", scalar, key_add, key_remove, list_add),
     lambda o: o["kind"] == "CustomResourceDefinition"),
    (5, "RBAC rule", _of("RBAC rule", list_add, list_remove, list_change, list_reorder), lambda o: o["kind"] in ROLES),
    (5, "webhook", _of("webhook", scalar, list_add, list_remove, list_reorder, key_add, key_remove),
     lambda o: o["kind"] in WEBHOOKS),
    (6, "custom resource", _of("custom resource", scalar, list_add, list_remove, list_reorder, key_add, key_remove),
     lambda o: "." in o["apiVersion"] and "k8s.io" not in o["apiVersion"]),
    (5, "delete", delete, lambda o: o["kind"] not in {"Namespace", "CustomResourceDefinition"}),
    (1, "delete definition", _of("delete definition", delete),
     lambda o: o["kind"] == "CustomResourceDefinition" and o["spec"]["names"]["kind"] not in IN_USE),
    (2, "delete, held", held, lambda o: o["kind"] not in {"Namespace", "CustomResourceDefinition"}),
    (5, "re-create", re_create, lambda o: o["kind"] not in {"Namespace", "CustomResourceDefinition"}),
    (5, "scale", scale, lambda o: o["kind"] in SCALED),
    (8, "set", set_verb, lambda o: o["kind"] in RESTARTED),
    (3, "secret text", string_data, lambda o: o["kind"] == "Secret" and "service-account" not in o.get("type", "")),
    (2, "duplicate key", duplicate, lambda o: o["kind"] in RESTARTED),
    (3, "cleared managedFields", forgotten, lambda o: o["kind"] not in {"Secret", "CustomResourceDefinition"}),
    (1, "other version", other_version, lambda o: o["kind"] == "HorizontalPodAutoscaler"),
    (8, "two edits", two_hands(scalar, list_add, list_remove, key_add, key_remove, _metadata("label", "labels")),
     lambda o: o["kind"] not in {"Secret", "CustomResourceDefinition"}),
    (2, "normalised", normalised, lambda o: o["kind"] in RESTARTED),
)  # fmt: skip
"""Weight, name, maker, and which objects it is for."""
