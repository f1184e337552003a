"""A fake GitHub, a client of it whose clock only counts, and reports to publish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from entrypoints.publish.github_api import Clock, GitHubApi
from tests.github.fake_github import REPOSITORY, FakeGitHub


@dataclass
class CountingClock:
    """A clock that moves only when somebody sleeps."""

    seconds: float = 1_800_000_000.0
    sleeps: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Moves on."""
        self.sleeps.append(seconds)
        self.seconds += seconds


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        server.add_pull(7, "b" * 40)
        yield server


@pytest.fixture
def clock() -> CountingClock:
    return CountingClock()


@pytest.fixture
def client(clock: CountingClock) -> Callable[[FakeGitHub], GitHubApi]:
    """Makes a client as the action makes it, one a run."""

    def make(server: FakeGitHub) -> GitHubApi:
        return GitHubApi(
            server.api_url,
            server.graphql_url,
            REPOSITORY,
            server.token,
            clock=Clock(now=lambda: clock.seconds, sleep=clock.sleep),
        )

    return make
