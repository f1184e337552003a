"""The user's own rules of tazuna.drift.yaml: which differences are hidden, by path and by manager."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import orjson

from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.paths import Path, path_text

ANY_ITEM = "[*]"
_TOKEN = re.compile(r"""\.?([A-Za-z0-9_-]+)|(\[(?:"(?:\\.|[^"\\])*"|[^\]"])*\](?:\#\d+)?)""")


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One rule. Empty fields match everything; ``fields`` are paths or prefixes of paths, ``[*]`` is any list item."""

    name: str
    reason: str
    group: str | None = None
    kind: str = ""
    namespace: str = ""
    object_name: str = ""
    fields: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    until: date | None = None

    def hides(self, ref: ObjectRef, path: Path, manager: str, today: date) -> bool:
        """Whether the rule hides a difference at ``path`` whose owner is ``manager`` (empty: nobody known)."""
        if self.until is not None and today > self.until:
            return False
        return (
            self._means(ref)
            and (not self.managers or manager in self.managers)
            and (not self.fields or any(_is_prefix(path_tokens(text), path) for text in self.fields))
        )

    def names_part(self, ref: ObjectRef, path: Path) -> bool:
        """Whether the rule names something below ``path``, so that it hides a part and never the whole."""
        return self._means(ref) and any(_is_below(path_tokens(text), path) for text in self.fields)

    def _means(self, ref: ObjectRef) -> bool:
        return (
            self.group in (None, ref.group)
            and self.kind in ("", ref.kind)
            and self.namespace in ("", ref.namespace)
            and self.object_name in ("", ref.name)
        )


@lru_cache(maxsize=1024)
def path_tokens(text: str) -> tuple[str, ...]:
    """Splits a path or pattern as users write it into tokens: names, and bracketed items as they stand.

    Raises ValueError with the position of what is no path.
    """
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"'{text}' is not a path: position {position + 1}")
        name, bracket = match.groups()
        tokens.append(name if name is not None else _bracket(bracket))
        position = match.end()
    return tuple(tokens)


def _bracket(token: str) -> str:
    """``["app"]`` is the key ``app``; every other bracket stays."""
    if token.startswith('["') and token.endswith('"]'):
        try:
            return str(orjson.loads(token[1:-1]))
        except orjson.JSONDecodeError:
            return token
    return token


def _is_prefix(pattern: tuple[str, ...], path: Path) -> bool:
    tokens = path_tokens(path_text(path))
    return len(pattern) <= len(tokens) and _agree(pattern, tokens)


def _is_below(pattern: tuple[str, ...], path: Path) -> bool:
    tokens = path_tokens(path_text(path))
    return len(pattern) > len(tokens) and _agree(pattern, tokens)


def _agree(pattern: tuple[str, ...], tokens: tuple[str, ...]) -> bool:
    return all(
        wanted == token or (wanted == ANY_ITEM and token.startswith("["))
        for wanted, token in zip(pattern, tokens, strict=False)
    )
