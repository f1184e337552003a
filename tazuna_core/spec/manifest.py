"""A manifest ready for work: as declared, with the folder its paths start from and its place in the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from tazuna_core.errors import Place
from tazuna_core.spec.models_manifest import DeclaredManifest, ManifestType


class Manifest(DeclaredManifest):
    """One manifest after include expansion.

    ``base`` is the folder of the file that declares it, as the user named it. ``place`` is where it is declared.
    ``children`` are those of `type: parallel`. ``includes`` is always empty.
    """

    type: ManifestType
    base: Path
    place: Place
    children: tuple[Manifest, ...] = ()
    index: int = Field(description="Its number among all manifests of the specification, from 0.")

    @property
    def source(self) -> Path:
        """Where what it builds from lies: `path` seen from `base`."""
        return Path(os.path.normpath(self.base / self.path))

    @property
    def default_namespace(self) -> str:
        """The namespace for objects that name none, "" for none.

        Manifests of kustomize, helmfile and directory have one; those of oras have none, their delegates' is not
        written into objects (format reference, 4.2).
        """
        options = {
            ManifestType.KUSTOMIZE: self.kustomize,
            ManifestType.HELMFILE: self.helmfile,
            ManifestType.DIRECTORY: self.directory,
        }.get(self.type)
        return options.default_namespace if options else ""

    @property
    def label(self) -> str:
        """What to call it in a message: `manifest 'x'`, or its place where it has no name."""
        return f"manifest '{self.name}'" if self.name else f"the manifest at {self.place}"


def declared(
    manifest: DeclaredManifest, *, base: Path, place: Place, index: int, children: Iterable[Manifest]
) -> Manifest:
    """The declared manifest, whose type must be set, with what it needs for work."""
    fields = {name: getattr(manifest, name) for name in DeclaredManifest.model_fields}
    return Manifest.model_construct(
        set(manifest.model_fields_set), **fields, base=base, place=place, index=index, children=tuple(children)
    )


def flat(manifests: Iterable[Manifest]) -> Iterator[Manifest]:
    """The manifests that build something, in declaration order: children in the place of their `parallel`."""
    for manifest in manifests:
        if manifest.type is ManifestType.PARALLEL:
            yield from manifest.children
        else:
            yield manifest
