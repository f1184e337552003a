"""Writes the shipped schemas of built-in kinds from a real server: `python -m tests.cluster.refresh_builtin_schema`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tazuna_core.objects
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.schema_cache import SchemaCache
from tazuna_core.objects.builtin_schema import FILE
from tazuna_core.objects.openapi import compile_openapi
from tests.harness.cluster import LocalCluster

SHIPPED = Path(tazuna_core.objects.__file__).parent / FILE


def builtin_schema_of(api: ApiServer) -> dict[str, Any]:
    """What the shipped file should hold: schemas and scopes of the kinds that this server has without any CRD."""
    schemas = SchemaCache(api)
    groups = _builtin_group_versions(api)
    documents = [document for group in groups if (document := schemas.document(group)) is not None]
    resources: dict[str, dict[str, tuple[str, bool]]] = {}
    for (api_version, kind), served in sorted(api.kinds().served.items()):
        if api_version in groups:
            resources.setdefault(api_version, {})[kind] = (served.info.plural, served.info.namespaced)
    version = api.request("GET", "/version").json["gitVersion"]
    return {"server": version, **compile_openapi(documents), "resources": resources}


def as_file(data: dict[str, Any]) -> bytes:
    """The file's content: one node a line, so that an upgrade of Kubernetes shows as a readable diff."""
    parts = []
    for key, value in data.items():
        if isinstance(value, list):
            text = "[\n" + ",\n".join(map(_compact, value)) + "\n]"
        elif isinstance(value, dict):
            text = "{\n" + ",\n".join(f"{_compact(name)}:{_compact(item)}" for name, item in value.items()) + "\n}"
        else:
            text = _compact(value)
        parts.append(f"{_compact(key)}:{text}")
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _builtin_group_versions(api: ApiServer) -> list[str]:
    """The group-versions of the server itself; the label says `true` for those that CRDs brought."""
    query = {"labelSelector": "kube-aggregator.kubernetes.io/automanaged=onstart"}
    listing = api.request("GET", "/apis/apiregistration.k8s.io/v1/apiservices", query).json
    specs = [item["spec"] for item in listing["items"]]
    served = {f"{spec['group']}/{spec['version']}" if spec.get("group") else spec["version"] for spec in specs}
    return sorted(served | {"apiregistration.k8s.io/v1"})  # the aggregator's own is no APIService


def main() -> int:
    with LocalCluster() as cluster:
        SHIPPED.write_bytes(as_file(builtin_schema_of(ApiServer.open(cluster.kubeconfig))))
    print(SHIPPED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
