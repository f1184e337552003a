"""Where the values of a helmfile manifest might say what was changed in the cluster: a hint, for a person to follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tazuna_core.diff.verdicts import FieldVerdict
from tazuna_core.edit.nodes import CannotEditError, Node
from tazuna_core.edit.nodes import parse as nodes_of
from tazuna_core.edit.scalars import flow, inline
from tazuna_core.objects.paths import ABSENT, Key, path_text
from tazuna_core.operations.adopt_choice import Wish

_MOST_FILES = 500
_MOST_HINTS = 3
_MOST_BYTES = 1 << 20


def values_hint(wish: Wish, root: Path) -> tuple[str, str, str]:
    """Returns why a chart's object cannot be adopted by itself, and which values may hold each changed field."""
    wanted = [f"{path_text(one.path)} = {_shown(one.live)}" for one in wish.fields]
    message = f"it is rendered by a chart; the cluster has {', '.join(wanted)}"
    source = wish.manifest.source
    folder = source if source.is_dir() else source.parent
    scalars = list(_scalars(folder))
    hints = []
    for one in wish.fields:
        for path, name, line, text in _candidates(scalars, one):
            where = path.resolve()
            shown = where.relative_to(root) if where.is_relative_to(root) else path
            hints.append(f"{shown}:{line} (`{name}: {text}`)")
    if hints:
        advice = f"Look at {'; '.join(dict.fromkeys(hints))}. Change the value, then `tazuna plan`."
    else:
        advice = "Find the value of the chart that sets it, change it, then `tazuna plan`."
    return "chart", message, advice


_Found = tuple[Path, str, int, str, Any]


def _candidates(scalars: list[_Found], field: FieldVerdict) -> Iterator[tuple[Path, str, int, str]]:
    """Values that hold what was applied, under a name like the field's; the tag of an image counts for the image."""
    last = next((one.name for one in reversed(field.path) if isinstance(one, Key)), "").casefold()
    sought = [field.recorded] if field.recorded is not ABSENT else []
    if last == "image" and isinstance(field.recorded, str):
        sought += [field.recorded.rpartition(":")[2], field.recorded.rpartition(":")[0]]
    found = 0
    for path, name, line, text, value in scalars:
        leaf = name.rpartition(".")[2].casefold()
        alike = last in leaf or leaf in last or (last == "image" and leaf in ("tag", "repository", "version"))
        named = (alike or last.rstrip("s") in leaf) and leaf != ""
        if named and any(type(value) is type(one) and value == one for one in sought):
            found += 1
            yield path, name, line, text
            if found == _MOST_HINTS:
                return


def _scalars(folder: Path) -> Iterator[_Found]:
    """Yields every scalar of the YAML files of a folder that are plain YAML, with its path of keys and its line."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".yml") and path.is_file()]
    for path in files[:_MOST_FILES]:
        if ".git" in path.parts or path.stat().st_size > _MOST_BYTES:
            continue
        try:
            text = path.read_text(encoding="utf-8")
            root = nodes_of(text)
        except (OSError, ValueError, CannotEditError):
            continue  # a template, or not YAML
        for name, node in _leaves(root, ""):
            yield path, name, text.count("\n", 0, node.start) + 1, flow(node.data), node.data


def _leaves(node: Node, name: str) -> Iterator[tuple[str, Node]]:
    for entry in node.entries:
        yield from _leaves(entry.value, f"{name}.{entry.name}" if name else entry.name)
    for index, item in enumerate(node.items):
        yield from _leaves(item, f"{name}[{index}]")
    if node.kind == "scalar" and name:
        yield name, node


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return flow(value)
    return "nothing" if value is ABSENT else inline(value)
