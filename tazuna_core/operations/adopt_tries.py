"""Tries to write what is adopted, one way after another, until the build says what it should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tazuna_core.build.model import BuiltManifest
from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.objects.paths import path_text
from tazuna_core.operations.adopt_choice import Choice
from tazuna_core.operations.adopt_files import Overlay
from tazuna_core.operations.adopt_kustomize import PatchWay, put_change
from tazuna_core.operations.adopt_sources import directory_source, resource_source, rewritten
from tazuna_core.operations.adopt_trial import ANYBODY, Goal, Trial
from tazuna_core.spec.models_manifest import ManifestType

Form = Literal["kustomize-patch", "yaml"]
Way = Literal["yaml"] | PatchWay
"""How one object's change is written; the later ones are tried when the earlier ones do not build what is wanted."""


class _Obstacle(NamedTuple):
    """Why a change cannot be made, and where."""

    message: str
    file: str = ""
    line: int = 0


class Tries:
    """The ways of each goal that are left, tried together until all of them hold."""

    def __init__(
        self, root: Path, before: Sequence[BuiltManifest], form: Form | None, choice: Choice, trial: Trial
    ) -> None:
        """``before`` is what was built before any change; what cannot be written is left alone in ``choice``."""
        self._root, self._before, self._form, self._choice, self._trial = root, before, form, choice, trial

    def settled(self, goals: list[Goal]) -> tuple[Overlay, list[Goal]]:
        """Tries changes until all that are left build what they should; the others are left alone and said."""
        ways = {goal.key: self._ways(goal) for goal in goals}
        reasons: dict[str, _Obstacle] = {}
        while True:
            left = [goal for goal in goals if ways[goal.key]]
            overlay = Overlay(self._root)
            failed = self._written(overlay, left, ways)
            if not failed and left:
                problems = self._trial.problems(overlay.after, left)
                failed = {key: _Obstacle(why) for found in problems.values() for key, why in found.items() if key}
                for name, found in problems.items():
                    if ANYBODY in found:
                        failed |= self._culprits(name, found[ANYBODY], left, ways)
            for key, why in failed.items():
                reasons.setdefault(key, why)
                ways[key] = ways[key][1:]
                if not ways[key]:
                    at = next(index for index, goal in enumerate(goals) if goal.key == key)
                    rest = self._given_up(goals[at], reasons.pop(key))
                    if rest is not None:
                        goals[at], ways[key] = rest, self._ways(rest)
            if not failed:
                return overlay, left

    def _given_up(self, goal: Goal, why: _Obstacle) -> Goal | None:
        """Leaves the paths alone that cannot be written by themselves; returns what is left to try, if anything."""
        if len(goal.fields) == 1:
            found = [(goal.fields[0], why)]
        elif self._ways(goal) == ("yaml",):
            alone = [(one, self._alone(goal.of((one,)), "yaml")) for one in goal.fields]
            found = [(one, obstacle) for one, obstacle in alone if obstacle is not None]
        else:
            found = []
        if not found:
            self._not_possible(goal, why, "")
            return None
        for one, obstacle in found:
            self._not_possible(goal, obstacle, path_text(one.path))
        gone = [one for one, _ in found]
        rest = tuple(one for one in goal.fields if not any(one is other for other in gone))
        return goal.of(rest) if rest else None

    def _not_possible(self, goal: Goal, why: _Obstacle, path: str) -> None:
        advice = "Change it by hand, or put it back with `tazuna apply --only {key}`."
        self._choice.leave(
            goal.wish.key, ("not-possible", why.message, advice), refused=True, path=path, file=why.file, line=why.line
        )

    def _alone(self, goal: Goal, way: Way) -> _Obstacle | None:
        """What keeps one change from being written into the files as they are; None where nothing does."""
        try:
            self._write_one(Overlay(self._root), goal, way)
        except CannotEditError as error:
            return _Obstacle(error.message, error.file, error.line)
        return None

    def _culprits(
        self, manifest: str, message: str, goals: Sequence[Goal], ways: Mapping[str, Sequence[Way]]
    ) -> dict[str, _Obstacle]:
        """Finds which change is at fault by trying each alone; all of the manifest where none is by itself."""
        mine = [goal for goal in goals if goal.wish.manifest.name == manifest]
        out = {}
        for goal in mine if len(mine) > 1 else ():
            overlay = Overlay(self._root)
            self._written(overlay, [goal], ways)
            for found in self._trial.problems(overlay.after, [goal]).values():
                out[goal.key] = _Obstacle(next(iter(found.values())))
        return out or {goal.key: _Obstacle(message) for goal in mine or goals}

    def _ways(self, goal: Goal) -> tuple[Way, ...]:
        kustomize = goal.wish.manifest.type is ManifestType.KUSTOMIZE
        if not kustomize or self._form == "yaml":
            return ("yaml",)
        # by itself a transformer sets what `replicas` and `images` set too: only where these set it for others as well
        return ("strategic-merge", "json6902", "transformer", "transformer-alone")

    def _written(
        self, overlay: Overlay, goals: Sequence[Goal], ways: Mapping[str, Sequence[Way]]
    ) -> dict[str, _Obstacle]:
        failed = {}
        for goal in goals:
            way = ways[goal.key][0]
            try:
                if not self._write_one(overlay, goal, way):
                    failed[goal.key] = _Obstacle("a strategic merge patch cannot say it")
            except CannotEditError as error:
                # the line in the file as it is, not as the changes of other objects make it
                failed[goal.key] = self._alone(goal, way) or _Obstacle(error.message, error.file, error.line)
        return failed

    def _write_one(self, overlay: Overlay, goal: Goal, way: Way) -> bool:
        manifest, key = goal.wish.manifest, goal.wish.key
        if way == "yaml":
            find = directory_source if manifest.type is ManifestType.DIRECTORY else resource_source
            source = find(overlay, manifest, key)
            rewritten(overlay, source, goal.adopting.adopted(source.data, goal.fields), goal.key)
            return True
        ref = key.ref
        mates = [
            obj
            for one in self._before
            if one.manifest.index == manifest.index
            for obj in one.objects
            if (obj.ref.group, obj.ref.kind, obj.ref.name) == (ref.group, ref.kind, ref.name)
        ]
        return put_change(
            overlay, manifest.source, key, goal.built, goal.wanted, way,
            schema=goal.adopting.schema, built_in=goal.adopting.meaning.built_in, ambiguous=len(mates) > 1,
        )  # fmt: skip
