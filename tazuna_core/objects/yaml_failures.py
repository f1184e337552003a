"""The errors of reading one YAML document: each names the document, the place and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from tazuna_core.errors import BuildError, InvalidObjectError, Place
from tazuna_core.objects.yaml_limits import MAX_DEPTH

TEXT_AFTER_DOCUMENT = "text-after-document"
"""Error code of a chunk that goes on after its document; the Go tools lose that text silently (verdicts, 8.4)."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OTHER_BREAKS = "\r\x85\u2028\u2029"  # lines end there for libyaml, but not for editors
_TOO_DEEP = "Kubernetes objects nest some tens of levels; look for a template that includes itself."
_ADVICE = {
    "cannot start any token": "Indent with blanks, not tabs, and quote text that begins with %, @ or a backquote.",
    "tab character": "Indent with blanks, not tabs.",
    "control character": "Remove it, or write it as an escape in double quotes.",
    "nesting depth": _TOO_DEEP,
    "unknown escape": "Double the backslash, or use single quotes.",
}


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one chunk, whose first line in ``source`` is ``first_line``; ``number`` is its document's."""

    text: str
    source: str
    first_line: int
    number: int

    def place(self, event: Any) -> Place:
        """Where an event of the parser begins."""
        return self._mark(event.start_mark)

    def syntax(self, error: yaml.YAMLError) -> BuildError:
        """The parser's own refusal, in its words."""
        if isinstance(error, yaml.MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            place = self._mark(mark) if mark else Place(self.source, self.first_line)
            why = ", ".join(part for part in (error.context, error.problem) if part)
        elif found := _FORBIDDEN.search(self.text):
            place = self._at(found.start())
            why = f"the control character U+{ord(found[0]):04X} is not allowed"
        else:
            place, why = Place(self.source, self.first_line), str(error)
        advice = next((advice for part, advice in _ADVICE.items() if part in why), "Correct the YAML there.")
        return BuildError(f"document {self.number} is not valid YAML: {why}", advice=advice, place=place)

    def escape(self, offset: int, character: str) -> BuildError:
        """An escape that libyaml or go-yaml v2 does not know."""
        error = yaml.MarkedYAMLError(problem=f"found unknown escape character {character}")
        return BuildError(self.syntax(error).message, advice=_ADVICE["unknown escape"], place=self._at(offset))

    def scalar(self, problem: str, event: Any) -> BuildError:
        """A scalar that is not what its tag says."""
        return self._refuse(problem, event, "Correct the value or drop the tag.")

    def no_json(self, event: Any) -> BuildError:
        """A number that JSON has not, or a question mark in flow style."""
        if "?" in event.value:
            return self.question_mark(event)
        return self._refuse(
            "infinity and NaN cannot be written as JSON", event, "Quote the value if it is meant as text."
        )

    def bad_key(self, event: Any) -> BuildError:
        """A key that sigs.k8s.io/yaml makes no string of."""
        if "?" in getattr(event, "value", ""):
            return self.question_mark(event)
        what = f"'{event.value}'" if getattr(event, "value", "") else "null or a collection"
        advice = "Quote the key; a value that begins with '{{' must be quoted too."
        return self._refuse(f"a mapping key is {what}, which cannot be a key in JSON", event, advice)

    def bad_merge(self, event: Any) -> BuildError:
        """A ``<<`` whose value is no mapping."""
        advice = "Give it a mapping, an alias of one, or a list of these."
        return self._refuse("'<<' merges something that is not a mapping", event, advice)

    def unknown_anchor(self, event: Any) -> BuildError:
        """An alias without anchor."""
        advice = "An anchor is known after it is defined, within its own document only."
        return self._refuse(f"the anchor '{event.anchor}' is not known here", event, advice)

    def cycle(self, event: Any) -> BuildError:
        """An alias inside its own anchor."""
        return self._refuse(f"the anchor '{event.anchor}' contains itself", event, "JSON cannot hold a cycle.")

    def too_deep(self, event: Any) -> BuildError:
        """Nesting beyond MAX_DEPTH."""
        return self._refuse(f"the nesting is deeper than {MAX_DEPTH} levels", event, _TOO_DEEP)

    def tag_end(self, event: Any) -> BuildError:
        """A tag that go-yaml v2 reads further than libyaml: flow indicators were part of tags once."""
        return self._refuse(
            "a tag is followed at once by one of ,[]{}, which YAML readers take differently",
            event,
            "Put a blank after the tag, or drop it.",
        )

    def byte_order_mark(self, offset: int) -> BuildError:
        """A byte order mark inside the text, which go-yaml v2 reads as part of a key."""
        return BuildError(
            f"document {self.number} holds a byte order mark (U+FEFF) where a line begins",
            advice="Files that were put together kept it; save them without.",
            place=self._at(offset),
        )

    def question_mark(self, event: Any) -> BuildError:
        """An unquoted question mark in flow style, where go-yaml v2 ends the text."""
        return self._refuse(
            "an unquoted '?' inside [] or {} is no part of a text for kubectl", event, "Quote the text."
        )

    def unfolds(self) -> BuildError:
        """Aliases that stand for far more than is written."""
        return BuildError(
            f"document {self.number} unfolds through its aliases to far more than it holds",
            advice="Write the values out where they are used, or split the document.",
            place=Place(self.source, self.first_line),
        )

    def text_after(self, mark: Any) -> BuildError:
        """Text after the document's end."""
        return BuildError(
            f"document {self.number} has ended, but more text follows it",
            advice="The Go tools lose that text silently. Begin every document with a line '---'.",
            place=self._mark(mark) if mark else Place(self.source, self.first_line),
            code=TEXT_AFTER_DOCUMENT,
        )

    def lost_object(self, key: str, written: str, event: Any) -> InvalidObjectError:
        """A second object in the same mapping (C67)."""
        return InvalidObjectError(
            f"document {self.number} has '{key}'{written} twice at its top, so one object would be lost",
            advice="Put a line '---' between two objects, or remove the repeated key.",
            place=self.place(event),
        )

    def _refuse(self, problem: str, event: Any, advice: str) -> BuildError:
        return BuildError(f"document {self.number}: {problem}", advice=advice, place=self.place(event))

    def _mark(self, mark: Any) -> Place:
        if any(line_break in self.text for line_break in _OTHER_BREAKS):
            return self._at(mark.index)
        return Place(self.source, mark.line + self.first_line, mark.column + 1)

    def _at(self, offset: int) -> Place:
        line = self.first_line + self.text.count("\n", 0, offset)
        return Place(self.source, line, offset - self.text.rfind("\n", 0, offset))
