"""An API server on loopback that says what a test tells it to: for faults that a real one can't be made to have."""

from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
ALL_VERBS = ("create", "delete", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True)
class Reply:
    """One answer. ``drop`` closes the connection instead; ``seconds`` is how long it takes."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0
    drop: bool = False


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, list[str]]
    body: Any


def status(code: int, reason: str = "", message: str = "", **details: str) -> Reply:
    """A failure as API servers tell it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return Reply({**body, "message": message, "details": details}, code)


def not_found(plural: str, name: str) -> Reply:
    return status(404, "NotFound", f'{plural} "{name}" not found', name=name, kind=plural)


def listing(names: list[str], token: str = "", remaining: int = 0, namespace: str = "a") -> Reply:
    """A page of a list; its items lack apiVersion and kind, as a server's do."""
    metadata = {"resourceVersion": "1", **({"continue": token, "remainingItemCount": remaining} if token else {})}
    items = [{"metadata": {"name": name, "namespace": namespace}, "data": {"of": name}} for name in names]
    return Reply({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items})


def one(kind: str, name: str, namespace: str = "a") -> Reply:
    metadata = {"name": name, "namespace": namespace}
    return Reply({"kind": kind, "apiVersion": "v1", "metadata": metadata, "data": {"of": name}})


def discovery(api_version: str, *kinds: tuple[str, str, bool], stale: bool = False) -> dict[str, Any]:
    """One group-version of aggregated discovery; kinds are (kind, plural, namespaced)."""
    group, _, version = api_version.rpartition("/")
    resources = [
        {
            "resource": plural,
            "responseKind": {"kind": kind},
            "scope": "Namespaced" if namespaced else "Cluster",
            "verbs": list(ALL_VERBS),
        }
        for kind, plural, namespaced in kinds
    ]
    freshness = "Stale" if stale else "Current"
    return {
        "metadata": {"name": group} if group else {},
        "versions": [{"version": version, "resources": resources, "freshness": freshness}],
    }


CORE = discovery(
    "v1", ("ConfigMap", "configmaps", True), ("Secret", "secrets", True), ("Namespace", "namespaces", False)
)
APPS = discovery("apps/v1", ("Deployment", "deployments", True))


class FakeApi:
    """Answers by method and path, in the order given; the last answer of a path is given again and again."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._replies: dict[tuple[str, str], list[Reply]] = {}
        self._lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet; two would each wait for the other's acknowledgement

            def do_GET(self) -> None:
                fake._answer(self)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the base class's names

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.serve(CORE, APPS)

    def __enter__(self) -> FakeApi:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def on(self, method: str, path: str, *replies: Reply) -> None:
        """Sets the answers to a path (as it stands in the URL, quoted, without query)."""
        self._replies[method, path] = list(replies)

    def serve(self, *groups: dict[str, Any]) -> None:
        """Sets what aggregated discovery says."""
        for path, named in (("/api", False), ("/apis", True)):
            items = [group for group in groups if bool(group["metadata"]) == named]
            body = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}
            self.on("GET", path, Reply(body, headers={"Content-Type": AGGREGATED}))

    def asked(self, without_discovery: bool = True) -> list[str]:
        """Method, path and page of every request so far, sorted, for requests run side by side."""
        return sorted(
            f"{seen.method} {seen.path}" + (f" page {token}" if (token := seen.query.get("continue")) else "")
            for seen in self.seen
            if not (without_discovery and seen.path in {"/api", "/apis"})
        )

    def kubeconfig(self, folder: Path, **user: Any) -> Path:
        """Writes a kubeconfig for this server with one context, ``fake``."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "fake", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "fake",
        }
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return path

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        url = urlsplit(handler.path)
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        headers = {name.lower(): handler.headers.get_all(name) or [] for name in handler.headers}
        seen = Seen(handler.command, url.path, dict(parse_qsl(url.query)), headers, json.loads(body) if body else None)
        with self._lock:
            self.seen.append(seen)
            replies = self._replies.get((handler.command, url.path)) or [Reply("404 page not found", 404)]
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
        time.sleep(reply.seconds)
        if reply.drop:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        text = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)
