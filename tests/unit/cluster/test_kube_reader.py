from __future__ import annotations

from collections.abc import Mapping

import pytest

from tazuna_core.cluster import api_server
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.reader import Answer, Reason, Unavailable
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tests.unit.cluster.fake_api import (
    APPS,
    CORE,
    FakeApi,
    Reply,
    discovery,
    listing,
    not_found,
    one,
    status,
)

CONFIGMAPS = "/api/v1/namespaces/a/configmaps"
NAMES = ("p", "q", "r", "s")
FORBIDDEN = status(403, "Forbidden", "configmaps is forbidden")


def configmap(name: str, namespace: str = "a") -> ObjectRef:
    return ObjectRef("v1", "ConfigMap", namespace, name)


def reason_of(answer: Answer) -> Reason | None:
    return answer.reason if isinstance(answer, Unavailable) else None


def test_an_object_alone_of_its_kind_in_its_namespace_is_asked_for_by_name(fake: FakeApi, reader: KubeReader) -> None:
    wanted = [configmap("p", "a"), configmap("q", "b")]
    for ref in wanted:
        fake.on("GET", f"/api/v1/namespaces/{ref.namespace}/configmaps/{ref.name}", one("ConfigMap", ref.name))
    answers = reader.read(wanted)
    assert [answer["data"]["of"] for answer in answers.values() if isinstance(answer, dict)] == ["p", "q"]
    assert fake.asked() == [f"GET /api/v1/namespaces/{ref.namespace}/configmaps/{ref.name}" for ref in wanted]


def test_many_objects_are_listed_and_get_the_kind_that_items_lack(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing([*NAMES, "other"]))
    answers = reader.read([configmap(name) for name in NAMES])
    assert answers[configmap("p")] == {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "a"}, "data": {"of": "p"},
    }  # fmt: skip
    assert list(answers) == [configmap(name) for name in NAMES]
    assert fake.asked() == [f"GET {CONFIGMAPS}"]


def test_pages_are_followed_until_all_are_found(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing(["p"], "2"), listing(["q", "r"], "3"), listing(["s"], "4"), listing(["t"]))
    answers = reader.read([configmap(name) for name in NAMES])
    assert all(isinstance(answer, dict) for answer in answers.values())
    assert fake.asked() == [f"GET {CONFIGMAPS}", f"GET {CONFIGMAPS} page 2", f"GET {CONFIGMAPS} page 3"]


def test_an_expired_list_is_begun_again(fake: FakeApi, reader: KubeReader) -> None:
    expired = status(410, "Expired", "The provided continue parameter is too old")
    fake.on("GET", CONFIGMAPS, listing(["p", "q"], "2"), expired, listing(["p"], "9"), listing(["r", "s"]))
    for name in ("q",):
        fake.on("GET", f"{CONFIGMAPS}/{name}", not_found("configmaps", name))
    answers = reader.read([configmap(name) for name in NAMES])
    assert [reason_of(answer) for answer in answers.values()] == [None, Reason.NOT_FOUND, None, None]


def test_a_list_that_always_expires_is_asked_for_whole(fake: FakeApi, reader: KubeReader) -> None:
    expired = status(410, "Expired")
    fake.on("GET", CONFIGMAPS, listing(["p"], "2"), expired, listing(["p"], "3"), expired, listing([*NAMES]))
    listed = reader.list_kind("v1", "ConfigMap", "a")
    assert isinstance(listed, list)
    assert [obj["metadata"]["name"] for obj in listed] == [*NAMES]
    assert "limit" not in fake.seen[-1].query


def test_what_a_list_lacks_is_asked_for_before_it_is_called_missing(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing(["p"]))
    fake.on("GET", f"{CONFIGMAPS}/q", not_found("configmaps", "q"))
    fake.on("GET", f"{CONFIGMAPS}/r", FORBIDDEN)
    fake.on("GET", f"{CONFIGMAPS}/s", one("ConfigMap", "s"))
    answers = reader.read([configmap(name) for name in NAMES])
    assert [reason_of(answer) for answer in answers.values()] == [None, Reason.NOT_FOUND, Reason.FORBIDDEN, None]


