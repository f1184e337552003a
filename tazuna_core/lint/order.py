"""Lints of all objects together: what comes before what it needs, and what is declared twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tazuna_core.objects.identity import Identity
from tazuna_core.objects.model import BuiltObject

ALWAYS_THERE = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Namespaces that a new cluster has."""


@dataclass(frozen=True, slots=True)
class Member:
    """An object with what it is in the cluster, and when it comes: manifests of one ``layer`` are applied together.

    ``manifest`` is the number of its manifest, ``label`` what to call that. ``place`` is where it is written, "" where
    it is rendered.
    """

    built: BuiltObject
    identity: Identity
    manifest: int
    layer: int
    label: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class OrderRemark:
    """What a lint has to say; ``first`` is the object it is shown at."""

    lint: str
    first: Member
    message: str


def order_remarks(members: Sequence[Member]) -> Iterator[OrderRemark]:
    """Yields a remark for each manifest and each definition or Namespace that its objects need and that comes later."""
    yield from _too_early(members, "crd-order", _defined, lambda one: (one.identity.group, one.identity.kind))
    yield from _too_early(
        members,
        "namespace-order",
        _named,
        lambda one: one.identity.namespace if one.identity.namespace not in ALWAYS_THERE else "",
    )


def duplicates(members: Sequence[Member]) -> Iterator[OrderRemark]:
    """Yields a remark for each object that a later manifest declares as well; ``members`` are in declaration order."""
    last: dict[Identity, Member] = {one.identity: one for one in members}
    for one in members:
        winner = last[one.identity]
        if winner.manifest != one.manifest:
            where = f" at {winner.place}" if winner.place else ""
            message = f"{one.built.ref} is declared by {one.label} and by {winner.label}{where}, which wins"
            yield OrderRemark("duplicate-object", one, message)


def _too_early(
    members: Sequence[Member],
    lint: str,
    provided: Callable[[Member], object],
    needed: Callable[[Member], object],
) -> Iterator[OrderRemark]:
    providers: Mapping[object, list[Member]] = defaultdict(list)
    for one in members:
        what = provided(one)
        if what:
            providers[what].append(one)
    early: dict[tuple[int, object], list[Member]] = {}
    for one in members:
        by = providers.get(needed(one))
        # definitions and Namespaces of its own manifest go first, whatever their place in it
        if by and all(other.manifest != one.manifest and other.layer >= one.layer for other in by):
            early.setdefault((one.manifest, needed(one)), []).append(one)
    for (_, what), ones in early.items():
        first, provider = ones[0], providers[what][0]
        when = "at the same time" if provider.layer == first.layer else "later"
        more = f" (and {len(ones) - 1} more)" if len(ones) > 1 else ""
        needed_one = f"{provider.built.ref}, which {provider.label} brings {when}"
        yield OrderRemark(lint, first, f"{first.built.ref}{more} needs {needed_one}")


def _defined(one: Member) -> object:
    """Group and kind that a definition brings, None for other objects."""
    spec = one.built.data.get("spec")
    if one.identity.kind != "CustomResourceDefinition" or not isinstance(spec, dict):
        return None
    names = spec.get("names")
    kind = names.get("kind") if isinstance(names, dict) else None
    return (str(spec.get("group", "")), str(kind)) if kind else None


def _named(one: Member) -> object:
    return one.identity.name if (one.identity.group, one.identity.kind) == ("", "Namespace") else None
