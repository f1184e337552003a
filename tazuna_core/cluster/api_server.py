"""The one HTTP client of the API server: every request of this program goes through it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import orjson

from tazuna_core import tracing
from tazuna_core.cluster.kubeconfig import Connection, connect, redacted
from tazuna_core.cluster.reader import KindInfo, Reason, Unavailable
from tazuna_core.cluster.retries import CONNECT_SECONDS, READ_SECONDS, SAFE, give_up, no_answer, pause, worth_repeating
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject, ObjectRef

if TYPE_CHECKING:
    from tazuna_core.cluster.discovery import ServedKinds

CONCURRENCY = 8
"""Requests under way at one time, and connections kept."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: status, headers (names in lower case), parsed JSON (None where the body is none)."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def message(self) -> str:
        """What the server says about a failure, without tokens."""
        said = self.json.get("message") if isinstance(self.json, dict) else None
        return redacted(said) if isinstance(said, str) and said else f"HTTP status {self.status}"


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What the server answered to a write: HTTP status, the object or Status, its ``Warning`` headers."""

    status: int
    body: Any
    warnings: tuple[str, ...] = ()
    time: str = ""
    """The server's clock (RFC 3339, UTC, seconds), or the empty string."""

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class ApiServer:
    """Requests to one API server. Safe to use from several threads.

    Answers of any status are returned; what raises is a server that does not answer: ClusterError with the code
    ``unreachable``, ``timeout`` or ``tls``. Requests that only read are repeated after 429, 5xx and broken
    connections; writes after 429 alone, which says that the request was not processed.
    """

    def __init__(self, connection: Connection, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._connection = connection
        self._pool = connection.client.rest_client.pool_manager
        self._sleep = sleep
        self._credentials = threading.Lock()
        self._discovery = threading.Lock()
        # manifests of a layer read side by side, each with threads of its own
        self._under_way = threading.BoundedSemaphore(CONCURRENCY)
        self._kinds: ServedKinds | None = None

    @classmethod
    def open(cls, kubeconfig: Path | None = None, context: str | None = None) -> ApiServer:
        """Connects by kubeconfig, or as the pod's account. Raises ClusterError; sends nothing yet."""
        return cls(connect(kubeconfig, context, connections=CONCURRENCY))

    @property
    def context(self) -> str | None:
        return self._connection.context

    @property
    def place(self) -> str:
        """How messages name the cluster."""
        return self._connection.place

    def kinds(self, *, refresh: bool = False) -> ServedKinds:
        """Returns the kinds that are served, asked for once; again with ``refresh``, after a CRD was applied."""
        from tazuna_core.cluster.discovery import discover

        with self._discovery:
            if self._kinds is None or refresh:
                self._kinds = discover(self)
            return self._kinds

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Response:
        """Sends one request and returns the answer, whatever its status.

        ``path`` is below the server's address and already quoted; ``body`` is JSON data (or bytes, sent as they
        are). Raises ClusterError when no answer comes.
        """
        url = self._connection.host + path + (f"?{urlencode(query)}" if query else "")
        data = body if body is None or isinstance(body, bytes) else orjson.dumps(body)
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        if data is not None:
            headers["Content-Type"] = content_type

        def answer() -> Response:
            return self._answer(lambda: self._send(method, url, data, headers), method in SAFE)

        if not tracing.is_on():
            return answer()
        from tazuna_core.cluster.request_step import traced_request

        return traced_request(method, path, answer)

    def _answer(self, send: Callable[[], Response], safe: bool) -> Response:
        start = time.monotonic()
        first: Future[Response] = Future()
        try:
            first.set_result(send())
        except ClusterError as error:
            first.set_exception(error)
        if not worth_repeating(first, safe):
            return first.result()
        return self._again(first, time.monotonic() - start, safe, send)

    def _again(self, first: Future[Response], spent: float, safe: bool, send: Callable[[], Response]) -> Response:
        """Repeats a request whose first outcome took ``spent`` seconds, for as long as that has a point."""
        from tenacity import Retrying

        attempts = enumerate(chain([first.result], repeat(send)))

        def attempt() -> Response:
            number, answer = next(attempts)
            tracing.note({"http.request.resend_count": number})
            return answer()

        # A strategy of callables: what is worth another attempt depends on the method and on the answer.
        retrying = Retrying(
            sleep=self._sleep,
            retry=lambda state: state.outcome is not None and worth_repeating(state.outcome, safe),
            stop=lambda state: give_up(state, spent),
            wait=pause,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
        )
        answer: Response = retrying(attempt)
        return answer

    def _send(self, method: str, url: str, data: bytes | None, headers: dict[str, str]) -> Response:
        import urllib3

        sent = urllib3.HTTPHeaderDict(headers)
        for name, value in (*self._authorization(), *self._connection.headers):
            sent.add(name, value)
        try:
            with self._under_way:
                raw = self._pool.request(
                    method,
                    url,
                    body=data,
                    headers=sent,
                    timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
                    retries=False,
                    redirect=False,  # an API server does not redirect, and credentials must not follow one
                )
        except urllib3.exceptions.HTTPError as error:
            raise no_answer(error, self.place) from None
        return Response(raw.status, {k.lower(): v for k, v in raw.headers.items()}, _parsed(raw.data))

    def _authorization(self) -> list[tuple[str, str]]:
        # Asking refreshes an expired token, perhaps by a program: once, not once a thread.
        with self._credentials:
            settings = self._connection.client.configuration.auth_settings()
        return [(item["key"], item["value"]) for item in settings.values() if item["in"] == "header" and item["value"]]

    # Of single objects. The writes are for ``operations`` and the ConfigMap store alone.

    def get(self, ref: ObjectRef) -> ServerAnswer:
        """Reads one object."""
        return self._write("GET", ref, None, {}, dry_run=False)

    def apply(
        self, ref: ObjectRef, body: JsonObject, *, field_manager: str, force: bool = True, dry_run: bool = False
    ) -> ServerAnswer:
        """Server-side apply."""
        query = {"fieldManager": field_manager, "force": "true" if force else "false"}
        return self._write("PATCH", ref, body, query, dry_run=dry_run, content_type="application/apply-patch+yaml")

    def json_patch(
        self, ref: ObjectRef, operations: list[JsonObject], *, field_manager: str, dry_run: bool = False
    ) -> ServerAnswer:
        """Applies a JSON patch (RFC 6902)."""
        query = {"fieldManager": field_manager}
        return self._write("PATCH", ref, operations, query, dry_run=dry_run, content_type="application/json-patch+json")

    def create(self, ref: ObjectRef, body: JsonObject, *, field_manager: str, dry_run: bool = False) -> ServerAnswer:
        """Creates an object; 409 where there is one of that name."""
        return self._write("POST", ref, body, {"fieldManager": field_manager}, dry_run=dry_run, collection=True)

    def replace(self, ref: ObjectRef, body: JsonObject, *, field_manager: str, dry_run: bool = False) -> ServerAnswer:
        """Replaces an object; 409 where the ``resourceVersion`` in ``body`` is not the current one."""
        return self._write("PUT", ref, body, {"fieldManager": field_manager}, dry_run=dry_run)

    def delete(
        self, ref: ObjectRef, *, uid: str | None = None, resource_version: str | None = None,
        propagation: str = "Background", dry_run: bool = False,
    ) -> ServerAnswer:  # fmt: skip
        """Deletes an object if it still has this uid and resourceVersion (409 otherwise); None asks for neither."""
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        body = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": propagation,
            "preconditions": {key: value for key, value in preconditions.items() if value},
        }
        return self._write("DELETE", ref, body, {}, dry_run=dry_run)

    def _write(
        self, method: str, ref: ObjectRef, body: Any, query: dict[str, str], *,
        dry_run: bool, content_type: str = "application/json", collection: bool = False,
    ) -> ServerAnswer:  # fmt: skip
        problem = impossible_name(ref)
        if problem is not None:
            return ServerAnswer(400, _status(400, "BadRequest", problem.message))
        info = self.kinds().get(ref.api_version, ref.kind) or self.kinds(refresh=True).get(ref.api_version, ref.kind)
        if info is None:
            return ServerAnswer(404, _status(404, "NotFound", f"no kind {ref.kind} in {ref.api_version} is served"))
        namespace = (ref.namespace or "default") if info.namespaced else ""
        path = resource_path(ref.api_version, info, namespace, "" if collection else ref.name)
        if dry_run:
            query = {**query, "dryRun": "All"}
        answer = self.request(method, path, query, body, content_type)
        warnings = answer.headers.get("warning", "")
        time = _rfc3339(answer.headers.get("date", ""))
        return ServerAnswer(answer.status, answer.json, tuple(warnings.split(", ")) if warnings else (), time)


def resource_path(api_version: str, info: KindInfo, namespace: str = "", name: str = "") -> str:
    """Returns the URL path of a collection, or with ``name`` of an object. Names are quoted."""
    parts = ["/apis" if "/" in api_version else "/api", *api_version.split("/")]
    if info.namespaced and namespace:
        parts += ["namespaces", quote(namespace, safe="")]
    parts.append(info.plural)
    if name:
        parts.append(quote(name, safe=""))
    return "/".join(parts)


def impossible_name(ref: ObjectRef) -> Unavailable | None:
    """Returns why no object can have this name: such a name would reach another URL (a collection, a subresource)."""
    if not ref.name:
        return Unavailable(Reason.INVALID, f"{ref.kind} has no name")
    for what, text in (("name", ref.name), ("namespace", ref.namespace)):
        if text in {".", ".."} or "/" in text or "%" in text:
            return Unavailable(Reason.INVALID, f"'{text}' is not a possible {what}")
    return None


def _status(code: int, reason: str, message: str) -> JsonObject:
    return {
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message,
    }  # fmt: skip


def _rfc3339(http_date: str) -> str:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(http_date).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return ""


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
