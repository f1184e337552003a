"""Changes of a kustomization by which it builds an object otherwise: its own fields, or a patch file it lists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from tazuna_core.build.kustomization import NAMES
from tazuna_core.edit.kustomize_patch import appended, merged, operations, strategic_merge
from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.edit.nodes import parse as nodes_of
from tazuna_core.edit.scalars import lines
from tazuna_core.edit.stream import Part, decoded, parts_of, with_document
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.schema import Schema
from tazuna_core.operations.adopt_files import Overlay
from tazuna_core.operations.adopt_sources import secret_values

PatchWay = Literal["strategic-merge", "json6902", "transformer", "transformer-alone"]
_HEAD = "# What was changed in the cluster and taken over by `tazuna adopt`.\n"
_GENERATED = re.compile(r".*-[24-9bcdfghkmt]{10}")
"""What kustomize calls what it generates: a name and a digest of the content, in letters of its own."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.-]+")
_IMAGE = re.compile(r"(?P<name>[^@]+?)(?::(?P<tag>[^/@:]+))?(?:@(?P<digest>.+))?")


def is_generated(key: StateKey) -> bool:
    """Whether an object's name says that a generator of kustomize made it."""
    return (key.group, key.kind) == ("", "ConfigMap") and _GENERATED.fullmatch(key.name) is not None


class Kustomization:
    """The kustomization of a manifest's folder, read from and written to the overlay."""

    def __init__(self, overlay: Overlay, folder: Path) -> None:
        self._overlay, self.folder = overlay, folder
        self._file = next((folder / name for name in NAMES if (folder / name).is_file()), folder / NAMES[0])
        with overlay.named(self._file):
            self._text = decoded(overlay.read(self._file) or b"")
            found = parts_of(self._text)
            if len(found) != 1:
                raise CannotEditError(f"{self._file.name} is not one document")
        self._part: Part = found[0]
        self.data: JsonObject = found[0].data

    def put(self, data: JsonObject, key: str) -> None:
        """Writes other data."""
        with self._overlay.named(self._file):
            content = with_document(self._text, self._part, data).encode()
        self._overlay.put(self._file, content, key, secret_values([self._part]))

    def original(self, name: str) -> str:
        """An object's name before this kustomization gave it a prefix and a suffix."""
        prefix, suffix = str(self.data.get("namePrefix") or ""), str(self.data.get("nameSuffix") or "")
        return name.removeprefix(prefix).removesuffix(suffix)


def put_change(
    overlay: Overlay, folder: Path, key: StateKey, before: JsonObject, after: JsonObject, way: PatchWay, *,
    schema: Schema, built_in: bool, ambiguous: bool,
) -> bool:  # fmt: skip
    """Changes a kustomization so that it builds ``after``; False where a strategic merge cannot say it.

    `replicas` and `images` are changed for what they set and the rest goes the given way. ``transformer-alone`` leaves
    them: where they set it for other objects too.
    """
    kustomization = Kustomization(overlay, folder)
    rest = before if way == "transformer-alone" else by_own_fields(kustomization, before, after, str(key))
    if same(rest, after):
        return True
    kustomization = Kustomization(overlay, folder)
    if way in ("transformer", "transformer-alone"):
        put_transformer(overlay, kustomization, key, rest, after, schema=schema, built_in=built_in, ambiguous=ambiguous)
        return True
    return put_patch(
        overlay, kustomization, key, rest, after,
        schema=schema, built_in=built_in, ambiguous=ambiguous, json6902=way == "json6902",
    )  # fmt: skip


