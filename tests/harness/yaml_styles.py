"""Writes objects as people do: block and flow style, comments, JSON, CRLF, no newline at the end; and reads lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

import yaml

Json = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """PyYAML, with text for what Kubernetes takes for text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith((":timestamp", ":value"))]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def documents(text: str) -> list[Json]:
    """The documents of a text."""
    return [one for one in yaml.load_all(text, Loader=_Loader) if one]


def commented(obj: Json) -> str:
    """Block style with a comment above most lines and behind many."""
    out = ["# the head of the file", ""]
    lines = yaml.safe_dump(obj, sort_keys=False, width=1000, allow_unicode=True).splitlines()
    literal = -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal >= 0 and (indent > literal or not line.strip()):
            out.append(line)
            continue
        literal = indent if line.rstrip().endswith(("|", "|-", "|+", ">", ">-")) else -1
        if number % 3 == 0:
            out.append(f"{' ' * indent}# about line {number}")
        plain = literal < 0 and line.count("'") % 2 == 0 and line.count('"') % 2 == 0
        out.append(f"{line}   # note {number}" if plain and number % 2 else line)
    return "\n".join([*out, "# the end", ""])


def flow(obj: Json) -> str:
    """Flow style, in lines of some length."""
    return yaml.safe_dump(obj, default_flow_style=True, sort_keys=False, width=70)


def mixed(obj: Json) -> str:
    """Block style with its innermost maps and lists in flow style, CRLF, and no end of the last line."""
    text = yaml.safe_dump(obj, default_flow_style=None, sort_keys=False, width=1000)
    return text.rstrip("\n").replace("\n", "\r\n")


def json_file(obj: Json) -> str:
    """JSON, as programs print it."""
    return json.dumps(obj, indent=2) + "\n"


def json_list(objects: Iterable[Json]) -> str:
    """One List in compact JSON, an item a line."""
    items = ",\n".join(json.dumps(one, separators=(",", ":")) for one in objects)
    return f'{{"apiVersion":"v1","kind":"List","items":[\n{items}\n]}}\n'


def touched(before: str, after: str) -> set[int]:
    """The numbers of the lines of ``before``, from 0, that are not in ``after`` as they were."""
    old, new = before.split("\n"), after.split("\n")
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return {n for tag, i1, i2, _, _ in matcher.get_opcodes() if tag != "equal" for n in range(i1, i2)}


def changed_lines(before: str, after: str) -> set[int]:
    """The lines that a change of the values must touch: those of the smallest entries and items that differ."""
    old = list(yaml.compose_all(before, Loader=_Loader))
    new = documents(after)
    lines: set[int] = set()
    for node, data in zip([one for one in old if one is not None], new, strict=True):
        lines.update(_lines(node, data))
    return lines


def _lines(node: Any, data: Any) -> Iterator[int]:
    if _value(node) == data:
        return
    if isinstance(node, yaml.MappingNode) and isinstance(data, dict):
        for key, value in node.value:
            if key.value not in data:
                yield from _span(key, value)
            elif _value(value) != data[key.value]:
                inner = set(_lines(value, data[key.value]))
                yield from inner
                if type(data[key.value]) is not type(_value(value)) or not data[key.value]:
                    yield from _span(key, value)
        last = node.flow_style and bool(node.value) and node.value[-1][0].value not in data
        if not set(data) <= {key.value for key, _ in node.value} or last:
            yield from _end(node)
            yield from (line for _, value in node.value if last for line in _end(value))  # its comma
    elif isinstance(node, yaml.SequenceNode) and isinstance(data, list):
        yield from _items(node, data)
    else:
        yield from _span(node, node)


def _items(node: Any, data: list[Any]) -> Iterator[int]:
    old = [json.dumps(_value(item), sort_keys=True) for item in node.value]
    new = [json.dumps(item, sort_keys=True) for item in data]
    for item, text in zip(node.value, old, strict=True):
        if text not in new:
            yield from _span(item, item)
    kept = [text for text in old if text in new]
    if kept != [text for text in new if text in old]:  # another order: which of them moved is a matter of taste
        yield from _span(node, node)
    if not set(new) <= set(old) or not data or (node.flow_style and old[-1] not in new):
        for item in node.value:
            yield from _end(item)
        yield from _end(node)


def _span(first: Any, last: Any) -> Iterator[int]:
    end = last.end_mark.line - (last.end_mark.column == 0 and last.end_mark.line > first.start_mark.line)
    return iter(range(first.start_mark.line, end + 1))


def _end(node: Any) -> Iterator[int]:
    """The lines at whose end something may be added: of flow style, and a last line that gets an end."""
    mark = node.end_mark
    yield from range(max(node.start_mark.line, mark.line - 2), mark.line + 1)


def _value(node: Any) -> Any:
    loader = _Loader("")
    try:
        return loader.construct_document(node)
    finally:
        loader.dispose()
