from __future__ import annotations

import pytest

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.discovery import discover
from tazuna_core.cluster.reader import KindInfo, Reason
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import ObjectRef
from tests.unit.cluster.fake_api import APPS, CORE, FakeApi, Reply, discovery, status


def serve_plainly(fake: FakeApi) -> None:
    """Answers as servers from before aggregated discovery do."""
    groups = [{"name": name, "versions": [{"groupVersion": f"{name}/v1"}]} for name in ("apps", "metrics.example")]
    fake.on("GET", "/api", Reply({"kind": "APIVersions", "versions": ["v1"]}))
    fake.on("GET", "/apis", Reply({"kind": "APIGroupList", "groups": groups}))
    verbs = ["get", "list"]
    deployments = {"name": "deployments", "kind": "Deployment", "namespaced": True, "verbs": verbs}
    scale = {"name": "deployments/scale", "kind": "Scale", "namespaced": True, "verbs": verbs}
    namespaces = {"name": "namespaces", "kind": "Namespace", "namespaced": False, "verbs": verbs}
    fake.on("GET", "/api/v1", Reply({"kind": "APIResourceList", "resources": [namespaces]}))
    fake.on("GET", "/apis/apps/v1", Reply({"kind": "APIResourceList", "resources": [deployments, scale]}))
    fake.on("GET", "/apis/metrics.example/v1", status(503, "ServiceUnavailable", "no endpoints"))


def test_two_requests_tell_all_kinds(fake: FakeApi, api: ApiServer) -> None:
    kinds = discover(api)
    assert kinds.get("v1", "Namespace") == KindInfo("namespaces", namespaced=False)
    assert kinds.get("apps/v1", "Deployment") == KindInfo("deployments", namespaced=True)
    assert "list" in kinds.verbs("apps/v1", "Deployment")
    assert kinds.get("apps/v1beta1", "Deployment") is None
    assert fake.asked(without_discovery=False) == ["GET /api", "GET /apis"]


def test_a_server_without_aggregated_discovery_is_asked_group_by_group(fake: FakeApi, api: ApiServer) -> None:
    serve_plainly(fake)
    kinds = discover(api)
    assert kinds.get("v1", "Namespace") == KindInfo("namespaces", namespaced=False)
    assert kinds.get("apps/v1", "Deployment") == KindInfo("deployments", namespaced=True)
    assert kinds.get("apps/v1", "Scale") is None, "a subresource is no kind of its own"


def test_a_group_that_is_down_is_not_a_group_that_is_gone(fake: FakeApi, api: ApiServer) -> None:
    fake.serve(CORE, APPS, discovery("metrics.example/v1", stale=True))
    aggregated = discover(api)
    serve_plainly(fake)
    plain = discover(api)
    for kinds in (aggregated, plain):
        down = kinds.unavailable("metrics.example/v1", "Reading")
        assert down is not None
        assert down.reason is Reason.SERVER_ERROR
        gone = kinds.unavailable("gone.example/v1", "Thing")
        assert gone is not None
        assert gone.reason is Reason.NOT_SERVED
        assert kinds.unavailable("apps/v1", "Deployment") is None


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        (status(401, "Unauthorized", "Unauthorized"), "unauthorized", "log in again"),
        (Reply("", 302, {"Location": "/login"}), "unauthorized", "log in again"),
        (status(403, "Forbidden", 'User "system:anonymous" cannot get path "/apis"'), "forbidden", "system:discovery"),
        (status(500, "InternalError", "etcdserver: no leader"), "server-error", "etcdserver: no leader"),
        (Reply("<html>Welcome</html>"), "server-error", "does not answer like an API server"),
        (Reply({"status": "up"}), "server-error", "does not answer like an API server"),
        (Reply("404 page not found", 404), "server-error", "does not answer like an API server"),
    ],
)
def test_a_cluster_that_cannot_be_used_at_all(
    fake: FakeApi, api: ApiServer, reply: Reply, code: str, says: str
) -> None:
    fake.on("GET", "/apis", reply)
    with pytest.raises(ClusterError) as caught:
        discover(api)
    assert caught.value.exit_code == 4
    assert caught.value.code == code
    assert says in str(caught.value)
    assert "context 'fake'" in caught.value.message


def test_effective_namespaces(api: ApiServer) -> None:
    kinds = discover(api)
    assert kinds.effective(ObjectRef("v1", "ConfigMap", "", "x")).namespace == "default"
    assert kinds.effective(ObjectRef("v1", "ConfigMap", "a", "x")).namespace == "a"
    assert kinds.effective(ObjectRef("v1", "Namespace", "a", "x")).namespace == ""


def test_c26_an_unknown_kind_keeps_its_namespace_as_written(api: ApiServer) -> None:
    kinds = discover(api)
    first, second = (ObjectRef("example.com/v1", "Task", namespace, "t") for namespace in ("a", "b"))
    assert kinds.effective(first) == first
    assert kinds.effective(second) == second
