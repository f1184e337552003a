"""How a value is written: in which quotes, as which block, so that every YAML reader takes it for what it is."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import orjson
import yaml
from yaml.emitter import Emitter

from tazuna_core.objects.yaml_resolver import resolve_plain

_TEXT = "tag:yaml.org,2002:str"
_NOT_LITERAL = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_emitter: Any = Emitter(io.StringIO())
_dumper: Any = yaml.SafeDumper(io.StringIO())


def inline(value: Any, *, flow: bool = False, quote: str = '"') -> str:
    """Returns a scalar, or an empty map or list, on one line; ``quote`` is used where text needs quotes."""
    if not isinstance(value, str):
        return orjson.dumps(value).decode()
    analysis = _emitter.analyze_scalar(value)
    plain = analysis.allow_flow_plain if flow else analysis.allow_block_plain
    if plain and _stays_text(value):
        return value
    return quoted(value, quote)


def quoted(value: str, quote: str) -> str:
    """Returns text in quotes; in double ones where single ones cannot hold it."""
    if quote == "'" and not _NOT_LITERAL.search(value) and "\n" not in value:
        return "'" + value.replace("'", "''") + "'"
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def flow(value: Any, *, quote: str = '"') -> str:
    """Returns any value in flow style on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(k, quote)}: {flow(v, quote=quote)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item, quote=quote) for item in value) + "]"
    return inline(value, flow=True, quote=quote)


def key(name: str, quote: str = '"') -> str:
    """Returns a key of a map, in either style."""
    return inline(name, flow=True, quote=quote)


def literal(value: str, indent: int) -> list[str] | None:
    """Returns text as the lines of a literal block (the header first, the others indented), None where it cannot be."""
    if _NOT_LITERAL.search(value) or not value.strip() or value[0] in " \n\t":
        return None
    body = value.split("\n")
    if value.endswith("\n\n"):
        header, body = "|+", body[:-1]
    elif value.endswith("\n"):
        header, body = "|", body[:-1]
    else:
        header = "|-"
    return [header, *(f"{' ' * indent}{line}" if line else "" for line in body)]


def lines(value: Any, indent: int, offset: int, quote: str = '"') -> list[str]:
    """Returns a map or list that is not empty as lines of block style, each indented by ``indent``.

    ``offset`` is how far the lists of this file stand inside their key.
    """
    pad, out = " " * indent, []
    if isinstance(value, dict):
        for name, item in value.items():
            first, rest = after_key(item, indent, offset, quote)
            out += [f"{pad}{key(name, quote)}:{first}", *rest]
        return out
    for item in value:
        first, rest = after_dash(item, indent, offset, quote)
        out += [f"{pad}-{first}", *rest]
    return out


def after_key(value: Any, indent: int, offset: int, quote: str = '"') -> tuple[str, list[str]]:
    """Returns what follows ``key:`` in its line, and the lines below; ``indent`` is the key's."""
    if isinstance(value, dict) and value:
        return "", lines(value, indent + 2, offset, quote)
    if isinstance(value, list) and value:
        return "", lines(value, indent + offset, offset, quote)
    return _after(value, indent + 2, quote)


def after_dash(value: Any, indent: int, offset: int, quote: str = '"') -> tuple[str, list[str]]:
    """Returns what follows ``-`` in its line, and the lines below; ``indent`` is the dash's."""
    if isinstance(value, (dict, list)) and value:
        first, *rest = lines(value, indent + 2, offset, quote)
        return f" {first.lstrip()}", rest
    return _after(value, indent + 2, quote)


def _after(value: Any, indent: int, quote: str) -> tuple[str, list[str]]:
    block = literal(value, indent) if isinstance(value, str) and "\n" in value else None
    if block is not None:
        return f" {block[0]}", block[1:]
    return f" {inline(value, quote=quote)}", []


def _stays_text(value: str) -> bool:
    """Whether plain text is text to go-yaml and to readers with more types (dates, sexagesimal numbers)."""
    if not value or not isinstance(resolve_plain(value), str):
        return False
    return bool(_dumper.resolve(yaml.ScalarNode, value, (True, False)) == _TEXT)
