"""Where the fields of an object stand in the file that it was written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from tazuna_core.errors import BuildError, Place
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.yaml_documents import chunks

Step = str | int
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the latter only where PyYAML has no libyaml


class SourceLines:
    """The lines of fields in YAML files; a file's documents are read when the first of its fields is asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """``texts`` are the files by the names that places use."""
        self._texts = texts
        self._documents: dict[str, list[tuple[int, str]]] = {}
        self._roots: dict[tuple[str, int], yaml.Node | None] = {}

    def way(self, obj: BuiltObject, path: Sequence[Step]) -> list[int]:
        """Returns the lines on which the object begins, and each key and list item on the way to a field.

        Outermost first: the last is the line of the field, or of the nearest thing around it that is written there
        (what an alias or `<<` brings is not). Empty where the object's file is not known, the document's line where
        that cannot be read as YAML.
        """
        place = obj.place
        if place is None or place.file not in self._texts:
            return []
        found = self._root(place)
        if found is None:
            return [place.line]
        first, root = found
        item = _item(root, obj)
        nodes = [root, *(() if item is None else (item,)), *_along(item or root, path)]
        return [node.start_mark.line + first for node in nodes]

    def _root(self, place: Place) -> tuple[int, yaml.Node] | None:
        if place.file not in self._documents:
            self._documents[place.file] = _chunks(self._texts[place.file], place.file)
        before = [one for one in self._documents[place.file] if one[0] <= place.line]
        if not before:
            return None
        first, text = before[-1]
        key = (place.file, first)
        if key not in self._roots:
            try:
                self._roots[key] = yaml.compose(text, Loader=_LOADER)
            except (yaml.YAMLError, RecursionError):
                self._roots[key] = None  # it was read by Go's rules, which take a little more
        root = self._roots[key]
        return None if root is None else (first, root)


def release_way(text: str, name: str) -> list[int]:
    """Returns the lines of a release of a helmfile: its own and that of its version, else of its chart.

    Empty where the helmfile is a template, or is not read as YAML.
    """
    if "{{" in text:
        return []
    try:
        releases = _child(yaml.compose(text, Loader=_LOADER), "releases")
    except (yaml.YAMLError, RecursionError):
        return []
    for item in releases.value if isinstance(releases, yaml.SequenceNode) else ():
        if _scalar(item, "name") == name:
            keys = {key.value: key.start_mark.line + 1 for key, _ in _entries(item)}
            return [item.start_mark.line + 1, keys.get("version") or keys.get("chart") or item.start_mark.line + 1]
    return []


def _chunks(text: str, source: str) -> list[tuple[int, str]]:
    try:
        return [(line, chunk.removeprefix("\ufeff")) for chunk, line in chunks(text, source, 1)]
    except BuildError:
        return []  # a stream of JSON, which has no comments and one line an object


def _item(root: yaml.Node, obj: BuiltObject) -> yaml.Node | None:
    """The item of a list (`kind: List`) that the object is; None for an object that is the document itself."""
    items = _child(root, "items")
    if not isinstance(items, yaml.SequenceNode) or _scalar(root, "kind") == obj.key.kind:
        return None
    for item in items.value:
        if _scalar(_child(item, "metadata"), "name") == obj.key.name and _scalar(item, "kind") in (obj.key.kind, ""):
            found: yaml.Node = item
            return found
    return None


def _along(node: yaml.Node, path: Sequence[Step]) -> Iterator[yaml.Node]:
    """The keys and list items on the way; not the values of keys, for a list begins where its first item does."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(node, yaml.SequenceNode) or step >= len(node.value):
                return
            node = node.value[step]
            yield node
        else:
            found = next(((key, value) for key, value in _entries(node) if key.value == step), None)
            if found is None:
                return
            yield found[0]
            node = found[1]


def _entries(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    return node.value if isinstance(node, yaml.MappingNode) else []


def _child(node: yaml.Node | None, name: str) -> yaml.Node | None:
    return next((value for key, value in _entries(node) if key.value == name), None)


def _scalar(node: yaml.Node | None, name: str) -> str:
    value = _child(node, name)
    return str(value.value) if isinstance(value, yaml.ScalarNode) else ""
