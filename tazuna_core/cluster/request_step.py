"""A request to the API server as a step of a trace: which kind was asked for, never which object, and the status."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tazuna_core import tracing

if TYPE_CHECKING:
    from tazuna_core.cluster.api_server import Response

_ANSWERS = frozenset({404, 409})
"""Refusals that answer a question: there is no such object, somebody else was first."""
_GROUPS = {"api": 2, "apis": 3}
"""How many parts stand before a resource: `/api/VERSION`, `/apis/GROUP/VERSION`."""
_OF_NAMESPACES = frozenset({"status", "finalize"})


def traced_request(method: str, path: str, send: Callable[[], Response]) -> Response:
    """Sends a request as a step; attributes are OpenTelemetry's for HTTP clients."""
    template = path_template(path)
    attributes = {"http.request.method": method, "url.template": template}
    with tracing.span(f"{method} {template}", attributes, request=True):
        response = send()
        tracing.note({"http.response.status_code": response.status})
        if not response.ok and response.status not in _ANSWERS:
            tracing.fail(str(response.status))
        return response


def path_template(path: str) -> str:
    """Returns a path with ``{namespace}`` and ``{name}`` in place of names, and without a query.

    `/api/v1/namespaces/vault/secrets/db` gives `/api/v1/namespaces/{namespace}/secrets/{name}`. Paths of discovery,
    schemas and versions name no object and stay.
    """
    parts = path.partition("?")[0].strip("/").split("/")
    before = _GROUPS.get(parts[0], len(parts))
    head, rest = parts[:before], parts[before:]
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in _OF_NAMESPACES:
        head, rest = [*head, "namespaces", "{namespace}"], rest[2:]
    if len(rest) > 1:
        rest[1] = tracing.NOT_SAID
    return "/" + "/".join([*head, *rest])
