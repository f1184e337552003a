"""Fixtures that hand out a real API server.

Without one a test fails, it is never skipped. A server takes some 450 MB, so tests that share one must share a process
too: under pytest-xdist run them with `--dist loadgroup`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.cluster import LocalCluster

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts all tests of this folder that share the cluster into one xdist group, the others into a second."""
    for item in items:
        if item.path.is_relative_to(HERE):
            shared = "cluster" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("cluster" if shared else "fresh-cluster"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    """The session's cluster. Leave nothing outside your namespace behind."""
    with LocalCluster() as running:
        yield running


@pytest.fixture
def namespace(cluster: LocalCluster) -> Iterator[str]:
    """The name of a new namespace of the session's cluster, deleted after the test."""
    name = f"test-{secrets.token_hex(4)}"
    cluster.create_namespace(name)
    yield name
    cluster.delete_namespace(name)


@pytest.fixture
def fresh_cluster() -> Iterator[LocalCluster]:
    """A cluster of the test's own, for what fills or breaks one: CRDs, webhooks, aggregated APIs, whole add-ons."""
    with LocalCluster() as running:
        yield running
