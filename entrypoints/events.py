"""The whole event policy, pure: which event runs which command, for which pull request, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

CoreCommand = Literal["plan", "diff", "drift", "check", "sync", "rehearse", "publish"]

AUTO: dict[str, tuple[CoreCommand, ...]] = {
    "pull_request": ("plan",),
    "pull_request_target": ("plan",),
    "merge_group": ("plan",),
    "schedule": ("drift", "diff"),
    "workflow_dispatch": ("drift", "diff"),
    "push": ("diff",),
    "workflow_run": ("publish",),
}
"""What `command: auto` means (contract, section 5); any other event, `repository_dispatch` for one: check."""

PULL_REQUEST_EVENTS = frozenset(
    {"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"}
)
PRIVILEGED_EVENTS = frozenset({"pull_request_target", "workflow_run", "issue_comment"})
"""Events that have secrets and a writing token although a stranger can cause them."""

BUILDING: frozenset[CoreCommand] = frozenset({"plan", "diff", "check", "sync", "rehearse"})
"""Commands whose answer is about the checked-out files, and which may run programs over them."""

RECIPE = (
    "Safe recipe: build in a workflow on pull_request and upload the report, then comment from a second workflow on"
    " workflow_run with `command: publish` (docs/action.md, Forks)."
)


@dataclass(frozen=True, slots=True)
class Checkout:
    """The commit in the work tree and its parents."""

    sha: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What the decision needs beside the payload. ``checkout`` is None where there is no git work tree."""

    repository: str
    sha: str
    checkout: Checkout | None
    cluster_configured: bool


@dataclass(frozen=True, slots=True)
class Wishes:
    """The inputs that bear on the decision."""

    command: Literal["auto", "plan", "diff", "drift", "check", "sync", "rehearse", "publish"] = "auto"
    against: Literal["auto", "live", "base"] = "auto"
    comment: Literal["always", "on-change", "never"] = "on-change"
    pr_number: int | None = None
    allow_untrusted_build: bool = False


@dataclass(frozen=True, slots=True)
class HeadBranch:
    """Where a workflow_run came from. Its pull request is the open one from this branch whose head is ``sha``."""

    owner: str
    branch: str
    sha: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do. With a ``refusal`` (exit 5) nothing is run and nothing is commented."""

    commands: tuple[CoreCommand, ...]
    refusal: str = ""
    usage_error: str = ""
    pull_request: int | None = None
    head_branch: HeadBranch | None = None
    head_sha: str = ""
    """The head of the pull request that the event is about; empty where ``pull_request`` is another, or none."""
    against: str = "live"
    diff_if_buildable: bool = False
    untrusted: bool = False
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Subject:
    """What an event is about, whatever the shape of its payload."""

    pull_request: int | None = None
    head_sha: str = ""
    base_sha: str = ""
    merge_sha: str = ""
    from_fork: bool = False
    must_match: bool = False
    """The checked-out commit must be the event's own."""
    head_branch: HeadBranch | None = None
    unknown_head: bool = False


def decide(event: str, payload: Mapping[str, Any], facts: Facts, wishes: Wishes) -> Decision:
    """Returns what this run does. ``payload`` is the event's, as the runner gives it; all of it is somebody's claim."""
    subject = _subject(event, payload, facts)
    commands = AUTO.get(event, ("check",)) if wishes.command == "auto" else (wishes.command,)
    building = not BUILDING.isdisjoint(commands)
    against, usage_error = _against(commands, wishes, facts, subject)
    pull_request, notices = _pull_request(event, subject, wishes)
    return Decision(
        commands=commands,
        refusal=_refusal(event, facts, wishes, subject) if building else "",
        usage_error=usage_error,
        pull_request=pull_request,
        head_branch=subject.head_branch if wishes.comment != "never" else None,
        head_sha=subject.head_sha if subject.head_branch or pull_request == subject.pull_request is not None else "",
        against=against,
        diff_if_buildable=wishes.command == "auto" and commands == ("drift", "diff"),
        untrusted=subject.from_fork or subject.unknown_head,
        notices=notices,
    )


def _subject(event: str, payload: Mapping[str, Any], facts: Facts) -> _Subject:
    if event in PULL_REQUEST_EVENTS:
        return _of_pull_request(event, payload, facts)
    if event == "merge_group":
        group = _map(payload, "merge_group")
        head = _text(group, "head_sha") or facts.sha
        return _Subject(head_sha=head, merge_sha=head, base_sha=_text(group, "base_sha"), must_match=True)
    if event == "workflow_run":
        return _of_workflow_run(payload, facts)
    if event == "issue_comment":
        issue = _map(payload, "issue")
        if "pull_request" in issue:
            return _Subject(pull_request=_number(issue), unknown_head=True)
        return _Subject()
    if event == "push":
        before = _text(payload, "before")
        return _Subject(base_sha="" if set(before) <= {"0"} else before)
    return _Subject()


