"""What one apply has to do: the manifests in layers, what they build to, their tests; and the choice of `--only`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tazuna_core.build.model import BuiltManifest
from tazuna_core.errors import UsageError
from tazuna_core.operations.cluster_tests import Prepared
from tazuna_core.operations.desired import Desired
from tazuna_core.spec.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be applied: the selected manifests in layers, what they and others build to, the tests."""

    layers: Sequence[Sequence[Manifest]]
    built: Sequence[BuiltManifest]
    unbuilt: Sequence[Manifest] = ()
    """Manifests outside the selection whose objects are known by name alone."""
    tests: Mapping[str, Sequence[Prepared]] = field(default_factory=dict)
    root_tests: Sequence[Prepared] = ()

    def manifests(self) -> list[Manifest]:
        """The selected manifests in apply order."""
        return [manifest for layer in self.layers for manifest in layer]

    def selected(self) -> Iterator[BuiltManifest]:
        """What the selected manifests build to, in apply order."""
        by_name = {one.manifest.name: one for one in self.built}
        yield from (by_name[manifest.name] for manifest in self.manifests())


def only(wanted: dict[str, list[Desired]], keys: Sequence[str]) -> dict[str, list[Desired]]:
    """Keeps the named objects. Raises UsageError for a name that no object has, or several."""
    chosen: set[int] = set()
    every = [obj for objects in wanted.values() for obj in objects if not obj.superseded_by]
    for key in keys:
        found = [obj for obj in every if key == str(obj.built.key)] or [obj for obj in every if key == str(obj.ref)]
        if not found:
            raise UsageError(f"no manifest builds '{key}'", advice="`tazuna plan --all` lists every object.")
        if len(found) > 1:
            names = ", ".join(str(obj.built.key) for obj in found)
            raise UsageError(f"'{key}' is the name of several objects: {names}", advice="Give one of these keys.")
        chosen.add(id(found[0]))
    return {name: [obj for obj in objects if id(obj) in chosen] for name, objects in wanted.items()}
