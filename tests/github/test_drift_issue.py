"""The drift issue over several nights: opened, quiet, changed, not closed by a failed check, closed, reopened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from entrypoints.identity import Marker
from entrypoints.publish.drift_issue import IssueOutcome, IssueWish, keep_issue
from entrypoints.publish.github_api import GitHubApi
from tests.github.fake_github import FakeGitHub

FIRST = date(2026, 11, 1)


class Nights:
    """Runs a check a night."""

    def __init__(self, github: FakeGitHub, api: GitHubApi) -> None:
        self.github, self.api = github, api
        self.night = 0

    def check(self, finding: Any, drift: str = "one", **more: Any) -> IssueOutcome:
        self.night += 1
        wish = IssueWish(
            marker=Marker("nightly:one", "a" * 40, 100 + self.night, 1, drift),
            finding=finding,
            title="Drift: tazuna.yaml",
            today=FIRST + timedelta(days=self.night - 1),
            labels=("drift", "night"),
            assignees=("ann",),
            render=lambda limit: f"report of {drift}",
            link="https://example.com/run",
        )
        return keep_issue(self.api, replace(wish, **more))

    @property
    def issue(self) -> dict[str, Any]:
        """The only issue with our label."""
        (issue,) = [one for one in self.github.issues.values() if "tazuna-action" in one["body"]]
        return issue

    def comments(self) -> int:
        """How often people were told."""
        return len(self.github.comments[self.issue["number"]])


@pytest.fixture
def nights(github: FakeGitHub, client: Callable[[FakeGitHub], GitHubApi]) -> Nights:
    return Nights(github, client(github))


def test_b61_opened_with_labels_and_assignees(nights: Nights) -> None:
    outcome = nights.check("drift")
    assert (outcome.action, outcome.number) == ("opened", nights.issue["number"])
    assert [one["name"] for one in nights.issue["labels"]] == ["drift", "night"]
    assert [one["login"] for one in nights.issue["assignees"]] == ["ann"]
    assert "report of one" in nights.issue["body"]


def test_nothing_is_opened_without_drift(nights: Nights) -> None:
    assert nights.check("clean").action == "none"
    assert nights.check("unknown").action == "none"
    assert nights.github.issues == {}


def test_b60_the_same_drift_is_quiet_and_ages(nights: Nights) -> None:
    for _ in range(9):
        outcome = nights.check("drift")
    assert (outcome.action, outcome.previous, nights.comments()) == ("updated", "one", 0)
    assert "Drifting for 9 nights, since 2026-11-01. Last seen 2026-11-09" in nights.issue["body"]
    again = nights.check("drift", today=FIRST + timedelta(days=8))
    assert "for 9 nights" in nights.issue["body"]
    assert again.action == "updated"


def test_b60_another_drift_is_told_once(nights: Nights) -> None:
    nights.check("drift")
    outcome = nights.check("drift", "two")
    assert (outcome.action, outcome.previous, nights.comments()) == ("changed", "one", 1)
    assert "report of two" in nights.issue["body"]
    nights.check("drift", "two")
    assert nights.comments() == 1


def test_b58_a_failed_check_never_closes(nights: Nights) -> None:
    nights.check("drift")
    outcome = nights.check("unknown", "")
    assert (outcome.action, outcome.previous) == ("not-checked", "one")
    assert nights.issue["state"] == "open"
    assert "Last seen 2026-11-01, **not checked on 2026-11-02**" in nights.issue["body"]
    assert "report of one" in nights.issue["body"]
    assert nights.check("drift").action == "updated"
    assert "not checked" not in nights.issue["body"]


def test_b60_a_clean_check_closes(nights: Nights) -> None:
    nights.check("drift")
    outcome = nights.check("clean", "")
    assert (outcome.action, outcome.previous, nights.comments()) == ("closed", "one", 1)
    assert (nights.issue["state"], nights.issue["state_reason"]) == ("closed", "completed")
    assert nights.check("clean", "").action == "none"


def test_b57_new_drift_reuses_the_closed_issue_and_starts_to_count_anew(nights: Nights) -> None:
    for number in range(3):
        nights.github.add_issue(f"open {number}", "text", labels=("drift",))
    for number in range(40):
        nights.github.add_issue(f"closed {number}", "text", labels=("drift",), state="closed")
    nights.github.add_issue("a copy", Marker("nightly:one", "a", 1, 1, "x").line(), labels=("drift",), login="ann")
    nights.github.issues[44]["labels"] = []
    nights.check("drift")
    number = next(one["number"] for one in nights.github.issues.values() if one["title"].startswith("Drift:"))
    for extra in range(120):
        nights.github.add_issue(f"later {extra}", "text", labels=("drift",), state="closed")
    nights.check("clean", "")
    outcome = nights.check("drift", "two")
    assert (outcome.action, outcome.number, outcome.previous) == ("reopened", number, None)
    assert "for 1 night, since 2026-11-03" in nights.github.issues[number]["body"]


def test_closed_by_hand_while_it_lasts_is_reopened(nights: Nights) -> None:
    nights.check("drift")
    nights.issue["state"] = "closed"
    outcome = nights.check("drift")
    assert (outcome.action, outcome.previous) == ("reopened", "one")
    assert (nights.issue["state"], nights.comments()) == ("open", 1)
    assert "for 2 nights" in nights.issue["body"]


def test_b58_another_targets_issue_is_left(nights: Nights) -> None:
    other = nights.github.add_issue("x", Marker("nightly:two", "a", 1, 1, "x").line(), labels=("drift",))
    assert nights.check("clean", "").action == "none"
    assert other["state"] == "open"


def test_an_older_run_writes_nothing(nights: Nights) -> None:
    nights.check("drift")
    nights.check("drift", "two")
    late = nights.check("clean", "", marker=Marker("nightly:one", "a", 101, 1, ""))
    assert (late.action, nights.issue["state"]) == ("skipped", "open")


def test_a_copy_of_a_person_is_not_ours(nights: Nights) -> None:
    copy = nights.github.add_issue("x", Marker("nightly:one", "a", 1, 1, "x").line(), labels=("drift",), login="ann")
    outcome = nights.check("drift")
    assert outcome.action == "opened"
    assert outcome.number != copy["number"]


def test_a_token_without_issues_is_told(nights: Nights) -> None:
    nights.github.fail("GET", r"/issues$", 403, "Resource not accessible by integration")
    outcome = nights.check("drift")
    assert outcome.action == "failed"
    assert "issues: write" in outcome.note


def test_japanese(nights: Nights) -> None:
    nights.check("drift", language="ja")
    assert "1 晩続いている" in nights.issue["body"]
