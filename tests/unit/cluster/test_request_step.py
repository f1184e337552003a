from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tazuna_core import tracing
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.request_step import path_template
from tests.unit.cluster.fake_api import FakeApi, Reply, one, status

PATH = "/api/v1/namespaces/a/configmaps/x"
STATUS, RESENT = "http.response.status_code", "http.request.resend_count"


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/api", "/api"),
        ("/apis", "/apis"),
        ("/version", "/version"),
        ("/api/v1", "/api/v1"),
        ("/apis/apps/v1", "/apis/apps/v1"),
        ("/openapi/v3/apis/apps/v1?hash=5D3A", "/openapi/v3/apis/apps/v1"),
        ("/api/v1/secrets?limit=500&continue=t0k3n", "/api/v1/secrets"),
        ("/api/v1/namespaces", "/api/v1/namespaces"),
        ("/api/v1/namespaces/vault", "/api/v1/namespaces/{name}"),
        ("/api/v1/namespaces/vault/finalize", "/api/v1/namespaces/{name}/finalize"),
        ("/api/v1/namespaces/vault/secrets", "/api/v1/namespaces/{namespace}/secrets"),
        ("/api/v1/namespaces/vault/secrets/db", "/api/v1/namespaces/{namespace}/secrets/{name}"),
        ("/api/v1/namespaces/a/pods/p/status", "/api/v1/namespaces/{namespace}/pods/{name}/status"),
        ("/apis/apps/v1/deployments", "/apis/apps/v1/deployments"),
        ("/apis/a.io/v1/namespaces/n/xs/x%20y", "/apis/a.io/v1/namespaces/{namespace}/xs/{name}"),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles/a", "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}"),
    ],
)
def test_a_path_is_told_without_names_and_query(path: str, template: str) -> None:
    assert path_template(path) == template


class Kept:
    """A recorder that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    @contextmanager
    def span(self, name: str, attributes: tracing.Attributes, *, request: bool) -> Iterator[None]:
        assert request
        self.told.append(name)
        yield

    def note(self, attributes: tracing.Attributes) -> None:
        self.told.append(dict(attributes))

    def fail(self, code: str) -> None:
        self.told.append(code)

    def finish(self, exit_code: int) -> None:
        self.told.append(exit_code)


@pytest.fixture
def kept() -> Iterator[Kept]:
    recorder = Kept()
    tracing.record(recorder)
    yield recorder
    tracing.finish(0)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([one("ConfigMap", "x")], [{STATUS: 200}]),
        ([status(503), status(503), one("ConfigMap", "x")], [{RESENT: 0}, {RESENT: 1}, {RESENT: 2}, {STATUS: 200}]),
        ([status(404)], [{STATUS: 404}]),
        ([status(403)], [{STATUS: 403}, "403"]),
    ],
    ids=["answered", "after two faults", "missing", "forbidden"],
)
def test_a_request_is_one_step_however_often_it_is_sent(
    fake: FakeApi, api: ApiServer, kept: Kept, answers: list[Reply], told: list[object]
) -> None:
    fake.on("GET", PATH, *answers)
    api.request("GET", PATH, {"limit": 500})
    assert kept.told == ["GET /api/v1/namespaces/{namespace}/configmaps/{name}", *told]
