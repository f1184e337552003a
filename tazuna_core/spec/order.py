"""In which order manifests are handled: by `dependsOn` where any is given, else one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.problems import did_you_mean
from tazuna_core.spec.tags import select

Layers = tuple[tuple[Manifest, ...], ...]


@dataclass(frozen=True, slots=True)
class DependencyProblem:
    """A `dependsOn` entry, by its number, that cannot be followed."""

    manifest: Manifest
    entry: int
    message: str
    advice: str


def layers(manifests: Sequence[Manifest], tags: Sequence[str] = ()) -> Layers:
    """The manifests in layers: each begins when the one before has succeeded; within one, all may run together.

    With `dependsOn` anywhere: topological layers, declaration order inside a layer (format reference, 4). Without:
    a layer for each manifest. `tags` select afterwards, so what is left keeps its order and a dependency that was
    not selected holds nothing up. The manifests must come from a loaded specification, which has no cycles.
    """
    if any(manifest.depends_on for manifest in manifests):
        ordered, left = _kahn(manifests)
        if left:
            raise ValueError("dependsOn goes round; dependency_problems tells where")
    else:
        ordered = [[manifest] for manifest in manifests]
    selected = (select(layer, tags) for layer in ordered)
    return tuple(layer for layer in selected if layer)


def dependency_problems(manifests: Sequence[Manifest]) -> Iterator[DependencyProblem]:
    """Every `dependsOn` entry that names no manifest or its own, and one for each group that goes round."""
    owner = _owners(manifests)
    for manifest in manifests:
        for entry, name in enumerate(manifest.depends_on):
            target = owner.get(name)
            if target is None:
                message = f"{manifest.label} depends on '{name}', and no manifest has that name"
                yield DependencyProblem(manifest, entry, message, did_you_mean(name, owner))
            elif target is manifest:
                yield DependencyProblem(manifest, entry, f"{manifest.label} depends on itself", "Remove the entry.")
    yield from _cycles(manifests)


def _owners(manifests: Sequence[Manifest]) -> dict[str, Manifest]:
    """The top-level manifest of each name; the name of a child of `parallel` stands for the whole."""
    owner: dict[str, Manifest] = {}
    for manifest in manifests:
        for one in (manifest, *manifest.children):
            if one.name:
                owner.setdefault(one.name, manifest)
    return owner


def _waits_for(manifests: Sequence[Manifest]) -> dict[int, set[int]]:
    """The numbers of the manifests that each waits for, itself left out."""
    owner = _owners(manifests)
    return {
        manifest.index: {owner[name].index for name in manifest.depends_on if name in owner} - {manifest.index}
        for manifest in manifests
    }


def _kahn(manifests: Sequence[Manifest]) -> tuple[list[list[Manifest]], list[Manifest]]:
    """The layers, and those left because they wait for each other."""
    waits = _waits_for(manifests)
    ordered: list[list[Manifest]] = []
    left, done = list(manifests), set[int]()
    while True:
        ready = [manifest for manifest in left if waits[manifest.index] <= done]
        if not ready:
            return ordered, left
        ordered.append(ready)
        done |= {manifest.index for manifest in ready}
        left = [manifest for manifest in left if manifest.index not in done]


def _cycles(manifests: Sequence[Manifest]) -> Iterator[DependencyProblem]:
    _, left = _kahn(manifests)
    waits, by_index = _waits_for(manifests), {manifest.index: manifest for manifest in left}
    owner = _owners(manifests)
    seen: set[int] = set()
    for start in left:
        # Each of `left` waits for another of them, so the walk must come back to where it was.
        walk: list[int] = []
        at = start.index
        while at not in walk and at not in seen:
            walk.append(at)
            at = min(waits[at] & by_index.keys())
        seen.update(walk)
        if at not in walk:
            continue
        ring = [by_index[index] for index in walk[walk.index(at) :]]
        follower = ring[1]
        entry = next(number for number, name in enumerate(ring[0].depends_on) if owner.get(name) is follower)
        names = " -> ".join(one.name or one.label for one in [*ring, ring[0]])
        yield DependencyProblem(ring[0], entry, f"dependsOn goes round: {names}", "Remove one of these dependencies.")
