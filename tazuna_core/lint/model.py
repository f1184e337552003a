"""The lints by their ids, and what one finds."""

from __future__ import annotations

from dataclasses import dataclass, field

from tazuna_core.errors import Place

ADVICE = {
    "image-tag": "Name a tag that stays, or a digest (`@sha256:...`).",
    "replicas": "Set `spec.replicas`, or let an autoscaler target it.",
    "mutable-reference": "Name one version, or a digest (`@sha256:...`).",
    "duplicate-object": "Keep one of the two.",
    "crd-order": "Move the CRD's manifest before it, or name that in `dependsOn`.",
    "namespace-order": "Move the Namespace's manifest before it, or name that in `dependsOn`.",
    "not-reproducible": "Give the chart these values instead of letting it make them up.",
    "switch-off": "Write `# tazuna: ignore[LINT] reason` on the line that a warning names, or directly above it.",
}
"""The id of each lint, and what to do about it (docs/lints.md has a row for each; a test holds them equal)."""

SWITCHABLE = frozenset(ADVICE) - {"switch-off"}
"""What a comment can switch off."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a lint found.

    ``place`` is where it is shown. A switch-off on one of ``lines`` (a file and a line each) counts for it: those on
    which something begins that it lies in. ``subject`` is the object it is about (`Kind/namespace/name`), ``key`` its
    state key, each empty where it is about no single one.
    """

    lint: str
    message: str
    place: Place
    lines: frozenset[tuple[str, int]] = field(default=frozenset())
    subject: str = ""
    key: str = ""
