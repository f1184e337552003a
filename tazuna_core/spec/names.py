"""Names of manifests: each once, and such that state can be kept under them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tazuna_core.spec.manifest import Manifest

# `tazuna-record-<name>.<n>` is the longest name made of it, and a ConfigMap's name has at most 253 characters.
LONGEST_NAME = 253 - len("tazuna-record-") - len(".999")
_STORABLE = re.compile(r"[a-z0-9-]*[a-z0-9]\Z")


@dataclass(frozen=True, slots=True)
class NameProblem:
    """What is wrong with the name of a manifest."""

    manifest: Manifest
    message: str
    advice: str


def duplicate_names(manifests: Sequence[Manifest]) -> Iterator[NameProblem]:
    """One problem for each manifest whose name an earlier one has; children of `parallel` count as well."""
    first: dict[str, Manifest] = {}
    for top in manifests:
        for manifest in (top, *top.children):
            if not manifest.name:
                continue
            earlier = first.setdefault(manifest.name, manifest)
            if earlier is not manifest:
                message = f"the manifest name '{manifest.name}' is given twice"
                yield NameProblem(manifest, message, f"It was given at {earlier.place}; state is kept by name.")


def storable(text: str) -> str:
    """The name nearest to a text under which state can be kept, "" where nothing of it can be in one."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:LONGEST_NAME].rstrip("-")


def is_storable(name: str) -> bool:
    """Whether state can be kept under a name."""
    return len(name) <= LONGEST_NAME and _STORABLE.match(name) is not None


def storage_problem(manifest: Manifest) -> NameProblem | None:
    """Why state can't be kept under the manifest's name; None if it can.

    The name is part of a ConfigMap's, which is a DNS subdomain (RFC 1123): the Go CLI fails when it saves there.
    """
    name = manifest.name
    if len(name) > LONGEST_NAME:
        return NameProblem(
            manifest, f"the manifest name '{name[:40]}...' is too long", f"Use at most {LONGEST_NAME} characters."
        )
    if _STORABLE.match(name):
        return None
    better = storable(name)
    return NameProblem(
        manifest,
        f"state can't be kept under the manifest name '{name}': it becomes part of a ConfigMap's name",
        f"Use small letters, digits and '-', not '-' at the end{f', such as {better!r}' if better else ''}.",
    )
