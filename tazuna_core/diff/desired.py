"""Desired against an answer of the server, by meaning: what is declared, and nothing else (verdicts 3).

Defaults and additions of the server are no difference. Where a record tells what was sent, it is asked first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.diff.walk import ORDER_CHANGED, Difference, differences
from tazuna_core.objects.comparable import same
from tazuna_core.objects.durations import parse_duration
from tazuna_core.objects.paths import ABSENT, Index, Key, Path, Value, keyed_items
from tazuna_core.objects.quantity import parse_quantity
from tazuna_core.objects.schema import Schema

EMPTINESS_SPEAKS = frozenset({"emptyDir", "podSelector", "namespaceSelector", "selector", "labelSelector"})
"""Fields whose ``{}`` is a statement: every pod, every namespace, a volume of that kind (rule 3)."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """How values of one object compare. ``built_in`` tells kinds of Kubernetes itself from custom resources."""

    built_in: bool

    def differences(self, schema: Schema, desired: Any, other: Any) -> Iterator[Difference]:
        """Yields the paths that ``desired`` declares and ``other`` answers differently."""
        yield from self._walk(schema, desired, other, (), None)

    def equivalent(self, schema: Schema, desired: Any, other: Any, path: Path = ()) -> bool:
        """Whether ``other`` is what the server would make of ``desired`` at ``path``."""
        if desired is ABSENT or other is ABSENT:
            return desired is other or (desired is not ABSENT and self._says_nothing(desired, path))
        return next(self._walk(schema, desired, other, path, None), None) is None

    def _walk(self, schema: Schema, desired: Any, other: Any, path: Path, atomic: Path | None) -> Iterator[Difference]:
        if other is ABSENT or other is None:
            if not self._says_nothing(desired, path):
                yield Difference(path, desired, ABSENT, schema, atomic)
        elif isinstance(desired, dict) and isinstance(other, dict):
            yield from self._walk_map(schema, desired, other, path, atomic)
        elif isinstance(desired, list) and isinstance(other, list):
            yield from self._walk_list(schema, desired, other, path, atomic)
        elif not self._scalars_equal(schema, desired, other):
            yield Difference(path, desired, other, schema, atomic)

    def _walk_map(
        self, schema: Schema, desired: dict[str, Any], other: dict[str, Any], path: Path, atomic: Path | None
    ) -> Iterator[Difference]:
        if schema.atomic and atomic is None:
            if not desired and _last_key(path) not in EMPTINESS_SPEAKS:
                return
            # a map that is owned whole is compared whole: what it does not say, it excludes
            yield from (
                Difference((*path, *found.path), found.left, found.right, found.schema, path)
                for found in differences(schema, desired, other, self._same_meaning)
            )
            return
        for name, value in desired.items():
            if value is not None:
                yield from self._walk(schema.child(name), value, other.get(name, ABSENT), (*path, Key(name)), atomic)

    def _walk_list(
        self, schema: Schema, desired: list[Any], other: list[Any], path: Path, atomic: Path | None
    ) -> Iterator[Difference]:
        if not desired and (self.built_in or schema.list_type != "atomic"):
            return
        if schema.list_type == "map" and all(isinstance(item, dict) for item in [*desired, *other]):
            theirs = dict(keyed_items(other, schema))
            for key, item in keyed_items(desired, schema):
                yield from self._walk(schema.item, item, theirs.get(key, ABSENT), (*path, key), atomic)
        elif schema.list_type == "set":
            for value in desired:
                if not any(same(value, member) for member in other):
                    yield Difference((*path, Value(value)), value, ABSENT, schema.item, atomic)
        elif len(desired) != len(other):
            yield Difference(path, desired, other, schema, atomic or path)
        else:
            yield from self._walk_atomic(schema, desired, other, path, atomic or path)

    def _walk_atomic(
        self, schema: Schema, desired: list[Any], other: list[Any], path: Path, atomic: Path
    ) -> Iterator[Difference]:
        found = [
            difference
            for index, (one, two) in enumerate(zip(desired, other, strict=True))
            for difference in self._walk(schema.item, one, two, (*path, Index(index)), atomic)
        ]
        if found and self._permuted(schema, desired, other):
            yield Difference(path, desired, other, schema, atomic, ORDER_CHANGED)
        else:
            yield from found

    def _permuted(self, schema: Schema, desired: list[Any], other: list[Any]) -> bool:
        rest = list(other)
        for item in desired:
            found = next(
                (i for i, one in enumerate(rest) if self.equivalent(schema.item, item, one, (Index(0),))), None
            )
            if found is None:
                return False
            del rest[found]
        return True

    def _says_nothing(self, value: Any, path: Path) -> bool:
        """Whether a declared value equals absence (rule 3)."""
        if value is None:
            return True
        if value == {} and isinstance(value, dict):
            return _last_key(path) not in EMPTINESS_SPEAKS and isinstance(path[-1] if path else None, Key)
        if isinstance(value, list):
            return not value
        if isinstance(value, dict):
            return all(self._says_nothing(item, (*path, Key(name))) for name, item in value.items())
        return self.built_in and (value is False or value == "" or (value == 0 and not isinstance(value, bool)))

    def _scalars_equal(self, schema: Schema, desired: Any, other: Any) -> bool:
        if same(desired, other):
            return True
        if schema.scalar == "quantity" or (schema.scalar == "int-or-string" and not self.built_in):
            one, two = parse_quantity(desired), parse_quantity(other)
            return one is not None and one == two
        if not self.built_in and isinstance(desired, str) and isinstance(other, str):
            span = parse_duration(desired)
            return span is not None and span == parse_duration(other)
        return False

    def _same_meaning(self, schema: Schema, left: Any, right: Any) -> bool:
        if left is ABSENT or right is ABSENT:
            return False
        if isinstance(left, (dict, list)) or isinstance(right, (dict, list)):
            return same(left, right)
        return self._scalars_equal(schema, left, right)


def _last_key(path: Path) -> str:
    last = path[-1] if path else None
    return last.name if isinstance(last, Key) else ""
