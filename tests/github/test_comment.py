"""One comment per target: found again, nobody else's touched, no older one over a newer one, no needless write."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from entrypoints.identity import Marker
from entrypoints.publish.comment import LIMIT_BYTES, CommentOutcome, CommentWish, publish_comment
from entrypoints.publish.github_api import GitHubApi
from tests.github.fake_github import FakeGitHub

Client = Callable[[FakeGitHub], GitHubApi]
HEAD = "b" * 40
OLD_HEAD = "a" * 40


def wish(text: str = "2 changed", **more: object) -> CommentWish:
    """What run 200 of the head wants to say on pull request 7."""
    marker = {"id": "plan:one", "sha": HEAD, "run": 200, "attempt": 1, "digest": f"digest of {text}"}
    marker |= {name: more.pop(name) for name in list(more) if name in marker}
    return CommentWish(
        number=7,
        marker=Marker(**marker),  # type: ignore[arg-type]
        render=lambda limit: text,
        head_sha=str(more.pop("head_sha", marker["sha"])),
        create=bool(more.pop("create", True)),
    )


def body(text: str = "1 changed", **more: object) -> str:
    """The text of a comment that an earlier run wrote."""
    return f"{wish(text, **({'run': 100, 'sha': OLD_HEAD} | more)).marker.line()}\n{text}"


def methods(github: FakeGitHub) -> list[str]:
    return [one.method for one in github.writes()]


def test_first_run_creates_one(github: FakeGitHub, client: Client) -> None:
    outcome = publish_comment(client(github), wish())
    assert (outcome.action, outcome.posted) == ("created", True)
    (comment,) = github.comments[7]
    assert outcome.url == comment["html_url"]
    first, rest = comment["body"].split("\n", 1)
    assert (Marker.read(first), rest) == (wish().marker, "2 changed")


@pytest.mark.parametrize("place", [1, 100, 101, 250])
def test_b15_found_among_250_comments_on_whatever_page(github: FakeGitHub, client: Client, place: int) -> None:
    for number in range(1, 251):
        github.add_comment(
            7, body() if number == place else f"comment {number}", login=None if number == place else "ann"
        )
    assert publish_comment(client(github), wish()).action == "updated"
    assert methods(github) == ["PATCH"]
    assert github.comments[7][place - 1]["body"].endswith("2 changed")


def test_b16_matrix_legs_keep_their_own_comment(github: FakeGitHub, client: Client) -> None:
    legs = ["a", "a1"]
    for text, run in (("first", 200), ("second", 201)):
        threads = [
            Thread(target=publish_comment, args=(client(github), wish(f"{text} {leg}", id=leg, run=run)))
            for leg in legs
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(one["body"].split("\n")[1] for one in github.comments[7]) == ["second a", "second a1"]


@pytest.mark.parametrize("text", ["2 changes", "<!-- other-action {} -->\n2", '<!-- tazuna-action {"v":1} -->', ""])
def test_b18_other_comments_of_the_same_bot_are_left(github: FakeGitHub, client: Client, text: str) -> None:
    other = github.add_comment(7, text)
    assert publish_comment(client(github), wish()).action == "created"
    assert other["body"] == text


@pytest.mark.parametrize("quote", [str, lambda text: "> " + text.replace("\n", "\n> "), lambda text: f"Look:\n{text}"])
def test_b19_quoted_marker_is_not_ours(github: FakeGitHub, client: Client, quote: Callable[[str], str]) -> None:
    human = github.add_comment(7, quote(body()), login="ann")
    before = human["body"]
    assert publish_comment(client(github), wish()).action == "created"
    assert human["body"] == before


def test_b19_a_copy_is_not_ours_when_the_login_is_unknown(github: FakeGitHub, client: Client) -> None:
    github.graphql_allowed = False
    ours, copy = github.add_comment(7, body()), github.add_comment(7, body(), login="ann")
    assert publish_comment(client(github), wish()).action == "updated"
    assert ours["body"].endswith("2 changed")
    assert copy["body"] == body()


@pytest.mark.parametrize("graphql", [True, False])
@pytest.mark.parametrize("user", [True, False])
@pytest.mark.parametrize(
    ("token", "login"),
    [
        ("ghs_actions", "github-actions[bot]"),
        ("ghs_app", "tazuna-app[bot]"),
        ("ghp_classic", "carol"),
        ("github_pat_fine", "carol"),
    ],
)
def test_b20_any_token_finds_its_comment_again(
    client: Client, token: str, login: str, user: bool, graphql: bool
) -> None:
    with FakeGitHub(login=login, token=token) as github:
        github.add_pull(7, HEAD)
        github.user_allowed, github.graphql_allowed = user, graphql
        assert publish_comment(client(github), wish("1")).action == "created"
        github.add_comment(7, github.comments[7][0]["body"], login="mallory")
        assert publish_comment(client(github), wish("2", run=201)).action == "updated"
        assert methods(github) == ["POST", "PATCH"]
        assert github.comments[7][0]["body"].endswith("\n2")


def test_b20_graphql_may_name_a_bot_without_its_suffix(github: FakeGitHub, client: Client) -> None:
    github.add_comment(7, body(), login="github-actions[bot]")
    github.login = "github-actions"
    assert publish_comment(client(github), wish()).action == "updated"


def test_b21_two_workflows_with_one_token_leave_each_other_alone(github: FakeGitHub, client: Client) -> None:
    other = github.add_comment(7, body(id="plan:two"))
    assert publish_comment(client(github), wish()).action == "created"
    assert other["body"] == body(id="plan:two")


def test_b22_of_duplicates_the_newest_is_updated_and_the_others_left(github: FakeGitHub, client: Client) -> None:
    for run in (90, 91, 92):
        github.add_comment(7, body(f"run {run}", run=run))
    assert publish_comment(client(github), wish()).action == "updated"
    assert [one["body"].split("\n")[1] for one in github.comments[7]] == ["run 90", "run 91", "2 changed"]


def test_b23_on_change_heals_an_old_comment(github: FakeGitHub, client: Client) -> None:
    github.add_comment(7, body("2 changes"))
    assert publish_comment(client(github), wish("No changes", create=False)).action == "updated"
    assert github.comments[7][0]["body"].endswith("No changes")


def test_b23_on_change_creates_nothing_without_a_change(github: FakeGitHub, client: Client) -> None:
    assert publish_comment(client(github), wish("No changes", create=False)).action == "skipped"
    assert (github.comments[7], methods(github)) == ([], [])


def test_b24_an_older_run_leaves_the_newer_ones_comment(github: FakeGitHub, client: Client) -> None:
    github.add_comment(7, body("newer", run=200, sha=HEAD))
    late = wish("older", run=150, sha=OLD_HEAD)
    assert publish_comment(client(github), late).action == "skipped"
    assert methods(github) == []


def test_b24_a_run_of_an_old_commit_writes_nothing_even_where_the_newer_one_wrote_nothing(
    github: FakeGitHub, client: Client
) -> None:
    github.add_comment(7, body("same", run=100))
    assert publish_comment(client(github), wish("same", run=300)).action == "unchanged"
    late = wish("older", run=250, sha="c" * 40)
    assert publish_comment(client(github), late).action == "skipped"
    del github.comments[7][:]
    assert publish_comment(client(github), late).action == "skipped"
    assert methods(github) == []


def test_b24_attempt_2_of_the_newest_run_writes(github: FakeGitHub, client: Client) -> None:
    github.add_comment(7, body("attempt 1", run=200, sha=HEAD))
    assert publish_comment(client(github), wish("attempt 2", attempt=2)).action == "updated"
    assert publish_comment(client(github), wish("attempt 1 again", attempt=1)).action == "skipped"


def test_b25_equal_content_makes_no_write(github: FakeGitHub, client: Client) -> None:
    publish_comment(client(github), wish("2 changed"))
    outcome = publish_comment(client(github), wish("2 changed", run=201))
    assert (outcome.action, outcome.posted, methods(github)) == ("unchanged", True, ["POST"])
    assert outcome.url == github.comments[7][0]["html_url"]


def test_deleted_while_we_looked_is_created_once(github: FakeGitHub, client: Client) -> None:
    github.add_comment(7, body())
    github.fail("PATCH", r"/issues/comments/", 404, "Not Found")
    assert publish_comment(client(github), wish()).action == "created"
    assert methods(github) == ["PATCH", "POST"]


def test_b48_read_only_token_is_a_note_and_no_error(github: FakeGitHub, client: Client) -> None:
    github.fail("POST", r"/comments$", 403, "Resource not accessible by integration")
    outcome = publish_comment(client(github), wish())
    assert (outcome.action, outcome.posted) == ("forbidden", False)
    assert "Resource not accessible by integration" in outcome.note
    assert "workflow_run" in outcome.note
    assert methods(github) == ["POST"]


def test_locked_conversation_is_a_note(github: FakeGitHub, client: Client) -> None:
    github.locked.add(7)
    outcome = publish_comment(client(github), wish())
    assert outcome.action == "forbidden"
    assert "#7 is locked" in outcome.note


def test_closed_pull_request_takes_comments(github: FakeGitHub, client: Client) -> None:
    github.pulls[7]["state"] = "closed"
    assert publish_comment(client(github), wish()).action == "created"


def test_no_such_pull_request_is_a_note(github: FakeGitHub, client: Client) -> None:
    del github.comments[7]
    assert publish_comment(client(github), wish()).action == "forbidden"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_lost_answer_to_a_new_comment_never_makes_two(github: FakeGitHub, client: Client, status: int) -> None:
    github.fail("POST", r"/comments$", status, done=True)
    assert publish_comment(client(github), wish()).action == "created"
    assert len(github.comments[7]) == 1


def test_a_refused_new_comment_is_a_failure_after_one_post(github: FakeGitHub, client: Client) -> None:
    github.fail("POST", r"/comments$", 502, times=9)
    outcome = publish_comment(client(github), wish())
    assert (outcome.action, methods(github)) == ("failed", ["POST"])
    assert "502" in outcome.note


def test_b64_header_or_report_cannot_break_the_marker(github: FakeGitHub, client: Client) -> None:
    evil = 'a --> <script> "} --' * 3
    publish_comment(client(github), wish("text", id=evil))
    line = github.comments[7][0]["body"].split("\n")[0]
    assert line.count("-->") == 1
    assert line.endswith(" -->")
    assert publish_comment(client(github), wish("more", id=evil, run=201)).action == "updated"


def test_b01_marker_is_counted_in_the_limit(github: FakeGitHub, client: Client) -> None:
    told: list[int] = []

    def render(limit: int) -> str:
        told.append(limit)
        return "x" * limit

    base = wish()
    publish_comment(client(github), CommentWish(7, base.marker, render, base.head_sha))
    assert len(github.comments[7][0]["body"].encode()) == LIMIT_BYTES
    assert told[0] < LIMIT_BYTES


def test_outcome_of_a_skipped_comment_is_not_posted() -> None:
    assert not CommentOutcome("skipped", "https://example.com").posted
