"""`apply --sync`, `--prune`, `--atomic`, `state sync` and `destroy`: only what differs, and only what is ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.harness.applying import Place, config_map, definition, deployment, namespace_object
from tests.harness.cluster import LocalCluster


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


def uid(obj: Any) -> str:
    return str(obj["metadata"]["uid"])


def create(place: Place, obj: dict[str, Any]) -> None:
    place.cluster.kubectl("create", "-f", "-", stdin=orjson.dumps(obj).decode())


def sent(stderr: str) -> list[str]:
    """The objects that were written to, by the last part of their key."""
    verbs = ("created", "configured", "re-created", "deleted")
    return [line.rpartition("/")[2] for line in stderr.splitlines() if line.startswith(verbs)]


def test_sync_sends_only_what_differs(place: Place) -> None:
    name = place.name("m")
    objects = [namespace_object(place.namespace), *(config_map(key, place.namespace, v="1") for key in "abc")]
    place.repository.write({name: objects})
    first = place.tazuna("apply", "--sync", "-o", "json")
    assert (first.code, first.json()["applied"], first.json()["written"]) == (0, 4, 4)
    place.cluster.kubectl("-n", place.namespace, "patch", "configmap/a", "-p", '{"data": {"v": "hand"}}')
    objects[2] = config_map("b", place.namespace, v="2")
    place.repository.write({name: objects})
    ran = place.tazuna("apply", "--sync", "-o", "json")
    assert ran.code == 0
    assert sent(ran.stderr) == ["b"]
    assert ran.fields()["ConfigMap/a data.v"]["onMerge"] == "kept"
    assert (ran.json()["applied"], ran.json()["written"]) == (4, 1)
    assert place.config_map("a")["data"] == {"v": "hand"}
    nothing = place.tazuna("apply", "--sync")
    assert (nothing.code, nothing.stderr) == (0, "")
    assert "4 objects confirmed as applied; this run changed none.\n" in nothing.stdout
    again = place.tazuna("apply", "-o", "json").json()
    assert (again["applied"], again["written"]) == (4, 1), "a plain apply puts back what was changed by hand"


def test_flags_that_do_not_go_together_are_usage_errors(place: Place) -> None:
    place.repository.write({place.name("m"): [namespace_object(place.namespace)]})
    for flags in (["--prune"], ["--atomic"], ["--sync-report", "r"], ["--sync", "--only", "x"], ["x"]):
        assert place.tazuna("apply", *flags).code == 2
    assert place.get(f"/api/v1/namespaces/{place.namespace}") is None


def test_prune_deletes_what_nobody_declares_and_nothing_else(place: Place) -> None:
    keep, drop = place.name("keep"), place.name("drop")
    objects = [namespace_object(place.namespace), *(config_map(key, place.namespace) for key in ("a", "b", "c"))]
    place.repository.write({keep: objects, drop: [config_map("d", place.namespace), config_map("e", place.namespace)]})
    assert place.tazuna("apply").code == 0
    create(place, config_map("foreign", place.namespace))
    # another source's state, of a manifest that this file does not know
    elsewhere = Place(place.repository.folder.parent / "elsewhere", place.cluster)
    elsewhere.repository.write({elsewhere.name("m"): [config_map("theirs", place.namespace)]})
    assert elsewhere.tazuna("apply").code == 0
    place.repository.write({keep: objects[:3]})
    ran = place.tazuna("apply", "--sync")
    assert ran.code == 0
    assert place.config_map("c") and place.config_map("d"), "without --prune nothing is deleted"
    assert "c" in (place.state("keep") or {})
    ran = place.tazuna("apply", "--sync", "--prune", "-o", "json")
    assert ran.code == 0, ran.stdout
    assert sorted(sent(ran.stderr)) == ["c", "d", "e"]
    assert all(place.config_map(key) is None for key in ("c", "d", "e"))
    assert all(place.config_map(key) for key in ("a", "b", "foreign", "theirs"))
    assert place.state("drop") is None and set(place.state("keep") or {}) == {place.namespace, "a", "b"}
    assert ran.statuses()["ConfigMap/d"] == "removed"
    assert place.tazuna("apply", "--sync", "--prune").stderr == ""
    assert place.tazuna("state", "diff").stdout.startswith("No changes detected.")


def test_what_only_moved_is_never_deleted(place: Place) -> None:
    left, right = place.name("left"), place.name("right")
    group = f"{place.word}.example.com"
    crd = definition("gadgets", "Gadget", group, "v1", "v2")
    gadget = {"kind": "Gadget", "metadata": {"name": "g", "namespace": place.namespace}, "spec": {"size": 1}}
    moving = config_map("moving", place.namespace, a="1", b="2")
    place.repository.write(
        {
            left: [namespace_object(place.namespace), moving, crd],
            right: [{**gadget, "apiVersion": f"{group}/v1"}, deployment("web", place.namespace)],
        }
    )
    assert place.tazuna("apply").code == 0
    path = f"/apis/{group}/v2/namespaces/{place.namespace}/gadgets/g"
    before = [uid(place.config_map("moving")), uid(place.get(path))]
    # moved to another manifest, where it loses a key; the manifest renamed; its object at another version
    renamed = place.name("renamed")
    place.repository.write(
        {
            left: [namespace_object(place.namespace), crd],
            renamed: [
                config_map("moving", place.namespace, a="1"),
                {**gadget, "apiVersion": f"{group}/v2"},
                deployment("web", place.namespace),
            ],
        }
    )
    ran = place.tazuna("apply", "--sync", "--prune", "-o", "json")
    assert ran.code == 0, ran.stdout
    assert "deleted" not in ran.stderr
    assert [uid(place.config_map("moving")), uid(place.get(path))] == before
    assert place.config_map("moving")["data"] == {"a": "1"}
    assert place.state("right") is None, "a state without entries goes"
    assert set(place.state("left") or {}) == {place.namespace, f"gadgets.{group}"}
    assert place.tazuna("state", "diff").stdout.startswith("No changes detected.")
    assert place.tazuna("state", "drift", "--fail-on-drift").code == 0
    assert place.tazuna("plan", "--fail-on-drift").code == 0


def test_prune_of_some_tags_knows_what_the_others_declare(place: Place) -> None:
    left, right = place.name("left"), place.name("right")
    tags = {left: {"tags": ["x"]}, right: {"tags": ["y"]}}
    base, moving = namespace_object(place.namespace), config_map("moving", place.namespace)
    other = config_map("other", place.namespace)
    place.repository.write({left: [base, moving, config_map("gone", place.namespace)], right: [other]}, tags)
    assert place.tazuna("apply").code == 0
    place.repository.write({left: [base], right: [other, moving]}, tags)
    ran = place.tazuna("apply", "--sync", "--prune", "--tags", "x")
    assert (ran.code, sent(ran.stderr)) == (0, ["gone"])
    assert place.config_map("moving")
    assert "moving" in (place.state("left") or {}), "the new owner has not been applied yet"
    assert place.tazuna("apply", "--sync", "--prune").code == 0
    assert place.config_map("moving")
    assert set(place.state("left") or {}) == {place.namespace} and set(place.state("right") or {}) == {
        "other",
        "moving",
    }


def test_content_that_is_not_ours_needs_a_second_word(place: Place) -> None:
    keep, drop = place.name("keep"), place.name("drop")
    group = f"{place.word}.example.com"
    crd = definition("gadgets", "Gadget", group, "v1")
    mine = {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "mine", "namespace": "default"}}
    base = [config_map(f"base-{place.word}", "default")]
    gone = [namespace_object(place.namespace), deployment("web", place.namespace), crd, mine]
    place.repository.write({keep: base, drop: gone})
    assert place.tazuna("apply").code == 0
    theirs = {**mine, "metadata": {"name": "theirs", "namespace": "default"}}
    create(place, theirs)
    create(place, config_map("foreign", place.namespace))
    place.repository.write({keep: [config_map(f"base-{place.word}", "default", changed="yes")]})
    ran = place.tazuna("apply", "--sync", "--prune", "-o", "json")
    assert ran.code == 5
    messages = [error["message"] for error in ran.json()["errors"]]
    assert any("ConfigMap" in message and "foreign" in message for message in messages)
    assert any("Gadget/default/theirs" in message and "mine" not in message for message in messages)
    assert sent(ran.stderr) == [], "refused before the first write"
    crd_name = f"CustomResourceDefinition/gadgets.{group}"
    half = place.tazuna("apply", "--sync", "--prune", "--prune-with-content", crd_name)
    assert half.code == 5
    place.cluster.kubectl("-n", place.namespace, "delete", "configmap/foreign")
    ran = place.tazuna("apply", "--sync", "--prune", "--prune-with-content", crd_name)
    assert ran.code == 0, ran.stdout
    assert place.get(f"/api/v1/namespaces/{place.namespace}") is None
    assert place.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.{group}") is None
    order = sent(ran.stderr)
    assert order.index("mine") < order.index("web") < order.index(place.namespace) < order.index(f"gadgets.{group}")
    assert place.state("drop") is None


def test_an_object_that_somebody_created_anew_is_not_ours_to_delete(place: Place) -> None:
    name = place.name("m")
    objects = [namespace_object(place.namespace), config_map("a", place.namespace), config_map("b", place.namespace)]
    place.repository.write({name: objects})
    assert place.tazuna("apply").code == 0
    place.cluster.kubectl("-n", place.namespace, "delete", "configmap/b")
    create(place, config_map("b", place.namespace, theirs="yes"))
    place.repository.write({name: objects[:2]})
    ran = place.tazuna("apply", "--sync", "--prune", "-o", "json")
    assert ran.code == 5 and "somebody else has created it" in ran.json()["errors"][0]["message"]
    assert place.config_map("b")["data"] == {"theirs": "yes"}
    told = place.tazuna("apply", "--sync", "--prune", "--prune-with-content", f"ConfigMap/{place.namespace}/b")
    assert told.code == 0 and place.config_map("b") is None


def test_atomic_saves_all_state_or_none(place: Place) -> None:
    one, two = place.name("one"), place.name("two")
    good = [namespace_object(place.namespace), config_map("a", place.namespace)]
    bad = [deployment("broken", place.namespace, selector={"matchLabels": {"app": "another"}})]
    place.repository.write({one: good, two: bad})
    assert place.tazuna("apply", "--sync", "--atomic").code == 6
    assert place.config_map("a") and place.state("one") is None and place.state("two") is None
    place.repository.write({one: good, two: [config_map("b", place.namespace)]})
    assert place.tazuna("apply", "--sync", "--atomic").code == 0
    assert place.state("one") and place.state("two")
    assert place.tazuna("state", "drift", "--fail-on-drift").code == 0


def test_state_sync_is_the_older_spelling(place: Place) -> None:
    name = place.name("m")
    objects = [namespace_object(place.namespace), config_map("a", place.namespace), config_map("b", place.namespace)]
    place.repository.write({name: objects})
    assert place.tazuna("state", "sync", "--atomic").code == 0
    place.repository.write({name: objects[:2]})
    assert place.tazuna("state", "sync").code == 0
    assert place.config_map("b")
    pruning = replace(place.tazuna, environment={**place.tazuna.environment, "TAZUNA_STATE_SYNC_DELETE": "true"})
    assert pruning("state", "sync").code == 0
    assert place.config_map("b") is None


def test_destroy_is_guarded_and_takes_nothing_that_is_not_ours(place: Place) -> None:
    name, other = place.name("m"), place.name("other")
    objects = [namespace_object(place.namespace), config_map("a", place.namespace), deployment("web", place.namespace)]
    more = [config_map("b", place.namespace)]
    more_yaml = {name: {"tags": ["x"]}, other: {"tags": ["y"]}}
    place.repository.write({name: objects, other: more}, more_yaml)
    assert place.tazuna("apply").code == 0
    create(place, config_map("foreign", place.namespace))
    unguarded = place.tazuna("destroy", "--force")
    assert unguarded.code == 5 and "TAZUNA_DESTROY_EXECUTABLE" in unguarded.stdout
    ours = replace(place.tazuna, environment={**place.tazuna.environment, "TAZUNA_DESTROY_EXECUTABLE": "true"})
    unasked = ours("destroy", "--tags", "y")
    assert unasked.code == 5 and "nobody said yes" in unasked.stdout, unasked.stdout
    assert ours("destroy", "--tags", "y", "--force").code == 0
    assert place.config_map("b") is None and place.config_map("a")
    place.repository.write({name: objects, other: more}, more_yaml, context_matches=["another"])
    assert ours("destroy", "--force").code == 5
    place.repository.write({name: objects, other: more}, more_yaml)
    content = ours("destroy", "--force", "-o", "json")
    assert content.code == 5 and "ConfigMap" in content.json()["errors"][0]["message"]
    assert place.config_map("a"), "refused before anything was deleted"
    place.cluster.kubectl("-n", place.namespace, "delete", "configmap/foreign")
    ran = ours("destroy", "--force", "-o", "json")
    assert ran.code == 0, ran.stdout
    assert place.get(f"/api/v1/namespaces/{place.namespace}") is None
    assert place.state("m") is None and place.state("other") is None
    assert ran.json()["counts"]["removed"] == 3
    assert ours("destroy", "--force").code == 0, "nothing left is no error"
