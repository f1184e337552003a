"""Requests that got no answer, or none yet: which are sent again, when, and what is said when none comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tazuna_core.cluster.kubeconfig import redacted
from tazuna_core.errors import ClusterError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tenacity import RetryCallState

    from tazuna_core.cluster.api_server import Response

CONNECT_SECONDS, READ_SECONDS = 10.0, 65.0
"""The API server itself gives a request 60 s."""
RETRY_SECONDS = 30.0
"""Longest time from the first attempt of a request to the start of its last one."""
_ATTEMPTS, _ATTEMPTS_WHEN_BUSY = 4, 12
SAFE = frozenset({"GET", "HEAD"})
_PASSING = frozenset({"unreachable", "timeout"})


def worth_repeating(outcome: Future[Response], safe: bool) -> bool:
    """Whether the same request may be answered in a moment, and may be sent again (``safe``: it only reads)."""
    error = outcome.exception()
    if error is not None:
        return safe and isinstance(error, ClusterError) and error.code in _PASSING
    status = outcome.result().status
    return status == 429 or (safe and status >= 500)


def give_up(state: RetryCallState, spent: float) -> bool:
    """Whether a request is not sent again: a server that is busy is asked more often than one that fails.

    ``spent`` is what the first attempt took, in seconds; ``state`` began to count after it.
    """
    busy = state.outcome is not None and not state.outcome.failed and state.outcome.result().status == 429
    if state.attempt_number >= (_ATTEMPTS_WHEN_BUSY if busy else _ATTEMPTS):
        return True
    return spent + (state.seconds_since_start or 0.0) + state.upcoming_sleep >= RETRY_SECONDS


def pause(state: RetryCallState) -> float:
    """What the server asks for in ``Retry-After``, else 0.2 s and doubling."""
    if state.outcome is not None and not state.outcome.failed:
        asked = state.outcome.result().headers.get("retry-after", "")
        if asked.isdigit():
            return max(float(asked), 0.1)
    return float(min(0.2 * 2 ** (state.attempt_number - 1), 5.0))


def no_answer(error: Exception, place: str) -> ClusterError:
    """Says why a request got no answer, without the library's own wording."""
    from urllib3 import exceptions

    if isinstance(error, exceptions.SSLError):
        return ClusterError(
            f"no secure connection to {place}: {_cause(error)}",
            code="tls",
            advice="Check server, certificate-authority and tls-server-name of this cluster in the kubeconfig.",
        )
    if isinstance(error, exceptions.NameResolutionError):
        why, code = "the host name is unknown", "unreachable"
    elif isinstance(error, exceptions.ConnectTimeoutError) and not isinstance(error, exceptions.NewConnectionError):
        why, code = f"no connection within {CONNECT_SECONDS:.0f} s", "timeout"
    elif isinstance(error, exceptions.ReadTimeoutError):
        why, code = f"no answer within {READ_SECONDS:.0f} s", "timeout"
    elif isinstance(error, exceptions.ProxyError):
        why, code = f"the proxy failed: {_cause(error)}", "unreachable"
    elif isinstance(error, exceptions.InvalidHeader):
        why, code = "the credentials hold characters that no header can", "unauthorized"
    else:
        why, code = _cause(error), "unreachable"
    return ClusterError(
        f"cannot reach {place}: {why}",
        code=code,
        advice="Is this the right context, and is its cluster up? `kubectl version` asks the same server.",
    )


def _cause(error: BaseException) -> str:
    """Returns the innermost reason, such as "Connection refused"."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    text = getattr(error, "verify_message", "") or getattr(error, "strerror", "") or str(error)
    return redacted(text) or type(error).__name__
