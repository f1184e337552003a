"""The test cluster itself: what the other tests of this folder take for granted."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.harness.cluster import LocalCluster
from tests.harness.processes import ScratchFolder

REPOSITORY = Path(__file__).parents[2]


def config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def test_it_looks_like_a_new_cluster(cluster: LocalCluster) -> None:
    names = cluster.kubectl("get", "namespaces", "--output=name").stdout.split()
    assert {"namespace/default", "namespace/kube-system", "namespace/kube-public"} <= set(names)
    version = json.loads(cluster.kubectl("version", "--output=json").stdout)["serverVersion"]
    assert (version["gitVersion"], version["major"], version["minor"]) == ("v1.36.3", "1", "36")
    assert cluster.request("GET", "/api/v1/namespaces/default/serviceaccounts/default").ok


def test_controllers_run(cluster: LocalCluster, namespace: str) -> None:
    create = ["create", "deployment", "web", "--image=example.invalid/web:1", "--replicas=2"]
    cluster.kubectl("--namespace", namespace, *create)

    def pods() -> int:
        return len(cluster.request("GET", f"/api/v1/namespaces/{namespace}/pods").body["items"])

    cluster.wait_until("the deployment has its pods", lambda: pods() == 2)
    sets = cluster.request("GET", f"/apis/apps/v1/namespaces/{namespace}/replicasets").body["items"]
    assert [owner["name"] for item in sets for owner in item["metadata"]["ownerReferences"]] == ["web"]

    cluster.kubectl("--namespace", namespace, "delete", "deployment", "web", "--wait=false")
    cluster.wait_until("the garbage collector has taken its pods", lambda: pods() == 0)


def test_a_restricted_user_may_do_what_rbac_says_and_no_more(cluster: LocalCluster, namespace: str) -> None:
    reader = cluster.kubeconfig_for("rita", ("readers",))

    def get(resource: str) -> subprocess.CompletedProcess[str]:
        return cluster.kubectl("--namespace", namespace, "get", resource, kubeconfig=reader, check=False)

    assert 'User "rita" cannot list resource "configmaps"' in get("configmaps").stderr
    inside = ("--namespace", namespace, "create")
    cluster.kubectl(*inside, "role", "reader", "--verb=get,list", "--resource=configmaps")
    cluster.kubectl(*inside, "rolebinding", "readers", "--role=reader", "--group=readers")
    cluster.wait_until("the group may list config maps", lambda: get("configmaps").returncode == 0)
    assert 'User "rita" cannot list resource "secrets"' in get("secrets").stderr


@pytest.fixture
def failing_webhook(cluster: LocalCluster, namespace: str) -> Iterator[str]:
    """A webhook with failurePolicy Fail for the namespace's config maps, at a service without pods; its address."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "hook"},
        "spec": {"ports": [{"port": 443}]},
    }
    created = cluster.request("POST", f"/api/v1/namespaces/{namespace}/services", service)
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    webhook = {
        "name": "hook.example.com",
        "clientConfig": {"service": {"name": "hook", "namespace": namespace}},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "rules": [rule],
        "failurePolicy": "Fail",
        "timeoutSeconds": 30,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    url = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    configuration = {**kind, "metadata": {"name": namespace}, "webhooks": [webhook]}
    assert cluster.request("POST", url, configuration).ok
    yield created.body["spec"]["clusterIP"]
    cluster.request("DELETE", f"{url}/{namespace}")


def test_a_webhook_is_called_and_fails_without_leaving_the_machine(
    cluster: LocalCluster, namespace: str, failing_webhook: str
) -> None:
    url = f"/api/v1/namespaces/{namespace}/configmaps?dryRun=All"

    def refusal() -> str:
        answer = cluster.request("POST", url, config_map("any"))
        return "" if answer.ok else str(answer.body["message"])

    cluster.wait_until("the webhook is in force", lambda: bool(refusal()))
    # A packet to the cluster's address would be a time-out after 30 s instead.
    assert 'failed calling webhook "hook.example.com"' in refusal()
    assert str(cluster.egress_socket) in refusal()

    # Whoever listens at the egress socket gets the call.
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor() as pool:
        listener.bind(str(cluster.egress_socket))
        listener.listen()
        listener.settimeout(20)
        answer = pool.submit(refusal)
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1000).startswith(f"CONNECT {failing_webhook}:443 ".encode())
        assert answer.result()
    cluster.egress_socket.unlink()


def test_a_restart_keeps_address_and_data(cluster: LocalCluster, namespace: str) -> None:
    url = f"/api/v1/namespaces/{namespace}/configmaps"
    assert cluster.request("POST", url, config_map("kept")).ok
    cluster.restart_api_server()
    assert cluster.request("GET", f"{url}/kept").ok
    cluster.create_namespace(f"{namespace}-later")  # returns when the controllers have done their part
    cluster.delete_namespace(f"{namespace}-later")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_killed_run_leaves_nothing() -> None:
    run = (
        "import time; from tests.harness.cluster import LocalCluster\n"
        "with LocalCluster() as c: print(c.folder, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", run], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert len(programs_using(folder)) == 3
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while programs_using(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert programs_using(folder) == []
    with ScratchFolder():  # the next run's
        assert not folder.exists()


def programs_using(folder: Path) -> list[str]:
    """The command lines of running processes that name this folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and int(process.name) != os.getpid():
            try:
                command = (process / "cmdline").read_text()
            except OSError:
                continue
            if str(folder) in command:
                found.append(command.replace("\0", " "))
    return found
