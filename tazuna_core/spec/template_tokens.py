"""Cuts a template into texts and actions, and actions into words, by the rules of Go's text/template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tazuna_core.spec.source import LEFT

RIGHT = "}}"
BLANKS = " \t\r\n"

_WORD = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
      | (?P<string>"(?:\\[^\n]|[^"\\\n])*")
      | (?P<raw>`[^`]*`)
      | (?P<field>\.[^\W\d]\w*)
      | (?P<variable>\$\w*)
      | (?P<number>[+-]?\.?\d[\w.+-]*)
      | (?P<char>'(?:\\[^\n]|[^'\\\n])*')
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>:=|[().|,=])
    """,
    re.VERBOSE,
)
_SIMPLE_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}
_ESCAPE = re.compile(r'\\(?:([abfnrtv\\"])|x([0-7][0-9a-fA-F])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))')


class TemplateError(Exception):
    """What is wrong with a template: the message, what to do, the offset in its text. Never leaves this package."""

    def __init__(self, message: str, offset: int, advice: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.advice = message, offset, advice


@dataclass(frozen=True, slots=True)
class Text:
    """Text outside actions, after trimming."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Word:
    """One word of an action. ``kind`` is string, field, variable, number, char, name or sign.

    ``text`` is the word itself; of a string, its value. ``after_blank`` tells whether blanks come before it.
    """

    kind: str
    text: str
    offset: int
    after_blank: bool


@dataclass(frozen=True, slots=True)
class Action:
    """The words between two delimiters; ``offset`` is the left delimiter's."""

    words: tuple[Word, ...]
    offset: int


def cut(template: str) -> Iterator[Text | Action]:
    """The texts and actions of a template, in order, comments left out; raises TemplateError."""
    at, trim = 0, False
    while True:
        left = template.find(LEFT, at)
        end = len(template) if left < 0 else left
        inside = left + len(LEFT)
        trims_left = (
            left >= 0 and template[inside : inside + 1] == "-" and template[inside + 1 : inside + 2] in [*BLANKS]
        )
        yield from _text(template, at, end, trim_start=trim, trim_end=trims_left)
        if left < 0:
            return
        if trims_left:
            inside += 2
        if template.startswith("/*", inside):
            at, trim = _end_of_comment(template, left, inside)
            continue
        words, at, trim = _words(template, left, inside)
        yield Action(words, left)


def _text(template: str, start: int, end: int, *, trim_start: bool, trim_end: bool) -> Iterator[Text]:
    text = template[start:end]
    if trim_start:
        text = text.lstrip(BLANKS)
        start = end - len(text)
    if trim_end:
        text = text.rstrip(BLANKS)
    if text:
        yield Text(text, start)


def _right_delimiter(template: str, at: int) -> tuple[int, bool] | None:
    """Where the text goes on and whether it is trimmed, if a right delimiter is at `at`."""
    if template[at : at + 1] in [*BLANKS] and template.startswith("-" + RIGHT, at + 1):
        return at + 2 + len(RIGHT), True
    if template.startswith(RIGHT, at):
        return at + len(RIGHT), False
    return None


def _end_of_comment(template: str, left: int, inside: int) -> tuple[int, bool]:
    close = template.find("*/", inside + 2)
    if close < 0:
        raise TemplateError("this comment has no end", left, "End it with '*/}}'.")
    found = _right_delimiter(template, close + 2)
    if found is None:
        raise TemplateError(
            "a comment must fill its action",
            left,
            "Write '{{/* comment */}}', with nothing but a trim marker between comment and braces.",
        )
    return found


def _words(template: str, left: int, inside: int) -> tuple[tuple[Word, ...], int, bool]:
    words: list[Word] = []
    at, after_blank = inside, False
    while True:
        found = _right_delimiter(template, at)
        if found is not None:
            return tuple(words), *found
        match = _WORD.match(template, at)
        if match is None:
            raise _unreadable(template, left, at)
        kind, text = match.lastgroup or "", match[0]
        # A trim marker begins with a blank, so blanks are taken one by one.
        if kind == "blank":
            at, after_blank = at + 1, True
            continue
        if kind == "string":
            kind, text = "string", _unquoted(text, at)
        elif kind == "raw":
            kind, text = "string", text[1:-1]
        words.append(Word(kind, text, at, after_blank))
        at, after_blank = match.end(), False


def _unreadable(template: str, left: int, at: int) -> TemplateError:
    if at >= len(template):
        return TemplateError("'{{' has no '}}'", left, 'Close it; for the two characters themselves write {{ "{{" }}.')
    character = template[at]
    if character in "\"'`":
        return TemplateError("a quoted text has no end", at, f"Close it with {character}.")
    if template.startswith("/*", at):
        return TemplateError(
            "a comment must fill its action", at, "Write '{{/* comment */}}', without a blank before '/*'."
        )
    return TemplateError(f"unexpected {character!r} in an action", at)


def _unquoted(quoted: str, offset: int) -> str:
    """The value of a quoted text; the escapes are those of Go's strconv.Unquote that name a character."""

    def replace(match: re.Match[str]) -> str:
        simple, byte, short, long = match.groups()
        if simple:
            return _SIMPLE_ESCAPES[simple]
        code = int(byte or short or long, 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise TemplateError(f"{match[0]} is no character", offset)
        return chr(code)

    body = quoted[1:-1]
    leftover = _ESCAPE.sub("", body)
    if "\\" in leftover:
        wrong = leftover[leftover.index("\\") :][:2]
        raise TemplateError(f"the escape {wrong} is not known here", offset, "Put the text between backquotes (`).")
    return _ESCAPE.sub(replace, body)
