"""Sends a finished message to a Slack-compatible incoming webhook, whose address is a secret and in no text of ours."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

_SECONDS = 15
_LONGEST_WAIT = 30.0

Sleep = Callable[[float], None]


def send(address: str, message: dict[str, Any], sleep: Sleep) -> str:
    """Posts the message; returns "" or why it could not be. Sent again only when the service says it was too busy."""
    for last in (False, True):
        status, wait = _post(address, json.dumps(message).encode())
        if 200 <= status < 300:
            return ""
        if status != 429 or last or wait > _LONGEST_WAIT:
            break
        sleep(wait)
    return f"the webhook answered {status}" if status else "the webhook could not be reached"


def _post(address: str, body: bytes) -> tuple[int, float]:
    """Returns status (0 without an answer) and the seconds to wait that the answer names."""
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tazuna-action"}
    request = urllib.request.Request(address, body, headers)  # noqa: S310 -- http(s), checked where it is read
    try:
        with _OPENER.open(request, timeout=_SECONDS) as answer:
            return answer.status, 0.0
    except urllib.error.HTTPError as error:
        with error:
            after = error.headers.get("Retry-After", "")
            return error.code, float(after) if after.isdigit() else 1.0
    except (OSError, ValueError):
        return 0, 0.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the message to a host that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)
