"""The tracked objects as the server stores them: snapshots by resourceVersion, and putting an object back."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.bench.mutations.schema import Catalogue, Json, Node
from tests.bench.mutations.truth import content
from tests.harness.cluster import Answer, LocalCluster

_METADATA_ONLY = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}
SETTLE_SECONDS = 20.0
_QUIET = 3
_NO_MANAGER = "bench-restore"


class Ref(NamedTuple):
    """One object: the apiVersion it was declared at, kind, effective namespace, name."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.api_version} {self.namespace + '/' if self.namespace else ''}{self.name}"


@dataclass(frozen=True)
class Resource:
    """Where the objects of a kind are."""

    plural: str
    namespaced: bool


class View:
    """Reads and restores tracked objects through the harness, independent of the code under test."""

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.catalogue = Catalogue(lambda path: cluster.request("GET", path).body)
        self._resources: dict[str, dict[str, Resource]] = {}

    def resource(self, api_version: str, kind: str) -> Resource | None:
        """Where a kind is, None where it is not served."""
        if kind not in self._resources.get(api_version, {}):
            answer = self.cluster.request("GET", _group_path(api_version))
            found = answer.body.get("resources", []) if answer.ok else []
            self._resources[api_version] = {
                one["kind"]: Resource(one["name"], one["namespaced"]) for one in found if "/" not in one["name"]
            }
        return self._resources[api_version].get(kind)

    def ref(self, obj: Json) -> Ref:
        """The reference of a declared object, with the namespace it comes to live in."""
        resource = self.resource(obj["apiVersion"], obj["kind"])
        namespace = obj["metadata"].get("namespace") or "default"
        namespaced = resource is None or resource.namespaced
        return Ref(obj["apiVersion"], obj["kind"], namespace if namespaced else "", obj["metadata"]["name"])

    def path(self, ref: Ref, *, collection: bool = False) -> str:
        """The URL path of an object or of its collection."""
        resource = self.resource(ref.api_version, ref.kind)
        assert resource is not None, ref
        inside = f"/namespaces/{ref.namespace}" if ref.namespace else ""
        name = "" if collection else f"/{quote(ref.name, safe='')}"
        return f"{_group_path(ref.api_version)}{inside}/{resource.plural}{name}"

    def node(self, ref: Ref) -> Node:
        """The schema of an object."""
        return self.catalogue.node(ref.api_version, ref.kind)

    def get(self, ref: Ref) -> Json | None:
        """The stored object, None where there is none."""
        answer = self.cluster.request("GET", self.path(ref))
        return answer.body if answer.ok else None

    def versions(self, refs: Iterable[Ref]) -> dict[Ref, str]:
        """The resourceVersion of each object that is there."""
        wanted = set(refs)
        kinds = sorted({(ref.api_version, ref.kind) for ref in wanted})
        out = {}
        for api_version, kind in kinds:
            resource = self.resource(api_version, kind)
            if resource is None:
                continue
            path = f"{_group_path(api_version)}/{resource.plural}"
            answer = self.cluster.request("GET", path, headers=_METADATA_ONLY)
            for item in answer.body.get("items") or () if answer.ok else ():
                metadata = item["metadata"]
                ref = Ref(api_version, kind, metadata.get("namespace", ""), metadata["name"])
                if ref in wanted:
                    out[ref] = metadata["resourceVersion"]
        return out

    def settled(self, refs: Iterable[Ref]) -> dict[Ref, str]:
        """The resourceVersions when controllers have been quiet for a moment."""
        wanted = list(refs)
        end = time.monotonic() + SETTLE_SECONDS
        now, quiet = self.versions(wanted), 0
        while quiet < _QUIET and time.monotonic() < end:
            time.sleep(0.3)
            last, now = now, self.versions(wanted)
            quiet = quiet + 1 if now == last else 0
        return now

    def read(self, refs: Iterable[Ref]) -> dict[Ref, Json]:
        """The stored objects that are there."""
        wanted = list(refs)
        with ThreadPoolExecutor(4) as pool:
            found = pool.map(self.get, wanted)
        return {ref: obj for ref, obj in zip(wanted, found, strict=True) if obj is not None}

    def restore(self, ref: Ref, original: Json) -> None:
        """Puts an object back, managedFields included."""
        current = self.get(ref)
        if current is not None and current["metadata"].get("deletionTimestamp"):
            patch = [{"op": "add", "path": "/metadata/finalizers", "value": []}]
            self.cluster.request("PATCH", self.path(ref), patch, "application/json-patch+json")
            self._wait_gone(ref)
            current = None
        if current is not None and not self._replace(ref, original, current).ok:
            self._delete(ref)
            current = None
        if current is None:
            answer = self._create(ref, original)
            assert answer.ok, f"{ref} cannot be restored: {answer.body}"
        fields = original["metadata"].get("managedFields", [])
        patch = [{"op": "replace", "path": "/metadata/managedFields", "value": fields}]
        answer = self._manage("PATCH", self.path(ref), patch, "application/json-patch+json")
        assert answer.ok, f"{ref}: {answer.body}"
        assert content(answer.body) == content(original) or self._tolerated(ref), f"{ref} is not what it was"

    def _tolerated(self, ref: Ref) -> bool:
        # Controllers write to these between our two requests (tokens, revisions, rules); a Job holds its uid.
        return ref.kind in {"Secret", "Deployment", "DaemonSet", "ClusterRole", "HorizontalPodAutoscaler", "Job"}

    def _manage(self, method: str, path: str, body: Any, content_type: str = "application/json") -> Answer:
        return self.cluster.request(method, f"{path}?fieldManager={_NO_MANAGER}", body, content_type)

    def _replace(self, ref: Ref, original: Json, current: Json) -> Answer:
        metadata = {key: value for key, value in original["metadata"].items() if key != "uid"}
        metadata["resourceVersion"] = current["metadata"]["resourceVersion"]
        return self._manage("PUT", self.path(ref), {**original, "metadata": metadata})

    def _create(self, ref: Ref, original: Json) -> Answer:
        drop = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "deletionTimestamp"}
        metadata = {key: value for key, value in original["metadata"].items() if key not in drop}
        body = {**original, "metadata": metadata}
        if ref.kind == "Job":
            body = _without_generated_selector(body)
        answer = self._manage("POST", self.path(ref, collection=True), body)
        if answer.status == 409:
            current = self.get(ref)
            return self._replace(ref, original, current) if current else answer
        return answer

    def _delete(self, ref: Ref) -> None:
        self.cluster.request("DELETE", self.path(ref), {"propagationPolicy": "Background"})
        self._wait_gone(ref)

    def _wait_gone(self, ref: Ref) -> None:
        self.cluster.wait_until(f"{ref} is gone", lambda: self.get(ref) is None, 30)


def _without_generated_selector(job: Json) -> Json:
    spec = {key: value for key, value in job["spec"].items() if key != "selector"}
    template = {**spec["template"], "metadata": _without_generated_labels(spec["template"].get("metadata", {}))}
    metadata = _without_generated_labels(job["metadata"])
    return {**job, "metadata": metadata, "spec": {**spec, "template": template}}


def _without_generated_labels(metadata: Json) -> Json:
    labels = metadata.get("labels", {})
    kept = {key: value for key, value in labels.items() if not key.endswith(("controller-uid", "job-name"))}
    return {**metadata, "labels": kept}


def _group_path(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
