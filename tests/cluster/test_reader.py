"""The reader against a real API server: who may see what, what is gone, and that lists and gets agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.cluster import listing
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.discovery import discover
from tazuna_core.cluster.kube_reader import LIST_FROM, KubeReader
from tazuna_core.cluster.open import open_cluster
from tazuna_core.cluster.reader import Answer, Reason, Unavailable
from tazuna_core.cluster.snapshot import SnapshotReader, snapshot_of
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import ObjectRef
from tests.harness.cluster import LocalCluster

MANAGER = "reader-test"
RBAC = "rbac.authorization.k8s.io/v1"


def reason_of(answer: Answer) -> Reason | None:
    return answer.reason if isinstance(answer, Unavailable) else None


@pytest.fixture
def api(cluster: LocalCluster) -> ApiServer:
    return ApiServer.open(cluster.kubeconfig)


@pytest.fixture
def reader(api: ApiServer) -> KubeReader:
    return KubeReader(api)


def apply(api: ApiServer, ref: ObjectRef, **content: Any) -> dict[str, Any]:
    body = {"apiVersion": ref.api_version, "kind": ref.kind, "metadata": {"name": ref.name}, **content}
    answer = api.apply(ref, body, field_manager=MANAGER)
    assert answer.ok, answer.body
    live: dict[str, Any] = answer.body
    return live


def configmaps(api: ApiServer, namespace: str, count: int) -> list[ObjectRef]:
    refs = [ObjectRef("v1", "ConfigMap", namespace, f"c{number}") for number in range(count)]
    for ref in refs:
        apply(api, ref, data={"of": ref.name})
    return refs


def allow(api: ApiServer, namespace: str, user: str, *rules: dict[str, Any]) -> None:
    """Lets a user do in a namespace what the rules say."""
    apply(api, ObjectRef(RBAC, "Role", namespace, user), rules=list(rules))
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    apply(api, ObjectRef(RBAC, "RoleBinding", namespace, user), roleRef=role, subjects=[subject])


@pytest.mark.parametrize("count", [LIST_FROM - 1, LIST_FROM + 2])
def test_lists_and_gets_give_what_the_server_has(
    cluster: LocalCluster, api: ApiServer, reader: KubeReader, namespace: str, count: int
) -> None:
    refs = configmaps(api, namespace, count)
    for ref, answer in reader.read(refs).items():
        assert answer == cluster.request("GET", f"/api/v1/namespaces/{namespace}/configmaps/{ref.name}").body
    for ref, answer in reader.read_metadata(refs).items():
        whole = cluster.request("GET", f"/api/v1/namespaces/{namespace}/configmaps/{ref.name}").body
        assert answer == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": whole["metadata"]}


def test_real_pages(api: ApiServer, reader: KubeReader, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 3)
    refs = configmaps(api, namespace, 10)
    assert all(isinstance(answer, dict) for answer in reader.read(refs).values())
    listed = reader.list_kind("v1", "ConfigMap", namespace)
    assert isinstance(listed, list)
    assert {obj["metadata"]["name"] for obj in listed} == {ref.name for ref in refs} | {"kube-root-ca.crt"}
    everywhere = reader.list_kind("v1", "ConfigMap")
    assert isinstance(everywhere, list)
    assert len(everywhere) > len(listed)


def test_what_is_missing(api: ApiServer, reader: KubeReader, namespace: str) -> None:
    there = configmaps(api, namespace, 5)
    gone = ObjectRef("v1", "ConfigMap", namespace, "gone")
    nowhere = ObjectRef("v1", "ConfigMap", "no-such-namespace", "c")
    unserved = ObjectRef("example.org/v1", "Task", namespace, "t")
    old = ObjectRef("extensions/v1beta1", "Ingress", namespace, "t")
    answers = reader.read([*there, gone, nowhere, unserved, old])
    assert [reason_of(answers[ref]) for ref in (gone, nowhere)] == [Reason.NOT_FOUND] * 2
    assert [reason_of(answers[ref]) for ref in (unserved, old)] == [Reason.NOT_SERVED] * 2
    assert all(isinstance(answers[ref], dict) for ref in there)


def test_c60_deleted_between_list_and_get(api: ApiServer, namespace: str) -> None:
    refs = configmaps(api, namespace, 5)

    class Deleting(ApiServer):
        """Something is deleted just before a list is read, when the reader already counts on it."""

        def request(self, method: str, path: str, *arguments: Any, **named: Any) -> Any:
            if method == "GET" and path.endswith("/configmaps"):
                assert self.delete(refs[2]).ok
            return super().request(method, path, *arguments, **named)

    answers = KubeReader(Deleting(api._connection)).read(refs)
    assert [reason_of(answers[ref]) for ref in refs] == [None, None, Reason.NOT_FOUND, None, None]


def test_names_that_need_quoting(reader: KubeReader) -> None:
    roles = [ObjectRef(RBAC, "ClusterRole", "", name) for name in ("system:aggregate-to-admin", "system:basic-user")]
    odd = [ObjectRef(RBAC, "ClusterRole", "", name) for name in ("a b", "ä?x=1", "a#b", "a&b")]
    answers = reader.read([*roles, *odd])
    assert all(isinstance(answers[ref], dict) for ref in roles)
    assert {reason_of(answers[ref]) for ref in odd} == {Reason.NOT_FOUND}


def test_one_forbidden_kind_leaves_the_others_readable(cluster: LocalCluster, api: ApiServer, namespace: str) -> None:
    refs = configmaps(api, namespace, 5)
    services = [ObjectRef("v1", "Service", namespace, f"s{number}") for number in range(5)]
    secret = ObjectRef("v1", "Secret", namespace, "s")
    allow(api, namespace, "carol", {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]})
    carol = KubeReader(ApiServer.open(cluster.kubeconfig_for("carol")))
    answers = carol.read([*refs, *services, secret])
    assert all(isinstance(answers[ref], dict) for ref in refs)
    assert {reason_of(answers[ref]) for ref in (*services, secret)} == {Reason.FORBIDDEN}
    assert answers[secret] == Unavailable(Reason.FORBIDDEN, f"may not get secrets/s in namespace {namespace}")
    missing = ObjectRef("v1", "Service", namespace, "never-there")
    assert reason_of(carol.read([missing])[missing]) is Reason.FORBIDDEN, "403 is no answer about the object"


def test_who_may_get_but_not_list(cluster: LocalCluster, api: ApiServer, namespace: str) -> None:
    refs = configmaps(api, namespace, 5)
    names = [ref.name for ref in refs[:4]]
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": names}
    allow(api, namespace, "dave", rule)
    answers = KubeReader(ApiServer.open(cluster.kubeconfig_for("dave"))).read(refs)
    assert [reason_of(answers[ref]) for ref in refs] == [None] * 4 + [Reason.FORBIDDEN]


def test_credentials_that_are_not_accepted(cluster: LocalCluster, tmp_path: Path) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": "expired-s3cret"}
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    with pytest.raises(ClusterError) as caught:
        open_cluster(kubeconfig=path).read([ObjectRef("v1", "ConfigMap", "default", "c")])
    assert (caught.value.exit_code, caught.value.code) == (4, "unauthorized")
    assert "log in again" in caught.value.advice
    assert "s3cret" not in str(caught.value)


def test_nobody_in_particular(cluster: LocalCluster, tmp_path: Path) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {}
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    with pytest.raises(ClusterError) as caught:
        open_cluster(kubeconfig=path).kinds()
    assert caught.value.code in {"unauthorized", "forbidden"}


def test_a_certificate_of_another_authority(cluster: LocalCluster, tmp_path: Path) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    config["clusters"][0]["cluster"].pop("certificate-authority-data")
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    with pytest.raises(ClusterError, match="no secure connection") as caught:
        open_cluster(kubeconfig=path).kinds()
    assert caught.value.code == "tls"
    assert "certificate" in caught.value.message


def test_broken_client_certificate(cluster: LocalCluster, tmp_path: Path) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    config["users"][0]["user"]["client-certificate-data"] = "bm90IGEgY2VydGlmaWNhdGU="
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    with pytest.raises(ClusterError) as caught:
        open_cluster(kubeconfig=path).kinds()
    assert caught.value.code == "tls"


def test_impersonation(cluster: LocalCluster, tmp_path: Path, namespace: str) -> None:
    config = json.loads(cluster.kubeconfig.read_text())
    config["users"][0]["user"] |= {"as": "nobody-special", "as-groups": ["system:authenticated"]}
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    ref = ObjectRef("v1", "ConfigMap", namespace, "kube-root-ca.crt")
    assert reason_of(open_cluster(kubeconfig=path).read([ref])[ref]) is Reason.FORBIDDEN
    assert reason_of(open_cluster(kubeconfig=cluster.kubeconfig).read([ref])[ref]) is None


def test_both_kinds_of_discovery_agree(api: ApiServer) -> None:
    assert discover(api, aggregated=False) == discover(api)


def test_the_servers_version(reader: KubeReader) -> None:
    assert reader.server_version().startswith("v1.")


def test_writes(api: ApiServer, namespace: str) -> None:
    ref = ObjectRef("v1", "ConfigMap", namespace, "c")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}
    assert api.create(ref, body, field_manager=MANAGER, dry_run=True).status == 201
    created = api.create(ref, body, field_manager=MANAGER)
    assert created.status == 201
    assert api.create(ref, body, field_manager=MANAGER).status == 409
    stale = {**created.body, "data": {"a": "2"}}
    assert api.json_patch(ref, [{"op": "add", "path": "/data/b", "value": "3"}], field_manager=MANAGER).ok
    assert api.replace(ref, stale, field_manager=MANAGER).status == 409
    applied = api.apply(ref, {**body, "data": {"a": "9"}}, field_manager="other", force=False)
    assert applied.status == 409
    assert api.apply(ref, {**body, "data": {"a": "9"}}, field_manager="other").body["data"] == {"a": "9", "b": "3"}
    assert api.delete(ref, uid="00000000-0000-0000-0000-000000000000").status == 409
    assert api.delete(ref, uid=created.body["metadata"]["uid"]).ok
    assert api.delete(ref).status == 404


def test_a_snapshot_of_a_real_cluster(reader: KubeReader, api: ApiServer, namespace: str) -> None:
    refs = configmaps(api, namespace, 5)
    secret = ObjectRef("v1", "Secret", namespace, "s")
    apply(api, secret, stringData={"password": "hunter2"})
    gone = ObjectRef("v1", "ConfigMap", namespace, "gone")
    snapshot = snapshot_of(reader, [*refs, secret, gone])
    text = snapshot.to_json().decode()
    assert "hunter2" not in text
    assert "aHVudGVyMg" not in text
    again = SnapshotReader(snapshot)
    live = reader.read([*refs, gone])
    assert again.read([*refs, gone]) == live
    assert reason_of(live[gone]) is Reason.NOT_FOUND
