"""Compares `minimumSupportedTazunaVersion` with the line of Tazuna that this program implements."""

from __future__ import annotations

import re

from tazuna_core.errors import Place, RefusedError, UsageError

TAZUNA_LINE = "0.1.0"
"""The version of the Go CLI whose formats are implemented here; not this program's own version."""

_VERSION = re.compile(
    r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII
)

_Precedence = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def check_minimum(version: str, place: Place) -> None:
    """Lets a file pass that asks for this line or an earlier one; "" asks for nothing.

    Raises UsageError for what is no semantic version, RefusedError (code `version`) for a later one.
    """
    if not version:
        return
    wanted, ours = precedence(version), precedence(TAZUNA_LINE)
    if wanted is None or ours is None:
        raise UsageError(
            f"minimumSupportedTazunaVersion: '{version}' is not a version",
            advice=f"Write it like '{TAZUNA_LINE}' or 'v{TAZUNA_LINE}'.",
            place=place,
            code="wrong-value",
        )
    if wanted > ours:
        raise RefusedError(
            f"this file asks for Tazuna {version} or later, and this program implements {TAZUNA_LINE}",
            advice="Use a later release of this program, or lower minimumSupportedTazunaVersion.",
            place=place,
            code="version",
        )


def precedence(version: str) -> _Precedence | None:
    """A value that orders versions as semver.org 2.0.0, section 11, does; None for what is no version.

    A leading `v` and a missing minor or patch number are allowed; build metadata counts for nothing.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    major, minor, patch, before = match.groups()
    parts = before.split(".") if before else []
    if not all(parts):
        return None
    identifiers = tuple((False, int(p), "") if p.isdecimal() and len(p) < 20 else (True, 0, p) for p in parts)
    return int(major), int(minor or 0), int(patch or 0), not parts, identifiers


def is_pre_release(version: str) -> bool:
    """Whether a version is one such as `2.0.0-rc.1`; what is no version is none."""
    match = _VERSION.fullmatch(version)
    return match is not None and match[4] is not None
