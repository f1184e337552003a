from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tazuna_core.cluster import api_server
from tazuna_core.cluster.api_server import ApiServer, impossible_name, resource_path
from tazuna_core.cluster.kubeconfig import connect
from tazuna_core.cluster.reader import KindInfo, Reason
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import ObjectRef
from tests.unit.cluster.fake_api import FakeApi, Reply, one, status

PATH = "/api/v1/namespaces/a/configmaps/x"
REF = ObjectRef("v1", "ConfigMap", "a", "x")
BUSY = status(429, "TooManyRequests", "wait")
DOWN = status(503, "ServiceUnavailable", "not now")
DROPPED = Reply(drop=True)
FOUND = one("ConfigMap", "x")


@pytest.mark.parametrize("fault", [BUSY, DOWN, status(500, "InternalError"), status(504, "Timeout"), DROPPED])
def test_a_read_is_repeated_after_a_passing_fault(fake: FakeApi, api: ApiServer, fault: Reply) -> None:
    fake.on("GET", PATH, fault, fault, FOUND)
    assert api.request("GET", PATH).json["data"] == {"of": "x"}
    assert fake.asked() == [f"GET {PATH}"] * 3


@pytest.mark.parametrize("answer", [status(400), status(401), status(403), status(404), status(409), status(422)])
def test_an_answer_about_the_request_is_not_asked_for_again(fake: FakeApi, api: ApiServer, answer: Reply) -> None:
    fake.on("GET", PATH, answer)
    assert api.request("GET", PATH).status == answer.status
    assert len(fake.asked()) == 1


def test_a_write_is_repeated_after_429_which_says_that_it_was_not_done(fake: FakeApi, api: ApiServer) -> None:
    fake.on("PATCH", PATH, BUSY, BUSY, FOUND)
    assert api.apply(REF, {"data": {"a": "b"}}, field_manager="tazuna").ok
    assert [seen.body for seen in fake.seen if seen.method == "PATCH"] == [{"data": {"a": "b"}}] * 3


@pytest.mark.parametrize("fault", [DOWN, status(500, "InternalError"), status(504, "Timeout")])
def test_a_write_that_may_have_been_done_is_not_repeated(fake: FakeApi, api: ApiServer, fault: Reply) -> None:
    fake.on("PATCH", PATH, fault, FOUND)
    assert api.apply(REF, {}, field_manager="tazuna").status == fault.status


def test_a_write_whose_connection_breaks_raises(fake: FakeApi, api: ApiServer) -> None:
    fake.on("PATCH", PATH, DROPPED, FOUND)
    with pytest.raises(ClusterError) as caught:
        api.apply(REF, {}, field_manager="tazuna")
    assert caught.value.code == "unreachable"


def test_retry_after_is_honoured(fake: FakeApi, api: ApiServer, waits: list[float]) -> None:
    fake.on("GET", PATH, Reply(BUSY.body, 429, {"Retry-After": "7"}), FOUND)
    assert api.request("GET", PATH).ok
    assert waits == [7.0]


def test_waiting_is_bounded(fake: FakeApi, api: ApiServer, waits: list[float]) -> None:
    fake.on("GET", PATH, Reply(BUSY.body, 429, {"Retry-After": "3600"}))
    assert api.request("GET", PATH).status == 429
    assert waits == []


def test_a_server_that_stays_down_gets_few_requests(fake: FakeApi, api: ApiServer, waits: list[float]) -> None:
    fake.on("GET", PATH, DOWN)
    assert api.request("GET", PATH).status == 503
    assert len(fake.asked()) == 4
    assert sum(waits) < 2


def test_credentials_do_not_follow_a_redirect(fake: FakeApi, api: ApiServer) -> None:
    fake.on("GET", PATH, Reply("", 302, {"Location": f"{fake.url}/login"}))
    assert api.request("GET", PATH).status == 302
    assert fake.asked() == [f"GET {PATH}"]


def test_the_token_is_sent_and_never_shown(fake: FakeApi, api: ApiServer) -> None:
    fake.on("GET", PATH, FOUND)
    api.request("GET", PATH)
    assert fake.seen[0].headers["authorization"] == ["Bearer s3cret-token"]
    assert "s3cret" not in repr(api)


def test_a_message_with_a_token_is_redacted(fake: FakeApi, api: ApiServer) -> None:
    token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    fake.on("GET", PATH, status(401, "Unauthorized", f"invalid bearer token {token}"))
    assert api.request("GET", PATH).message == "invalid bearer token [token]"


def test_impersonation_is_sent(fake: FakeApi, tmp_path: Path) -> None:
    user = {"token": "t", "as": "alice", "as-groups": ["dev", "ops"], "as-user-extra": {"reason": ["drill"]}}
    fake.on("GET", PATH, FOUND)
    ApiServer.open(fake.kubeconfig(tmp_path, **user)).request("GET", PATH)
    headers = fake.seen[0].headers
    assert headers["impersonate-user"] == ["alice"]
    assert headers["impersonate-group"] == ["dev", "ops"]
    assert headers["impersonate-extra-reason"] == ["drill"]


