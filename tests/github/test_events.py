"""The event policy, event by event, on GitHub's own example payloads."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import orjson
import pytest

from entrypoints.events import RECIPE, Checkout, Decision, Facts, HeadBranch, Wishes, decide
from tests.harness.npm_package import npm_file

HEAD = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
BASE, MERGE, OTHER = "f" * 40, "c" * 40, "d" * 40
OWN, FORK = "Codertocat/Hello-World", "mallory/Hello-World"
SAFE_TO_READ = Checkout(MERGE, (BASE, HEAD))


@cache
def _examples() -> dict[str, list[dict[str, Any]]]:
    text = npm_file("@octokit/webhooks-examples", "7.6.1", "api.github.com/index.json").read_bytes()
    return {one["name"]: one["examples"] for one in orjson.loads(text)}


def payload(event: str, action: str | None = None, number: int = 0) -> dict[str, Any]:
    """A copy of an example payload."""
    found = [one for one in _examples()[event] if action is None or one.get("action") == action]
    copy: dict[str, Any] = orjson.loads(orjson.dumps(found[number]))
    return copy


def pull_request(action: str = "synchronize", *, fork: bool = False, event: str = "pull_request") -> dict[str, Any]:
    """A pull request's payload; with `fork` its head is in somebody else's repository."""
    data = payload(event, action) if event == "pull_request" else payload(event)
    if fork:
        data["pull_request"]["head"]["repo"]["full_name"] = FORK
    data["pull_request"]["head"]["sha"] = HEAD
    data["pull_request"]["merge_commit_sha"] = MERGE
    data["pull_request"]["base"]["sha"] = BASE
    return data


def workflow_run(*, event: str = "pull_request", fork: bool = False) -> dict[str, Any]:
    data = payload("workflow_run", "completed", 1)
    data["workflow_run"] |= {"event": event, "head_branch": "feature", "head_sha": HEAD, "pull_requests": []}
    data["repository"]["full_name"] = OWN
    data["workflow_run"]["head_repository"]["full_name"] = FORK if fork else OWN
    data["workflow_run"]["head_repository"]["owner"]["login"] = "mallory" if fork else "Codertocat"
    return data


def facts(**more: Any) -> Facts:
    return replace(Facts(repository=OWN, sha=MERGE, checkout=SAFE_TO_READ, cluster_configured=True), **more)


def on(event: str, data: dict[str, Any], *, wishes: Wishes = Wishes(), **more: Any) -> Decision:  # noqa: B008 -- frozen
    return decide(event, data, facts(**more), wishes)


GROUP = "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d"
AUTO = [
    ("pull_request", lambda: pull_request("opened"), {}, ("plan",), 2),
    ("pull_request", lambda: pull_request("synchronize"), {}, ("plan",), 2),
    ("pull_request", lambda: pull_request("reopened"), {}, ("plan",), 2),
    ("pull_request_target", pull_request, {"sha": BASE, "checkout": Checkout(HEAD, (BASE,))}, ("plan",), 2),
    ("merge_group", lambda: payload("merge_group"), {"checkout": Checkout(GROUP), "sha": GROUP}, ("plan",), None),
    ("schedule", lambda: {"schedule": "0 3 * * *"}, {}, ("drift", "diff"), None),
    ("workflow_dispatch", lambda: payload("workflow_dispatch"), {}, ("drift", "diff"), None),
    ("push", lambda: payload("push"), {}, ("diff",), None),
    ("workflow_run", workflow_run, {}, ("publish",), None),
    ("workflow_call", dict, {}, ("check",), None),
    ("repository_dispatch", lambda: payload("repository_dispatch"), {}, ("check",), None),
    ("release", lambda: payload("release"), {}, ("check",), None),
    ("issue_comment", lambda: payload("issue_comment"), {}, ("check",), None),
    ("pull_request_review", lambda: pull_request(event="pull_request_review"), {}, ("check",), 2),
    ("", dict, {}, ("check",), None),
]


@pytest.mark.parametrize(("event", "data", "more", "commands", "number"), AUTO)
def test_auto(event: str, data: Any, more: dict[str, Any], commands: tuple[str, ...], number: int | None) -> None:
    decision = on(event, data(), **more)
    assert (decision.commands, decision.pull_request, decision.refusal) == (commands, number, "")
    assert decision.usage_error == ""


@pytest.mark.parametrize(
    ("event", "checkout", "refused"),
    [
        ("pull_request", Checkout(MERGE, (BASE, HEAD)), False),
        ("pull_request", Checkout(HEAD, (BASE,)), False),
        ("pull_request", Checkout(OTHER, (OTHER, HEAD)), False),  # merged anew after the base moved on
        ("pull_request", Checkout(OTHER, (HEAD, BASE)), True),  # the base merged into something of the head's
        ("pull_request", Checkout(OTHER, (HEAD,)), True),
        ("pull_request", Checkout(BASE), True),
        ("pull_request", None, False),
        ("pull_request_target", Checkout(HEAD), False),
        ("pull_request_target", Checkout(BASE), True),  # GITHUB_SHA, what actions/checkout takes by itself
        ("pull_request_target", Checkout(MERGE), False),
    ],
)
def test_only_the_events_own_commit_is_built(event: str, checkout: Checkout | None, refused: bool) -> None:
    sha = BASE if event == "pull_request_target" else MERGE
    decision = on(event, pull_request(), sha=sha, checkout=checkout)
    assert bool(decision.refusal) == refused
    if refused:
        assert "actions/checkout" in decision.refusal
    drift = on(event, pull_request(), sha=sha, checkout=checkout, wishes=Wishes(command="drift"))
    assert drift.refusal == ""  # builds nothing: the checked-out files do not matter


@pytest.mark.parametrize("command", ["plan", "diff", "check", "sync", "rehearse"])
@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_a_forks_files_are_not_built_where_secrets_are(event: str, command: Any) -> None:
    data = workflow_run(fork=True) if event == "workflow_run" else pull_request(fork=True)
    head = Checkout(HEAD)
    decision = on(event, data, checkout=head, wishes=Wishes(command=command))
    assert "a fork" in decision.refusal
    assert RECIPE in decision.refusal
    allowed = on(event, data, checkout=head, wishes=Wishes(command=command, allow_untrusted_build=True))
    assert allowed.refusal == ""
    assert allowed.untrusted


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
@pytest.mark.parametrize("command", ["drift", "publish"])
def test_what_builds_nothing_runs_for_a_fork(event: str, command: Any) -> None:
    data = workflow_run(fork=True) if event == "workflow_run" else pull_request(fork=True)
    assert on(event, data, wishes=Wishes(command=command)).refusal == ""


def test_a_deleted_fork_is_a_fork() -> None:
    data = pull_request()
    data["pull_request"]["head"]["repo"] = None
    assert "a fork" in on("pull_request_target", data, checkout=Checkout(HEAD)).refusal


def test_allowing_untrusted_builds_does_not_allow_another_commit() -> None:
    decision = on(
        "pull_request_target",
        pull_request(fork=True),
        sha=BASE,
        checkout=Checkout(BASE),
        wishes=Wishes(allow_untrusted_build=True),
    )
    assert "neither the head" in decision.refusal


def test_b48_a_forks_own_run_builds_without_its_plugins() -> None:
    decision = on("pull_request", pull_request(fork=True))
    assert (decision.refusal, decision.untrusted) == ("", True)
    assert not on("pull_request", pull_request()).untrusted


def test_a_comment_on_a_pull_request_does_not_tell_whose_files_they_are() -> None:
    data = payload("issue_comment", "created")
    data["issue"] |= {"number": 12, "pull_request": {"url": "x"}}
    decision = on("issue_comment", data, wishes=Wishes(command="plan"))
    assert "author" in decision.refusal
    allowed = on("issue_comment", data, wishes=Wishes(command="plan", allow_untrusted_build=True))
    assert (allowed.refusal, allowed.pull_request, allowed.untrusted) == ("", 12, True)


def test_b52_a_merge_group_never_comments() -> None:
    data, group = payload("merge_group"), Checkout(GROUP)
    for wishes in (Wishes(), Wishes(pr_number=12), Wishes(comment="always")):
        decision = on("merge_group", data, checkout=group, sha=GROUP, wishes=wishes)
        assert (decision.pull_request, decision.refusal) == (None, "")
        assert decision.notices
    assert on("merge_group", data, checkout=Checkout(OTHER), sha=GROUP).refusal


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule", "push", "repository_dispatch", "workflow_call"])
def test_b53_events_without_a_pull_request(event: str) -> None:
    data = payload(event) if event in _examples() else {}
    decision = on(event, data)
    assert (decision.pull_request, decision.head_sha) == (None, "")
    assert "No pull request" in decision.notices[0]
    wished = on(event, data, wishes=Wishes(pr_number=12))
    assert (wished.pull_request, wished.notices) == (12, ())
    assert on(event, data, wishes=Wishes(comment="never")).notices == ()


def test_b53_an_explicit_number_wins_and_has_no_head_to_be_late_for() -> None:
    decision = on("pull_request", pull_request(), wishes=Wishes(pr_number=99))
    assert (decision.pull_request, decision.head_sha) == (99, "")
    assert on("pull_request", pull_request()).head_sha == HEAD


@pytest.mark.parametrize("fork", [False, True])
def test_workflow_run_finds_its_pull_request_by_branch_and_head(fork: bool) -> None:
    decision = on("workflow_run", workflow_run(fork=fork))
    assert decision.head_branch == HeadBranch("mallory" if fork else "Codertocat", "feature", HEAD)
    assert decision.head_sha == HEAD


def test_workflow_run_after_a_push_is_about_no_pull_request() -> None:
    decision = on("workflow_run", workflow_run(event="push"))
    assert (decision.head_branch, decision.pull_request) == (None, None)


@pytest.mark.parametrize(
    ("against", "configured", "event", "expected"),
    [
        ("auto", True, "pull_request", "live"),
        ("auto", False, "pull_request", f"base:{BASE}"),
        ("base", True, "pull_request", f"base:{BASE}"),
        ("live", False, "pull_request", "live"),
        ("auto", False, "merge_group", "base:380387fbc80638b734a49e1be1c4dfec1c01b33c"),
    ],
)
def test_against(against: Any, configured: bool, event: str, expected: str) -> None:
    data = pull_request() if event == "pull_request" else payload("merge_group")
    checkout = SAFE_TO_READ if event == "pull_request" else Checkout(GROUP)
    decision = on(event, data, checkout=checkout, cluster_configured=configured, wishes=Wishes(against=against))
    assert (decision.against, decision.usage_error) == (expected, "")


def test_against_the_base_that_the_checked_out_merge_has() -> None:
    decision = on("pull_request", pull_request(), checkout=Checkout(OTHER, (OTHER, HEAD)), cluster_configured=False)
    assert decision.against == f"base:{OTHER}"


def test_against_base_without_a_base_is_a_usage_error() -> None:
    decision = on("schedule", {}, wishes=Wishes(command="plan", against="base"))
    assert "no base commit" in decision.usage_error
    assert on("schedule", {}, wishes=Wishes(command="drift", against="base")).usage_error == ""


@pytest.mark.parametrize("event", ["pull_request", "merge_group", "workflow_run", "issue_comment", "push", "schedule"])
@pytest.mark.parametrize("data", [{}, {"pull_request": None, "workflow_run": [], "merge_group": 1, "issue": "x"}])
def test_no_payload_breaks_the_decision(event: str, data: dict[str, Any]) -> None:
    on(event, data, wishes=Wishes(command="plan"))
