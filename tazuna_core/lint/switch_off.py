"""Comments that switch a lint off in place: `# tazuna: ignore[LINT] reason`, and which findings they leave.

`LINT` may be followed by an object as warnings name it, `*` standing for anything: `ignore[replicas Deployment/a/*]`.
Several are separated by commas. A comment behind something counts for what begins on that line, one on a line of its
own for what begins on the next that is no comment; both for all that lies in it.
"""

from __future__ import annotations

import contextlib
import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import yaml

from tazuna_core.errors import Place
from tazuna_core.lint.model import SWITCHABLE, Finding
from tazuna_core.spec.problems import did_you_mean
from tazuna_core.spec.source import SourceText

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the latter only where PyYAML has no libyaml
_COMMENT = re.compile(
    r"(?:^|(?<=\s))#[ \t]*tazuna:[ \t]*ignore(?!\w)"
    r"(?:[ \t]*\[(?P<what>[^\]\n]*)\])?(?P<reason>[^\n]*)"
)
_PASSED_OVER = re.compile(r"[ \t]*#|---[ \t\r]*(?:#|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """One lint that one comment switches off, on ``line`` of the file of ``place`` (where the comment is)."""

    place: Place
    line: int
    lint: str
    subject: str
    reason: str

    @property
    def problem(self) -> str:
        """Why it switches nothing off, "" where it may."""
        if not self.lint:
            return "this switch-off names no lint"
        if self.lint not in SWITCHABLE:
            return f"there is no lint '{self.lint}' to switch off. {did_you_mean(self.lint, sorted(SWITCHABLE))}"
        return "" if self.reason else f"this switch-off of {self.lint} gives no reason, and does not count without one"

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is one of those that it switches off."""
        return (
            finding.lint == self.lint
            and (self.place.file, self.line) in finding.lines
            and (not self.subject or fnmatch.fnmatchcase(finding.subject, self.subject))
        )


@dataclass(frozen=True, slots=True)
class Sifted:
    """Findings that stay, those that are switched off with what does it, and what is wrong with switch-offs."""

    left: tuple[Finding, ...]
    switched_off: tuple[tuple[Finding, SwitchOff], ...]
    wrong: tuple[Finding, ...]


def switch_offs(source: SourceText) -> Iterator[SwitchOff]:
    """Yields the switch-offs of a YAML file in order; what stands inside a text (a block of YAML, say) is none."""
    text = source.text
    if "tazuna:" not in text:
        return
    texts = _spans_of_texts(text)
    for found in _COMMENT.finditer(text):
        if any(start <= found.start() < end for start, end in texts):
            continue
        place, line = source.place(found.start()), source.place(_counts_for(text, found.start())).line
        for one in (found["what"] or "").split(","):
            lint, _, subject = one.strip().partition(" ")
            yield SwitchOff(place, line, lint, subject.strip(), found["reason"].strip())


def sift(findings: Iterable[Finding], given: Sequence[SwitchOff], judged: Callable[[SwitchOff], bool]) -> Sifted:
    """Takes out what is switched off. ``judged`` says whether all that a switch-off could be for was looked at."""
    left, off, used = [], [], set[int]()
    valid = [(number, one) for number, one in enumerate(given) if not one.problem]
    for finding in findings:
        by = [(number, one) for number, one in valid if one.covers(finding)]
        used.update(number for number, _ in by)
        if by:
            off.append((finding, by[0][1]))
        else:
            left.append(finding)
    wrong = [
        Finding("switch-off", one.problem or _unused(one), one.place)
        for number, one in enumerate(given)
        if one.problem or (number not in used and judged(one))
    ]
    return Sifted(tuple(left), tuple(off), tuple(wrong))


def _unused(one: SwitchOff) -> str:
    return f"this switch-off of {one.lint}{f' for {one.subject}' if one.subject else ''} switches nothing off"


def _counts_for(text: str, comment: int) -> int:
    """The offset of the line that a comment counts for."""
    start = text.rfind("\n", 0, comment) + 1
    if text[start:comment].strip():
        return start
    while _PASSED_OVER.match(text, start):
        following = text.find("\n", start) + 1
        if not following:
            break
        start = following
    return start


def _spans_of_texts(text: str) -> list[tuple[int, int]]:
    """Where scalars stand: a `#` inside them begins no comment."""
    spans: list[tuple[int, int]] = []
    # What comes after a mistake is not read, here or anywhere; it is an error of its own.
    with contextlib.suppress(yaml.YAMLError):
        spans.extend(
            (token.start_mark.index, token.end_mark.index)
            for token in yaml.scan(text, Loader=_LOADER)
            if isinstance(token, yaml.ScalarToken)
        )
    return spans
