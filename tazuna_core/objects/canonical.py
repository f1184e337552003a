"""The content hash: SHA-256 of an object as Go's encoding/json writes it."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

import orjson

from tazuna_core.errors import InvalidObjectError

SERVER_FIELDS = frozenset({"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink"})
"""Fields of metadata that the API server writes; they never count (format reference, 3)."""

_OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    # orjson would write these as text; a hash of what is no JSON would be a defect.
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

_ESCAPES = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)
"""Go escapes these for HTML and JavaScript. In JSON text they occur in strings alone, so bytes can be replaced."""

_MAYBE_FLOAT = re.compile(rb"[:\[,]-?[0-9]+[.e]")
_STRING = re.compile(rb'"(?:[^"\\]+|\\.)*"')
_SURROGATE = re.compile("[\ud800-\udfff]")

_EXACT_INTEGER = 2**53
_FRAGMENT_DEPTH = 200  # orjson writes no more than 254 levels in one call


def content_hash(obj: dict[str, Any]) -> str:
    """Returns the hash that the Go CLI's state holds for this object: 64 hex digits (format reference, 3).

    ``status`` and the fields of metadata that the server writes do not count; metadata that is absent or null counts
    as empty. ``obj`` is not changed. Raises InvalidObjectError where Go's encoder fails too (see `canonical_json`).
    """
    counted = {field: value for field, value in obj.items() if field != "status"}
    metadata = obj.get("metadata")
    if metadata is None:
        counted["metadata"] = {}
    elif isinstance(metadata, dict):
        counted["metadata"] = {field: value for field, value in metadata.items() if field not in SERVER_FIELDS}
    return hashlib.sha256(canonical_json(counted)).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Returns JSON as Go's encoding/json marshals it when every number is a float64 (format reference, 3).

    Keys in the order of their UTF-8 bytes, no blanks, ``<>&`` and U+2028, U+2029 escaped, lone surrogates as U+FFFD;
    integral numbers below 1e21 in plain digits, others shortest, with an exponent below 1e-6 and from 1e21. ``value``
    is made of dict (with str keys), list, str, int, finite float, bool and None, and is not changed. Raises
    InvalidObjectError for numbers that are no float64 and for nesting that Python cannot walk.
    """
    try:
        text = orjson.dumps(value, option=_OPTIONS)
        exact = not _holds_float(text)
    except orjson.JSONEncodeError:  # an integer above 2**53, a lone surrogate, deep nesting
        exact = False
    if not exact:
        try:
            text = orjson.dumps(_as_go(value, 1), option=_OPTIONS)
        except RecursionError:
            raise InvalidObjectError(
                "an object is nested too deeply to be hashed",
                advice="Kubernetes objects nest some tens of levels; look for a template that includes itself.",
            ) from None
    for plain, escaped in _ESCAPES:
        if plain in text:
            text = text.replace(plain, escaped)
    return text


def go_number(value: float) -> str:
    """Returns a number as Go's encoding/json writes a float64; InvalidObjectError if it is none."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidObjectError(
            f"the number {value} cannot be written as JSON", advice="Quote it if it is meant as text."
        )
    shortest = repr(number)
    mantissa, _, exponent = shortest.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    # The number is 0.<digits> times ten to the power of `point`.
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0"
    if -6 < point <= 21:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        rest = digits[point:]
        return sign + digits[:point].ljust(point, "0") + (f".{rest}" if rest else "")
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def _holds_float(text: bytes) -> bool:
    """Tells whether orjson wrote a float, whose form may differ from Go's. Strings can look like one, so look twice."""
    return bool(_MAYBE_FLOAT.search(text)) and bool(_MAYBE_FLOAT.search(_STRING.sub(b'""', text)))


def _as_go(value: Any, depth: int) -> Any:
    """Returns a copy in which everything that orjson writes otherwise than Go is text already."""
    kind = type(value)
    if kind is str:
        return _SURROGATE.sub("\ufffd", value) if not value.isascii() else value
    if kind is float or (kind is int and not -_EXACT_INTEGER < value < _EXACT_INTEGER):
        return orjson.Fragment(go_number(value))
    copy: Any
    if kind is dict:
        copy = {}
        for key, member in value.items():  # no comprehension: it would take a second frame a level
            copy[_as_go(key, depth)] = _as_go(member, depth + 1)
    elif kind is list:
        copy = []
        for member in value:
            copy.append(_as_go(member, depth + 1))
    else:
        return value
    return orjson.Fragment(orjson.dumps(copy, option=_OPTIONS)) if depth % _FRAGMENT_DEPTH == 0 else copy
