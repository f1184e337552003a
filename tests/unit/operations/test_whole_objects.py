"""Whole objects in drift, diff and plan: the table of three sides, identities, and what could not be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.report.collisions import collisions
from tests.unit.diff.factories import BEFORE, config_map, deployment, entry, f, live, obj
from tests.unit.operations.lab import Lab, objects_of, statuses

MAP = ("v1", "ConfigMap", "n", "a")


def content(value: str | None) -> list[JsonObject]:
    return [config_map({"k": value})] if value else []


ROWS: list[tuple[Any, ...]] = [
    # recorded, desired, live: plan, drift, diff (None: nothing to say)
    ("a", "a", "a", "unchanged", "unchanged", "unchanged"),
    ("a", "b", "a", "modified", "unchanged", "modified"),
    ("a", "a", "b", "live-drifted", "live-drifted", "unchanged"),
    ("a", "b", "c", "conflict", "live-drifted", "modified"),
    ("a", "b", "b", "modified", "live-drifted", "modified"),
    ("a", "a", None, "live-missing", "live-missing", "unchanged"),
    ("a", "b", None, "conflict", "live-missing", "modified"),
    (None, "a", None, "added", None, "added"),
    (None, "a", "a", "added", None, "added"),
    (None, "a", "b", "conflict", None, "added"),
    ("a", None, "a", "removed", "unchanged", "removed"),
    ("a", None, None, "removed", "live-missing", "removed"),
    ("a", None, "b", "conflict", "live-drifted", "removed"),
]


@pytest.mark.parametrize(("before", "want", "now", "planned", "drifted", "changed"), ROWS)
def test_every_row_of_the_table(
    tmp_path: Path, before: Any, want: Any, now: Any, planned: str, drifted: str | None, changed: str
) -> None:
    lab = Lab(tmp_path)
    other = obj("v1", "Service", "other", spec={"type": "ClusterIP"})
    lab.repository(m=[other, *content(want)])
    lab.applied("m", other, *content(before))
    lab.cluster(other, *content(now), unavailable={} if now else {MAP: "not-found"})
    assert statuses(lab.plan()).get("ConfigMap/a") == planned
    assert statuses(lab.drift()).get("ConfigMap/a") == drifted
    assert statuses(lab.diff()).get("ConfigMap/a") == changed
    assert statuses(lab.plan())["Service/other"] == "unchanged"


@pytest.mark.parametrize("reason", ["forbidden", "server-error", "timeout", "kind-not-served", "unauthorized"])
def test_c49_what_cannot_be_read_is_unknown_and_never_missing(tmp_path: Path, reason: str) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=content("a"))
    lab.applied("m", *content("a"))
    lab.cluster(unavailable={MAP: reason})
    for report in (lab.drift(), lab.plan()):
        assert (report.result, statuses(report)) == ("incomplete", {"ConfigMap/a": "unknown"})
        assert [one.reason for one in report.coverage.unchecked] == [reason]


def test_what_a_snapshot_does_not_mention_is_unknown(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=content("a"))
    lab.applied("m", *content("a"))
    lab.cluster()
    assert statuses(lab.drift()) == {"ConfigMap/a": "unknown"}


def test_c25_c59_b37_the_order_of_objects_and_of_keys_is_nothing(tmp_path: Path) -> None:
    one, two = obj("v1", "Service", "y", spec={"type": "ClusterIP"}), deployment(replicas=1)
    lab = Lab(tmp_path)
    lab.repository(m=[dict(reversed(two.items())), one])
    lab.applied("m", one, two)
    lab.cluster(dict(reversed(one.items())), two)
    for report in (lab.plan(), lab.drift(), lab.diff()):
        assert set(statuses(report).values()) == {"unchanged"}


def test_c26_one_name_in_two_namespaces_is_two_objects_even_of_an_unknown_kind(tmp_path: Path) -> None:
    tasks = [obj("example.com/v1", "Task", "t", namespace, spec={"n": 1}) for namespace in ("a", "b")]
    lab = Lab(tmp_path)
    lab.repository(m=tasks)
    lab.applied("m", *tasks)
    changed = obj("example.com/v1", "Task", "t", "b", spec={"n": 2})
    lab.cluster(tasks[0], changed)
    found = {one.namespace: one.status for one in lab.drift().manifests[0].objects}
    assert found == {"a": "unchanged", "b": "live-drifted"}


def test_c26_an_identity_that_moved_to_another_manifest_is_not_removed(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    keep = obj("v1", "Service", "s", spec={})
    lab.repository(old=[keep], new=content("a"))
    lab.applied("old", keep, *content("a"))
    lab.cluster(keep, *content("a"))
    plan = lab.plan()
    found = {one.key: (one.status, *one.notes) for _, one in plan.objects()}
    assert found["old//v1/ConfigMap/n/a"] == ("moved", "declared by manifest 'new' now")
    assert found["new//v1/ConfigMap/n/a"] == ("unchanged", "declared by manifest 'old' before")
    assert (plan.counts.added, plan.counts.objects, plan.coverage.expected) == (0, 2, 2)
    notes = {one.key: (one.status, *one.notes) for _, one in lab.diff().objects()}
    assert notes["old//v1/ConfigMap/n/a"] == found["old//v1/ConfigMap/n/a"]
    assert notes["new//v1/ConfigMap/n/a"] == ("added", "declared by manifest 'old' before"), "its state key is new"


def test_c26_what_moved_is_compared_with_what_was_applied_under_its_old_key(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    one, two, three = (config_map({"k": "v", "l": "w"}) for _ in range(3))
    for name, built in (("one", one), ("two", two), ("three", three)):
        built["metadata"]["name"] = name
    keep = obj("v1", "Service", "s", spec={})
    lab.repository(old=[keep], new=[{**one, "data": {"k": "v2"}}, two, three])
    lab.applied("old", keep, one, two, three)
    gone = {("v1", "ConfigMap", "n", "three"): "not-found"}
    lab.cluster(keep, one, {**two, "data": {"k": "hand", "l": "w"}}, unavailable=gone)
    found = {one.name: one for _, one in lab.plan().objects() if one.key.startswith("new/")}
    assert {name: one.status for name, one in found.items()} == {
        "one": "modified",
        "two": "live-drifted",
        "three": "live-missing",
    }
    changes = {change.path: (change.verdict, change.on_merge) for change in found["one"].fields}
    assert changes == {"data.k": ("planned", None), "data.l": ("planned", None)}
    assert [(change.path, change.on_merge) for change in found["two"].fields] == [("data.k", "reverted")]
    assert found["two"].method == "record"
    assert set(found["three"].classes) == {"added", "missing"}
    assert all(one.notes[0] == "declared by manifest 'old' before" for one in found.values())


def test_a_plan_says_where_a_changed_object_is_declared(tmp_path: Path) -> None:
    one, two = content("a")[0], config_map({"k": "v"})
    two["metadata"]["name"] = "b"
    lab = Lab(tmp_path)
    lab.repository(m=[one, two])
    lab.applied("m", one, two)
    lab.cluster(one, {**two, "data": {"k": "hand"}})
    found = {obj.name: (obj.file, obj.line) for _, obj in lab.plan().objects()}
    assert found["a"] == ("", 0), "nothing to say of it"
    assert found["b"][0].endswith("m/all.yaml")
    assert found["b"][1] == 3
    (line,) = collisions(lab.plan(), "en")
    assert (line.code, line.line) == ("drift", 3)
    assert (
        line.message == "ConfigMap/n/b: changed in the cluster at data.k (manager unknown); merging leaves it as it is"
    )
    lab.cluster(one, unavailable={("v1", "ConfigMap", "n", "b"): "not-found"})
    assert [line.message for line in collisions(lab.plan(), "en")] == ["ConfigMap/n/b: deleted in the cluster"]


def test_c26_an_object_at_another_version_is_not_new(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    before = obj("autoscaling/v1", "HorizontalPodAutoscaler", "h", spec={"maxReplicas": 3})
    now = {**before, "apiVersion": "autoscaling/v2"}
    lab.repository(m=[now])
    lab.applied("m", before)
    lab.cluster(now)
    rows = {one.key.split("/")[2]: (one.status, *one.notes) for _, one in lab.plan().objects()}
    assert rows == {
        "v1": ("moved", "declared as autoscaling/v2 now"),
        "v2": ("unchanged", "declared as autoscaling/v1 before"),
    }
    lab.cluster({**now, "spec": {"maxReplicas": 9}})
    assert {one.status for _, one in lab.plan().objects()} == {"moved", "modified"}


def test_c26_a_namespaced_object_without_namespace_is_in_default(tmp_path: Path) -> None:
    built = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}}
    now = config_map({"k": "v"})
    now["metadata"]["namespace"] = "default"
    lab = Lab(tmp_path)
    lab.repository(m=[built])
    lab.applied("m", built, answer=now)
    lab.cluster(now)
    assert statuses(lab.drift()) == statuses(lab.plan()) == {"ConfigMap/a": "unchanged"}


def test_c27_generate_name_is_not_comparable(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "seed-"}, "spec": {}}
    lab.repository(m=[job, *content("a")])
    lab.applied("m", *content("a"))
    lab.cluster(*content("a"))
    assert [one.reason for one in lab.plan().coverage.unchecked] == ["generate-name"]


def test_two_manifests_that_declare_one_identity(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(first=content("a"), last=content("b"))
    lab.applied("first", *content("a"))
    lab.applied("last", *content("b"))
    lab.cluster(*content("b"))
    for report in (lab.plan(), lab.drift()):
        found = {one.key: one.status for manifest in report.manifests for one in manifest.objects}
        assert found == {"first//v1/ConfigMap/n/a": "superseded", "last//v1/ConfigMap/n/a": "unchanged"}


def test_c48_a_namespace_that_is_gone_is_named_as_the_cause(tmp_path: Path) -> None:
    space, child = obj("v1", "Namespace", "n", ""), config_map({"k": "a"})
    gone = {("v1", "Namespace", "", "n"): "not-found", MAP: "not-found"}
    lab = Lab(tmp_path)
    lab.repository(m=[space, child])
    lab.applied("m", space, child)
    lab.cluster(unavailable=gone)
    found = objects_of(lab.drift())
    assert {one.status for one in found.values()} == {"live-missing"}
    assert found["ConfigMap/a"].notes == ("namespace 'n' is gone",)


def test_c48_a_new_namespace_and_what_is_in_it_are_both_to_be_created(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=[obj("v1", "Namespace", "n", ""), config_map({"k": "a"})])
    lab.cluster(unavailable={("v1", "Namespace", "", "n"): "not-found", MAP: "not-found"})
    assert set(statuses(lab.plan()).values()) == {"added"}


def test_c52_a_kind_that_is_not_served_is_unknown_unless_its_definition_is_built_too(tmp_path: Path) -> None:
    task = obj("example.com/v1", "Task", "t", spec={"n": 1})
    names = {"kind": "Task", "plural": "tasks"}
    crd = obj(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "tasks.example.com", "",
        spec={"group": "example.com", "names": names, "scope": "Namespaced", "versions": []},
    )  # fmt: skip
    gone = {("example.com/v1", "Task", "n", "t"): "kind-not-served"}
    lab = Lab(tmp_path)
    lab.repository(m=[task])
    lab.cluster(unavailable=gone)
    assert statuses(lab.plan()) == {"Task/t": "unknown"}
    lab.repository(m=[crd, task])
    crd_ref = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "tasks.example.com")
    lab.cluster(unavailable={**gone, crd_ref: "not-found"})
    assert set(statuses(lab.plan()).values()) == {"added"}


def test_c54_an_expired_job_is_quiet_until_its_text_changes(tmp_path: Path) -> None:
    def job(image: str) -> JsonObject:
        template = {"spec": {"containers": [{"name": "a", "image": image}]}}
        return obj("batch/v1", "Job", "seed", spec={"ttlSecondsAfterFinished": 100, "template": template})

    lab = Lab(tmp_path)
    lab.applied("m", job("i:1"), time="2020-01-01T00:00:00Z")
    lab.cluster(unavailable={("batch/v1", "Job", "n", "seed"): "not-found"})
    lab.repository(m=[job("i:1")])
    assert statuses(lab.plan()) == statuses(lab.drift()) == {"Job/seed": "expired"}
    assert lab.drift().result == "clean"
    lab.repository(m=[job("i:2")])
    assert statuses(lab.plan()) == {"Job/seed": "modified"}


def test_c17_c21_what_the_server_would_refuse_of_a_new_object_is_said_in_the_plan(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=[deployment({"env": [{"name": "A"}, {"name": "A"}]}, replicsa=3)])
    lab.cluster(unavailable={("apps/v1", "Deployment", "n", "a"): "not-found"})
    notes = " ".join(objects_of(lab.plan())["Deployment/a"].notes)
    assert "replicsa" in notes
    assert "[name=A]" in notes


def test_c29_autoscalers_of_the_build_the_state_and_the_namespace(tmp_path: Path) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    scaler = obj("autoscaling/v2", "HorizontalPodAutoscaler", "h", spec={"scaleTargetRef": target, "maxReplicas": 9})
    listed = [{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "namespace": "n"}]
    built, now = deployment(replicas=1), deployment(replicas=4)
    lab = Lab(tmp_path)
    lab.repository(m=[built])
    lab.applied("m", built)
    lab.cluster(now)
    assert statuses(lab.drift()) == {"Deployment/a": "live-drifted"}
    lab.cluster(now, scaler, lists=listed)
    assert statuses(lab.drift()) == statuses(lab.plan()) == {"Deployment/a": "unchanged"}
    assert [line.rule for line in lab.drift().hidden] == ["autoscaled replicas"]
    lab.repository(m=[built, scaler])
    lab.cluster(now, unavailable={("autoscaling/v2", "HorizontalPodAutoscaler", "n", "h"): "not-found"})
    assert statuses(lab.plan())["Deployment/a"] == "unchanged"


def test_without_record_older_entries_of_persons_are_from_before_our_time(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=content("a"))
    lab.applied("m", *content("a"), record=False)
    by_hand = entry("kubectl-client-side-apply", f("data", "k"), time=BEFORE)
    now = config_map({"k": "a"}, labels={"by": "admission"})  # so that the hash is another one
    lab.cluster(live(now, by_hand))
    report = lab.drift()
    assert (report.result, statuses(report)) == ("incomplete", {"ConfigMap/a": "unknown"})
    assert [one.reason for one in report.coverage.unchecked] == ["no-record"]
    lab.cluster(live(now, entry("kubectl-edit", f("data", "k"))))
    assert statuses(lab.drift()) == {"ConfigMap/a": "live-drifted"}


def test_no_state_at_all_is_exit_4_and_a_record_whose_state_is_gone_is_unchecked(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.repository(m=content("a"))
    lab.cluster(*content("a"))
    with pytest.raises(StateError) as raised:
        lab.drift()
    assert raised.value.exit_code == 4
    lab.applied("m", *content("a"))
    (tmp_path / "state" / "tazuna-state-m.json").unlink()
    report = lab.drift()
    assert (report.result, [one.reason for one in report.coverage.unchecked]) == ("incomplete", ["no-state"])


def test_edited_at_another_version_that_the_snapshot_does_not_have(tmp_path: Path) -> None:
    built = obj("autoscaling/v1", "HorizontalPodAutoscaler", spec={"maxReplicas": 5})
    held = entry("kubectl-edit", f("spec", "maxReplicas"), apiVersion="autoscaling/v2")
    lab = Lab(tmp_path)
    lab.repository(m=[built])
    lab.applied("m", built)
    lab.cluster(live(built, held))
    report = lab.drift()
    assert (report.result, [one.reason for one in report.coverage.unchecked]) == ("incomplete", ["other-version"])
    lab.cluster(live(built, held), live({**built, "apiVersion": "autoscaling/v2"}, held))
    assert lab.drift().result == "clean"
