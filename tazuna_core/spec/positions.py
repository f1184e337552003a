"""YAML text to plain data that remembers, for each key and value, where it stands in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode
from ruamel.yaml.reader import ReaderError

from tazuna_core.errors import Place, TazunaError, UsageError
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import SourceText

Loc = tuple[str | int, ...]
"""The way to a value: keys of mappings and indices of lists, from the top of the file."""

MOST_VALUES = 100_000
_TAG = "tag:yaml.org,2002:"
_KINDS = {"int": "a number", "float": "a number with a point", "bool": "true or false", "timestamp": "a date"}
_TEXTS = frozenset(["str", "value"])
_CONTAINERS = frozenset(["map", "seq", "omap", "set"])

_Pairs = dict[str, tuple[Node, Node]]


@dataclass(frozen=True)
class Document:
    """The data of a file: dicts, lists, texts, None, and `Scalar` for all other scalars, with their places.

    ``source`` is the text it was read from; None where there was no file.
    """

    file: str
    data: object
    keys: Mapping[Loc, Place]
    values: Mapping[Loc, Place]
    source: SourceText | None = field(default=None, repr=False, compare=False)

    def at_value(self, loc: Loc) -> Place:
        """Where the value at `loc` begins, or the nearest one around it."""
        while loc and loc not in self.values:
            loc = loc[:-1]
        return self.values.get(loc) or Place(self.file)

    def at_key(self, loc: Loc) -> Place:
        """Where the key of the value at `loc` is written; the value itself for an item of a list."""
        return self.keys.get(loc) or self.at_value(loc)


def read_document(source: SourceText, *, may_be_empty: bool = False) -> Document:
    """The one YAML document of a text.

    Raises UsageError (code `yaml`) where it is none: syntax, a key given twice, a second document, unknown tags,
    aliases without end, nothing at all (unless it `may_be_empty`: then that is an empty mapping). Scalars follow
    YAML 1.2, as they do in the Go CLI (gopkg.in/yaml.v3).
    """
    try:
        nodes = _compose(source)
        node = next(iter(nodes), None)
        if may_be_empty and (node is None or _is_null(node)):
            return Document(source.file, {}, {}, {}, source)
        if node is None or _is_null(node):
            raise _error(
                source,
                0,
                "the file is empty",
                "Begin with 'spec:' and a list of 'manifests:' in it.",
            )
        for further in nodes[1:]:
            if not _is_null(further):
                raise _error(
                    source, further.start_mark.index, "a second document begins here", "Keep one document a file."
                )
        reader = _Reader(source)
        data = reader.value(node, ())
    except RecursionError:
        raise _error(source, 0, "mappings or lists are nested too deeply", "") from None
    return Document(source.file, data, reader.keys, reader.values, source)


def _compose(source: SourceText) -> list[Node]:
    try:
        _, parser = YAML(typ="rt", pure=True).get_constructor_parser(source.text)
        composer = parser.loader.composer
        composer.warn_double_anchors = False  # YAML lets an anchor be defined anew; the last one counts
        nodes = []
        while composer.check_node():
            nodes.append(composer.get_node())
        return nodes
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = mark.index if mark is not None else 0
        parts = [error.context, error.problem] if error.problem else [error.context or "not readable"]
        message = ", ".join(str(part).replace("\x00", "the end") for part in parts if part)
        raise _error(source, offset, f"this is not YAML: {message}", _yaml_advice(message)) from None
    except ReaderError as error:
        offset = error.position if isinstance(error.position, int) else 0
        character = source.text[offset : offset + 1]
        raise _error(source, offset, f"the character {character!a} is not allowed in YAML", "Remove it.") from None
    except RecursionError:
        raise
    except (
        YAMLError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
        AssertionError,
        NotImplementedError,
    ) as error:
        # The parser fails in many ways on text that is nothing like YAML; none of them is a defect of ours.
        raise _error(source, 0, f"this is not YAML: {error}", "") from None


def _yaml_advice(message: str) -> str:
    if "\\t" in message:
        return "Indent with spaces, not tabs."
    if "mapping values are not allowed" in message:
        return "Check the indentation, and quote a text that holds ': '."
    if "undefined alias" in message:
        return "Quote a text that begins with '*'."
    return "Check the indentation and the quotes here and on the line above."


def _error(source: SourceText, offset: int, message: str, advice: str) -> TazunaError:
    return UsageError(message, advice=advice, place=source.place(offset), code="yaml")


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and _short_tag(node) == "null"


def _short_tag(node: Node) -> str:
    return str(node.tag or "").removeprefix(_TAG)


class _Reader:
    """Nodes to data. Aliases are followed, and counted, for each use has a way of its own."""

    def __init__(self, source: SourceText) -> None:
        self.keys: dict[Loc, Place] = {}
        self.values: dict[Loc, Place] = {}
        self._source = source
        self._open: set[int] = set()
        self._pairs_of: dict[int, _Pairs | None] = {}  # None while a mapping's own are being gathered

    def value(self, node: Node, loc: Loc) -> object:
        self.values[loc] = self._source.place(node.start_mark.index)
        if len(self.values) > MOST_VALUES:
            raise self._fail(node, f"more than {MOST_VALUES} values", "Aliases (*name) multiply what they name.")
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if _short_tag(node) not in _CONTAINERS:
            raise self._fail(node, f"the tag {node.tag} is not known here", "Remove it.")
        if id(node) in self._open:
            raise self._fail(node, "an alias (*name) stands inside what it names", "")
        self._open.add(id(node))
        try:
            if isinstance(node, MappingNode):
                return self._mapping(node, loc)
            return [self.value(item, (*loc, index)) for index, item in enumerate(node.value)]
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: ScalarNode) -> object:
        tag = _short_tag(node)
        if tag == "null":
            return None
        text = str(node.value)
        if any("\ud800" <= character < "\ue000" for character in text):
            raise self._fail(node, "half a surrogate pair is no character", "Write the character itself.")
        if tag in _TEXTS or tag == "merge":
            return text
        if tag in _KINDS:
            return Scalar(text, _KINDS[tag])
        raise self._fail(node, f"the tag {node.tag} is not known here", "Remove it.")

    def _mapping(self, node: MappingNode, loc: Loc) -> dict[str, object]:
        data: dict[str, object] = {}
        for key, (key_node, value_node) in self._pairs(node).items():
            self.keys[(*loc, key)] = self._source.place(key_node.start_mark.index)
            data[key] = self.value(value_node, (*loc, key))
        return data

    def _pairs(self, node: MappingNode) -> _Pairs:
        """The keys and values of a mapping with those that `<<` brings: its own win, then the earlier source's."""
        if id(node) in self._pairs_of:
            found = self._pairs_of[id(node)]
            if found is None:
                raise self._fail(node, "an alias (*name) stands inside what it names", "")
            return found
        self._pairs_of[id(node)] = None
        pairs: _Pairs = {}
        sources: list[MappingNode] = []
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if _short_tag(key_node) == "merge":
                sources += self._merged(value_node)
                continue
            if key in pairs:
                first = self._source.place(pairs[key][0].start_mark.index)
                raise self._fail(
                    key_node, f"the key '{key}' is given twice", f"It was given in line {first.line}; keep one."
                )
            pairs[key] = (key_node, value_node)
        for source in sources:
            for key, pair in self._pairs(source).items():
                pairs.setdefault(key, pair)
        self._pairs_of[id(node)] = pairs
        return pairs

    def _merged(self, node: Node) -> list[MappingNode]:
        sources = [node] if isinstance(node, MappingNode) else node.value if isinstance(node.value, list) else []
        if not sources or not all(isinstance(source, MappingNode) for source in sources):
            raise self._fail(node, "'<<' takes a mapping or a list of mappings", "")
        return list(sources)

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode):
            raise self._fail(node, "a key must be a text", "Quote a text that begins with '[' or '{'.")
        value = self._scalar(node)
        return value.text if isinstance(value, Scalar) else str(node.value) if value is None else str(value)

    def _fail(self, node: Node, message: str, advice: str) -> TazunaError:
        return _error(self._source, node.start_mark.index, message, advice)
