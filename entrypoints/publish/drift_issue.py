"""Keeps one issue per target: opened on drift, quiet while nothing is new, closed by a clean, complete check only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from entrypoints.identity import Marker
from entrypoints.inputs import Language
from entrypoints.publish.github_api import JSON, GitHubApi, GitHubError
from entrypoints.publish.own import own_ids
from tazuna_core.report.catalogue import Count

LIMIT_BYTES = 65_000
Finding = Literal["drift", "clean", "unknown"]
Action = Literal["none", "opened", "updated", "changed", "reopened", "not-checked", "closed", "skipped", "failed"]

_MEMORY = re.compile(r"<!-- tazuna-drift (\{.*\}) -->\r?", re.ASCII)
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "open": "Drifting for {nights:night|nights}, since {since}. Last seen {seen}{link}.",
        "unknown": "Drifting since {since}. Last seen {seen}, **not checked on {today}**{link}: the check failed"
        " or was not complete, so this stays open.",
        "changed": "The drift has changed{link}; the description above shows it as it is now.",
        "reopened": "The drift lasts{link}, so this is open again.",
        "again": "There is drift again{link}.",
        "closed": "No drift any more{link}.",
        "run": "run",
    },
    "ja": {
        "open": "{since} から {nights} 晩続いているドリフトです。最終確認 {seen}{link}。",
        "unknown": "{since} からのドリフトです。最終確認 {seen}、**{today} は確認できませんでした**{link}。"
        "確認が失敗したか不完全だったため、閉じません。",
        "changed": "ドリフトの内容が変わりました{link}。上の本文が現在の状態です。",
        "reopened": "ドリフトが続いているため、再び開きます{link}。",
        "again": "再びドリフトしています{link}。",
        "closed": "ドリフトはなくなりました{link}。",
        "run": "実行",
    },
}


@dataclass(frozen=True, slots=True)
class IssueWish:
    """What a check found for the target of ``marker``, whose digest is the fingerprint of the drift.

    ``render`` gives the report within a number of bytes. The first of ``labels`` is the one the issue is found by.
    """

    marker: Marker
    finding: Finding
    title: str
    today: date
    labels: tuple[str, ...]
    assignees: tuple[str, ...]
    render: Callable[[int], str]
    language: Language = "en"
    link: str = ""


@dataclass(frozen=True, slots=True)
class IssueOutcome:
    """What became of it. ``previous`` is the fingerprint that the open issue had before, None if there was none."""

    action: Action
    number: int = 0
    previous: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the issue itself remembers between two nights."""

    since: str
    seen: str
    nights: int
    ended: bool = False

    def line(self) -> str:
        data = {"since": self.since, "seen": self.seen, "nights": self.nights, "ended": self.ended}
        return f"<!-- tazuna-drift {json.dumps(data, separators=(',', ':'))} -->"

    @classmethod
    def read(cls, body: str) -> _Memory | None:
        lines = body.split("\n", 2)
        match = _MEMORY.fullmatch(lines[1]) if len(lines) > 1 else None
        try:
            data = json.loads(match.group(1)) if match else {}
            since, seen = (date.fromisoformat(data[name]).isoformat() for name in ("since", "seen"))
            return cls(since, seen, int(data["nights"]), bool(data["ended"]))
        except (ValueError, KeyError, TypeError):
            return None


def keep_issue(api: GitHubApi, wish: IssueWish) -> IssueOutcome:
    """Opens, updates, reopens or closes the target's issue; GitHub's refusals come back as an outcome."""
    try:
        return _keep(api, wish)
    except GitHubError as error:
        return IssueOutcome("failed", note=f"The drift issue could not be kept ({error}). It needs `issues: write`.")