def by_own_fields(kustomization: Kustomization, before: JsonObject, after: JsonObject, key: str) -> JsonObject:
    """Changes `replicas` and `images` of the kustomization, which come after its patches, where they set a field.

    Returns what is left to be patched: ``before`` with what these fields do now.
    """
    data, left = kustomization.data, before
    name = str((before.get("metadata") or {}).get("name"))
    counts = (before.get("spec") or {}).get("replicas"), (after.get("spec") or {}).get("replicas")
    replicas = [dict(one) for one in data.get("replicas") or ()]
    for one in replicas:
        if one.get("name") in (name, kustomization.original(name)) and counts[0] != counts[1] and counts[1] is not None:
            one["count"] = counts[1]
            left = {**left, "spec": {**left["spec"], "replicas": counts[1]}}
            data = {**data, "replicas": replicas}
    images = [dict(one) for one in data.get("images") or ()]
    for old, new in _images(before, after):
        entry = next((one for one in images if old.partition("@")[0].rpartition("/")[2] and _sets(one, old)), None)
        if entry is not None:
            _set_image(entry, new)
            left = _with_image(left, old, new)
            data = {**data, "images": images}
    if data is not kustomization.data:
        kustomization.put(data, key)
    return left


def put_patch(
    overlay: Overlay, kustomization: Kustomization, key: StateKey, before: JsonObject, after: JsonObject, *,
    schema: Schema, built_in: bool, ambiguous: bool, json6902: bool,
) -> bool:  # fmt: skip
    """Writes a patch from one object to another and lists it. Returns False where a strategic merge cannot say it.

    ``ambiguous`` names the namespace as well, for there is another object of the kind and name. A patch that was
    adopted before is changed, not followed by a second one.
    """
    body: Any
    if json6902:
        body = operations(before, after, schema=schema, built_in=built_in)
    else:
        body = strategic_merge(before, after, schema, built_in=built_in)
        if body is None:
            return False
        metadata = {"name": kustomization.original(key.name), **body.pop("metadata", {})}
        body = {"apiVersion": key.api_version, "kind": key.kind, "metadata": metadata, **body}
    name = kustomization.original(key.name)
    file = kustomization.folder / _file_name(overlay, kustomization, key, ".json6902" if json6902 else "")
    if file.name not in _listed(kustomization):
        entry = {"path": file.name, "target": _target(key, name, with_namespace=ambiguous)}
        overlay.put(file, _file(body), str(key))
        patches = [*(kustomization.data.get("patches") or ()), entry]
        kustomization.put({**kustomization.data, "patches": patches}, str(key))
    elif json6902:
        with overlay.named(file):
            overlay.put(file, _file(appended(_operations_in(overlay, file), body)), str(key))
    else:
        text = decoded(overlay.read(file) or b"")
        with overlay.named(file):
            (part,) = parts_of(text)
            overlay.put(file, with_document(text, part, merged(part.data, body, schema)).encode(), str(key))
    return True


def put_transformer(
    overlay: Overlay, kustomization: Kustomization, key: StateKey, before: JsonObject, after: JsonObject, *,
    schema: Schema, built_in: bool, ambiguous: bool,
) -> None:  # fmt: skip
    """Writes a transformer from what is built to another object, and lists it.

    Transformers come after everything else in a kustomization, so this can change what its own fields set (labels,
    annotations, images); a patch cannot.
    """
    body = operations(before, after, schema=schema, built_in=built_in)
    file = kustomization.folder / _file_name(overlay, kustomization, key, ".transformer")
    if file.name in _listed(kustomization):
        (part,) = parts_of(decoded(overlay.read(file) or b""))
        body = appended(_parsed(str(part.data.get("patch"))), body)
    else:
        transformers = [*(kustomization.data.get("transformers") or ()), file.name]
        kustomization.put({**kustomization.data, "transformers": transformers}, str(key))
    data = {
        "apiVersion": "builtin",
        "kind": "PatchTransformer",
        "metadata": {"name": file.name.removesuffix(".yaml")},
        "target": _target(key, key.name, with_namespace=ambiguous),
        "patch": "".join(f"{line}\n" for line in lines(body, 0, 2)),
    }
    overlay.put(file, _file(data), str(key))


def _file(data: Any) -> bytes:
    return (_HEAD + "".join(f"{line}\n" for line in lines(data, 0, 2))).encode()


