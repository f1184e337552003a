"""What plain scalars resolve to, remembered by text: the documents of a stream repeat the same few words."""

from __future__ import annotations

from typing import Any

from tazuna_core.objects.yaml_resolver import ScalarError, json_value, key_text, resolve_plain


class Mark:
    """A value that no document can hold."""


MERGE, NO_KEY, NO_JSON = Mark(), Mark(), Mark()


class _PlainValues(dict[str, Any]):
    """Plain scalar to JSON value, resolved once a text; `NO_JSON` where JSON or Go has no such value."""

    def __init__(self, *, flow: bool) -> None:
        super().__init__()
        self._flow = flow

    def __missing__(self, text: str) -> Any:
        try:
            value: Any = NO_JSON if self._flow and "?" in text else json_value(resolve_plain(text))
        except ScalarError:
            value = NO_JSON
        self[text] = value
        return value


class _PlainKeys(dict[str, Any]):
    """Plain scalar to mapping key, resolved once a text; `NO_KEY` where it cannot be one."""

    def __init__(self, *, flow: bool) -> None:
        super().__init__({"<<": MERGE})
        self._flow = flow

    def __missing__(self, text: str) -> Any:
        try:
            key: Any = NO_KEY if self._flow and "?" in text else key_text(resolve_plain(text))
        except ScalarError:
            key = NO_KEY
        self[text] = key
        return key


class ScalarCache:
    """The memory of one stream, apart for block and flow style."""

    def __init__(self) -> None:
        # In flow style go-yaml ends a plain scalar at a question mark, so `{a: b?}` is an error there.
        self.values, self.flow_values = _PlainValues(flow=False), _PlainValues(flow=True)
        self.keys, self.flow_keys = _PlainKeys(flow=False), _PlainKeys(flow=True)
