"""Digests of reports: equal content, equal digest, whatever the run and its warnings were (B25, B40)."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from tazuna_core.report.model import Report, Reports
from tazuna_core.report.seal import seal


def digest(report: Report | Reports) -> str:
    """Returns the SHA-256 (64 hex digits) of everything in a report but ``run``, ``warnings`` and places in files."""
    return _sha256([_without(one, ("run", "warnings")) for one in _each(report)])


def drift_fingerprint(report: Report | Reports) -> str:
    """Returns the SHA-256 of what differs and where, so that the same drift on two nights is the same.

    Left out besides ``run`` and ``warnings``: the commit, and the counts and coverage that move with the cluster.
    """
    return _sha256([_drift(one) for one in _each(report)])


def _each(report: Report | Reports) -> tuple[Report, ...]:
    sealed = seal(report)  # nothing derived from a secret value leaves this program, not even by way of a digest
    return sealed.reports if isinstance(sealed, Reports) else (sealed,)


def _without(report: Report, names: tuple[str, ...]) -> dict[str, Any]:
    data = report.model_dump(mode="json", by_alias=True)
    for manifest in data["manifests"]:
        for obj in manifest["objects"]:  # a line added above an object is no news of it
            del obj["file"], obj["line"]
    return {key: value for key, value in data.items() if key not in names}


def _drift(report: Report) -> dict[str, Any]:
    data = _without(report, ("run", "warnings", "counts", "coverage", "hidden", "result", "applied", "written"))
    data["target"] = {**data["target"], "commit": None, "base": None}
    for manifest in data["manifests"]:
        manifest["objects"] = [obj for obj in manifest["objects"] if obj["classes"]]
    data["manifests"] = [manifest for manifest in data["manifests"] if manifest["objects"]]
    data["errors"] = [error["code"] for error in data["errors"]]
    return data


def _sha256(data: object) -> str:
    return hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()
