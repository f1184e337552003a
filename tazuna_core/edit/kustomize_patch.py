"""Patches of kustomize from one object to another: a strategic merge where that can say it, else JSON6902."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tazuna_core.diff.desired import EMPTINESS_SPEAKS
from tazuna_core.diff.walk import ORDERED_LISTS
from tazuna_core.edit.align import EDIT, KEEP, align, identity
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.schema import ANY, Schema

Operation = dict[str, Any]
_ORDERED = ORDERED_LISTS | {"webhooks"}


class _CannotSay(Exception):  # noqa: N818 - no error, an answer
    pass


def strategic_merge(before: JsonObject, after: JsonObject, schema: Schema, *, built_in: bool) -> JsonObject | None:
    """Returns the body of a strategic merge patch, without apiVersion, kind and name; None where it cannot say it.

    kustomize knows the merge keys of the kinds of Kubernetes itself (``built_in``); lists of other kinds it replaces.
    It puts what is added to a keyed list first, so where order counts it cannot say it; nor what leaves a set; and the
    null of a label or annotation becomes the text "null" where the patch has a target. What goes is named by itself:
    a map or list that went whole would take with it what the base adds later.
    """
    old, new = before.get("metadata") or {}, after.get("metadata") or {}
    if any(set(old.get(name) or ()) - set(new.get(name) or ()) for name in ("labels", "annotations")):
        return None
    try:
        return _merge(before, after, schema, built_in)
    except _CannotSay:
        return None


def operations(
    before: Any, after: Any, path: str = "", *, schema: Schema = ANY, built_in: bool = False
) -> list[Operation]:
    """Returns JSON6902 operations from one object to another.

    Before an item of a list is touched its name is tested, so that a base with other items fails, and loudly. Where
    the ``schema`` tells that a map or list may stay empty, its entries are removed and not the whole.
    """
    out: list[Operation] = []
    for name in [*before, *(name for name in after if name not in before)]:
        at = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
        node, granular = schema.child(name), built_in or name == "metadata"
        if name not in after and _may_be_empty(name, before[name], node, granular):
            left = _emptied(before[name], node)
            if isinstance(left, dict):
                out += operations(before[name], left, at, schema=node, built_in=granular)
            else:
                out += _list_operations(before[name], left, at, node, granular)
        elif name not in after:
            out.append({"op": "remove", "path": at})
        elif name not in before:
            out.append({"op": "add", "path": at, "value": after[name]})
        elif same(before[name], after[name]):
            continue
        elif isinstance(before[name], dict) and isinstance(after[name], dict) and before[name]:
            out += operations(before[name], after[name], at, schema=node, built_in=granular)
        elif isinstance(before[name], list) and isinstance(after[name], list):
            out += _list_operations(before[name], after[name], at, node, granular)
        else:
            out.append({"op": "replace", "path": at, "value": after[name]})
    return out


def merged(old: JsonObject, new: JsonObject, schema: Schema) -> JsonObject:
    """Returns one strategic merge patch that does what ``old`` and then ``new`` do."""
    out = dict(old)
    for name, value in new.items():
        mine, node = out.get(name), schema.child(name)
        if isinstance(mine, dict) and isinstance(value, dict):
            out[name] = merged(mine, value, node)
        elif isinstance(mine, list) and isinstance(value, list) and node.list_type == "map":
            out[name] = _merged_items(mine, value, node)
        else:
            out[name] = value
    return out


def appended(old: Sequence[Operation], new: Sequence[Operation]) -> list[Operation]:
    """Returns one list of operations that does what ``old`` and then ``new`` do."""
    out = [dict(one) for one in old]
    for one in new:
        last = next((i for i, before in enumerate(out) if before.get("path") == one["path"] and "value" in before), -1)
        repeats = [before for before in out if before.get("path") == one["path"]]
        if one["op"] == "replace" and len(repeats) == 1 and last >= 0 and out[last]["op"] in ("add", "replace"):
            out[last] = {**out[last], "value": one["value"]}
        elif one["op"] != "test" or one not in out:
            out.append(one)
    return out


def _merge(before: JsonObject, after: JsonObject, schema: Schema, built_in: bool) -> JsonObject:
    out: JsonObject = {}
    for name, value in before.items():
        if name in after:
            continue
        node = schema.child(name)
        if not _may_be_empty(name, value, node, built_in):
            out[name] = None
        elif isinstance(value, dict):
            out[name] = _merge(value, _emptied(value, node), node, built_in)
        else:
            out[name] = _merge_list(name, value, [], node)
    for name, value in after.items():
        mine, node = before.get(name), schema.child(name)
        if name in before and same(mine, value):
            continue
        if isinstance(mine, dict) and isinstance(value, dict) and mine and (value or node.values is not None):
            out[name] = _merge(mine, value, node, built_in)
        elif isinstance(mine, list) and isinstance(value, list) and built_in:
            out[name] = _merge_list(name, mine, value, node)
        else:
            out[name] = _whole(value)
    return out


def _may_be_empty(name: str, value: Any, schema: Schema, built_in: bool) -> bool:
    """Whether what is there may stay without an entry: to a server of built-in kinds that is as if it were gone.

    A struct may when all it holds is such maps and lists (`resources`); one with fields of its own says something.
    """
    if not built_in or not value or name in EMPTINESS_SPEAKS:
        return False
    if isinstance(value, list):
        return schema.list_type == "map"
    if not isinstance(value, dict):
        return False
    if schema.values is not None:
        return True
    return all(_may_be_empty(key, inner, schema.child(key), built_in) for key, inner in value.items())


def _emptied(value: Any, schema: Schema) -> Any:
    if isinstance(value, list):
        return []
    if schema.values is not None:
        return {}
    return {key: _emptied(inner, schema.child(key)) for key, inner in value.items()}


def _whole(value: Any) -> Any:
    """A value that is set as it is: null and emptiness mean something else in a patch."""
    if value is None or value in ({}, []):
        raise _CannotSay
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if inner is None:
            raise _CannotSay
        if isinstance(inner, (dict, list)) and inner:
            _whole(inner)
    return value


def _merge_list(name: str, before: list[Any], after: list[Any], schema: Schema) -> list[Any]:
    if schema.list_type == "set":
        raise _CannotSay
    if schema.list_type != "map":
        return list(_whole(after))
    ours, theirs = _keyed(before, schema), _keyed(after, schema)
    if [key for key in ours if key in theirs] != [key for key in theirs if key in ours]:
        raise _CannotSay
    out: list[Any] = []
    for key, item in ours.items():
        keys = {field: item[field] for field in schema.list_keys if field in item}
        if key not in theirs:
            out.append({"$patch": "delete", **keys})
        elif not same(item, theirs[key]):
            out.append({**keys, **_merge(item, theirs[key], schema.item, built_in=True)})
    added = [item for key, item in theirs.items() if key not in ours]
    if added and name in _ORDERED:
        raise _CannotSay
    return [*out, *map(_whole, added)]


def _keyed(items: list[Any], schema: Schema) -> dict[Any, Any]:
    """Items by their first key, which is the one kustomize merges by."""
    first = schema.list_keys[0]
    if not all(isinstance(item, dict) and isinstance(item.get(first), (str, int)) for item in items):
        raise _CannotSay
    out = {item[first]: item for item in items}
    if len(out) != len(items):
        raise _CannotSay
    return out


def _merged_items(old: list[Any], new: list[Any], schema: Schema) -> list[Any]:
    first = schema.list_keys[0]
    out = list(old)
    for item in new:
        at = next((i for i, one in enumerate(out) if one.get(first) == item.get(first)), -1)
        if at < 0:
            out.append(item)
        else:
            fresh = "$patch" in item or "$patch" in out[at]
            out[at] = item if fresh else merged(out[at], item, schema.item)
    return out


def _list_operations(before: list[Any], after: list[Any], path: str, schema: Schema, built_in: bool) -> list[Operation]:
    steps = align(before, after)
    kept = [step for step in steps if step.kind in (KEEP, EDIT)]
    fresh = [step for step in steps if step.kind not in (KEEP, EDIT)]
    named = all(identity(item) for item in before)
    if not before or not named or steps != [*kept, *fresh] or any(step.old >= 0 for step in fresh):
        return [{"op": "replace", "path": path, "value": after}]
    out: list[Operation] = []
    for step in kept:
        if step.kind == EDIT:
            at = f"{path}/{step.old}"
            inner = operations(before[step.old], step.value, at, schema=schema.item, built_in=built_in)
            out += [_test(before[step.old], at), *inner]
    for index in sorted(set(range(len(before))) - {step.old for step in kept}, reverse=True):
        out += [_test(before[index], f"{path}/{index}"), {"op": "remove", "path": f"{path}/{index}"}]
    return [*out, *({"op": "add", "path": f"{path}/-", "value": step.value} for step in fresh)]


def _test(item: JsonObject, path: str) -> Operation:
    (name, _), *_ = [identity(item)]
    return {"op": "test", "path": f"{path}/{name}", "value": item[name]}
