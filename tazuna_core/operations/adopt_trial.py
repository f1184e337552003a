"""Builds changed files beside the repository, and holds what comes out against what was wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tazuna_core.build.builder import build_all
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.build.scratch import Scratch, roots_of
from tazuna_core.diff.adopting import Adopting
from tazuna_core.diff.verdicts import FieldVerdict
from tazuna_core.objects.identity import JsonObject
from tazuna_core.operations.adopt_choice import Wish
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType

EDITABLE = frozenset({ManifestType.DIRECTORY, ManifestType.KUSTOMIZE})
ANYBODY = ""
"""Whose problem it is when one change cannot be told from the others of its manifest."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What one object is to be built as."""

    wish: Wish
    fields: tuple[FieldVerdict, ...]
    adopting: Adopting
    built: JsonObject
    wanted: JsonObject

    def of(self, fields: tuple[FieldVerdict, ...]) -> Goal:
        """The same object with some of the fields alone."""
        return replace(self, fields=fields, wanted=self.adopting.adopted(self.built, fields))

    @property
    def key(self) -> str:
        return str(self.wish.key)


Problems = dict[str, dict[str, str]]
"""By manifest, and there by state key: what is not as it was wanted."""


def related(manifests: Iterable[Manifest], chosen: Sequence[Manifest]) -> list[Manifest]:
    """Returns the manifests that are built from files which those of ``chosen`` are built from too."""
    roots = [root for manifest in chosen for root in roots_of(manifest)]

    def shares(manifest: Manifest) -> bool:
        mine = roots_of(manifest)
        return any(one.is_relative_to(other) or other.is_relative_to(one) for one in mine for other in roots)

    return [one for one in manifests if one.type in EDITABLE and (one in chosen or shares(one))]


class Trial:
    """Manifests as they are built now, and a place to build them otherwise."""

    def __init__(self, scratch: Scratch, before: Sequence[BuiltManifest], settings: BuildSettings) -> None:
        self._scratch, self._before, self._settings = scratch, before, settings

    def problems(self, files: Mapping[Path, bytes], goals: Sequence[Goal]) -> Problems:
        """Builds with other content of some files and returns all that is not as it should be."""
        self._scratch.set(files)
        manifests = [self._scratch.manifest(one.manifest) for one in self._before]
        return compare(self._before, build_all(manifests, self._settings), goals)


def compare(before: Sequence[BuiltManifest], after: Sequence[BuiltManifest], goals: Sequence[Goal]) -> Problems:
    """Returns what is wrong with a build: adopted paths that are not live's, and anything else that changed."""
    out: Problems = {}
    for one, other in zip(before, after, strict=True):
        mine = {goal.key: goal for goal in goals if goal.wish.manifest.index == one.manifest.index}
        found = _problems(one, other, mine)
        if found:
            out[one.manifest.name] = found
    return out


def _problems(before: BuiltManifest, after: BuiltManifest, goals: Mapping[str, Goal]) -> dict[str, str]:
    if after.error is not None:
        same = before.error is not None and not goals
        return {} if same else {ANYBODY: f"it does not build any more: {after.error.message}"}
    old = {str(obj.key): obj for obj in before.objects}
    new = {str(obj.key): obj for obj in after.objects}
    out: dict[str, str] = {}
    for key, goal in goals.items():
        if key not in new:
            out[key] = "the change would give it another name: it is generated, so change what it is generated from"
            continue
        unmet = list(dict.fromkeys(goal.adopting.unmet(new[key].data, goal.wanted, goal.fields)))
        if unmet:
            out[key] = f"the build would not say what is live at {', '.join(unmet[:3])}: something later sets it"
    others = [key for key in {**old, **new} if key not in goals and _differs(old.get(key), new.get(key))]
    if others and not out:
        out[ANYBODY] = f"{others[0]} would change as well"
    return out


def _differs(one: object, other: object) -> bool:
    return getattr(one, "content_hash", None) != getattr(other, "content_hash", None)
