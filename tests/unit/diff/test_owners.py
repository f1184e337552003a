"""Who changed a field and when, or nobody where the server does not know (verdicts 5)."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.objects.identity import JsonObject
from tests.unit.diff.factories import (
    AFTER,
    APPLIED,
    BEFORE,
    config_map,
    deployment,
    drift,
    entry,
    f,
    field,
    hidden,
    live,
    obj,
    owner,
    plan,
    recorded,
    shown,
)


def changed(*entries: JsonObject, **how: Any) -> Any:
    return drift(live(config_map({"k": "b"}), *entries), recorded(config_map({"k": "a"})), **how)


@pytest.mark.parametrize(
    ("manager", "origin"),
    [
        ("kubectl-edit", "person"),
        ("kubectl-client-side-apply", "person"),
        ("kubectl", "person"),
        ("Mozilla", "person"),
        ("k9s", "person"),
        ("kube-controller-manager", "controller"),
        ("argocd-controller", "controller"),
        ("tazuna", "tazuna"),
        ("ancient-changes", "unknown"),
        ("before-first-apply", "unknown"),
        ("helm", "unknown"),
        ("kubectly", "unknown"),
    ],
)
def test_a_declared_field_is_drift_whoever_changed_it(manager: str, origin: str) -> None:
    found = changed(entry(manager, f("data", "k")))
    assert (shown(found), field(found, "data.k").origin) == ({"data.k": "drifted"}, origin)


@pytest.mark.parametrize("manager", ["ancient-changes", "before-first-apply", "helm", "some-tool"])
def test_an_undeclared_field_of_an_unknown_manager_fails_nothing(manager: str) -> None:
    now = live(config_map({"k": "a", "x": "y"}), entry(manager, f("data", "x")))
    found = drift(now, recorded(config_map({"k": "a"})))
    assert (shown(found), found.classes) == ({"data.x": "extra"}, {"unknown-extra"})


def test_managers_that_the_first_answer_had_count_as_controllers_but_never_persons() -> None:
    for manager, hides in (("helm", True), ("kubectl-client-side-apply", False)):
        now = live(config_map({"k": "a", "x": "y"}), entry(manager, f("data", "x")))
        found = drift(now, recorded(config_map({"k": "a"}), managers=[manager]))
        assert hidden(found) == ({"data.x": "controller"} if hides else {})


def test_the_user_may_name_controllers() -> None:
    now = live(config_map({"k": "a", "x": "y"}), entry("kubectl", f("data", "x"), "Apply"))
    assert drift(now, recorded(config_map({"k": "a"})), controllers=["kubectl"]).fields == ()
    assert drift(now, recorded(config_map({"k": "a"})), controllers=["kubectl-edit"]).fields != ()


def test_nobody_is_named_where_the_server_does_not_know() -> None:
    assert owner(changed(), "data.k") is None
    assert owner(changed(entry("kubectl-edit", f("data", "other"))), "data.k") is None
    assert owner(changed(entry("kubectl-edit", {"f:data": {".": {}}})), "data.k") is None, "never the nearest ancestor"
    gone = drift(live(config_map({}), entry("kubectl-edit", {"f:data": {}})), recorded(config_map({"k": "a"})))
    assert owner(gone, "data.k") is None


def test_an_entry_of_another_version_owns_nothing_here() -> None:
    other = entry("kubectl-edit", f("data", "k"), apiVersion="v2")
    assert owner(changed(other), "data.k") is None


def test_of_several_that_hold_one_value_the_newest_is_named() -> None:
    first, second = entry("tazuna", f("data", "k"), "Apply", APPLIED), entry("kubectl", f("data", "k"), "Apply", AFTER)
    found = changed(first, second)
    assert (owner(found, "data.k"), field(found, "data.k").owner.time) == ("kubectl", AFTER)  # type: ignore[union-attr]


def test_an_added_struct_is_one_change_of_whoever_holds_parts_of_it() -> None:
    path = ("spec", "template", "spec", "containers", 'k:{"name":"app"}', "livenessProbe", "tcpSocket", "port")
    now = live(
        deployment({"livenessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 10}}), entry("kubectl-edit", f(*path))
    )
    found = drift(now, recorded(deployment()))
    probe = "spec.template.spec.containers[name=app].livenessProbe"
    assert (shown(found), owner(found, probe)) == ({probe: "extra"}, "kubectl-edit")


def test_a_part_of_a_controllers_struct_that_a_person_added_is_shown_alone() -> None:
    controller = {"f:spec": {"f:strategy": {".": {}, "f:type": {}}}}
    now = live(
        deployment(strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3}}),
        entry("kube-controller-manager", controller),
        entry("kubectl-edit", f("spec", "strategy", "rollingUpdate", "maxSurge")),
    )
    found = drift(now, recorded(deployment()))
    assert (shown(found), hidden(found)) == (
        {"spec.strategy.rollingUpdate": "extra"},
        {"spec.strategy.type": "controller"},
    )


def test_client_side_applied_objects_without_record() -> None:
    """Entries that are older than our own sync are from before our time; newer ones are drift."""
    applied = entry("kubectl-client-side-apply", {"f:data": {".": {}, "f:k": {}}}, time=BEFORE)
    edited = entry("kubectl-edit", f("data", "x"), time=AFTER)
    now = live(config_map({"k": "a", "x": "y"}), applied, edited)
    found = drift(now, stored="other", synced_at=APPLIED)
    assert (shown(found), found.status, found.unchecked) == ({"data.x": "drifted"}, "live-drifted", "no-record")
    assert (found.method, found.confidence) == ("managed-fields", "high")
    quiet = drift(live(config_map({"k": "a"}), applied), stored="other", synced_at=APPLIED)
    assert (quiet.status, quiet.unchecked, quiet.classes) == ("unknown", "no-record", frozenset())


def test_without_record_what_we_hold_too_is_as_we_applied_it() -> None:
    """Two managers hold one value only while neither has changed it; who changes it alone holds it (verdicts 5)."""
    both = {"f:data": {"f:k": {}, "f:x": {}}}
    ours = entry("tazuna", {"f:data": {"f:k": {}}}, operation="Apply", time=APPLIED)
    now = live(config_map({"k": "a", "x": "y"}), ours, entry("kubectl-patch", both, time=AFTER))
    assert shown(drift(now, stored="other", synced_at=APPLIED)) == {"data.x": "drifted"}
    # of another subresource we hold nothing
    status = {**ours, "subresource": "status"}
    now = live(config_map({"k": "a", "x": "y"}), status, entry("kubectl-patch", both, time=AFTER))
    assert shown(drift(now, stored="other", synced_at=APPLIED)) == {"data.k": "drifted", "data.x": "drifted"}


def test_without_record_an_equal_hash_is_in_sync_and_a_differing_one_alone_is_no_drift() -> None:
    from tazuna_core.objects.canonical import content_hash

    now = live(config_map({"k": "a"}), entry("kubectl-edit", f("data", "k")))
    same = drift(now, stored=content_hash(now))
    assert (same.status, same.method, same.unchecked) == ("unchanged", "hash", "")
    other = drift(live(config_map({"k": "a"}), entry("some-tool", f("data", "k"))), stored="other")
    assert (other.status, other.unchecked) == ("unknown", "no-record")
    assert other.confidence == "exact", "nothing was found, so nothing was found by managedFields"


def test_without_record_a_created_map_is_its_entries_and_not_everybody_elses() -> None:
    person = entry("kubectl-annotate", {"f:metadata": {"f:annotations": {".": {}, "f:mine": {}}}})
    now = live(config_map({}, annotations={"mine": "1", "theirs": "2"}), person)
    assert shown(drift(now, stored="other")) == {"metadata.annotations.mine": "drifted"}
    item = f("spec", "ports", 'k:{"port":9,"protocol":"TCP"}')
    ports = [{"port": 9, "protocol": "TCP"}, {"port": 1, "protocol": "TCP"}]
    found = drift(live(obj("v1", "Service", spec={"ports": ports}), entry("kubectl-edit", item)), stored="other")
    assert shown(found) == {"spec.ports[port=9,protocol=TCP]": "drifted"}


def test_kubectl_scale_has_no_time_and_is_drift_without_record() -> None:
    scaled = entry("kubectl", f("spec", "replicas"), time=None, subresource="scale")
    found = drift(live(deployment(replicas=5), scaled), stored="other", synced_at=APPLIED)
    assert shown(found) == {"spec.replicas": "drifted"}


def test_a_plan_names_who_a_conflict_is_with() -> None:
    now = live(config_map({"k": "c"}), entry("kubectl-edit", f("data", "k")))
    assert owner(plan(config_map({"k": "b"}), now, recorded(config_map({"k": "a"}))), "data.k") == "kubectl-edit"
