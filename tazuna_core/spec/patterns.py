"""RE2 patterns of context names: whether they compile, and whether they match a whole name or a part of it."""

from __future__ import annotations

from enum import Enum
from typing import Any

import re2


class Match(Enum):
    """How a pattern matches a name."""

    WHOLE = "whole"
    PART = "part"
    NONE = "none"


def pattern_problem(pattern: str) -> str:
    """Why a pattern is no RE2 expression, in RE2's words; "" if it is one."""
    try:
        _compiled(pattern)
    except re2.error as error:
        reason = error.args[0] if error.args else "not readable"
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return ""


def match(pattern: str, name: str) -> Match:
    """How `pattern`, which must compile, matches `name`: whole is what `^(?:pattern)$` matches."""
    compiled = _compiled(pattern)
    if compiled.fullmatch(name):
        return Match.WHOLE
    return Match.PART if compiled.search(name) else Match.NONE


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False  # RE2 writes to standard error otherwise
    return re2.compile(pattern, options)
