"""The client: all pages, the right host, waits that are bounded, and a second try only where it can do no harm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entrypoints.publish.github_api import GitHubApi, GitHubError
from tests.github.conftest import CountingClock
from tests.github.fake_github import REPOSITORY, FakeGitHub

Client = Callable[[FakeGitHub], GitHubApi]


def test_every_page_is_read(github: FakeGitHub, client: Client) -> None:
    for number in range(250):
        github.add_comment(7, f"{number}")
    assert [one["body"] for one in client(github).comments(7)] == [f"{number}" for number in range(250)]
    assert [one.query.get("page") for one in github.requests] == [None, "2", "3"]


def test_b50_429_with_retry_after_is_waited_for_and_sent_once_more(
    github: FakeGitHub, client: Client, clock: CountingClock
) -> None:
    github.fail("POST", r"/comments$", 429, "Too many requests", headers={"Retry-After": "2"})
    client(github).create_comment(7, "text")
    assert clock.sleeps == [2.0]
    assert len(github.writes()) == 2
    assert len(github.comments[7]) == 1


def test_b50_secondary_limit_without_a_time_waits_a_minute(
    github: FakeGitHub, client: Client, clock: CountingClock
) -> None:
    github.fail("POST", r"/comments$", 403, "You have exceeded a secondary rate limit. Please wait.")
    client(github).create_comment(7, "text")
    assert clock.sleeps == [60.0]


def test_b50_primary_limit_waits_until_its_reset(github: FakeGitHub, client: Client, clock: CountingClock) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.seconds) + 30)}
    github.fail("GET", r"/comments$", 403, "API rate limit exceeded for installation ID 1.", headers=reset)
    assert client(github).comments(7) == []
    assert clock.sleeps == [31.0]


def test_b50_all_waits_together_are_bounded(github: FakeGitHub, client: Client, clock: CountingClock) -> None:
    github.fail("GET", r"/comments$", 429, "slow down", headers={"Retry-After": "50"}, times=99)
    with pytest.raises(GitHubError) as caught:
        client(github).comments(7)
    assert caught.value.status == 429
    assert not caught.value.may_not_write
    assert sum(clock.sleeps) <= 120


def test_b50_a_limit_of_an_hour_is_not_waited_for(github: FakeGitHub, client: Client, clock: CountingClock) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.seconds) + 3600)}
    github.fail("POST", r"/comments$", 403, "API rate limit exceeded", headers=reset)
    with pytest.raises(GitHubError):
        client(github).create_comment(7, "text")
    assert (clock.sleeps, len(github.writes())) == ([], 1)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_read_is_tried_again_a_new_comment_never(
    github: FakeGitHub, client: Client, clock: CountingClock, status: int
) -> None:
    github.fail("GET", r"/comments$", status, times=2)
    assert client(github).comments(7) == []
    assert clock.sleeps == [1.0, 2.0]
    github.fail("POST", r"/comments$", status)
    with pytest.raises(GitHubError) as caught:
        client(github).create_comment(7, "text")
    assert caught.value.unsure
    assert len(github.writes()) == 1


def test_an_update_is_tried_again(github: FakeGitHub, client: Client) -> None:
    comment = github.add_comment(7, "old")
    github.fail("PATCH", r"/comments/", 502)
    client(github).update_comment(comment["id"], "new")
    assert comment["body"] == "new"


@pytest.mark.parametrize(
    ("status", "forbidden"), [(403, True), (404, True), (410, True), (401, False), (422, False), (409, False)]
)
def test_what_counts_as_may_not(github: FakeGitHub, client: Client, status: int, forbidden: bool) -> None:
    github.fail("POST", r"/comments$", status, "No")
    with pytest.raises(GitHubError) as caught:
        client(github).create_comment(7, "text")
    assert (caught.value.status, caught.value.may_not_write) == (status, forbidden)
    assert len(github.writes()) == 1


def test_b51_enterprise_server_with_its_base_path(client: Client) -> None:
    with FakeGitHub(base_path="/api/v3") as github:
        github.add_pull(7, "b" * 40)
        for number in range(101):
            github.add_comment(7, f"{number}")
        api = client(github)
        assert len(api.comments(7)) == 101
        assert api.login() == "github-actions[bot]"
        assert api.pull_request(7)["number"] == 7
        assert {one.path for one in github.requests} == {
            f"/api/v3/repos/{REPOSITORY}/issues/7/comments",
            f"/api/v3/repos/{REPOSITORY}/pulls/7",
            "/api/graphql",
        }


def test_b51_a_next_page_on_another_host_is_not_asked(github: FakeGitHub, client: Client) -> None:
    with FakeGitHub() as other:
        github.add_comment(7, "first")
        api = client(github)
        link = {"Link": f'<{other.api_url}/repos/{REPOSITORY}/issues/7/comments?page=2>; rel="next"'}
        original = github._page
        github._page = lambda path, items, query: (200, link, original(path, items, query)[2])  # type: ignore[method-assign]
        with pytest.raises(GitHubError):
            api.comments(7)
        assert other.requests == []


def test_nobody_there(client: Client, clock: CountingClock) -> None:
    with FakeGitHub() as github:
        api = client(github)
    with pytest.raises(GitHubError) as caught:
        api.comments(7)
    assert caught.value.status == 0
    assert len(clock.sleeps) == 3


def test_token_is_in_no_text_of_ours(github: FakeGitHub, client: Client) -> None:
    api = client(github)
    github.fail("POST", r"/comments$", 422, "Validation Failed")
    with pytest.raises(GitHubError) as caught:
        api.create_comment(7, "text")
    assert github.token not in f"{api!r} {caught.value!r} {caught.value}"


def test_issues_are_read_whole_and_without_pull_requests(github: FakeGitHub, client: Client) -> None:
    for number in range(120):
        github.add_issue(f"{number}", "", labels=("drift",), state="closed" if number % 2 else "open")
    github.add_issue("pull", "", labels=("drift",), pull=True)
    github.add_issue("other", "")
    assert len(client(github).issues("drift")) == 120


def test_the_fake_refuses_what_github_does_not_know(client: Client) -> None:
    with pytest.raises(AssertionError, match="unknown parameter colour"), FakeGitHub() as github:
        list(client(github)._all(f"/repos/{REPOSITORY}/issues", colour="red"))
    with pytest.raises(AssertionError, match=r"body\.bod is unknown"), FakeGitHub() as github:
        github.comments[7] = []
        with pytest.raises(GitHubError):
            client(github)._write("PATCH", f"/repos/{REPOSITORY}/issues/7", {"bod": "x"})
    with pytest.raises(AssertionError, match="is no path"), FakeGitHub() as github, pytest.raises(GitHubError):
        client(github)._one(f"/repos/{REPOSITORY}/issue/7")
