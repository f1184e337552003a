"""Makes any text harmless in GitHub's markdown: code spans, fences longer than their content, nothing that pings."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from tazuna_core.report.values import clean

BREAK = "\u200b"
"""A zero-width break: invisible, and no mention or reference goes across it."""

_PUNCTUATION = re.compile(r"([\\`*_\[\]|~$])")
# At the start of a line or list item these would open a heading, a list or a rule.
_OPENING = re.compile(r"^(\d+(?=[.)])|(?=[#+\-=]))(.)")
# What GitHub turns into a mention, a reference, a commit link or a link: @name, #12, GH-12, a SHA, an address.
_PINGS = (
    (re.compile(r"@"), f"@{BREAK}"),
    (re.compile(r"(?=#[0-9])"), BREAK),
    (re.compile(r"#(?=[0-9])"), f"#{BREAK}"),
    (re.compile(r"\b(gh)-(?=[0-9])", re.IGNORECASE), rf"\1{BREAK}-{BREAK}"),
    (re.compile(r"://"), f":{BREAK}//"),
    (re.compile(r"\bwww\.", re.IGNORECASE), f"www{BREAK}."),
)
_COMMIT = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])", re.IGNORECASE)
_RUN = re.compile(r"`+")


def code(text: str, *, cell: bool = False) -> str:
    """Returns ``text`` as a code span on one line; in a table ``cell`` its pipes are escaped too."""
    text = clean(text) or "(empty)"
    ticks = "`" * (max((len(run) for run in _RUN.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    span = f"{ticks}{pad}{text}{pad}{ticks}"
    return span.replace("|", "\\|") if cell else span


def html_code(text: str) -> str:
    """Returns ``text`` as a ``<code>`` element, for places where GitHub reads HTML and no markdown."""
    return f"<code>{html.escape(clean(text), quote=False)}</code>"


def plain(text: str) -> str:
    """Returns ``text`` as words of a sentence: no markup, no mention, no reference, no link."""
    text = clean(text)
    text = _COMMIT.sub(lambda match: BREAK.join(re.findall(".{1,6}", match.group())), text)
    for pattern, replacement in _PINGS:
        text = pattern.sub(replacement, text)
    text = _OPENING.sub(r"\1\\\2", _PUNCTUATION.sub(r"\\\1", text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def paragraph(text: str) -> str:
    """Returns text of several lines as plain words with its line breaks."""
    return "<br>\n".join(plain(line) for line in text.splitlines() if clean(line))


def fence(lines: Iterable[str], info: str = "") -> str:
    """Returns a fenced block of harmless lines, raw (B28), in a fence longer than any run of backticks inside (B27)."""
    body = list(lines)
    ticks = fence_ticks(body)
    return "\n".join([f"{ticks}{info}", *body, ticks])


def fence_ticks(lines: Iterable[str]) -> str:
    """Returns a fence that no line can close."""
    return "`" * max(3, 1 + max((len(run) for line in lines for run in _RUN.findall(line)), default=0))


def link(text: str, address: str) -> str:
    """Returns a link, or plain words where ``address`` is no http(s) address."""
    if not re.fullmatch(r"https?://[A-Za-z0-9\-._~:/?#@!$&'*+,;=%]+", address):
        return plain(text)
    return f"[{plain(text)}]({address})"
