"""Desired against an answer of the server, by meaning: what is declared, and nothing else (verdicts 3).

Defaults and additions of the server are no difference. Where a record tells what was sent, it is asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.diff.walk import ORDER_CHANGED, Difference, empty_form, order_change, order_is_free, type_note
from tazuna_core.objects.comparable import same
from tazuna_core.objects.durations import parse_duration
from tazuna_core.objects.paths import ABSENT, Index, Key, Path, Value, keyed_items
from tazuna_core.objects.quantity import parse_quantity
from tazuna_core.objects.schema import Schema

EMPTINESS_SPEAKS = frozenset({"emptyDir", "podSelector", "namespaceSelector", "selector", "labelSelector"})
"""Structs whose ``{}`` is a statement: every pod, every namespace, a volume of that kind (rule 3)."""


def _ours(_path: Path) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Meaning:
    """How values of one object compare. ``built_in`` tells kinds of Kubernetes itself from custom resources.

    ``ours`` tells whether what is owned whole at a path is still as we left it: then the server's defaults inside are
    no difference; what somebody else wrote is compared to the letter (rule 5).
    """

    built_in: bool
    ours: Callable[[Path], bool] = _ours

    def differences(self, schema: Schema, desired: Any, other: Any) -> Iterator[Difference]:
        """Yields the paths that ``desired`` declares and ``other`` answers differently."""
        kind = desired.get("kind") if isinstance(desired, dict) else None
        for difference in self._walk(schema, desired, other, (), None):
            if not order_is_free(kind, difference):
                yield difference

    def equivalent(self, schema: Schema, desired: Any, other: Any, path: Path = ()) -> bool:
        """Whether ``other`` is what the server would make of ``desired`` at ``path``."""
        if desired is ABSENT or other is ABSENT:
            return desired is other or (desired is not ABSENT and self._says_nothing(schema, desired, path))
        return next(self._walk(schema, desired, other, path, None), None) is None

    def _walk(self, schema: Schema, desired: Any, other: Any, path: Path, atomic: Path | None) -> Iterator[Difference]:
        if other is ABSENT or other is None:
            if self._says_nothing(schema, desired, path):
                return
            other = empty_form(schema, desired)
        if other is ABSENT:
            yield Difference(path, desired, ABSENT, schema, atomic)
        elif isinstance(desired, dict) and isinstance(other, dict):
            yield from self._walk_map(schema, desired, other, path, atomic)
        elif isinstance(desired, list) and isinstance(other, list):
            yield from self._walk_list(schema, desired, other, path, atomic)
        elif not self._scalars_equal(schema, desired, other):
            yield Difference(path, desired, other, schema, atomic, type_note(desired, other))

    def _walk_map(
        self, schema: Schema, desired: dict[str, Any], other: dict[str, Any], path: Path, atomic: Path | None
    ) -> Iterator[Difference]:
        inside = path if schema.atomic and atomic is None else atomic
        speaks = bool(desired) or _empty_speaks(schema, path)
        if inside is not None and not speaks:
            return
        entries = schema.values is not None
        for name, value in desired.items():
            here = (*path, Key(name))
            if value is not None and entries and other.get(name) is None and not isinstance(value, (dict, list)):
                yield Difference(here, value, ABSENT, schema.child(name), inside)  # "" is a value in a map
            elif value is not None:
                yield from self._walk(schema.child(name), value, other.get(name, ABSENT), here, inside)
        if inside is not None and (entries or not desired or not self.ours(inside)):
            # a map that is owned whole excludes what it does not say; a struct has defaults
            for name, value in other.items():
                silent = not entries and self._says_nothing(schema.child(name), value, (Key(name),))
                if desired.get(name) is None and not silent:
                    yield Difference((*path, Key(name)), ABSENT, value, schema.child(name), inside)

    def _walk_list(
        self, schema: Schema, desired: list[Any], other: list[Any], path: Path, atomic: Path | None
    ) -> Iterator[Difference]:
        if not desired and (self.built_in or schema.list_type != "atomic"):
            return
        if schema.list_type == "map" and all(isinstance(item, dict) for item in [*desired, *other]):
            ours, theirs = dict(keyed_items(desired, schema)), dict(keyed_items(other, schema))
            yield from order_change(schema, ours, theirs, path, atomic)
            for key, item in ours.items():
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
        if found and self._permuted(schema, desired, other, atomic):
            yield Difference(path, desired, other, schema, atomic, ORDER_CHANGED)
        else:
            yield from found

    def _permuted(self, schema: Schema, desired: list[Any], other: list[Any], atomic: Path) -> bool:
        rest = list(other)
        for item in desired:
            found = next((i for i, one in enumerate(rest) if self._equal(schema.item, item, one, atomic)), None)
            if found is None:
                return False
            del rest[found]
        return True

    def _equal(self, schema: Schema, desired: Any, other: Any, atomic: Path) -> bool:
        return next(self._walk(schema, desired, other, (*atomic, Index(0)), atomic), None) is None

    def _says_nothing(self, schema: Schema, value: Any, path: Path) -> bool:
        """Whether a declared value equals absence (rule 3)."""
        if value is None:
            return True
        if isinstance(value, list):
            return not value
        if isinstance(value, dict):
            if not value:
                return isinstance(path[-1] if path else None, Key) and not _empty_speaks(schema, path)
            if schema.values is not None:
                return all(item is None for item in value.values())
            return all(self._says_nothing(schema.child(name), item, (*path, Key(name))) for name, item in value.items())
        return self.built_in and (value is False or value == "" or (value == 0 and not isinstance(value, bool)))

    def _scalars_equal(self, schema: Schema, desired: Any, other: Any) -> bool:
        if same(desired, other):
            return True
        if schema.scalar == "quantity":
            one, two = parse_quantity(desired), parse_quantity(other)
            return one is not None and one == two
        both_text = isinstance(desired, str) and isinstance(other, str)
        if both_text and not self.built_in and schema.scalar in ("", "string"):
            span = parse_duration(desired)
            return span is not None and span == parse_duration(other)
        return False


def _empty_speaks(schema: Schema, path: Path) -> bool:
    """Whether ``{}`` at ``path`` is a statement; a map without entries (a Service's selector) never is."""
    last = path[-1] if path else None
    return isinstance(last, Key) and last.name in EMPTINESS_SPEAKS and schema.values is None
