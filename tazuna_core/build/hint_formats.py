"""The formats that tazuna.hint.yaml knows, as Go's standard library takes them (Tazuna's hint reference)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import urlsplit

from tazuna_core.build.hint_models import HintFormat

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_HOSTNAME = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}")
_EMAIL = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TAIL = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMVER = re.compile(rf"v?[0-9]+\.[0-9]+\.[0-9]+(?:-{_TAIL})?(?:\+{_TAIL})?")
_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,][0-9]+)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))"
)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:.*", re.DOTALL)
_NOT_IN_URLS = re.compile(r"[\x00-\x1f\x7f]|%(?![0-9a-fA-F]{2})")
_NOT_IN_HOSTS = re.compile(r"[ <>\"\\^`{|}#?/]")


def fits(text: str, wanted: HintFormat) -> bool:
    """Whether a text has the format; the empty text always does, for it stands for "not given"."""
    return not text or _CHECKS[wanted](text)


def _ip(text: str) -> bool:
    try:
        # Go's net.ParseIP knows no zone (%eth0).
        return "%" not in text and bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not (slash and bits.isascii() and bits.isdigit() and _ip(address)):
        return False
    return int(bits) <= ipaddress.ip_address(address).max_prefixlen


def _url(text: str) -> bool:
    """An absolute address, as net/url.ParseRequestURI takes it, with a scheme."""
    if not _SCHEME.fullmatch(text) or _NOT_IN_URLS.search(text):
        return False
    try:
        parts = urlsplit(text)
        _ = parts.port  # a port that is no number is found only when asked for
    except ValueError:
        return False
    return not _NOT_IN_HOSTS.search(parts.netloc.rpartition("@")[2])


def _datetime(text: str) -> bool:
    found = _DATETIME.fullmatch(text)
    if not found:
        return False
    try:
        datetime.fromisoformat(found[1])
    except ValueError:
        return False
    return found[2] is None or (int(found[2]) <= 24 and int(found[3]) < 60)


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_CHECKS: Mapping[HintFormat, Callable[[str], bool]] = {
    HintFormat.HOSTNAME: _matches(_HOSTNAME),
    HintFormat.URL: _url,
    HintFormat.EMAIL: _matches(_EMAIL),
    HintFormat.IP: _ip,
    HintFormat.CIDR: _cidr,
    HintFormat.UUID: _matches(_UUID),
    HintFormat.SEMVER: _matches(_SEMVER),
    HintFormat.DATETIME: _datetime,
}
