"""Lints of what manifests fetch: artifacts, charts and remote bases by a name that means another thing tomorrow."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from tazuna_core.lint.objects import moves

_EXACT = re.compile(r"v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_BRANCHES = frozenset({"main", "master", "head", "latest", "develop", "trunk"})
_FILE = re.compile(r"\.(?:ya?ml|json)$", re.IGNORECASE)


def artifact_problem(reference: str) -> str:
    """Returns what is wrong with the `reference` of an oras manifest, "" for one with a tag or digest."""
    problem = moves(reference)
    return f"the artifact '{reference}' {problem}" if problem else ""


def chart_problem(chart: str, version: str) -> str:
    """Returns what is wrong with the version of a remote chart: none at all, or a range (semver), "" for one version.

    A chart of a digest needs none.
    """
    if "@sha256:" in chart or _EXACT.fullmatch(version):
        return ""
    if not version:
        return f"the chart '{chart}' has no version: the newest is taken"
    return f"the version '{version}' of the chart '{chart}' is a range: the newest in it is taken"


def base_problem(address: str) -> str:
    """Returns what is wrong with a remote base of a kustomization: no `ref`, or that of a branch; "" where it has one.

    An address of a file has no `ref`: it is a branch in its path that moves.
    """
    named = f"the remote base '{_shown(address)}'"
    path, _, query = address.partition("?")
    if _FILE.search(path):
        branch = next((part for part in path.split("/") if part.casefold() in _BRANCHES), "")
        return f"{named} is read from '{branch}', which moves" if branch else ""
    given = parse_qs(query)
    ref = (given.get("ref") or given.get("version") or [""])[0]
    if not ref:
        return f"{named} has no `ref`: its default branch is taken"
    return f"{named} is read from '{ref}', which moves" if ref.casefold() in _BRANCHES else ""


def _shown(address: str) -> str:
    """An address without a password that it may hold."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return address.replace(f"{parts.netloc.rpartition('@')[0]}@", "", 1) if parts.password else address
