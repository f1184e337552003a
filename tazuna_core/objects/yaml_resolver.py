"""What a YAML scalar means: the rules of go-yaml v2, which kubectl and the Go CLI read manifests with."""

from __future__ import annotations

import base64
import datetime as dt
import math
import re
import struct
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

Scalar = str | int | float | bool | None
"""A resolved scalar: what go-yaml v2 makes of it, before it becomes JSON. An int above int64 is Go's uint64."""

TAG_PREFIX = "tag:yaml.org,2002:"
MERGE_TAG = TAG_PREFIX + "merge"

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_STARTS = frozenset("+-.0123456789")

_BASED = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FIRST = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")  # Go's ParseFloat takes single _
_SIGN_AFTER_0B = re.compile(r"0b([-+][01]+)")  # go-yaml cuts the prefix, then Go reads a sign
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2}))"
    r"|(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?))?"
)


class ScalarError(ValueError):
    """A scalar that go-yaml or its way to JSON refuses; the message is for the user."""


def resolve_plain(text: str) -> Scalar:
    """Returns what a plain (unquoted, untagged) scalar means (verdicts 8.5; C63, C71, C72)."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if text[0] == ".":
        return _finite(text) if _POINT_FIRST.fullmatch(text) else text
    digits = text.replace("_", "")
    if based := _BASED.fullmatch(digits):
        integer = _based_integer(based)
        if integer is not None:
            return integer
    elif _DECIMAL.fullmatch(digits) and len(digits) <= 21:  # no 64-bit number is longer
        integer = int(digits)
        if INT64_MIN <= integer <= INT64_MAX or (integer <= UINT64_MAX and digits[0].isdigit() and integer > 0):
            return integer
    if _FLOAT.fullmatch(digits):
        value = _finite(digits)
        return text if isinstance(value, str) else value
    if signed := _SIGN_AFTER_0B.fullmatch(digits):
        integer = int(signed[1], 2)
        return integer if INT64_MIN <= integer <= INT64_MAX else text
    return text


def resolve_tagged(tag: str, text: str) -> Scalar:
    """Returns what a scalar with an explicit tag means; ScalarError if the text is none of that tag's.

    Tags that go-yaml does not know (``!foo``) leave a string.
    """
    name = tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else ""
    if name == "binary":
        return _binary(text)
    if name not in {"bool", "int", "float", "null", "timestamp"}:
        return text
    if name == "timestamp":
        if not _is_timestamp(text):
            raise ScalarError(f"'{text}' is not a !!timestamp")
        return text
    value = resolve_plain(text)
    found = _kind(value)
    if name == "float" and found == "int" and isinstance(value, int) and value <= INT64_MAX:
        return float(value)
    if found != name:
        raise ScalarError(f"'{text}' is not a !!{name}")
    return value


def json_value(value: Scalar) -> Scalar:
    """Returns the JSON value of a scalar; ScalarError for infinities and NaN, which JSON has not.

    An integral float becomes an integer where it fits int64, as it does on Go's way through JSON text; ``-0.0`` stays
    a float because Go's hash keeps its sign (C72).
    """
    if isinstance(value, float):
        return json_float(value)
    if isinstance(value, int) and value > INT64_MAX:
        return float(value)
    return value


def json_float(value: float) -> int | float:
    """Returns a finite float as the number that its shortest decimal text is; ScalarError if it is not finite."""
    if not math.isfinite(value):
        raise ScalarError("infinity and NaN are no JSON numbers")
    if value.is_integer() and abs(value) < 2**63 and (value or math.copysign(1, value) > 0):
        # Not int(value): Go prints the shortest digits that read back as the same double, then zeros.
        integer = int(Decimal(repr(value)))
        return integer if INT64_MIN <= integer <= INT64_MAX else value
    return value


def key_text(value: Scalar) -> str:
    """Returns a mapping key as the string that sigs.k8s.io/yaml makes of it; ScalarError where it makes none (C64)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float32_text(value)
    if value is None:
        raise ScalarError("a mapping key is null")
    if value > INT64_MAX:
        raise ScalarError(f"the mapping key {value} is no 64-bit integer")
    return str(value)


def _based_integer(match: re.Match[str]) -> int | None:
    sign, hexadecimal, octal, binary = match.groups()
    magnitude = int(hexadecimal or octal or binary, 16 if hexadecimal else 8 if octal else 2)
    value = -magnitude if sign == "-" else magnitude
    if INT64_MIN <= value <= INT64_MAX or (value <= UINT64_MAX and not sign):
        return value
    return None


def _finite(text: str) -> float | str:
    """Go's ParseFloat reports overflow, and go-yaml then leaves the text a string (C72: ``1e400``)."""
    value = float(text)
    return value if math.isfinite(value) else text


def _kind(value: Scalar) -> str:
    if value is None:
        return "null"
    return {bool: "bool", int: "int", float: "float"}.get(type(value), "str")


def _binary(text: str) -> str:
    compact = text.replace("\n", "").replace("\r", "")
    if not _BASE64.fullmatch(compact):  # Python's decoder takes too much padding
        raise ScalarError("a !!binary value is not base64")
    data = base64.b64decode(compact)
    # Go's encoding/json writes U+FFFD for each byte that is not UTF-8.
    return re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    year, month, day, *clock = (int(group) for group in match.groups() if group is not None)
    hour, minute, second = clock or (0, 0, 0)
    try:
        dt.date(year or 2000, month, day)  # Go knows a year 0, a leap year; Python does not
    except ValueError:
        return False
    return hour < 24 and minute < 60 and second < 60


def _float32_text(value: float) -> str:
    """Go's ``strconv.FormatFloat(value, 'g', -1, 32)``, with the names of YAML for what is not finite."""
    if math.isnan(value):
        return ".nan"
    single = _as_float32(value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    sign = "-" if math.copysign(1, single) < 0 else ""
    if not single:
        return sign + "0"
    digits, exponent = _shortest_float32(abs(single))
    if exponent < -4 or exponent >= 6:  # Go's bounds for 'g' with the shortest precision
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{exponent:+03d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def _as_float32(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shortest_float32(single: float) -> tuple[str, int]:
    """The fewest decimal digits that read back as this float32, the nearest of them, and the decimal exponent."""
    exact = Decimal(single)
    exponent = exact.adjusted()
    for places in range(9):
        step = Decimal(1).scaleb(exponent - places)
        candidates = {exact.quantize(step, ROUND_FLOOR), exact.quantize(step, ROUND_CEILING)}
        fitting = [candidate for candidate in candidates if _as_float32(float(candidate)) == single]
        if fitting:
            # Of two that are equally near Go takes the one with the even last digit.
            best = min(fitting, key=lambda candidate: (abs(candidate - exact), candidate.as_tuple().digits[-1] % 2))
            digits = "".join(map(str, best.as_tuple().digits)).rstrip("0")
            return digits, best.adjusted()
    raise AssertionError("nine digits name every float32")
