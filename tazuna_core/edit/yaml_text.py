"""Gives a YAML or JSON document other data by editing its text where the data differs, and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tazuna_core.edit.align import EDIT, KEEP, Step, align
from tazuna_core.edit.nodes import BLOCKS, CannotEditError, Entry, Node, parse
from tazuna_core.edit.scalars import after_dash, after_key, flow, inline, key, literal, quoted
from tazuna_core.objects.comparable import same
from tazuna_core.objects.yaml_documents import load_documents

_COLON = re.compile(r"\s*:")
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def edited(text: str, data: Any, *, is_json: bool = False, lines_above: int = 0) -> str:
    """Returns ``text``, which is one document, changed so that it reads as ``data``.

    Comments, order, quotes, line ends and every line that holds nothing of what changed stay. Raises CannotEditError
    where that cannot be done: a shared anchor, what only `<<` brings, odd syntax. What comes back was read again.
    ``lines_above`` are those of the file before this document, for the lines that errors name.
    """
    whole = text if text.endswith("\n") else f"{text}\n"
    before = _read(text)
    # libyaml knows no character that JSON writes as a pair of escapes; where it stands is all that is asked of it
    try:
        root = parse(_PAIR.sub("x" * 12, whole) if is_json else whole)
    except CannotEditError as error:
        raise CannotEditError(error.message, error.line and error.line + lines_above) from None
    if is_json:
        _assign(root, before)
    if not same(root.data, before):
        raise CannotEditError("its values are written in a way that cannot be followed")
    if same(before, data):
        return text
    editor = _Editor(whole, root, is_json, lines_above)
    editor.change(root, data, _Slot(-1, 0))
    out = editor.result()
    # a last line without an end stays so, unless its value ends in empty lines now
    for ending in (out if text.endswith("\n") else out.removesuffix("\n"), out):
        if same(_read(ending), data):
            return ending
    raise CannotEditError("the change cannot be written in place without changing something else")


def _assign(node: Node, data: Any) -> None:
    """Gives the nodes of a JSON text the values that its own reader found."""
    node.data = data
    for entry in node.entries:
        if not isinstance(data, dict) or entry.name not in data:
            raise CannotEditError("a key of it is written in a way that cannot be followed")
        _assign(entry.value, data[entry.name])
    for item, value in zip(node.items, data if node.items else (), strict=True):
        _assign(item, value)


def _read(text: str) -> Any:
    documents = load_documents(text, "text").documents
    return documents[0].data if len(documents) == 1 else None


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a value stands: right after its `:` or `-` (offset ``lead``), whose line is indented by ``indent``."""

    lead: int
    indent: int
    in_list: bool = False
    in_flow: bool = False


@dataclass(frozen=True, slots=True)
class _Child:
    """An entry or item of a collection: its own text, without separators."""

    start: int
    end: int


