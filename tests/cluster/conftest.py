"""Fixtures that hand out a real API server.

Without one a test fails, it is never skipped. A server takes 450 MB, and 1.3 GB with the CRDs of several add-ons: under
pytest-xdist run with `--dist loadgroup`, so that the tests that share the cluster share a process. pytest 9.2 with
pytest-xdist 3.8 silently ignores groups; then each worker starts a cluster of its own, which costs memory and no more.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.cluster import LocalCluster

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
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
