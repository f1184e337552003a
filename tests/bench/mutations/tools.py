"""The tools that people and programs edit with: kubectl's verbs and plain requests."""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.bench.mutations.edits import Edit
from tests.bench.mutations.schema import Json, Node
from tests.bench.mutations.truth import MISSING, at, content
from tests.bench.mutations.truth import Path as Steps
from tests.bench.mutations.view import View
from tests.harness.cluster import KUBECTL

LIMIT = 250_000
"""Bytes above which a client-side apply is refused (the annotation it leaves may be 262,144)."""
_COPY = '#!/bin/sh\ncat "$BENCH_EDITED" > "$1"\n'


@dataclass(frozen=True)
class Done:
    """How a request went: whether the server took it, what it said, and what was done, in words."""

    ok: bool
    said: str
    shown: str


class Tools:
    """Carries out edits against one cluster."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._folder = view.cluster.folder / "bench"
        self._folder.mkdir(exist_ok=True)
        self._editor = self._folder / "editor"
        self._editor.write_text(_COPY)
        self._editor.chmod(0o755)

    def acceptable(self, edit: Edit) -> bool:
        """Whether the server would take the object as the edit wants it, and store something else than before."""
        if edit.after is None or edit.command or edit.tool:
            return True
        if edit.second is not None and not self.acceptable(edit.second):
            return False
        answer = self._put(edit, {"dryRun": "All"}, {})
        return answer.ok and content(answer.body) != content(edit.before)

    def choose(self, edit: Edit, rng: random.Random) -> str:
        """Draws a tool that can express the edit."""
        if edit.tool:
            return edit.tool
        if edit.command:
            return f"kubectl {edit.command[0]}"
        if edit.after is None:
            return rng.choice(("kubectl delete", "raw DELETE"))
        if edit.kind == "re-create":
            return rng.choice(("kubectl delete, create", "kubectl replace --force"))
        tools = [
            "raw PUT", "raw PUT by name", "raw JSON patch", "kubectl patch merge", "kubectl patch json",
            "kubectl replace", "kubectl edit", "our own name",
        ]  # fmt: skip
        if len(json.dumps(edit.after)) < LIMIT:
            tools.append("kubectl apply")
        node = self._view.node(edit.ref)
        if edit.path and self._value(edit, node) is not MISSING:
            tools += ["kubectl apply --server-side", "server-side apply by another", "our own apply, in part"]
        built_in = "." not in edit.ref.api_version or edit.ref.api_version.endswith(".k8s.io/v1")
        if built_in and edit.path and edit.ref.kind not in {"CustomResourceDefinition", "APIService"}:
            tools.append("kubectl patch strategic")
        return rng.choice(tools)

    def perform(self, edit: Edit, tool: str, rng: random.Random) -> Done:
        """Carries an edit out."""
        try:
            done = _PERFORM.get(tool, Tools._verb)(self, edit, rng)
            if edit.second is None:
                return done
            also = self._second(edit.second, rng)
            return Done(done.ok or also.ok, f"{done.said} {also.said}", f"{done.shown}, then {also.shown}")
        except AssertionError as error:  # the object went away, or its kind
            return Done(False, str(error), tool)

    # One method a tool.

    def _put(self, edit: Edit, query: dict[str, str], headers: dict[str, str], path: str = "") -> Any:
        assert edit.after is not None
        address = (path or self._view.path(edit.ref)) + (f"?{urlencode(query)}" if query else "")
        return self._view.cluster.request("PUT", address, edit.after, headers=headers)

    def _raw_put(self, edit: Edit, rng: random.Random) -> Done:
        if edit.manager:
            return self._answered(self._put(edit, {"fieldManager": edit.manager}, {}), f"PUT as {edit.manager}")
        agent = rng.choice(("Mozilla/5.0 (X11; Linux)", "k9s/v0.50", "Lens/6", "python-requests/2.32"))
        return self._answered(self._put(edit, {}, {"User-Agent": agent}), f"PUT with User-Agent {agent}")

    def _named_put(self, edit: Edit, rng: random.Random) -> Done:
        name = rng.choice(("my-operator", "rancher", "kubectl-edit", "terraform"))
        return self._answered(self._put(edit, {"fieldManager": name}, {}), f"PUT as {name}")

    def _our_name(self, edit: Edit, rng: random.Random) -> Done:
        return self._answered(self._put(edit, {"fieldManager": "tazuna"}, {}), "PUT as tazuna")

    def _status(self, edit: Edit, rng: random.Random) -> Done:
        path = self._view.path(edit.ref) + "/status"
        return self._answered(self._put(edit, {"fieldManager": edit.manager}, {}, path), "PUT status")

    def _second(self, edit: Edit, rng: random.Random) -> Done:
        """A patch, which leaves the first edit as it is."""
        return rng.choice((self._json_patch, self._kubectl_merge))(edit, rng)

    def _clear(self, edit: Edit, rng: random.Random) -> Done:
        done = self._named_put(edit, rng)
        path = self._view.path(edit.ref)
        patch = [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]
        answer = self._view.cluster.request("PATCH", path, patch, "application/json-patch+json")
        return Done(done.ok, f"{done.said} {answer.status}", f"{done.shown}, then managedFields cleared")

    def _other_version(self, edit: Edit, rng: random.Random) -> Done:
        assert edit.after is not None
        version = edit.ref.api_version.rpartition("/")[2]
        other = self._view.path(edit.ref).replace(f"/{version}/", "/v1/" if version == "v2" else "/v2/", 1)
        obj = self._view.cluster.request("GET", other).body
        obj["spec"]["maxReplicas"] = edit.after["spec"]["maxReplicas"]
        answer = self._view.cluster.request("PUT", f"{other}?fieldManager=kubectl-edit", obj)
        return self._answered(answer, f"PUT at another version: {other}")

    def _scale_subresource(self, edit: Edit, rng: random.Random) -> Done:
        assert edit.after is not None
        path = self._view.path(edit.ref) + "/scale"
        scale = self._view.cluster.request("GET", path).body
        scale["spec"]["replicas"] = edit.after["spec"]["replicas"]
        headers = {"User-Agent": f"{edit.manager}/v1.36"}
        return self._answered(self._view.cluster.request("PUT", path, scale, headers=headers), "PUT scale")

    def _json_patch(self, edit: Edit, rng: random.Random) -> Done:
        operations = json_operations(content(edit.before), content(edit.after or {}))
        headers = {"User-Agent": rng.choice(("Mozilla/5.0 (X11)", "curl/8.5"))}
        answer = self._view.cluster.request(
            "PATCH", self._view.path(edit.ref), operations, "application/json-patch+json", headers
        )
        return self._answered(answer, f"JSON patch {json.dumps(operations)[:300]}")

    def _apply_patch(self, edit: Edit, rng: random.Random) -> Done:
        body = self._partial(edit)
        name = rng.choice(("my-operator", "flux", "argocd"))
        path = f"{self._view.path(edit.ref)}?fieldManager={name}&force=true"
        answer = self._view.cluster.request("PATCH", path, body, "application/apply-patch+yaml")
        return self._answered(answer, f"server-side apply as {name} of {json.dumps(body)[:300]}")

    def _our_apply(self, edit: Edit, rng: random.Random) -> Done:
        """A server-side apply under our name of a part: everything else that only we declared goes."""
        path = f"{self._view.path(edit.ref)}?fieldManager=tazuna&force=true"
        body = self._partial(edit)
        answer = self._view.cluster.request("PATCH", path, body, "application/apply-patch+yaml")
        return self._answered(answer, f"server-side apply as tazuna of {json.dumps(body)[:300]}")

    def _raw_delete(self, edit: Edit, rng: random.Random) -> Done:
        answer = self._view.cluster.request("DELETE", self._view.path(edit.ref), {"propagationPolicy": "Background"})
        return self._answered(answer, "DELETE")

    def _held(self, edit: Edit, rng: random.Random) -> Done:
        done = self._answered(self._put(edit, {"fieldManager": "kubectl-edit"}, {}), "finalizer")
        return self._raw_delete(edit, rng) if done.ok else done

    def _kubectl_server_side(self, edit: Edit, rng: random.Random) -> Done:
        return self._kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=self._partial(edit))

    def _kubectl_apply(self, edit: Edit, rng: random.Random) -> Done:
        return self._kubectl("apply", "-f", "-", stdin=_bare(edit.after or {}))

    def _kubectl_replace(self, edit: Edit, rng: random.Random) -> Done:
        return self._kubectl("replace", "-f", "-", stdin=edit.after)

    def _kubectl_edit(self, edit: Edit, rng: random.Random) -> Done:
        with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".json") as stream:
            json.dump({**(edit.after or {}), "metadata": _without_managers(edit.after or {})}, stream)
            stream.flush()
            environment = {"KUBE_EDITOR": str(self._editor), "BENCH_EDITED": stream.name}
            return self._kubectl("edit", *self._target(edit), "-o", "json", environment=environment)

    def _kubectl_merge(self, edit: Edit, rng: random.Random) -> Done:
        patch = merge_patch(content(edit.before), content(edit.after or {}))
        return self._patch(edit, "merge", patch)

    def _kubectl_json(self, edit: Edit, rng: random.Random) -> Done:
        return self._patch(edit, "json", json_operations(content(edit.before), content(edit.after or {})))

    def _kubectl_strategic(self, edit: Edit, rng: random.Random) -> Done:
        node = self._view.node(edit.ref)
        return self._patch(edit, "strategic", strategic_patch(node, edit.path, self._value(edit, node), edit))

    def _delete(self, edit: Edit, rng: random.Random) -> Done:
        return self._kubectl("delete", *self._target(edit), "--wait=false")

    def _delete_create(self, edit: Edit, rng: random.Random) -> Done:
        done = self._kubectl("delete", *self._target(edit))
        return self._kubectl("create", "-f", "-", stdin=_bare(edit.after or {})) if done.ok else done

    def _replace_force(self, edit: Edit, rng: random.Random) -> Done:
        return self._kubectl("replace", "--force", "-f", "-", stdin=_bare(edit.after or {}))

    def _verb(self, edit: Edit, rng: random.Random) -> Done:
        resource, *namespace = self._target(edit)
        return self._kubectl(*(resource if word == "{}" else word for word in edit.command), *namespace)

    # Shared.

    def _target(self, edit: Edit) -> list[str]:
        ref = edit.ref
        resource = self._view.resource(ref.api_version, ref.kind)
        assert resource is not None, f"{ref.kind} is not served"
        group, _, version = ref.api_version.rpartition("/")
        kind = f"{resource.plural}.{version}.{group}" if group else resource.plural
        return [f"{kind}/{ref.name}", *(("-n", ref.namespace) if ref.namespace else ())]

    def _patch(self, edit: Edit, kind: str, patch: Any) -> Done:
        with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".json") as stream:
            json.dump(patch, stream)
            stream.flush()
            done = self._kubectl("patch", *self._target(edit), f"--type={kind}", f"--patch-file={stream.name}")
        return Done(done.ok, done.said, f"kubectl patch --type={kind} {json.dumps(patch)[:300]}")

    def _kubectl(self, *arguments: str, stdin: Any = None, environment: dict[str, str] | None = None) -> Done:
        cluster = self._view.cluster
        basic = {"HOME": str(cluster.folder / "home"), "PATH": os.defpath, "KUBECONFIG": str(cluster.kubeconfig)}
        done = subprocess.run(
            [KUBECTL, *arguments],
            input=json.dumps(stdin) if stdin is not None else "",
            env={**basic, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        return Done(done.returncode == 0, done.stderr.strip(), f"kubectl {' '.join(arguments)}")

    def _answered(self, answer: Any, shown: str) -> Done:
        said = answer.body.get("message", "") if isinstance(answer.body, dict) else str(answer.body)
        return Done(answer.ok, said, shown)

    def _value(self, edit: Edit, node: Node) -> Any:
        return at(node, edit.after, edit.path)

    def _partial(self, edit: Edit) -> Json:
        """The least object that declares the edited path, as a server-side apply of another manager would."""
        node = self._view.node(edit.ref)
        body = _least(node, edit.after or {}, edit.path)
        metadata = {**body.get("metadata", {}), "name": edit.ref.name}
        if edit.ref.namespace:
            metadata["namespace"] = edit.ref.namespace
        return {**body, "apiVersion": edit.ref.api_version, "kind": edit.ref.kind, "metadata": metadata}


def _least(node: Node, value: Any, path: Steps) -> Any:
    """The part of a value that holds ``path``: what is owned as a whole comes whole."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step[0] == "f":
        if node.atomic:
            return value
        return {step[1]: _least(node.field(step[1]), value[step[1]], rest)}
    if step[0] == "k":
        return [{**dict(step[1]), **_least(node.item, at(node, value, (step,)), rest)}]
    return value