class _Editor:
    def __init__(self, text: str, root: Node, is_json: bool, lines_above: int) -> None:
        self._text, self._json, self._lines_above = text, is_json, lines_above
        self._edits: list[tuple[int, int, str]] = []
        self._gone: list[tuple[int, int]] = []
        self._newline = "\r\n" if "\r\n" in text else "\n"
        nodes = list(root.walk())
        self._aliased = {node.alias: node for node in nodes if node.alias}
        quotes = [node.style for node in nodes if node.style in ("'", '"')]
        self._quote = quotes[0] if quotes and not is_json else '"'
        self._offset = self._list_offset(nodes)
        pairs = (text[entry.key.end : entry.value.start] for node in nodes for entry in node.entries)
        self._compact = is_json and next(pairs, "") == ":"

    def result(self) -> str:
        """The text with all edits made."""
        out, at = [], 0
        for start, end, new in sorted(map(self._outside, self._edits), key=lambda edit: edit[:2]):
            if start < at:
                raise CannotEditError("two changes of it overlap", self._line(start))
            out += [self._text[at:start], new]
            at = end
        return "".join([*out, self._text[at:]])

    def _outside(self, edit: tuple[int, int, str]) -> tuple[int, int, str]:
        """Lines that were to come after a line which goes come after the one before it."""
        at, end, new = edit
        while at == end and (into := next((begin for begin, stop in self._gone if begin < at < stop), 0)):
            at = end = into - len(self._newline)
        return at, end, new

    def change(self, node: Node, new: Any, slot: _Slot) -> None:
        """Makes the value at ``node`` read as ``new``."""
        if same(node.data, new):
            return
        self._require_unshared(node, whole=False)
        if node.kind == "map" and isinstance(new, dict) and new and node.entries:
            self._map(node, new, slot)
        elif node.kind == "list" and isinstance(new, list) and new and node.items:
            self._list(node, new, slot)
        else:
            self._replace(node, new, slot)

    # Maps

    def _map(self, node: Node, new: dict[str, Any], slot: _Slot) -> None:
        own = {entry.name: entry for entry in node.entries if not entry.merge}
        if len(own) != sum(not entry.merge for entry in node.entries):
            raise CannotEditError("a key is there twice", self._line(node.start))
        gone = [name for name in node.data if name not in new]
        for name in gone:
            if name not in own:
                raise CannotEditError(
                    f"'{name}' comes by '<<' from elsewhere, so it cannot be removed here", self._line(node.start)
                )
        kept = [entry for entry in node.entries if entry.merge or entry.name in new]
        if not kept:
            self._replace(node, new, slot)
            return
        for entry in kept:
            if not entry.merge and not same(entry.value.data, new[entry.name]):
                self.change(entry.value, new[entry.name], self._entry_slot(entry, node, slot))
        added = {
            name: value
            for name, value in new.items()
            if name not in own and not (name in node.data and same(node.data[name], value))
        }
        for name in gone:
            self._require_unshared(own[name].value)
        children = [_Child(entry.key.start, max(entry.value.end, entry.key.end)) for entry in node.entries]
        flags = [entry in kept for entry in node.entries]
        if node.flow:
            self._remove_in_flow(children, flags)
            unit, colon = self._unit(node, children), ":" if self._compact else ": "
            texts = [f"{self._key(name)}{colon}{self._flow(value, unit)}" for name, value in added.items()]
            last = children[max(index for index, flag in enumerate(flags) if flag)]
            self._insert_in_flow(node, children, last.end, texts)
            return
        self._remove_entries(children, flags)
        column = self._column(node.entries[0].key.start)
        last = children[max(index for index, flag in enumerate(flags) if flag)]
        for name, value in added.items():
            first, rest = after_key(value, column, self._offset, self._quote)
            self._insert_lines(self._line_end(last.end), [f"{' ' * column}{key(name, self._quote)}:{first}", *rest])

    def _entry_slot(self, entry: Entry, node: Node, slot: _Slot) -> _Slot:
        found = _COLON.match(self._text, entry.key.end)
        if found is None:
            raise CannotEditError(f"'{entry.name}' has no colon of its own", self._line(entry.key.start))
        return _Slot(found.end(), self._column(entry.key.start), in_flow=slot.in_flow or node.flow)

    def _remove_entries(self, children: Sequence[_Child], flags: Sequence[bool]) -> None:
        index = 0
        if not flags[0] and not self._first_in_line(children[0].start):  # `- name: x`: the next one moves up
            index = flags.index(True)
            self._edits.append((children[0].start, children[index].start, ""))
        for child, flag in list(zip(children, flags, strict=True))[index:]:
            if not flag:
                self._delete_lines(child.start, child.end)

    # Lists

    def _list(self, node: Node, new: list[Any], slot: _Slot) -> None:
        steps = align([item.data for item in node.items], new)
        kept = {step.old for step in steps if step.kind in (KEEP, EDIT)}
        flags = [index in kept for index in range(len(node.items))]
        dashes = None if node.flow else [self._dash(node, item) for item in node.items]
        first_stays = flags[0] and steps[0].kind in (KEEP, EDIT)
        if not kept or (dashes is not None and not first_stays and not self._first_in_line(dashes[0])):
            self._replace(node, new, slot)  # `- - a`: what comes first has no line of its own
            return
        for index, flag in enumerate(flags):
            if not flag:
                self._require_unshared(node.items[index])
        for step in steps:
            if step.kind == EDIT:
                lead = dashes[step.old] + 1 if dashes is not None else node.items[step.old].start
                indent = self._column(dashes[step.old]) if dashes is not None else slot.indent
                inner = _Slot(lead, indent, in_list=True, in_flow=slot.in_flow or node.flow)
                self.change(node.items[step.old], step.value, inner)
        if dashes is None:
            self._list_in_flow(node, steps, flags)
        else:
            self._list_in_block(node, steps, flags, dashes)

    def _list_in_block(self, node: Node, steps: Sequence[Step], flags: Sequence[bool], dashes: Sequence[int]) -> None:
        for index, flag in enumerate(flags):
            if not flag:
                self._delete_lines(dashes[index], node.items[index].end)
        at = -1
        column = self._column(dashes[0])
        for step in steps:
            if step.kind in (KEEP, EDIT):
                at = step.old
                continue
            if step.old >= 0:  # an item that stood elsewhere: its text moves, comments and all
                moved = self._text[dashes[step.old] : self._line_end(node.items[step.old].end)]
                new = [" " * column + moved]
            else:
                first, rest = after_dash(step.value, column, self._offset, self._quote)
                new = [f"{' ' * column}-{first}", *rest]
            if at >= 0:
                self._insert_lines(self._line_end(node.items[at].end), new)
            else:
                begin = self._line_start(dashes[flags.index(True)])
                self._edits.append((begin, begin, "".join(f"{line}{self._newline}" for line in new)))

    def _list_in_flow(self, node: Node, steps: Sequence[Step], flags: Sequence[bool]) -> None:
        children = [_Child(item.start, item.end) for item in node.items]
        self._remove_in_flow(children, flags)
        at, unit = -1, self._unit(node, children)
        for step in steps:
            if step.kind in (KEEP, EDIT):
                at = step.old
            elif at >= 0:
                self._insert_in_flow(node, children, children[at].end, [self._flow(step.value, unit)])
            else:
                begin = children[flags.index(True)].start
                separator = self._separator(node, children)
                self._edits.append((begin, begin, f"{self._flow(step.value, unit)},{separator}"))

    def _dash(self, node: Node, item: Node) -> int:
        column, at = self._column(node.start), self._line_start(item.start)
        while at >= 0:
            dash = at + column
            if self._text.startswith("-", dash) and (dash == node.start or not self._text[at:dash].strip()):
                return dash
            at = self._text.rfind("\n", 0, at - 1) + 1 if at > 0 else -1
        raise CannotEditError("a list item has no dash that can be found", self._line(item.start))

    # Flow style

    def _remove_in_flow(self, children: Sequence[_Child], flags: Sequence[bool]) -> None:
        index = 0
        while index < len(children):
            if flags[index]:
                index += 1
                continue
            run = index
            while index < len(children) and not flags[index]:
                index += 1
            if index < len(children):
                self._edits.append((children[run].start, children[index].start, ""))
            else:
                self._edits.append((children[run - 1].end, children[-1].end, ""))

    def _insert_in_flow(self, node: Node, children: Sequence[_Child], at: int, texts: Sequence[str]) -> None:
        separator = self._separator(node, children)
        self._edits += [(at, at, f",{separator}{text}") for text in texts]

    def _separator(self, node: Node, children: Sequence[_Child]) -> str:
        """What stands between two children: a new line like theirs, a blank, or nothing in compact JSON."""
        if self._many_lines(node, children):
            start = children[0].start
            return self._newline + self._text[self._line_start(start) : start]
        return "" if self._compact else " "

    def _many_lines(self, node: Node, children: Sequence[_Child]) -> bool:
        return "\n" in self._text[node.start : children[0].start] and self._first_in_line(children[0].start)

    def _unit(self, node: Node, children: Sequence[_Child]) -> tuple[str, str] | None:
        """How a value of several lines is indented in JSON that has them: the children's indent, and one step."""
        if not self._json or not self._many_lines(node, children):
            return None
        inner = self._text[self._line_start(children[0].start) : children[0].start]
        line = self._text[self._line_start(node.start) : node.start]
        outer = line[: len(line) - len(line.lstrip(" \t"))]
        return inner, inner.removeprefix(outer) or "  "

    def _flow(self, value: Any, unit: tuple[str, str] | None = None) -> str:
        if not self._json:
            return flow(value, quote=self._quote)
        if unit is None:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":") if self._compact else None)
        inner, step = unit
        return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", self._newline + inner)

    def _key(self, name: str) -> str:
        return json.dumps(name, ensure_ascii=False) if self._json else key(name, self._quote)

    # Values

    def _replace(self, node: Node, new: Any, slot: _Slot) -> None:
        """Writes a value anew."""
        self._require_unshared(node)
        if slot.lead < 0:
            raise CannotEditError("the whole document would change", self._line(node.start))
        same_line = "\n" not in self._text[slot.lead : node.start]
        block = isinstance(new, (dict, list)) and new and not slot.in_flow and not self._json
        if block and not (node.flow and node.data):
            render: Callable[..., tuple[str, list[str]]] = after_dash if slot.in_list else after_key
            first, rest = render(new, slot.indent, self._offset, self._quote)
            # a comment behind one line stays there; one behind the last of several lines goes with them
            self._edits.append((slot.lead, node.end if same_line else self._line_end(node.end), first))
            self._insert_lines(self._line_end(node.end), rest)
            return
        text = self._scalar(node, new, slot)
        start = node.start if same_line and node.end > node.start else slot.lead
        self._edits.append((start, node.end, text if start == node.start else f" {text}"))

    def _scalar(self, node: Node, new: Any, slot: _Slot) -> str:
        if isinstance(new, (dict, list)) or self._json:
            return self._flow(new)
        if not isinstance(new, str):
            return inline(new)
        if not slot.in_flow and (node.style in BLOCKS or "\n" in new):
            indent = self._block_indent(node) if node.style in BLOCKS else slot.indent + 2
            block = literal(new, indent)
            if block is not None:
                return self._newline.join(block)
        if node.style in ("'", '"'):
            return quoted(new, node.style)
        return inline(new, flow=slot.in_flow, quote=self._quote)

    def _block_indent(self, node: Node) -> int:
        for line in self._text[node.start : node.end].split("\n")[1:]:
            if line.strip():
                return len(line) - len(line.lstrip(" "))
        return self._column(self._line_start(node.start)) + 2

    def _require_unshared(self, node: Node, *, whole: bool = True) -> None:
        """Refuses to change what an alias elsewhere stands for: its other users would change too."""
        for one in node.walk() if whole else (node,):
            if one.anchor and one.anchor in self._aliased:
                where = self._line(self._aliased[one.anchor].start)
                raise CannotEditError(
                    f"the value is shared: it is anchored as '&{one.anchor}' and used again in line {where}",
                    self._line(one.start),
                )

    # Lines

    def _line(self, at: int) -> int:
        return self._lines_above + self._text.count("\n", 0, at) + 1

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        end = len(self._text) if end < 0 else end
        return end - 1 if end > at and self._text[end - 1] == "\r" else end

    def _column(self, at: int) -> int:
        return at - self._line_start(at)

    def _first_in_line(self, at: int) -> bool:
        return not self._text[self._line_start(at) : at].strip()

    def _delete_lines(self, start: int, end: int) -> None:
        begin, stop = self._line_start(start), self._text.find("\n", end)
        stop = len(self._text) if stop < 0 else stop + 1
        self._gone.append((begin, stop))
        self._edits.append((begin, stop, ""))

    def _insert_lines(self, at: int, new: Sequence[str]) -> None:
        self._edits.append((at, at, "".join(f"{self._newline}{line}" for line in new)))

    def _list_offset(self, nodes: Sequence[Node]) -> int:
        """How far lists stand inside their key in this document: 0 or 2, as the first one does."""
        for node in nodes:
            for entry in node.entries:
                value = entry.value
                if not node.flow and value.kind == "list" and not value.flow and value.items:
                    return 2 if self._column(value.start) > self._column(entry.key.start) else 0
        return 2
