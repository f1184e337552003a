"""A receiver of traces: a real OTLP/gRPC server, which keeps what it was sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


@dataclass(frozen=True, slots=True)
class Span:
    """A span as it arrived; ``parent`` is the name of its parent's span, None where that did not arrive."""

    name: str
    id: str
    parent_id: str
    trace_id: str
    kind: str
    error: str | None
    """The status' description; None where the status is none of an error."""
    attributes: Mapping[str, Any]


@dataclass
class Received:
    """All that arrived."""

    endpoint: str
    raw: list[bytes] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    resources: list[Mapping[str, Any]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def names(self) -> set[str]:
        return {span.name for span in self.spans}

    def of(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Span:
        (span,) = self.of(name)
        return span

    def root(self) -> Span:
        """The span whose parent did not arrive: there must be one alone."""
        ids = {span.id for span in self.spans}
        (root,) = (span for span in self.spans if span.parent_id not in ids)
        return root

    def above(self, span: Span) -> list[str]:
        """The names of the spans above one, from its parent to the root."""
        by_id = {one.id: one for one in self.spans}
        out = []
        while found := by_id.get(span.parent_id):
            out.append(found.name)
            span = found
        return out

    def add(self, request: Any, headers: Mapping[str, str]) -> None:
        self.raw.append(request.SerializeToString())
        self.headers.append(headers)
        for group in request.resource_spans:
            self.resources.append(_values(group.resource.attributes))
            self.spans += [_span(span) for scope in group.scope_spans for span in scope.spans]


@contextmanager
def receiver(credentials: grpc.ServerCredentials | None = None) -> Iterator[Received]:
    """Runs a receiver on a free port, with TLS where ``credentials`` are given."""
    lock = threading.Lock()

    class Service(trace_service_pb2_grpc.TraceServiceServicer):  # type: ignore[misc]
        def Export(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
            with lock:
                received.add(request, dict(context.invocation_metadata()))
            return trace_service_pb2.ExportTraceServiceResponse()

    server = grpc.server(ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Service(), server)
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    received = Received(f"127.0.0.1:{port}")
    server.start()
    try:
        yield received
    finally:
        server.stop(None).wait()


def _span(span: Any) -> Span:
    return Span(
        name=span.name,
        id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        trace_id=span.trace_id.hex(),
        kind={1: "internal", 3: "client"}[span.kind],
        error=span.status.message if span.status.code == span.status.STATUS_CODE_ERROR else None,
        attributes=_values(span.attributes),
    )


def _values(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:
    if value.WhichOneof("value") == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, value.WhichOneof("value"))