def strategic_patch(node: Node, path: Steps, value: Any, edit: Edit) -> Any:
    """A strategic merge patch that sets or removes one path."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step[0] == "f":
        if not rest:
            return {step[1]: None if value is MISSING else value}
        return {step[1]: strategic_patch(node.field(step[1]), rest, value, edit)}
    if step[0] == "k" and node.merge_key:
        keys = dict(step[1])
        if not rest and value is MISSING:
            return [{"$patch": "delete", node.merge_key: keys.get(node.merge_key)}]
        inner = value if not rest else strategic_patch(node.item, rest, value, edit)
        return [{**keys, **inner}]
    whole = edit.path[: len(edit.path) - len(path)]
    return at(Node({}, {}), edit.after, whole) if not any(s[0] == "k" for s in whole) else _unsupported()


def _unsupported() -> Any:
    raise AssertionError("no strategic patch for this path")


def json_operations(before: Any, after: Any, pointer: str = "") -> list[Json]:
    """JSON patch operations from one value to another."""
    if before == after and type(before) is type(after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        out = []
        for name in dict.fromkeys([*before, *after]):
            path = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name not in after:
                out.append({"op": "remove", "path": path})
            elif name not in before:
                out.append({"op": "add", "path": path, "value": after[name]})
            else:
                out += json_operations(before[name], after[name], path)
        return out
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [one for index, (old, new) in pairs for one in json_operations(old, new, f"{pointer}/{index}")]
    if isinstance(before, list) and isinstance(after, list) and after[: len(before)] == before:
        return [{"op": "add", "path": f"{pointer}/-", "value": item} for item in after[len(before) :]]
    return [{"op": "replace", "path": pointer, "value": after}]


def merge_patch(before: Any, after: Any) -> Any:
    """A JSON merge patch from one value to another."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    out: Json = {name: None for name in before if name not in after}
    for name, value in after.items():
        if name not in before:
            out[name] = value
        elif before[name] != value or type(before[name]) is not type(value):
            out[name] = merge_patch(before[name], value)
    return out


