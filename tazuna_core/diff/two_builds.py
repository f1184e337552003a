"""Two builds of one object, without a cluster: what would be sent now against what would have been sent before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.moves import moved_from
from tazuna_core.diff.plan import NEEDS_REPLACE, REPLACED_KINDS
from tazuna_core.diff.plan_secrets import same_bytes, without_data
from tazuna_core.diff.reproducible import UNSTABLE, unstable
from tazuna_core.diff.secrets import CHANGED, MASK, values_of
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.diff.verdicts import FieldVerdict, HiddenDifference, ObjectVerdict, Status
from tazuna_core.diff.walk import CHANGED_ONLY_IN_FORM, Difference, differences
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import ABSENT, Key, Path, path_pointer
from tazuna_core.objects.schema import Schema
from tazuna_core.objects.sendable import is_secret, sendable


@dataclass(frozen=True, slots=True)
class Builds:
    """One object as two commits build it. ``unstable`` are paths that no two renders agree on (verdicts 9)."""

    ref: ObjectRef
    before: BuiltObject
    after: BuiltObject
    schema: Schema
    meaning: Meaning
    unstable: tuple[Path, ...] = ()


def compare_builds(builds: Builds) -> ObjectVerdict:
    """Says what merging would change of an object that both commits build; ``recorded`` is the earlier build."""
    before, after = builds.before, builds.after
    hashes = {"stored": before.content_hash, "built": after.content_hash}
    notes = [moved_from(before.key, after.key)] if before.key != after.key else []
    if before.content_hash == after.content_hash:
        status: Status = "moved" if notes else "unchanged"
        return ObjectVerdict(after.key, status, hashes=hashes, method="built", notes=tuple(notes))
    one, two = sendable(before.data, builds.ref), sendable(after.data, builds.ref)
    found = list(_differences(builds, one, two))
    hidden = tuple(HiddenDifference(UNSTABLE, each.path) for each in found if unstable(builds.unstable, each))
    fields = tuple(_field(builds, each, one, two) for each in found if not unstable(builds.unstable, each))
    if hidden and not fields:
        return ObjectVerdict(after.key, "unchanged", hashes=hashes, method="built", hidden=hidden, notes=tuple(notes))
    if (builds.ref.group, builds.ref.kind) in REPLACED_KINDS:
        notes.append(NEEDS_REPLACE)
    notes += [problem.message for problem in field_problems(builds.schema, two)]
    return ObjectVerdict(
        after.key, "modified", frozenset({"modified"}), hashes, "built", "exact", fields, hidden, tuple(notes)
    )


def _differences(builds: Builds, one: JsonObject, two: JsonObject) -> Iterator[Difference]:
    if is_secret(one) and is_secret(two):
        left, right = values_of(one), values_of(two)
        for name in dict.fromkeys([*left, *right]):
            path: Path = (Key("data"), Key(name))
            if name not in left or name not in right:
                sides = (MASK if name in left else ABSENT, MASK if name in right else ABSENT)
                yield Difference(path, *sides, builds.schema)
            elif not same_bytes(left[name], right[name]) and left[name] != right[name]:
                yield Difference(path, MASK, MASK, builds.schema, None, CHANGED)
        one, two = without_data(one), without_data(two)
    yield from differences(builds.schema, one, two)


def _field(builds: Builds, difference: Difference, one: JsonObject, two: JsonObject) -> FieldVerdict:
    in_form_only = not difference.note and _same_meaning(builds.meaning, difference)
    return FieldVerdict(
        difference.path,
        path_pointer(difference.path, one if difference.left is not ABSENT else two, builds.schema),
        "normalised" if in_form_only else "planned",
        recorded=difference.left,
        desired=difference.right,
        note=CHANGED_ONLY_IN_FORM if in_form_only else difference.note,
    )


def _same_meaning(meaning: Meaning, difference: Difference) -> bool:
    sides = [side for side in (difference.left, difference.right) if side is not ABSENT]
    if len(sides) == 1:
        return meaning.equivalent(difference.schema, sides[0], ABSENT, difference.path)
    return all(
        meaning.equivalent(difference.schema, desired, other, difference.path)
        for desired, other in (sides, reversed(sides))
    )