def test_a_huge_list_is_left_after_its_first_page(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing(["p"], "2", remaining=40_000))
    for name in NAMES[1:]:
        fake.on("GET", f"{CONFIGMAPS}/{name}", one("ConfigMap", name))
    answers = reader.read([configmap(name) for name in NAMES])
    assert all(isinstance(answer, dict) for answer in answers.values())
    assert fake.asked() == [f"GET {CONFIGMAPS}", *(f"GET {CONFIGMAPS}/{name}" for name in NAMES[1:])]


EVERYWHERE = "/api/v1/configmaps"
SPREAD = [configmap(name, namespace) for namespace in ("a", "b", "c") for name in ("p", "q")]


def everywhere(refs: list[ObjectRef], token: str = "", remaining: int = 0) -> Reply:
    """A page of a list of all namespaces."""
    replies = [listing([ref.name], token, remaining, namespace=ref.namespace) for ref in refs]
    return Reply({**replies[0].body, "items": [item for reply in replies for item in reply.body["items"]]})


def test_a_kind_of_many_namespaces_is_listed_in_all_of_them_at_once(fake: FakeApi, reader: KubeReader) -> None:
    others = [configmap("p", "z"), configmap("other", "a")]
    fake.on("GET", EVERYWHERE, everywhere([*others, *SPREAD]))
    answers = reader.read(SPREAD)
    assert [(answer["metadata"]["namespace"], answer["data"]["of"]) for answer in whole(answers)] == [
        (ref.namespace, ref.name) for ref in SPREAD
    ]
    assert fake.asked() == [f"GET {EVERYWHERE}"]


def whole(answers: Mapping[ObjectRef, Answer]) -> list[JsonObject]:
    return [answer for answer in answers.values() if isinstance(answer, dict)]


def test_two_namespaces_are_listed_by_themselves(fake: FakeApi, reader: KubeReader) -> None:
    for namespace in ("a", "b"):
        fake.on("GET", f"/api/v1/namespaces/{namespace}/configmaps", listing(["p", "q"], namespace=namespace))
    assert len(whole(reader.read(SPREAD[:4]))) == 4
    assert fake.asked() == [f"GET /api/v1/namespaces/{namespace}/configmaps" for namespace in ("a", "b")]


@pytest.mark.parametrize(
    "fault",
    [
        FORBIDDEN, status(500, "InternalError"), status(405, "MethodNotAllowed"), status(504, "Timeout"),
        everywhere([SPREAD[0]], "2", remaining=40_000), everywhere([configmap("other", "z")]),
    ],
)  # fmt: skip
def test_each_namespace_is_read_where_the_list_of_all_fails_or_is_huge_or_lacks_them(
    fake: FakeApi, reader: KubeReader, fault: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.api, "_sleep", lambda _: None)
    fake.on("GET", EVERYWHERE, fault)
    for namespace in ("a", "b", "c"):
        fake.on("GET", f"/api/v1/namespaces/{namespace}/configmaps", listing(["p", "q"], namespace=namespace))
        for name in ("p", "q"):
            path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
            fake.on("GET", path, one("ConfigMap", name, namespace))
    assert len(whole(reader.read(SPREAD))) == 6


def test_missing_is_said_by_the_answer_that_names_the_object_and_not_by_a_list(
    fake: FakeApi, reader: KubeReader
) -> None:
    fake.on("GET", EVERYWHERE, everywhere(SPREAD[:-1]))
    fake.on("GET", "/api/v1/namespaces/c/configmaps/q", not_found("configmaps", "q"))
    answers = reader.read(SPREAD)
    assert [reason_of(answer) for answer in answers.values()] == [*[None] * 5, Reason.NOT_FOUND]


