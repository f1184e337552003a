"""Stands in for the Go CLI: applies a build by server-side apply and writes its state, and no record (format 3)."""

from __future__ import annotations

from typing import Any

import orjson

from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Tazuna


def go_apply(cluster: LocalCluster, tazuna: Tazuna, commit: str = "", synced_at: str = "") -> dict[str, str]:
    """Applies all that ``tazuna`` builds and writes the state of each manifest; returns the hashes by state key.

    ``synced_at`` is the server's clock after the apply where it is not given.
    """
    text = tazuna("build", "--show-secrets").stdout
    apply = ("apply", "--server-side", "--field-manager=tazuna", "--force-conflicts", "-f", "-")
    if cluster.kubectl(*apply, stdin=text, check=False).returncode:  # kinds of definitions in the same text
        cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        cluster.kubectl(*apply, stdin=text)
    ran = tazuna("state", "diff", "--all", "-o", "json", "--show-secret-hashes")
    built = {obj["key"]: obj["hashes"]["built"] for m in ran.json()["manifests"] for obj in m["objects"]}
    write_state(cluster, built, commit, synced_at or server_time(cluster))
    return built


def write_state(cluster: LocalCluster, hashes: dict[str, str], commit: str, synced_at: str) -> None:
    """Writes state ConfigMaps as the Go CLI does; names that a ConfigMap cannot hold are left out."""
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": "tazuna"}})
    for manifest in dict.fromkeys(key.partition("/")[0] for key in hashes):
        data = {"_metadata": _compact({"gitCommitHash": commit, "lastSyncedAt": synced_at})}
        for key, value in hashes.items():
            if key.startswith(f"{manifest}/") and ":" not in key:
                data[key.replace("/", "__")] = _compact({"contentHash": value})
        name = f"tazuna-state-{manifest}"
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
        path = "/api/v1/namespaces/tazuna/configmaps"
        cluster.request("DELETE", f"{path}/{name}")
        cluster.request("DELETE", f"{path}/tazuna-record-{manifest}.0")
        answer = cluster.request("POST", path, body)
        assert answer.ok, answer.body


def server_time(cluster: LocalCluster) -> str:
    """Returns the server's clock: the time of an object made for it."""
    body = {"metadata": {"generateName": "clock-"}}
    answer = cluster.request("POST", "/api/v1/namespaces/default/configmaps", body).body
    cluster.request("DELETE", f"/api/v1/namespaces/default/configmaps/{answer['metadata']['name']}")
    return str(answer["metadata"]["creationTimestamp"])


def _compact(value: dict[str, Any]) -> str:
    return orjson.dumps(value).decode()
