"""Renders the part of Go's templates that tazuna.yaml needs, and refuses the rest by name.

Understood: `.Environment`; texts in `"` and backquotes; `true`, `false`; `eq`, `ne`, `and`, `or`, `not`;
parentheses; `if`, `else if`, `else`, `end`; comments; trim markers. Within that, output is Go's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tazuna_core.errors import UsageError
from tazuna_core.spec.source import Piece, SourceText
from tazuna_core.spec.template_tokens import Action, TemplateError, Text, Word, cut

Value = str | bool

_MANY = 1 << 30
_ARGUMENTS = {"eq": (2, _MANY), "ne": (2, 2), "and": (1, _MANY), "or": (1, _MANY), "not": (1, 1)}
_BEYOND = {"range", "with", "define", "block", "template", "break", "continue", "nil", "lt", "le", "gt", "ge"} | {
    *("call", "html", "index", "slice", "js", "len", "print", "printf", "println", "urlquery")
}
_SUBSET = "Understood are .Environment, texts, true, false, if, else, end, eq, ne, and, or, not, and comments."
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class _Output:
    value: Call | _Literal | _Environment
    offset: int


@dataclass(frozen=True, slots=True)
class _Literal:
    value: Value


@dataclass(frozen=True, slots=True)
class _Environment:
    pass


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Expression, ...]
    offset: int


Expression = Call | _Literal | _Environment


@dataclass(frozen=True, slots=True)
class _If:
    condition: Expression
    then: tuple[_Node, ...]
    otherwise: tuple[_Node, ...]


_Node = Text | _Output | _If


def render(file: str, text: str, environment: str) -> SourceText:
    """The text of `file` with its actions carried out.

    Each character of the result knows where it was written, so lines and columns stay meaningful. Raises UsageError,
    code `template`, at what is wrong or beyond the subset.
    """
    try:
        nodes = _Parser(list(cut(text))).parse()
        return SourceText.rendered(file, text, _pieces(nodes, environment))
    except TemplateError as problem:
        place = SourceText.plain(file, text).written_place(problem.offset)
        raise UsageError(f"template: {problem.message}", advice=problem.advice, place=place, code="template") from None


def _pieces(nodes: Sequence[_Node], environment: str) -> Iterator[Piece]:
    for node in nodes:
        if isinstance(node, Text):
            yield Piece(node.text, node.offset, literal=True)
        elif isinstance(node, _If):
            yield from _pieces(node.then if _value(node.condition, environment) else node.otherwise, environment)
        else:
            value = _value(node.value, environment)
            yield Piece(value if isinstance(value, str) else str(value).lower(), node.offset, literal=False)


def _value(expression: Expression, environment: str) -> Value:
    if isinstance(expression, _Literal):
        return expression.value
    if isinstance(expression, _Environment):
        return environment
    if expression.function in ("and", "or"):
        # Like Go, the deciding argument itself is the value, and what follows it is not looked at.
        stops_at = expression.function == "or"
        value: Value = False
        for argument in expression.arguments:
            value = _value(argument, environment)
            if bool(value) is stops_at:
                break
        return value
    first, *others = (_value(argument, environment) for argument in expression.arguments)
    if expression.function == "not":
        return not first
    equal = _is_any(first, others, expression)
    return equal if expression.function == "eq" else not equal


def _is_any(first: Value, others: Sequence[Value], call: Call) -> bool:
    for other in others:
        if isinstance(first, bool) != isinstance(other, bool):
            raise TemplateError(f"{call.function} compares a text with true or false", call.offset)
        if first == other:
            return True
    return False


class _Parser:
    def __init__(self, items: list[Text | Action]) -> None:
        self._items = items
        self._at = 0
        self._depth = 0

    def parse(self) -> tuple[_Node, ...]:
        nodes, closing = self._block()
        if closing:
            raise TemplateError(f"{{{{ {closing.words[0].text} }}}} without an {{{{ if }}}}", closing.offset)
        return nodes

    def _block(self) -> tuple[tuple[_Node, ...], Action | None]:
        """The nodes up to an `else` or `end`, and that."""
        nodes: list[_Node] = []
        while self._at < len(self._items):
            item = self._items[self._at]
            self._at += 1
            if isinstance(item, Text):
                nodes.append(item)
                continue
            first = item.words[0] if item.words else None
            if first is None:
                raise TemplateError("an action holds nothing", item.offset)
            keyword = first.text if first.kind == "name" else ""
            if keyword in ("else", "end"):
                return tuple(nodes), item
            if keyword == "if":
                nodes.append(self._if(item, item.words[1:]))
            else:
                nodes.append(_Output(_expression(item.words, item.offset), item.offset))
        return tuple(nodes), None

    def _if(self, action: Action, condition: Sequence[Word]) -> _If:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TemplateError(f"more than {_DEEPEST} nested ifs", action.offset)
        test = _expression(condition, action.offset, "if needs a condition")
        then, closing = self._block()
        otherwise: tuple[_Node, ...] = ()
        if closing and closing.words[0].text == "else":
            rest = closing.words[1:]
            if rest:
                if rest[0].kind != "name" or rest[0].text != "if":
                    raise _beyond(rest[0]) if rest[0].text in _BEYOND else _unexpected(rest[0])
                # The chained if takes the one `end` that closes all of them.
                otherwise = (self._if(closing, rest[1:]),)
                self._depth -= 1
                return _If(test, then, otherwise)
            otherwise, closing = self._block()
            if closing and closing.words[0].text == "else":
                raise TemplateError("a second {{ else }}", closing.offset, "An if has one else, the last branch.")
        if closing is None:
            raise TemplateError("this if has no {{ end }}", action.offset)
        if len(closing.words) > 1:
            raise _unexpected(closing.words[1])
        self._depth -= 1
        return _If(test, then, otherwise)


def _expression(words: Sequence[Word], offset: int, nothing: str = "an action holds nothing") -> Expression:
    if not words:
        raise TemplateError(nothing, offset)
    expression, rest = _command(words, 0)
    if rest:
        raise _unexpected(rest[0])
    return expression


def _command(words: Sequence[Word], depth: int) -> tuple[Expression, Sequence[Word]]:
    """One command (a value, or a function and its arguments) up to a `)` or the end, and the words after it."""
    head, rest = _operand(words, depth)
    arguments: list[Expression] = []
    while rest and not _closes(rest[0]):
        if not rest[0].after_blank:
            raise _unexpected(rest[0])
        argument_word = rest[0]
        argument, rest = _operand(rest, depth)
        if isinstance(argument, Word):
            raise TemplateError(
                f"the function {argument.text} as an argument needs parentheses",
                argument_word.offset,
                f"Write ({argument.text} ...).",
            )
        arguments.append(argument)
    if not isinstance(head, Word):
        if arguments:
            raise TemplateError("only a function can have arguments", words[0].offset, _SUBSET)
        return head, rest
    least, most = _ARGUMENTS[head.text]
    if not least <= len(arguments) <= most:
        number = f"{least} arguments" if least > 1 else "1 argument"
        wanted = number if least == most else f"at least {number}"
        raise TemplateError(f"{head.text} needs {wanted}, not {len(arguments)}", head.offset)
    return Call(head.text, tuple(arguments), head.offset), rest


def _operand(words: Sequence[Word], depth: int) -> tuple[Expression | Word, Sequence[Word]]:
    """One value, or the word of a function."""
    word, rest = words[0], words[1:]
    if word.kind == "string":
        return _Literal(word.text), rest
    if word.kind == "name" and word.text in ("true", "false"):
        return _Literal(word.text == "true"), rest
    if word.kind == "name" and word.text in _ARGUMENTS:
        return word, rest
    if word.kind == "field":
        if word.text != ".Environment":
            raise TemplateError(
                f"the variable {word.text} is not known", word.offset, "The one variable is .Environment."
            )
        return _Environment(), rest
    if word.text == "(" and word.kind == "sign":
        return _parenthesis(word, rest, depth + 1)
    raise _beyond(word)


def _parenthesis(opening: Word, words: Sequence[Word], depth: int) -> tuple[Expression, Sequence[Word]]:
    if depth > _DEEPEST:
        raise TemplateError(f"more than {_DEEPEST} nested parentheses", opening.offset)
    if not words or _closes(words[0]):
        raise TemplateError("parentheses hold nothing" if words else "'(' has no ')'", opening.offset)
    inner, rest = _command(words, depth)
    if not rest:
        raise TemplateError("'(' has no ')'", opening.offset)
    return inner, rest[1:]


def _closes(word: Word) -> bool:
    return word.kind == "sign" and word.text == ")"


def _unexpected(word: Word) -> TemplateError:
    if word.text == "|" and word.kind == "sign":
        return _beyond(word)
    return TemplateError(f"unexpected '{word.text}' in an action", word.offset, _SUBSET)


def _beyond(word: Word) -> TemplateError:
    """What to say of a construct of Go's templates, or of nothing known, that this subset lacks."""
    if word.kind == "sign" and word.text != "|":
        return _what_dot(word) if word.text == "." else TemplateError(f"unexpected '{word.text}'", word.offset, _SUBSET)
    names = {
        "variable": "a variable ($)",
        "number": "a number",
        "char": "a character constant",
        "sign": "a pipeline (|)",
    }
    construct = names.get(word.kind, f"'{word.text}'")
    if word.kind == "name" and word.text not in _BEYOND:
        return TemplateError(f"the function '{word.text}' is not known", word.offset, _SUBSET)
    return TemplateError(
        f"{construct} is not in the part of Go's templates that tazuna.yaml can use here", word.offset, _SUBSET
    )


def _what_dot(word: Word) -> TemplateError:
    return TemplateError("a bare '.' has no use here", word.offset, "The one variable is .Environment.")
