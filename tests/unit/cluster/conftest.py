"""A fake API server and a client of it that never waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.kubeconfig import connect
from tests.unit.cluster.fake_api import FakeApi


@pytest.fixture
def fake() -> Iterator[FakeApi]:
    with FakeApi() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the client would have waited between attempts."""
    return []


@pytest.fixture
def api(fake: FakeApi, tmp_path: Path, waits: list[float]) -> ApiServer:
    return ApiServer(connect(fake.kubeconfig(tmp_path, token="s3cret-token")), sleep=waits.append)


@pytest.fixture
def reader(api: ApiServer) -> KubeReader:
    return KubeReader(api)