def _keep(api: GitHubApi, wish: IssueWish) -> IssueOutcome:
    found = _find(api, wish)
    if found is None:
        return _open(api, wish) if wish.finding == "drift" else IssueOutcome("none")
    issue, marker = found
    number, body = int(issue["number"]), str(issue.get("body") or "")
    is_open = issue.get("state") == "open"
    memory = _Memory.read(body) or _Memory(wish.today.isoformat(), wish.today.isoformat(), 1, ended=not is_open)
    previous = marker.digest if is_open or not memory.ended else None
    if marker.newer_than(wish.marker):
        return IssueOutcome("skipped", number, previous, "A newer run has written to the drift issue.")
    if wish.finding == "drift":
        return _drifts(api, wish, issue, memory, previous)
    if not is_open:
        return IssueOutcome("none", number, previous)
    if wish.finding == "unknown":
        status = _say(wish, "unknown", since=memory.since, seen=memory.seen, today=wish.today.isoformat())
        _update(api, number, body, _with_status(body, replace(wish.marker, digest=marker.digest), memory, status))
        return IssueOutcome("not-checked", number, previous)
    ended = replace(memory, ended=True)
    status = _say(wish, "closed")
    closing = _with_status(body, wish.marker, ended, status)
    api.update_issue(number, body=closing, state="closed", state_reason="completed")
    api.create_comment(number, status)
    return IssueOutcome("closed", number, previous)


def _open(api: GitHubApi, wish: IssueWish) -> IssueOutcome:
    body = _body(wish, _Memory(wish.today.isoformat(), wish.today.isoformat(), 1))
    issue = api.create_issue(wish.title, body, list(wish.labels), list(wish.assignees))
    return IssueOutcome("opened", int(issue["number"]))


def _drifts(api: GitHubApi, wish: IssueWish, issue: JSON, memory: _Memory, previous: str | None) -> IssueOutcome:
    number, today = int(issue["number"]), wish.today.isoformat()
    if memory.ended:
        memory = _Memory(today, today, 1)
    elif today > memory.seen:
        memory = replace(memory, seen=today, nights=memory.nights + 1)
    body = _body(wish, memory)
    if issue.get("state") != "open":
        api.update_issue(number, body=body, state="open", state_reason="reopened")
        api.create_comment(number, _say(wish, "again" if previous is None else "reopened"))
        return IssueOutcome("reopened", number, previous)
    _update(api, number, str(issue.get("body") or ""), body)
    if previous == wish.marker.digest:
        return IssueOutcome("updated", number, previous)
    api.create_comment(number, _say(wish, "changed"))
    return IssueOutcome("changed", number, previous)


def _find(api: GitHubApi, wish: IssueWish) -> tuple[JSON, Marker] | None:
    """Our issue: an open one before a closed one, a newer one before an older; by label and marker over all pages."""
    candidates = []
    for issue in api.issues(wish.labels[0]):
        marker = Marker.read(str(issue.get("body") or ""))
        if marker is not None and marker.id == wish.marker.id:
            candidates.append((issue, marker))
    ours = own_ids([issue for issue, _ in candidates], api)
    return max(
        (pair for pair in candidates if pair[0]["id"] in ours),
        key=lambda pair: (pair[0].get("state") == "open", int(pair[0]["number"])),
        default=None,
    )


def _body(wish: IssueWish, memory: _Memory) -> str:
    status = _say(wish, "open", nights=memory.nights, since=memory.since, seen=memory.seen)
    head = f"{wish.marker.line()}\n{memory.line()}\n{status}\n\n"
    return head + wish.render(LIMIT_BYTES - len(head.encode()))


def _with_status(body: str, marker: Marker, memory: _Memory, status: str) -> str:
    """The body with another status line: the report of the last good check stays."""
    rest = body.split("\n", 3)[3] if body.count("\n") >= 3 else ""
    return f"{marker.line()}\n{memory.line()}\n{status}\n{rest}"


def _update(api: GitHubApi, number: int, before: str, body: str) -> None:
    if before != body:
        api.update_issue(number, body=body)


def _say(wish: IssueWish, key: str, **values: str | int) -> str:
    words = _WORDS[wish.language]
    link = f" ([{words['run']}]({wish.link}))" if wish.link else ""
    counted = {name: Count(value) if isinstance(value, int) else value for name, value in values.items()}
    return words[key].format(link=link, **counted)