def _without_managers(obj: Json) -> Json:
    return {key: value for key, value in obj["metadata"].items() if key != "managedFields"}


def _bare(obj: Json) -> Json:
    """An object as somebody would have it in a file."""
    bare = content(obj)
    if bare["kind"] == "Job" and "selector" in bare["spec"]:
        spec = {key: value for key, value in bare["spec"].items() if key != "selector"}
        template = {**spec["template"], "metadata": {}}
        return {**bare, "spec": {**spec, "template": template}}
    return bare


_PERFORM: dict[str, Callable[[Tools, Edit, random.Random], Done]] = {
    "raw PUT": Tools._raw_put,
    "raw PUT by name": Tools._named_put,
    "our own name": Tools._our_name,
    "status subresource": Tools._status,
    "scale subresource": Tools._scale_subresource,
    "raw JSON patch": Tools._json_patch,
    "server-side apply by another": Tools._apply_patch,
    "our own apply, in part": Tools._our_apply,
    "raw DELETE": Tools._raw_delete,
    "PUT, clear": Tools._clear,
    "other version": Tools._other_version,
    "finalizer, delete": Tools._held,
    "kubectl apply --server-side": Tools._kubectl_server_side,
    "kubectl apply": Tools._kubectl_apply,
    "kubectl replace": Tools._kubectl_replace,
    "kubectl edit": Tools._kubectl_edit,
    "kubectl patch merge": Tools._kubectl_merge,
    "kubectl patch json": Tools._kubectl_json,
    "kubectl patch strategic": Tools._kubectl_strategic,
    "kubectl delete": Tools._delete,
    "kubectl delete, create": Tools._delete_create,
    "kubectl replace --force": Tools._replace_force,
}
