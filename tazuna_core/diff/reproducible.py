"""Values that change by themselves: two renders of one commit, compared (verdicts 9, C57)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tazuna_core.diff.walk import Difference, differences
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import ABSENT, Path
from tazuna_core.objects.schema import ANY, ANY_OBJECT, Schema
from tazuna_core.objects.sendable import sendable

UNSTABLE = "not reproducible"


@dataclass(frozen=True, slots=True)
class Unstable:
    """What two renders of one manifest do not agree on.

    ``fields`` has the paths by state key, those of what is sent; ``objects`` the state keys that one render has and
    the other has not, such as names with a random ending. No values.
    """

    fields: Mapping[str, tuple[Path, ...]]
    objects: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.fields or self.objects)


def compare_renders(
    first: Sequence[BuiltObject], second: Sequence[BuiltObject], schemas: Mapping[tuple[str, str], Schema]
) -> Unstable:
    """Compares two renders of the same inputs. ``schemas`` is by apiVersion and kind; what it lacks has none."""
    one, two = ({str(obj.key): obj for obj in render if obj.key.name} for render in (first, second))
    fields = {}
    for key in one.keys() & two.keys():
        left, right = one[key], two[key]
        if left.content_hash != right.content_hash:
            schema = schemas.get((left.ref.api_version, left.ref.kind), ANY)
            paths = _paths(ANY_OBJECT if schema is ANY else schema, left.data, right.data)
            if paths:
                fields[key] = paths
    return Unstable(dict(sorted(fields.items())), frozenset(one.keys() ^ two.keys()))


def unstable(paths: Iterable[Path], difference: Difference) -> bool:
    """Whether a difference is of values that no two renders agree on: of these, presence alone is compared."""
    both = difference.left is not ABSENT and difference.right is not ABSENT
    return both and any(difference.path[: len(path)] == path for path in paths)


def _paths(schema: Schema, one: JsonObject, two: JsonObject) -> tuple[Path, ...]:
    return tuple(difference.path for difference in differences(schema, sendable(one), sendable(two)))