def _target(key: StateKey, name: str, *, with_namespace: bool) -> JsonObject:
    """What selects one object; kustomize takes names for patterns."""
    out = {"group": key.group} if key.group else {}
    out |= {"version": key.version, "kind": key.kind, "name": re.escape(name).replace("\\-", "-")}
    return out | ({"namespace": key.namespace} if with_namespace and key.namespace else {})


def _listed(kustomization: Kustomization) -> frozenset[str]:
    """The files that the kustomization names as patches and transformers."""
    patches = [one.get("path") for one in kustomization.data.get("patches") or () if isinstance(one, dict)]
    transformers = kustomization.data.get("transformers") or ()
    return frozenset(str(one) for one in [*patches, *transformers] if isinstance(one, str))


def _operations_in(overlay: Overlay, file: Path) -> list[Any]:
    return _parsed(decoded(overlay.read(file) or b""))


def _parsed(text: str) -> list[Any]:
    data = nodes_of(text).data
    if not isinstance(data, list):
        raise CannotEditError("the patch that was adopted before is no list of operations")
    return data


def _file_name(overlay: Overlay, kustomization: Kustomization, key: StateKey, ending: str) -> str:
    """A name for the file of an object, the same each time; a file that is not ours is left alone."""
    parts = ["adopted", key.kind.lower(), *([key.namespace] if key.namespace else []), key.name]
    stem, number = _NOT_IN_NAMES.sub("-", "-".join(parts)) + ending, 1
    while True:
        name = f"{stem}.yaml" if number == 1 else f"{stem}-{number}.yaml"
        there = overlay.read(kustomization.folder / name)
        if there is None or (name in _listed(kustomization) and _is_of(kustomization, name, key)):
            return name
        number += 1


def _is_of(kustomization: Kustomization, name: str, key: StateKey) -> bool:
    """Whether a listed patch is about an object of this group: kinds of two groups may share their name."""
    listed = [one for one in kustomization.data.get("patches") or () if isinstance(one, dict)]
    target = next((one.get("target") for one in listed if one.get("path") == name), None)
    return not isinstance(target, dict) or (target.get("group") or "") == key.group


def _images(before: Any, after: Any) -> list[tuple[str, str]]:
    """The images that differ, old and new, wherever containers stand in both objects."""
    found: list[tuple[str, str]] = []
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            other = after.get(name)
            if name in ("containers", "initContainers") and isinstance(value, list) and isinstance(other, list):
                theirs = {one.get("name"): one for one in other if isinstance(one, dict)}
                for one in value:
                    mate = theirs.get(one.get("name")) if isinstance(one, dict) else None
                    if mate is not None and one.get("image") != mate.get("image"):
                        found.append((str(one.get("image")), str(mate.get("image"))))
            else:
                found += _images(value, other)
    return found


def _sets(entry: JsonObject, image: str) -> bool:
    """Whether an entry of `images` made this image what it is."""
    match = _IMAGE.fullmatch(image)
    if match is None or match["name"] != (entry.get("newName") or entry.get("name")):
        return False
    tag, digest = entry.get("newTag"), entry.get("digest")
    return bool(tag or digest) and (tag is None or str(tag) == match["tag"]) and digest in (None, match["digest"])


def _set_image(entry: JsonObject, image: str) -> None:
    match = _IMAGE.fullmatch(image)
    if match is None:
        raise CannotEditError(f"'{image}' is no image")
    if match["name"] != (entry.get("newName") or entry.get("name")):
        entry["newName"] = match["name"]
    for field, value in (("newTag", match["tag"]), ("digest", match["digest"])):
        if value is None:
            entry.pop(field, None)
        else:
            entry[field] = value


def _with_image(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {k: new if k == "image" and v == old else _with_image(v, old, new) for k, v in value.items()}
    return [_with_image(item, old, new) for item in value] if isinstance(value, list) else value
