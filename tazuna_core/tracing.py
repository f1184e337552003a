"""Spans of one command, for whoever asked for traces: until then each call here does nothing, and imports nothing.

Layers that do I/O name their steps here; `cli/otlp.py` alone knows OpenTelemetry. Names and attributes go to another
system, which more people read than a cluster: names of steps, counts and codes, never arguments, values or messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from types import TracebackType
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Attributes = Mapping[str, str | int | bool | Sequence[str]]
Described = tuple[str, Attributes]
"""The name of a step, and what is said of it."""
NOT_SAID = "{name}"
"""Stands for a name that is not told: those of Secrets, and all of them in paths of requests."""


class Recorder(Protocol):
    """Where spans go while a command is traced. Safe to use from several threads."""

    def span(self, name: str, attributes: Attributes, *, request: bool) -> AbstractContextManager[None]:
        """A step within the current one; what it raises is its failure. ``request``: another system does the work."""

    def note(self, attributes: Attributes) -> None:
        """Adds attributes to the current span."""

    def fail(self, code: str) -> None:
        """Marks the current span as failed, with the short name of the error."""

    def finish(self, exit_code: int) -> None:
        """Ends the command's span and sends what is left, within a bounded time."""


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


_NOTHING = _Nothing()
_recorder: Recorder | None = None


def record(recorder: Recorder) -> None:
    """Switches tracing on, for one command."""
    global _recorder  # noqa: PLW0603 - one process runs one command, and every layer names its steps
    _recorder = recorder


def finish(exit_code: int) -> None:
    """Ends the command's trace, if there is one, and switches tracing off."""
    global _recorder
    if _recorder is not None:
        recorder, _recorder = _recorder, None
        recorder.finish(exit_code)


def is_on() -> bool:
    """Whether anybody looks: for steps whose description is work."""
    return _recorder is not None


def span(name: str, attributes: Attributes | None = None, *, request: bool = False) -> AbstractContextManager[None]:
    """Returns a context manager for one step."""
    return _NOTHING if _recorder is None else _recorder.span(name, attributes or {}, request=request)


def note(attributes: Attributes) -> None:
    """Adds attributes to the current step."""
    if _recorder is not None:
        _recorder.note(attributes)


def fail(code: str) -> None:
    """Marks the current step as failed: for errors that are returned. Those that are raised mark it themselves."""
    if _recorder is not None:
        _recorder.fail(code)


def traced(describe: Callable[..., Described]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes each call of a function a step, described from its arguments."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if _recorder is None:
                return function(*args, **kwargs)
            name, attributes = describe(*args, **kwargs)
            with _recorder.span(name, attributes, request=False):
                return function(*args, **kwargs)

        return call

    return decorate
