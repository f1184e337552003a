"""What an object of the repository has to say so that it says what is live, for chosen differences and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tazuna_core.diff.desired import EMPTINESS_SPEAKS, Meaning
from tazuna_core.diff.verdicts import FieldVerdict
from tazuna_core.diff.walk import ORDER_CHANGED, differences
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.paths import ABSENT, Item, Key, Path, keyed_items, lookup, path_text, schema_at, with_value
from tazuna_core.objects.schema import Schema

_KEPT = frozenset({"metadata", "spec"})
"""Fields that stay even when nothing is left in them."""


@dataclass(frozen=True, slots=True)
class Adopting:
    """One object's schema, how its values compare, and what is live of it."""

    schema: Schema
    meaning: Meaning
    live: JsonObject
    recorded: JsonObject | None = None
    """What the server answered to the last apply, where that is known: it tells what the server adds by itself."""

    def said_already(self, document: JsonObject, field: FieldVerdict) -> bool:
        """Whether the document says what is live at a field's path."""
        if self._reordered(field):
            names = self._names(self.live, field.path)
            return names == [name for name in self._names(document, field.path) if name in names]
        mine = lookup(document, field.path, self.schema)
        if field.live is ABSENT:  # what is there once more after the next apply, empty or not, is not as it is live
            return mine is ABSENT or mine is None or self._hollow(mine, field.path)
        return self.meaning.equivalent(schema_at(self.schema, field.path), mine, field.live, field.path)

    def contradicts(self, document: JsonObject, field: FieldVerdict) -> bool:
        """Whether the document says neither what is live nor what was applied: it was changed since."""
        mine = lookup(document, field.path, self.schema)
        if self.said_already(document, field) or (field.verdict == "extra" and mine is ABSENT):
            return False
        if field.verdict == "extra" or self._reordered(field):
            return field.verdict == "extra"
        return not self.meaning.equivalent(schema_at(self.schema, field.path), mine, field.recorded, field.path)

    def adopted(self, document: JsonObject, fields: Iterable[FieldVerdict]) -> JsonObject:
        """Returns the document with what is live at the paths of ``fields``; the input is left as it is."""
        out = document
        for field in fields:
            if self.said_already(out, field):
                continue
            value = self._value(out, document, field)
            is_new = lookup(out, field.path, self.schema) is ABSENT
            out = with_value(out, field.path, value, self.schema)
            if value is ABSENT:
                out = self._without_empty(out, field.path[:-1])
            elif is_new and isinstance(field.path[-1], Item):
                out = self._placed(out, field.path[:-1], field.path[-1])
        return out

    def unmet(self, built: JsonObject, wanted: JsonObject, fields: Iterable[FieldVerdict]) -> Iterator[str]:
        """Yields the paths at which a build is not what was wanted, or not what is live."""
        for field in fields:
            if not self.said_already(built, field):
                yield path_text(field.path)
        for difference in differences(self.schema, wanted, built):
            if difference.left is not ABSENT or not self._hollow(difference.right, difference.path):
                yield path_text(difference.path)

    def _hollow(self, value: Any, path: Path) -> bool:
        """Whether a map or list of a built-in kind that is there has no entries: the server does not keep it.

        A struct without fields is kept (`securityContext: {}`), and so is what says something by being empty.
        """
        last, node = path[-1] if path else None, schema_at(self.schema, path)
        if not self.meaning.built_in or not isinstance(last, Key) or last.name in EMPTINESS_SPEAKS:
            return False
        if isinstance(value, dict) and node.values is None:
            return bool(value) and all(self._hollow(inner, (*path, Key(name))) for name, inner in value.items())
        return value in ({}, [])

    def _value(self, document: JsonObject, original: JsonObject, field: FieldVerdict) -> Any:
        mine = lookup(document, field.path, self.schema)
        if self._reordered(field):
            return self._in_live_order(mine, field.path)
        if isinstance(mine, list) and isinstance(field.live, list):
            return self._with_own_items(mine, field.live, schema_at(self.schema, field.path))
        if mine is ABSENT and field.path and isinstance(field.path[-1], Item) and isinstance(field.live, dict):
            return self._without_defaults(original, field.path, field.live)
        return field.live

    def _without_defaults(self, original: JsonObject, path: Path, new: JsonObject) -> JsonObject:
        """A new item of a keyed list without what the server added to every other one as well."""
        node = schema_at(self.schema, path[:-1])
        applied = dict(keyed_items(lookup(self.recorded or {}, path[:-1], self.schema), node))
        declared = dict(keyed_items(lookup(original, path[:-1], self.schema), node))
        pairs = [(item, declared[key]) for key, item in applied.items() if key in declared]

        def added(name: str, value: Any) -> bool:
            theirs = [item.get(name, ABSENT) for item, mine in pairs if name not in mine]
            return bool(theirs) and all(one is not ABSENT and same(one, value) for one in theirs)

        kept = {key for key, _ in path[-1].keys} if isinstance(path[-1], Item) else set()
        return {name: value for name, value in new.items() if name in kept or not added(name, value)}

    def _with_own_items(self, mine: Sequence[Any], live: Sequence[Any], schema: Schema) -> list[Any]:
        """The live list, written with the items of ours that mean the same: without the server's defaults."""

        def ours(item: Any) -> Any:
            return next((one for one in mine if self.meaning.equivalent(schema.item, one, item)), item)

        return [ours(item) for item in live]

    def _reordered(self, field: FieldVerdict) -> bool:
        """Whether a keyed list has its items in another order; the verdict then holds their names alone."""
        return field.note == ORDER_CHANGED and schema_at(self.schema, field.path).list_type == "map"

    def _names(self, document: JsonObject, path: Path) -> list[Any]:
        items = lookup(document, path, self.schema)
        return [key for key, _ in keyed_items(items, schema_at(self.schema, path))]

    def _in_live_order(self, mine: Any, path: Path) -> Any:
        node = schema_at(self.schema, path)
        if node.list_type != "map" or not isinstance(mine, list):
            return lookup(self.live, path, self.schema)
        order = {key: index for index, key in enumerate(self._names(self.live, path))}
        found = sorted(keyed_items(mine, node), key=lambda pair: order.get(pair[0], len(order)))
        return [item for _, item in found]

    def _placed(self, document: JsonObject, path: Path, new: Item) -> JsonObject:
        """Moves the new item, which is the last of its list, behind the one that it stands behind in the cluster."""
        node = schema_at(self.schema, path)
        pairs = list(keyed_items(lookup(document, path, self.schema), node, new))
        live = [key for key, _ in keyed_items(lookup(self.live, path, self.schema), node, new)]
        if len(pairs) < 2 or pairs[-1][0] != new or new not in live:
            return document
        ours = [key for key, _ in pairs[:-1]]
        before = [key for key in live[: live.index(new)] if key in ours]
        at = ours.index(before[-1]) + 1 if before else 0
        items = [item for _, item in pairs]
        placed: JsonObject = with_value(document, path, [*items[:at], items[-1], *items[at:-1]], self.schema)
        return placed

    def _without_empty(self, document: JsonObject, path: Path) -> JsonObject:
        """Takes out the maps and lists in which nothing is left, where emptiness is no statement."""
        while path and isinstance(last := path[-1], Key):
            left = lookup(document, path, self.schema)
            if left not in ({}, []) or last.name in EMPTINESS_SPEAKS or (len(path) == 1 and last.name in _KEPT):
                break
            document = with_value(document, path, ABSENT, self.schema)
            path = path[:-1]
        return document