def test_who_may_read_nothing_is_told_so_of_each_object(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", EVERYWHERE, FORBIDDEN)
    for ref in SPREAD:
        fake.on("GET", f"/api/v1/namespaces/{ref.namespace}/configmaps", FORBIDDEN)
        fake.on("GET", f"/api/v1/namespaces/{ref.namespace}/configmaps/{ref.name}", FORBIDDEN)
    assert {reason_of(answer) for answer in reader.read(SPREAD).values()} == {Reason.FORBIDDEN}


def test_secrets_of_many_namespaces_are_not_listed(fake: FakeApi, reader: KubeReader) -> None:
    refs = [ref._replace(kind="Secret") for ref in SPREAD]
    for ref in refs:
        path = f"/api/v1/namespaces/{ref.namespace}/secrets/{ref.name}"
        fake.on("GET", path, one("Secret", ref.name, ref.namespace))
    assert len(whole(reader.read(refs))) == 6
    assert not [path for path in fake.asked() if path.endswith("/secrets")]


@pytest.mark.parametrize("fault", [FORBIDDEN, status(500, "InternalError"), status(405, "MethodNotAllowed")])
def test_objects_are_asked_for_where_the_list_fails(fake: FakeApi, reader: KubeReader, fault: Reply) -> None:
    fake.on("GET", CONFIGMAPS, fault)
    for name in NAMES:
        fake.on("GET", f"{CONFIGMAPS}/{name}", one("ConfigMap", name))
    answers = reader.read([configmap(name) for name in NAMES])
    assert all(isinstance(answer, dict) for answer in answers.values())


def test_c49_forbidden_is_unknown_and_says_what_was_asked(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", f"{CONFIGMAPS}/p", FORBIDDEN)
    assert reader.read([configmap("p")])[configmap("p")] == Unavailable(
        Reason.FORBIDDEN, "may not get configmaps/p in namespace a"
    )
    fake.on("GET", CONFIGMAPS, FORBIDDEN)
    assert reader.list_kind("v1", "ConfigMap", "a") == Unavailable(
        Reason.FORBIDDEN, "may not list configmaps in namespace a"
    )


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (not_found("configmaps", "p"), Reason.NOT_FOUND),
        (not_found("configmaps", "another"), Reason.NOT_SERVED),
        (status(404, "NotFound", "the server could not find the requested resource"), Reason.NOT_SERVED),
        (Reply("404 page not found", 404), Reason.NOT_SERVED),
        (Reply("<html>not here</html>", 404), Reason.NOT_SERVED),
        (status(401, "Unauthorized"), Reason.UNAUTHORIZED),
        (status(400, "BadRequest"), Reason.INVALID),
        (status(500, "InternalError", "conversion webhook failed"), Reason.SERVER_ERROR),
        (status(503, "ServiceUnavailable"), Reason.SERVER_ERROR),
        (status(504, "Timeout"), Reason.TIMEOUT),
        (status(429, "TooManyRequests"), Reason.SERVER_ERROR),
        (Reply("", 302, {"Location": "/login"}), Reason.SERVER_ERROR),
        (Reply("<html>Welcome</html>"), Reason.SERVER_ERROR),
        (one("ConfigMap", "another"), Reason.SERVER_ERROR),
        (Reply(drop=True), Reason.UNREACHABLE),
    ],
)
def test_c60_only_an_answer_that_names_the_object_says_that_it_is_missing(
    fake: FakeApi, reader: KubeReader, reply: Reply, reason: Reason
) -> None:
    fake.on("GET", f"{CONFIGMAPS}/p", reply)
    answer = reader.read([configmap("p")])[configmap("p")]
    assert isinstance(answer, Unavailable)
    assert answer.reason is reason
    assert answer.missing == (reason is Reason.NOT_FOUND)
    assert answer.message


