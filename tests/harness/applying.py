"""Repositories of a few objects for tests that apply: manifests as Python data, objects as JSON files."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Tazuna

Objects = Sequence[dict[str, Any]]


def config_map(name: str, namespace: str, **data: str) -> dict[str, Any]:
    """A ConfigMap."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def namespace_object(name: str) -> dict[str, Any]:
    """A Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def deployment(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    """A Deployment of one container; ``spec`` adds to it."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template, **spec},
    }


def definition(plural: str, kind: str, group: str, *versions: str) -> dict[str, Any]:
    """A namespaced CustomResourceDefinition that takes any fields; the first version is stored."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {"name": version, "served": True, "storage": version == versions[0], "schema": schema}
                for version in versions
            ],
        },
    }


class Repository:
    """A folder with a tazuna.yaml of directory manifests, written anew by each ``write``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(
        self,
        manifests: Mapping[str, Objects],
        more: Mapping[str, Mapping[str, Any]] | None = None,
        **spec: Any,
    ) -> None:
        """Writes a manifest for each entry; ``more`` adds fields to them, ``spec`` to the root."""
        listed = []
        for name, objects in manifests.items():
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            for old in folder.iterdir():
                old.unlink()
            for number, obj in enumerate(objects):
                (folder / f"{number:03}.json").write_bytes(orjson.dumps(obj))
            listed.append({"name": name, "type": "directory", "path": name, **(more or {}).get(name, {})})
        (self.folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {**spec, "manifests": listed}}))


class Place:
    """A repository, the program in it, and namespaces of its own; names are unique, so that tests share a cluster."""

    def __init__(self, folder: Path, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.word = secrets.token_hex(3)
        self.repository = Repository(folder / "repo")
        self.tazuna = Tazuna(self.repository.folder, cluster.kubeconfig, {"XDG_CACHE_HOME": str(folder / "cache")})
        self.namespace = f"ns-{self.word}"

    def name(self, short: str) -> str:
        """A manifest's name that no other test uses."""
        return f"{short}-{self.word}"

    def get(self, path: str) -> Any:
        """The object at an API path, None where there is none."""
        answer = self.cluster.request("GET", path)
        return answer.body if answer.ok else None

    def config_map(self, name: str) -> Any:
        """A ConfigMap of the place's namespace."""
        return self.get(f"/api/v1/namespaces/{self.namespace}/configmaps/{name}")

    def state(self, short: str) -> dict[str, Any] | None:
        """The entries of a manifest's state by the last part of their key, None where there is no state."""
        name = f"tazuna-state-{self.name(short)}"
        found = self.get(f"/api/v1/namespaces/tazuna/configmaps/{name}")
        if found is None:
            return None
        return {key.rpartition("__")[2]: value for key, value in found["data"].items() if key != "_metadata"}