def test_nobody_listens(fake: FakeApi, tmp_path: Path, waits: list[float]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        fake.url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        api = ApiServer(connect(fake.kubeconfig(tmp_path)), sleep=waits.append)
        with pytest.raises(ClusterError) as caught:
            api.request("GET", "/version")
    assert caught.value.exit_code == 4
    assert caught.value.code == "unreachable"
    assert caught.value.message == f"cannot reach context 'fake' ({fake.url}): Connection refused"


def test_unknown_host(fake: FakeApi, tmp_path: Path, waits: list[float]) -> None:
    fake.url = "http://no-such-host.invalid:6443"
    api = ApiServer(connect(fake.kubeconfig(tmp_path)), sleep=waits.append)
    with pytest.raises(ClusterError, match="the host name is unknown"):
        api.request("GET", "/version")


def test_no_tls_at_the_other_end(fake: FakeApi, tmp_path: Path, waits: list[float]) -> None:
    fake.url = fake.url.replace("http:", "https:")
    api = ApiServer(connect(fake.kubeconfig(tmp_path)), sleep=waits.append)
    with pytest.raises(ClusterError, match="no secure connection to context 'fake'") as caught:
        api.request("GET", "/version")
    assert caught.value.code == "tls"
    assert waits == []


def test_no_answer_in_time(fake: FakeApi, api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_server, "READ_SECONDS", 0.05)
    fake.on("GET", PATH, Reply({}, seconds=1))
    with pytest.raises(ClusterError, match="no answer within") as caught:
        api.request("GET", PATH)
    assert caught.value.code == "timeout"


def test_apply_asks_for_what_it_says(fake: FakeApi, api: ApiServer) -> None:
    fake.on("PATCH", PATH, Reply(FOUND.body, headers={"Warning": '299 - "unknown field"'}))
    answer = api.apply(REF, {"data": {}}, field_manager="tazuna", dry_run=True)
    request = fake.seen[-1]
    assert request.query == {"fieldManager": "tazuna", "force": "true", "dryRun": "All"}
    assert request.headers["content-type"] == ["application/apply-patch+yaml"]
    assert answer.warnings == ('299 - "unknown field"',)


def test_delete_names_the_object_it_means(fake: FakeApi, api: ApiServer) -> None:
    fake.on("DELETE", PATH, status(409, "Conflict", "uid differs"))
    assert api.delete(REF, uid="1-2", propagation="Background").status == 409
    assert fake.seen[-1].body == {
        "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background", "preconditions": {"uid": "1-2"},
    }  # fmt: skip


def test_create_replace_and_patch_go_where_they_should(fake: FakeApi, api: ApiServer) -> None:
    collection = "/api/v1/namespaces/a/configmaps"
    fake.on("POST", collection, Reply({}, 201))
    fake.on("PUT", PATH, Reply({}))
    fake.on("PATCH", PATH, Reply({}))
    assert api.create(REF, {}, field_manager="tazuna").status == 201
    assert api.replace(REF, {}, field_manager="tazuna").ok
    assert api.json_patch(REF, [{"op": "remove", "path": "/data/a"}], field_manager="tazuna").ok
    assert fake.seen[-1].headers["content-type"] == ["application/json-patch+json"]


def test_a_write_finds_a_kind_that_was_not_served_a_moment_ago(fake: FakeApi, api: ApiServer) -> None:
    fake.serve()
    api.kinds()
    ref = ObjectRef("apps/v1", "Deployment", "", "x")
    assert api.apply(ref, {}, field_manager="tazuna").status == 404
    from tests.unit.cluster.fake_api import APPS, CORE

    fake.serve(CORE, APPS)
    fake.on("PATCH", "/apis/apps/v1/namespaces/default/deployments/x", Reply({}))
    assert api.apply(ref, {}, field_manager="tazuna").ok


def test_a_write_to_an_impossible_name_is_not_sent(fake: FakeApi, api: ApiServer) -> None:
    assert api.delete(ObjectRef("v1", "ConfigMap", "a", "")).status == 400
    assert api.delete(ObjectRef("v1", "ConfigMap", "a", "x/status")).status == 400
    assert fake.seen == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a%2fb", "../secrets"])
def test_names_that_would_reach_another_url(name: str) -> None:
    found = impossible_name(ObjectRef("v1", "ConfigMap", "a", name))
    assert found is not None
    assert found.reason is Reason.INVALID


def test_names_are_quoted() -> None:
    info = KindInfo("clusterroles", namespaced=False)
    path = resource_path("rbac.authorization.k8s.io/v1", info, "", "system:a b?c#d")
    assert path == "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%20b%3Fc%23d"
