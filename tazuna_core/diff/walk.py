"""The two-sided walk: (schema, left, right) to the smallest paths that differ. It yields and never prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from tazuna_core.objects.comparable import same
from tazuna_core.objects.paths import ABSENT, Index, Item, Key, Path, Value, keyed_items
from tazuna_core.objects.schema import Schema

_WEBHOOKS: Path = (Key("webhooks"),)

Equal = Callable[[Schema, Any, Any], bool]
"""Whether two values count as the same under a schema; checked before the walk goes deeper."""

ORDER_CHANGED = "order changed"
TYPE_CHANGED = "the same characters as text and not as text: quotes were lost or added"
CHANGED_ONLY_IN_FORM = "written otherwise, the same to the server"

ORDERED_LISTS = frozenset({"containers", "initContainers", "ephemeralContainers", "env"})
"""Keyed lists whose order means something to the kubelet: start order, and $(VAR) expansion (C23, verdicts 3)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One path at which two sides differ; a side without the path has ABSENT.

    ``atomic`` is the outermost atomic ancestor (or the path itself), which owns everything below it as a whole.
    """

    path: Path
    left: Any
    right: Any
    schema: Schema
    atomic: Path | None = None
    note: str = ""


def type_note(left: Any, right: Any) -> str:
    """Explains a difference that no reader would see: ``"true"`` and ``true``, ``"1"`` and ``1`` (C75)."""
    texts = [value if isinstance(value, str) else orjson.dumps(value).decode() for value in (left, right)]
    one_is_text = isinstance(left, str) is not isinstance(right, str)
    return TYPE_CHANGED if one_is_text and texts[0] == texts[1] else ""


def strictly_equal(_schema: Schema, left: Any, right: Any) -> bool:
    """Equality of two answers of the server: nothing is normalised."""
    return same(left, right)


def differences(schema: Schema, left: Any, right: Any, equal: Equal = strictly_equal) -> Iterator[Difference]:
    """Yields the smallest paths at which ``left`` and ``right`` differ (contract, section 4).

    An added or removed map entry or keyed item is one path, its own, be it the first or the last of its map or list:
    the server keeps no empty ones, so a missing map is one without entries. In atomic lists of equal length it is the
    item's field, else the list; a changed order alone is the list, with a note.
    """
    kind = left.get("kind") if isinstance(left, dict) else None
    for difference in _walk(schema, left, right, (), None, equal):
        if not order_is_free(kind, difference):
            yield difference


def parts_of(difference: Difference) -> Iterator[Difference]:
    """Yields what an added or removed struct or keyed item consists of; nothing where it is owned as a whole."""
    schema, path = difference.schema, difference.path
    if difference.atomic is not None or schema.atomic:
        return
    if difference.left is ABSENT and isinstance(difference.right, dict):
        yield from _walk(schema, {}, difference.right, path, None, strictly_equal)
    elif difference.right is ABSENT and isinstance(difference.left, dict):
        yield from _walk(schema, difference.left, {}, path, None, strictly_equal)


def order_is_free(kind: str | None, difference: Difference) -> bool:
    """Whether a changed order means nothing after all: validating webhooks are called side by side."""
    free = difference.note == ORDER_CHANGED and difference.path == _WEBHOOKS
    return free and kind != "MutatingWebhookConfiguration"


def _walk(schema: Schema, left: Any, right: Any, path: Path, atomic: Path | None, equal: Equal) -> Iterator[Difference]:
    if left is ABSENT or right is ABSENT:
        if left is right or equal(schema, left, right):
            return
        empty = empty_form(schema, right if left is ABSENT else left)
        if empty is ABSENT:
            yield Difference(path, left, right, schema, atomic)
            return
        left, right = (empty, right) if left is ABSENT else (left, empty)
    if equal(schema, left, right):
        return
    if isinstance(left, dict) and isinstance(right, dict):
        inside = atomic if atomic is not None or not schema.atomic else path
        for name in _union(left, right):
            yield from _walk(
                schema.child(name), left.get(name, ABSENT), right.get(name, ABSENT), (*path, Key(name)), inside, equal
            )
    elif isinstance(left, list) and isinstance(right, list):
        yield from _walk_list(schema, left, right, path, atomic, equal)
    else:
        yield Difference(path, left, right, schema, atomic, type_note(left, right))


def empty_form(schema: Schema, present: Any) -> Any:
    """Returns the empty form of a map or keyed list (C14), ABSENT for all that is one path by itself."""
    if isinstance(present, dict) and schema.values is not None and not schema.atomic:
        return {}
    if isinstance(present, list):
        keyed = schema.list_type == "map" and _all_objects(present)
        plain_set = schema.list_type == "set" and not _holds_structures(present)
        return [] if keyed or plain_set else ABSENT
    return ABSENT


def _walk_list(
    schema: Schema, left: list[Any], right: list[Any], path: Path, atomic: Path | None, equal: Equal
) -> Iterator[Difference]:
    if schema.list_type == "map" and _all_objects(left) and _all_objects(right):
        yield from _walk_keyed(schema, left, right, path, atomic, equal)
    elif schema.list_type == "set" and not _holds_structures(left) and not _holds_structures(right):
        yield from _walk_set(schema, left, right, path, atomic)
    else:
        inside = atomic if atomic is not None else path
        if len(left) != len(right):
            yield Difference(path, left, right, schema, inside)
        elif _permuted(left, right):
            yield Difference(path, left, right, schema, inside, ORDER_CHANGED)
        else:
            for index, (one, other) in enumerate(zip(left, right, strict=True)):
                yield from _walk(schema.item, one, other, (*path, Index(index)), inside, equal)


def _walk_keyed(
    schema: Schema, left: list[Any], right: list[Any], path: Path, atomic: Path | None, equal: Equal
) -> Iterator[Difference]:
    ours, theirs = dict(keyed_items(left, schema)), dict(keyed_items(right, schema))
    yield from order_change(schema, ours, theirs, path, atomic)
    for key in _union(ours, theirs):
        yield from _walk(schema.item, ours.get(key, ABSENT), theirs.get(key, ABSENT), (*path, key), atomic, equal)


def _walk_set(
    schema: Schema, left: list[Any], right: list[Any], path: Path, atomic: Path | None
) -> Iterator[Difference]:
    for value in left:
        if not any(same(value, other) for other in right):
            yield Difference((*path, Value(value)), value, ABSENT, schema.item, atomic)
    for value in right:
        if not any(same(value, other) for other in left):
            yield Difference((*path, Value(value)), ABSENT, value, schema.item, atomic)


def order_change(
    schema: Schema, left: dict[Item, Any], right: dict[Item, Any], path: Path, atomic: Path | None
) -> Iterator[Difference]:
    """Yields the keyed list itself where items that both sides have are in another order, and order counts there."""
    if _order_counts(path) and [key for key in left if key in right] != [key for key in right if key in left]:
        yield Difference(path, _names(left), _names(right), schema, atomic, ORDER_CHANGED)


def _order_counts(path: Path) -> bool:
    """Whether the order of the keyed list at ``path`` means something: admission calls mutating webhooks in order."""
    last = path[-1] if path else None
    if not isinstance(last, Key):
        return False
    return last.name in ORDERED_LISTS or path == _WEBHOOKS


def _permuted(left: list[Any], right: list[Any]) -> bool:
    def counted(items: list[Any]) -> Counter[bytes]:
        return Counter(orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in items)

    return counted(left) == counted(right)


def _names(items: dict[Item, Any]) -> list[str]:
    """What a list shows when only its order changed: the keys, which say it all."""
    return ["/".join(str(value) for _, value in key.keys) for key in items]


def _union(left: dict[Any, Any], right: dict[Any, Any]) -> list[Any]:
    return [*left, *(key for key in right if key not in left)]


def _all_objects(items: list[Any]) -> bool:
    return all(isinstance(item, dict) for item in items)


def _holds_structures(items: list[Any]) -> bool:
    return any(isinstance(item, (dict, list)) for item in items)