def test_a_slow_object_is_unknown(fake: FakeApi, reader: KubeReader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.kinds()
    monkeypatch.setattr(api_server, "READ_SECONDS", 0.05)
    fake.on("GET", f"{CONFIGMAPS}/p", Reply({}, seconds=0.5))
    assert reason_of(reader.read([configmap("p")])[configmap("p")]) is Reason.TIMEOUT


def test_c52_a_kind_that_is_not_served_costs_no_request(fake: FakeApi, reader: KubeReader) -> None:
    task = ObjectRef("example.com/v1", "Task", "a", "t")
    answer = reader.read([task])[task]
    assert answer == Unavailable(Reason.NOT_SERVED, "the cluster serves no Task of example.com/v1")
    assert fake.asked() == []


def test_a_kind_of_a_group_that_is_down_is_unknown(fake: FakeApi, reader: KubeReader) -> None:
    fake.serve(CORE, APPS, discovery("metrics.example/v1", stale=True))
    reading = ObjectRef("metrics.example/v1", "Reading", "a", "t")
    assert reason_of(reader.read([reading])[reading]) is Reason.SERVER_ERROR


def test_one_bad_group_does_not_touch_the_others(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, status(500, "InternalError", "conversion webhook failed"))
    for name in NAMES:
        fake.on("GET", f"{CONFIGMAPS}/{name}", status(500, "InternalError", "conversion webhook failed"))
    fake.on("GET", "/api/v1/namespaces/b/configmaps/p", one("ConfigMap", "p", "b"))
    answers = reader.read([*map(configmap, NAMES), configmap("p", "b")])
    assert [reason_of(answer) for answer in answers.values()] == [Reason.SERVER_ERROR] * 4 + [None]


def test_a_group_that_only_fails_is_not_asked_for_object_by_object(fake: FakeApi, reader: KubeReader) -> None:
    names = [f"n{number}" for number in range(100)]
    fake.on("GET", CONFIGMAPS, status(500, "InternalError", "conversion webhook failed"))
    for name in names:
        fake.on("GET", f"{CONFIGMAPS}/{name}", status(500, "InternalError", "conversion webhook failed"))
    answers = reader.read([configmap(name) for name in names])
    assert {reason_of(answer) for answer in answers.values()} == {Reason.SERVER_ERROR}
    asked = {line for line in fake.asked() if line.startswith(f"GET {CONFIGMAPS}/")}
    assert len(asked) <= 2 * api_server.CONCURRENCY


def test_secrets_are_never_listed(fake: FakeApi, reader: KubeReader) -> None:
    refs = [ObjectRef("v1", "Secret", "a", name) for name in NAMES]
    for name in NAMES:
        fake.on("GET", f"/api/v1/namespaces/a/secrets/{name}", one("Secret", name))
    reader.read(refs)
    assert fake.asked() == [f"GET /api/v1/namespaces/a/secrets/{name}" for name in NAMES]


def test_refs_are_answered_as_they_were_written(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", "/api/v1/namespaces/default/configmaps/p", one("ConfigMap", "p", "default"))
    fake.on("GET", "/api/v1/namespaces/n", one("Namespace", "n", ""))
    refs = [configmap("p", ""), configmap("p", "default"), ObjectRef("v1", "Namespace", "x", "n")]
    answers = reader.read(refs)
    assert list(answers) == refs
    assert all(isinstance(answer, dict) for answer in answers.values())
    assert len(fake.asked()) == 2


@pytest.mark.parametrize("name", ["", "..", "p/status", "p%2fstatus"])
def test_an_impossible_name_is_not_asked_for(fake: FakeApi, reader: KubeReader, name: str) -> None:
    assert reason_of(reader.read([configmap(name)])[configmap(name)]) is Reason.INVALID
    assert reason_of(reader.read([configmap("p", "../b")])[configmap("p", "../b")]) is Reason.INVALID
    assert fake.asked() == []


def test_metadata_alone_can_be_asked_for(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing([*NAMES]))
    answers = reader.read_metadata([configmap(name) for name in NAMES])
    assert answers[configmap("p")] == {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "a"},
    }  # fmt: skip
    assert fake.seen[-1].headers["accept"] == [
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
    ]


def test_a_list_is_complete_or_no_list(fake: FakeApi, reader: KubeReader) -> None:
    fake.on("GET", CONFIGMAPS, listing(["p"], "2"), listing(["q"]))
    listed = reader.list_kind("v1", "ConfigMap", "a")
    assert isinstance(listed, list)
    assert [obj["metadata"]["name"] for obj in listed] == ["p", "q"]
    assert {obj["kind"] for obj in listed} == {"ConfigMap"}
    fake.on("GET", CONFIGMAPS, listing(["p"], "2"), status(403, "Forbidden"))
    assert isinstance(reader.list_kind("v1", "ConfigMap", "a"), Unavailable)
    assert isinstance(reader.list_kind("v1", "Nothing"), Unavailable)
    assert isinstance(reader.list_kind("v1", "ConfigMap", "../b"), Unavailable)


def test_server_version(fake: FakeApi, reader: KubeReader) -> None:
    assert reader.server_version() == ""
    fake.on("GET", "/version", Reply({"gitVersion": "v1.36.3"}))
    assert reader.server_version() == "v1.36.3"
    assert reader.name == "fake"
