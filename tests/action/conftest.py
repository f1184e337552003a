"""A fake GitHub for each test, and one real API server for those that need it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.github.fake_github import FakeGitHub
from tests.harness.cluster import LocalCluster


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A cluster of this module's own: the tests change what the nightly check sees."""
    with LocalCluster() as running:
        yield running
