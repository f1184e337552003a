"""How the three programs of a test cluster are called: a normal cluster's settings, minus what only costs time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.harness.certificates import Authority, base64_text, signing_key


@dataclass(frozen=True)
class Layout:
    """Where a cluster's files lie, and its port."""

    folder: Path
    port: int

    @property
    def server(self) -> str:
        """The API server's URL."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def etcd_endpoint(self) -> str:
        """A socket file: no port to choose, and no other user can reach it."""
        return f"unix://{self.folder / 'etcd.sock'}"

    @property
    def egress_socket(self) -> Path:
        """Every connection the API server opens to webhooks and aggregated APIs goes here, as HTTP CONNECT.

        Nothing listens, so such a call fails at once and leaves no trace on a network. A test that wants a live
        webhook listens here with a proxy to loopback.
        """
        return self.folder / "egress.sock"


def etcd(layout: Layout) -> list[str]:
    """Flags of etcd."""
    announced = "http://127.0.0.1:2379"  # must be a host and a port; in a cluster of one nobody uses it
    return [
        f"--data-dir={layout.folder / 'etcd'}",
        f"--listen-client-urls={layout.etcd_endpoint}",
        f"--advertise-client-urls={announced}",
        f"--listen-peer-urls=unix://{layout.folder / 'etcd-peer.sock'}",
        f"--initial-advertise-peer-urls={announced}",
        f"--initial-cluster=default={announced}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server(layout: Layout, clients: Authority) -> list[str]:
    """Flags of kube-apiserver; writes the files they name."""
    folder = layout.folder
    (folder / "clients-ca.crt").write_bytes(clients.certificate)
    names = ["kubernetes.default.svc", "kubernetes.default", "kubernetes", "localhost"]
    certificate, key = clients.server(names, ["127.0.0.1", "10.96.0.1"]).write(folder, "server")
    front_proxies = Authority("test-front-proxy-ca")
    (folder / "front-proxy-ca.crt").write_bytes(front_proxies.certificate)
    proxy_certificate, proxy_key = front_proxies.client("front-proxy-client").write(folder, "front-proxy")
    (folder / "service-accounts.key").write_bytes(signing_key())
    (folder / "egress.json").write_text(json.dumps(_egress(layout.egress_socket)))
    return [
        f"--etcd-servers={layout.etcd_endpoint}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={layout.port}",
        "--permit-port-sharing",  # beside the socket that reserves the port
        # The address in the `kubernetes` endpoints can't be a loopback address, and nothing routes there anyway.
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={key}",
        f"--client-ca-file={folder / 'clients-ca.crt'}",
        f"--requestheader-client-ca-file={folder / 'front-proxy-ca.crt'}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={proxy_certificate}",
        f"--proxy-client-key-file={proxy_key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'service-accounts.key'}",
        f"--service-account-signing-key-file={folder / 'service-accounts.key'}",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged",
        f"--egress-selector-config-file={folder / 'egress.json'}",
        # A test applies hundreds of objects at once from one client: no queues, no limits.
        "--enable-priority-and-fairness=false",
        "--max-requests-inflight=0",
        "--max-mutating-requests-inflight=0",
        "--profiling=false",
    ]


def controller_manager(layout: Layout, kubeconfig: Path) -> list[str]:
    """Flags of kube-controller-manager; all controllers that are on by default run."""
    return [
        f"--kubeconfig={kubeconfig}",
        "--leader-elect=false",
        "--secure-port=0",
        # Each controller as its own service account, so that the bootstrap roles apply as in a real cluster.
        "--use-service-account-credentials",
        f"--service-account-private-key-file={layout.folder / 'service-accounts.key'}",
        f"--root-ca-file={layout.folder / 'clients-ca.crt'}",
        "--kube-api-qps=1000",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]


def kubeconfig(layout: Layout, clients: Authority, user: str, groups: tuple[str, ...]) -> str:
    """A kubeconfig (JSON, which is YAML) with a client certificate for this user in these groups."""
    pair = clients.client(user, groups)
    certificate = {
        "client-certificate-data": base64_text(pair.certificate),
        "client-key-data": base64_text(pair.key),
    }
    server = {"server": layout.server, "certificate-authority-data": base64_text(clients.certificate)}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": server}],
            "users": [{"name": user, "user": certificate}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
            "current-context": "test",
        },
        indent=2,
    )


def _egress(socket: Path) -> dict[str, object]:
    connection = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": str(socket)}}}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        # "cluster" is for services, "controlplane" for webhooks given as a URL.
        "egressSelections": [{"name": name, "connection": connection} for name in ("cluster", "controlplane")],
    }
