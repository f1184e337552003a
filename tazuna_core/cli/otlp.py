"""When a command is traced, where to, and what its trace says of it. Loads OpenTelemetry only where it is."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tazuna_core import tracing
from tazuna_core.cli.app import OTLP_ENDPOINTS
from tazuna_core.errors import UsageError
from tazuna_core.tracing import Attributes

if TYPE_CHECKING:
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report

_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_INSECURE = ("OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_INSECURE")
_ENDPOINT = re.compile(r"(?:https?://)?(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?/?", re.ASCII)
log = logging.getLogger(__name__)


def switch_on(command: str, endpoint: str | None, insecure: bool | None, options: Options) -> None:
    """Starts the trace of a command where one is wanted: by ``--otlp-endpoint``, or else by the environment.

    A flag that cannot be followed is a UsageError. Variables that cannot are a line of the log: they are often set for
    everything that runs somewhere, and must not stop a command.
    """
    try:
        _switch_on(command, endpoint, insecure, options)
    except UsageError as error:
        if endpoint is not None:
            raise
        log.info("no traces: %s", error)


def _switch_on(command: str, endpoint: str | None, insecure: bool | None, options: Options) -> None:
    wanted = endpoint if endpoint is not None else _endpoint_of(os.environ)
    if wanted is None:
        return
    if not _is_endpoint(wanted, needs_port=endpoint is not None):  # not quoted: a URL may hold a password
        named = "--otlp-endpoint" if endpoint is not None else "OTEL_EXPORTER_OTLP_ENDPOINT"
        raise UsageError(f"{named} is not HOST:PORT", advice="An example: localhost:4317.")
    if insecure is None and endpoint is not None and "://" not in endpoint and not _first(os.environ, _INSECURE):
        insecure = True
    said = {
        "tazuna.command": command,
        "tazuna.file": str(options.file),
        "tazuna.environment": options.environment,
        "tazuna.context": options.context or "",
    }
    # before grpc loads: its own words go to stderr past any log level
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        from tazuna_core.cli.otlp_recorder import OtlpRecorder
    except ImportError as error:
        raise UsageError(
            f"traces need packages that are not installed ({error.name})",
            advice="pip install 'tazuna-core[otlp]'",
            code="missing-extra",
        ) from None
    try:
        recorder = OtlpRecorder(f"tazuna {command}", endpoint, insecure, {k: v for k, v in said.items() if v})
    except Exception as error:  # a setting of the environment: the SDK has an exception of its own for many of them
        raise UsageError(f"traces cannot be sent: {error}", advice="See the OTEL_ variables.") from None
    tracing.record(recorder)


def _is_endpoint(text: str, *, needs_port: bool) -> bool:
    """Whether a text names a host and a port that exists; OpenTelemetry's variables may leave the port out."""
    match = _ENDPOINT.fullmatch(text)
    if match is None:
        return False
    port = match["port"]
    return not needs_port if port is None else 0 < int(port) < 1 << 16


def _endpoint_of(environ: Mapping[str, str]) -> str | None:
    """Returns the endpoint that the environment asks for traces to be sent to, if it does and we can.

    Raises UsageError where it asks for another protocol than gRPC.
    """
    endpoint = _first(environ, OTLP_ENDPOINTS)
    exporters = environ.get("OTEL_TRACES_EXPORTER", "otlp")
    if not endpoint or "otlp" not in exporters.split(",") or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    if (_first(environ, _PROTOCOLS) or "grpc") != "grpc":
        raise UsageError("OTEL_EXPORTER_OTLP_PROTOCOL is not grpc", advice="--otlp-endpoint names a gRPC receiver.")
    return endpoint


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((environ[name] for name in names if environ.get(name)), None)


def report_attributes(report: Report) -> Attributes:
    """Returns what a trace says of a report: result, counts, codes of errors; no text, no object."""
    said = {
        "tazuna.result": report.result,
        "tazuna.context": report.target.context,
        "tazuna.commit": report.target.commit,
        "tazuna.applied": report.applied,
        "tazuna.written": report.written,
        "tazuna.errors": tuple(dict.fromkeys(error.code for error in report.errors)) or None,
        **{f"tazuna.count.{name}": count for name, count in report.counts.model_dump(by_alias=True).items()},
    }
    return {name: value for name, value in said.items() if value is not None}
