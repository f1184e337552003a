"""Spans by the OpenTelemetry SDK, sent over OTLP/gRPC: the one module that knows either.

What the SDK reads from the environment keeps its meaning: service name and resource attributes, sampler, limits,
headers, certificates, time-outs. The parent is TRACEPARENT's, where a caller set it.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from grpc import StatusCode
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.threading import ThreadingInstrumentor
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status
from opentelemetry.trace import StatusCode as SpanStatus
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from tazuna_core import __version__
from tazuna_core.errors import TazunaError
from tazuna_core.tracing import Attributes

FLUSH_SECONDS = 2.0
"""A command waits so long, at most, for its last spans to be sent."""
_ANSWERS = frozenset({0, 1})
"""Exit codes of a command that did its work; 1 says that there are differences."""


class OtlpRecorder:
    """``tracing.Recorder`` of one command."""

    def __init__(self, name: str, endpoint: str | None, insecure: bool | None, attributes: Attributes) -> None:
        """Starts the command's span, ``name``. None for ``endpoint`` or ``insecure`` leaves it to the environment.

        Raises whatever the SDK raises for a setting that it cannot use; sends nothing yet.
        """
        self._reason = _Reason()
        self._exporter = _Exporter(endpoint=endpoint, insecure=insecure)
        # ours is the least of what names the service: variables say more
        resource = Resource.create({"service.name": "tazuna", "service.version": __version__})
        self._provider = TracerProvider(
            resource=resource.merge(OTELResourceDetector().detect()),
            shutdown_on_exit=False,  # `finish` does it, within its time
        )
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("tazuna_core", __version__)
        parents = {name.lower(): os.environ[name] for name in ("TRACEPARENT", "TRACESTATE") if name in os.environ}
        parent = TraceContextTextMapPropagator().extract(parents)
        self._root = self._tracer.start_span(name, parent, attributes=attributes)
        self._token = context.attach(trace.set_span_in_context(self._root, parent))
        ThreadingInstrumentor().instrument(skip_dep_check=True)  # what a thread does belongs to who gave it the work

    @contextmanager
    def span(self, name: str, attributes: Attributes, *, request: bool) -> Iterator[None]:
        kind = SpanKind.CLIENT if request else SpanKind.INTERNAL
        with self._tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except BaseException as error:
                _failed(span, _code(error))
                raise

    def note(self, attributes: Attributes) -> None:
        trace.get_current_span().set_attributes(attributes)

    def fail(self, code: str) -> None:
        _failed(trace.get_current_span(), code)

    def finish(self, exit_code: int) -> None:
        """Ends the command's span and sends what is left; says so on stderr where that cannot be done in time."""
        self._root.set_attribute("process.exit.code", exit_code)
        if exit_code not in _ANSWERS:
            self._root.set_status(Status(SpanStatus.ERROR, f"exit code {exit_code}"))
        self._root.end()
        context.detach(self._token)
        ThreadingInstrumentor().uninstrument()
        # The SDK's own flush knows no time limit
        flush = threading.Thread(target=self._provider.force_flush, name="traces", daemon=True)
        flush.start()
        flush.join(FLUSH_SECONDS)
        if flush.is_alive():
            self._exporter.shutdown()
        else:
            self._provider.shutdown()
        if flush.is_alive() or self._exporter.lost:
            why = self._reason.code or f"no answer within {FLUSH_SECONDS:g} s"
            sys.stderr.write(f"tazuna: the trace of this command could not be sent, or not all of it: {why}\n")


class _Exporter(OTLPSpanExporter):
    """The SDK's exporter, which counts the spans that did not arrive."""

    lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.lost += len(spans)
        return result


class _Reason(logging.Handler):
    """Keeps why sending failed from what the SDK logs, and the log to those who asked for ``--log-level debug``."""

    def __init__(self) -> None:
        super().__init__()
        self.code = ""
        logger = logging.getLogger("opentelemetry")
        logger.addHandler(self)
        logger.propagate = logging.getLogger().isEnabledFor(logging.DEBUG)
        # quotes OTEL_EXPORTER_OTLP_HEADERS, where tokens stand
        logging.getLogger("opentelemetry.util.re").disabled = True

    def emit(self, record: logging.LogRecord) -> None:
        found = record.args if isinstance(record.args, tuple) else ()
        self.code = next((arg.name for arg in found if isinstance(arg, StatusCode)), self.code)


def _failed(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(Status(SpanStatus.ERROR, code))


def _code(error: BaseException) -> str:
    """The short name of an error; its words may quote what others wrote."""
    return error.code if isinstance(error, TazunaError) else type(error).__name__
