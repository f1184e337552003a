"""The objects of a manifest: lists expanded, default namespace set, validated, CustomResourceDefinitions first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.errors import InvalidObjectError, Place
from tazuna_core.objects.identity import Identity, JsonObject, StateKey, split_api_version
from tazuna_core.objects.model import BuiltObject, Notice
from tazuna_core.objects.yaml_documents import Documents, load_documents

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


@dataclass(frozen=True, slots=True)
class ManifestObjects:
    """The objects that a manifest names, in apply order, and what the user should see about its text."""

    objects: tuple[BuiltObject, ...]
    notices: tuple[Notice, ...]


def load_objects(text: bytes | str, source: str, manifest: str, default_namespace: str = "") -> ManifestObjects:
    """Returns the objects of rendered text, see `load_documents` and `objects_of`; their notices together."""
    return objects_of(load_documents(text, source), manifest, default_namespace)


def objects_of(documents: Documents, manifest: str, default_namespace: str = "") -> ManifestObjects:
    """Returns the objects of ``manifest`` (format reference, 2.5; verdicts, 8.7 and 8.8).

    ``List`` and ``<Kind>List`` are replaced by their items (C43), documents without kind are dropped with a notice,
    ``default_namespace`` is set on every object that names none, cluster-scoped ones too. An object with
    ``generateName`` alone has an empty name in its key: it cannot be compared (C27). Two objects of one identity (C26)
    are a notice, and both stay. Raises InvalidObjectError for what Kubernetes could not decode (C74).
    """
    notices = list(documents.notices)
    crds: list[BuiltObject] = []
    others: list[BuiltObject] = []
    for document in documents.documents:
        for data in _expand(document.data, document.place, notices):
            valid = _with_namespace(_validated(data, document.place), default_namespace)
            built = BuiltObject(StateKey.of(manifest, valid), valid, document.place)
            (crds if (built.key.group, built.key.kind) == _CRD else others).append(built)
    objects = (*crds, *others)
    notices += _repeated(objects)
    return ManifestObjects(objects, tuple(notices))


def _expand(data: JsonObject, place: Place, notices: list[Notice]) -> Iterator[JsonObject]:
    """Yields the objects that a document is: itself, the items of a list, or none."""
    if "kind" not in data:
        what = f"with {_some_keys(data)}" if data else "that is empty ({})"
        notices.append(Notice("no-kind", f"a document {what} has no kind and is left out", place))
        return
    if not _is_list(data):
        yield data
        return
    inherited = {}
    if data["kind"] != "List":
        inherited = {"apiVersion": data.get("apiVersion"), "kind": data["kind"].removesuffix("List")}
    for number, item in enumerate(data["items"] or (), 1):
        if not isinstance(item, dict):
            raise InvalidObjectError(
                f"item {number} of a {data['kind']} is no object",
                advice="Each item is a mapping with apiVersion, kind and metadata.",
                place=place,
            )
        yield from _expand({**inherited, **item}, place, notices)


def expanded(data: JsonObject, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], JsonObject]]:
    """Yields the objects that a document holds as they are written, each with its index in the list it is in."""
    if "kind" in data and _is_list(data):
        for number, item in enumerate(data["items"] or ()):
            if isinstance(item, dict):
                inherited = {} if data["kind"] == "List" else {"apiVersion": data.get("apiVersion")}
                kind = {} if data["kind"] == "List" else {"kind": data["kind"].removesuffix("List")}
                yield from expanded({**inherited, **kind, **item}, (*at, number))
    elif "kind" in data:
        yield at, data


def _is_list(data: JsonObject) -> bool:
    """Tells lists from objects whose kind only ends in List: these have a name, or items that are no objects (C43)."""
    kind = data["kind"]
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in data:
        return False
    items = data["items"]
    if kind == "List":
        return items is None or isinstance(items, list)
    metadata = data.get("metadata")
    if isinstance(metadata, dict) and metadata.get("name"):
        return False
    return items is None or (isinstance(items, list) and all(isinstance(item, dict) for item in items))


def _validated(data: JsonObject, place: Place) -> JsonObject:
    """Returns the object with metadata that is a mapping; InvalidObjectError for what kubectl fails to decode (C74)."""
    metadata = data.get("metadata")
    if metadata is None:
        metadata = {}
        data = {**data, "metadata": metadata}
    who = _reference(data)
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str) or not data[field]:
            raise InvalidObjectError(
                f"{who} has no {field}" if not data.get(field) else f"the {field} of {who} is not a string",
                advice="Every object needs apiVersion and kind, both strings.",
                place=place,
            )
    if not isinstance(metadata, dict):
        raise InvalidObjectError(
            f"metadata of {who} is not a mapping", advice="It holds at least the object's name.", place=place
        )
    for field in ("name", "generateName", "namespace"):
        _require_string(metadata.get(field), f"metadata.{field}", who, place)
    for field in ("labels", "annotations"):
        entries = metadata.get(field)
        if entries is not None and not isinstance(entries, dict):
            raise InvalidObjectError(
                f"metadata.{field} of {who} is not a mapping", advice="It maps names to strings.", place=place
            )
        for key, value in (entries or {}).items():
            _require_string(value, f"metadata.{field}['{key}']", who, place)
    if not metadata.get("name") and not metadata.get("generateName"):
        raise InvalidObjectError(
            f"{who} has no name", advice="Set metadata.name; an object without one cannot be applied.", place=place
        )
    return data


def _require_string(value: Any, field: str, who: str, place: Place) -> None:
    if value is not None and not isinstance(value, str):
        raise InvalidObjectError(
            f"{field} of {who} is {_spelled(value)}, not a string",
            advice="Quote the value, so that YAML does not read it as a number or boolean.",
            place=place,
        )


def _with_namespace(data: JsonObject, default_namespace: str) -> JsonObject:
    """Returns the object with the default namespace where it names none. The scope does not matter (format, 2.5)."""
    metadata = data["metadata"]
    if not default_namespace or metadata.get("namespace") is not None:
        return data
    return {**data, "metadata": {**metadata, "namespace": default_namespace}}


def _repeated(objects: tuple[BuiltObject, ...]) -> Iterator[Notice]:
    seen: dict[Identity, BuiltObject] = {}
    for built in objects:
        if not built.key.name:
            continue
        first = seen.setdefault(built.ref.identity, built)
        if first is not built:
            where = f", first at {first.place}" if first.place and first.place != built.place else ""
            yield Notice("duplicate-object", f"{built.ref} is there twice in one manifest{where}", built.place)


def _reference(data: JsonObject) -> str:
    metadata = data.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    api_version = data.get("apiVersion")
    kind = data.get("kind")
    parts = [
        kind if isinstance(kind, str) and kind else "an object",
        *(str(named[field]) for field in ("namespace", "name") if named.get(field) is not None),
    ]
    group = split_api_version(api_version)[0] if isinstance(api_version, str) else ""
    return "/".join(parts) + (f" ({group})" if group else "")


def _some_keys(data: JsonObject) -> str:
    keys = [f"'{key}'" for key in list(data)[:3]]
    return ", ".join(keys) + (", …" if len(data) > len(keys) else "")


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, dict) else str(value)
