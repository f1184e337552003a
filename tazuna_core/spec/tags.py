"""Selects manifests by tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tazuna_core.spec.manifest import Manifest


def select(manifests: Iterable[Manifest], tags: Sequence[str]) -> tuple[Manifest, ...]:
    """The manifests that have any of the tags, all of them where no tags are asked for.

    Of a `parallel` manifest without such a tag, only the children that have one remain.
    """
    if not tags:
        return tuple(manifests)
    wanted, selected = frozenset(tags), []
    for manifest in manifests:
        if wanted.intersection(manifest.tags):
            selected.append(manifest)
        elif children := select(manifest.children, tags):
            selected.append(manifest.model_copy(update={"children": children}))
    return tuple(selected)


def parse_tags(text: str) -> tuple[str, ...]:
    """The tags of `--tags a,b`."""
    return tuple(tag for tag in (part.strip() for part in text.split(",")) if tag)


def all_tags(manifests: Iterable[Manifest]) -> tuple[str, ...]:
    """Every tag in use, sorted, each once."""
    return tuple(sorted({tag for one in manifests for owner in (one, *one.children) for tag in owner.tags}))