def _of_pull_request(event: str, payload: Mapping[str, Any], facts: Facts) -> _Subject:
    pull_request = _map(payload, "pull_request")
    head, base = _map(pull_request, "head"), _map(pull_request, "base")
    # On pull_request_target GITHUB_SHA is the base's commit: to build it would report "no changes".
    merge_sha = _text(pull_request, "merge_commit_sha") if event == "pull_request_target" else facts.sha
    return _Subject(
        pull_request=_number(pull_request),
        head_sha=_text(head, "sha"),
        base_sha=_text(base, "sha"),
        merge_sha=merge_sha,
        from_fork=_is_foreign(_map(head, "repo"), facts.repository),
        must_match=True,
    )


def _of_workflow_run(payload: Mapping[str, Any], facts: Facts) -> _Subject:
    run = _map(payload, "workflow_run")
    head_repository = _map(run, "head_repository")
    head_sha = _text(run, "head_sha")
    if _text(run, "event") not in PULL_REQUEST_EVENTS:
        return _Subject(from_fork=_is_foreign(head_repository, facts.repository), head_sha=head_sha)
    # The payload's pull_requests is empty for forks: the branch finds the pull request for them too.
    owner = _text(_map(head_repository, "owner"), "login")
    return _Subject(
        head_sha=head_sha,
        from_fork=_is_foreign(head_repository, facts.repository),
        must_match=True,
        head_branch=HeadBranch(owner=owner, branch=_text(run, "head_branch"), sha=head_sha),
    )


def _is_foreign(repository: Mapping[str, Any], own: str) -> bool:
    # A deleted fork is null in the payload: not ours either.
    return _text(repository, "full_name").lower() != own.lower()


def _refusal(event: str, facts: Facts, wishes: Wishes, subject: _Subject) -> str:
    untrusted = subject.from_fork or subject.unknown_head
    if event in PRIVILEGED_EVENTS and untrusted and not wishes.allow_untrusted_build:
        whose = "a fork" if subject.from_fork else "a pull request whose author this event does not tell"
        return (
            f"Building would run programs over the files of {whose}, on {event}, where secrets and a writing token are."
            f" {RECIPE} `allow-untrusted-build: true` builds all the same."
        )
    if subject.must_match and facts.checkout is not None and not _is_checked_out(facts.checkout, subject):
        return (
            f"The checked-out commit {facts.checkout.sha[:12]} is neither the head"
            f" ({subject.head_sha[:12] or 'unknown'}) nor the merge commit of this {event} event,"
            " so the report would be about something else."
            " Give actions/checkout the event's commit: no `ref:` on pull_request,"
            " `ref: ${{ github.event.pull_request.head.sha }}` on pull_request_target."
        )
    return ""


def _is_checked_out(checkout: Checkout, subject: _Subject) -> bool:
    if checkout.sha in {subject.head_sha, subject.merge_sha} - {""}:
        return True
    # The merge ref moves with the base branch: a merge made after the event still merges the event's head.
    return len(checkout.parents) == 2 and checkout.parents[1] == subject.head_sha != ""


def _against(commands: tuple[CoreCommand, ...], wishes: Wishes, facts: Facts, subject: _Subject) -> tuple[str, str]:
    if "plan" not in commands or wishes.against == "live":
        return "live", ""
    if wishes.against == "auto" and facts.cluster_configured:
        return "live", ""
    base = subject.base_sha
    if facts.checkout and len(facts.checkout.parents) == 2 and facts.checkout.parents[1] == subject.head_sha:
        base = facts.checkout.parents[0]  # what it merges into now, not at the time of the event
    if base:
        return f"base:{base}", ""
    missing = "No cluster is configured" if wishes.against == "auto" else "`against: base` was asked for"
    return "live", f"{missing}, and this event has no base commit to compare with"


def _pull_request(event: str, subject: _Subject, wishes: Wishes) -> tuple[int | None, tuple[str, ...]]:
    if wishes.comment == "never":
        return None, ()
    if event == "merge_group":
        # A group may hold several pull requests; the number in its ref is a hint and not "the" one.
        return None, ("A merge group belongs to no single pull request: no comment, see the step summary.",)
    number = wishes.pr_number or subject.pull_request
    if number is None and subject.head_branch is None:
        return None, ("No pull request belongs to this event: no comment, see the step summary.",)
    return number, ()


def _map(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _number(data: Mapping[str, Any]) -> int | None:
    value = data.get("number")
    return value if isinstance(value, int) and value > 0 else None
