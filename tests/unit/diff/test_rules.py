"""Rules of the user, fields unknown to the API, the baseline of a re-apply, renders that differ by themselves."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tazuna_core.diff.baseline import baseline_of, no_longer_declared
from tazuna_core.diff.ignore import IgnoreRule, path_tokens
from tazuna_core.diff.reproducible import compare_renders
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import path_text
from tazuna_core.objects.sendable import sendable
from tests.unit.diff.factories import (
    OURS,
    TODAY,
    config_map,
    deployment,
    drift,
    entry,
    f,
    field,
    hidden,
    live,
    obj,
    plan,
    recorded,
    secret,
    shown,
    subject,
)

APP = "spec.template.spec.containers[name=app]"


def edited(rule: IgnoreRule) -> dict[str, str]:
    """What a rule leaves of two edits: a label and the image of one container."""
    now = live(
        deployment({"image": "i:2"}, {"labels": {"x/y": "z"}}), entry("kubectl-edit", f("metadata", "labels", "x/y"))
    )
    return shown(drift(now, recorded(deployment()), rules=[rule]))


LABEL, IMAGE = 'metadata.labels["x/y"]', f"{APP}.image"
ALL = {LABEL, IMAGE}


@pytest.mark.parametrize(
    ("selectors", "left"),
    [
        ({"fields": (IMAGE,)}, {LABEL}),
        ({"fields": (APP,)}, {LABEL}),
        ({"fields": ("spec.template.spec.containers[*].image",)}, {LABEL}),
        ({"fields": (LABEL,)}, {IMAGE}),
        ({"fields": ("metadata.labels",)}, {IMAGE}),
        ({"fields": ("metadata", "spec")}, set()),
        ({"fields": ("spec.template.spec.containers[name=ap].image",)}, ALL),
        ({"fields": ("spec.template.spec.containers[*].imagePullPolicy",)}, ALL),
        ({"fields": ("meta",)}, ALL),
        ({"managers": ("kubectl-edit",)}, {IMAGE}),
        ({"managers": ("kubectl",)}, ALL),
        ({"kind": "Deployment"}, set()),
        ({"kind": "Deploy"}, ALL),
        ({"group": "apps"}, set()),
        ({"group": ""}, ALL),
        ({"namespace": "n", "object_name": "a"}, set()),
        ({"namespace": "o"}, ALL),
        ({"object_name": "b"}, ALL),
        ({"kind": "Deployment", "until": date(2026, 11, 30)}, set()),
        ({"kind": "Deployment", "until": date(2026, 11, 29)}, ALL),
    ],
)
def test_a_rule_hides_what_it_names_and_nothing_else(selectors: dict[str, Any], left: set[str]) -> None:
    assert date(2026, 11, 30) == TODAY
    assert set(edited(IgnoreRule("rule", "because", **selectors))) == left


def test_a_rule_is_named_in_the_ledger_with_its_reason() -> None:
    found = drift(
        live(config_map({"k": "b"})), recorded(config_map({"k": "a"})), rules=[IgnoreRule("r", "why", kind="ConfigMap")]
    )
    assert [(line.rule, line.reason) for line in found.hidden] == [("r", "why")]
    assert found.status == "unchanged"


def test_a_rule_for_one_part_of_what_was_added_leaves_the_others() -> None:
    now = live(deployment(pod={"securityContext": {"runAsUser": 1, "runAsGroup": 2}}))
    holder = entry(
        "kubectl-edit",
        {"f:spec": {"f:template": {"f:spec": {"f:securityContext": {".": {}, "f:runAsUser": {}, "f:runAsGroup": {}}}}}},
    )
    now = live(now | {}, holder)
    path = "spec.template.spec.securityContext"
    assert shown(drift(now, recorded(deployment()))) == {path: "extra"}
    rule = IgnoreRule("r", "why", fields=(f"{path}.runAsUser",))
    found = drift(now, recorded(deployment()), rules=[rule])
    assert (shown(found), hidden(found)) == ({f"{path}.runAsGroup": "extra"}, {f"{path}.runAsUser": "r"})


@pytest.mark.parametrize("text", ["spec..x", "a b", "[", 'x["', "a.[0"])
def test_what_is_no_path_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not a path"):
        path_tokens(text)


def problems(built: JsonObject) -> list[str]:
    schema = builtin_schema(built["apiVersion"], built["kind"])
    assert schema is not None
    return [problem.message for problem in field_problems(schema, sendable(built))]


def test_c17_c21_fields_unknown_to_the_api_and_duplicates() -> None:
    assert problems(deployment({"env": [{"name": "A"}, {"name": "B"}]}, replicas=1)) == []
    assert "replicsa" in problems(deployment(replicsa=3))[0]
    assert "two items with the same key: [name=A]" in problems(deployment({"env": [{"name": "A"}, {"name": "A"}]}))[0]
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]
    assert "containerPort=80,protocol=TCP" in problems(deployment({"ports": ports}))[0]
    udp = [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]
    assert problems(deployment({"ports": udp})) == []
    assert "twice" in problems(config_map(finalizers=["a/b", "a/b"]))[0]
    assert problems(config_map({"any": "thing"}, annotations={"a": "b"})) == []


def re_applied(now: JsonObject, *held: JsonObject, built: JsonObject | None = None) -> JsonObject:
    previous = recorded(config_map({"k": "a"}))
    return baseline_of(subject(live(now, *held), previous), sendable(built or config_map({"k": "a"})))


def test_a_re_apply_never_blesses_an_extra() -> None:
    extra = config_map({"k": "a", "x": "by hand"}, labels={"l": "by hand"})
    answer = re_applied(extra, entry("kubectl-edit", {"f:data": {"f:x": {}}, "f:metadata": {"f:labels": {"f:l": {}}}}))
    assert answer["data"] == {"k": "a"}
    found = drift(live(extra), recorded(config_map({"k": "a"}), answer))
    assert shown(found) == {"data.x": "extra", "metadata.labels.l": "extra"}
    assert drift(live(config_map({"k": "a"})), recorded(config_map({"k": "a"}), answer)).fields == ()


def test_a_re_apply_takes_what_it_declares_and_what_controllers_and_the_server_set() -> None:
    now = config_map({"k": "a", "new": "b", "c": "controller"})
    answer = re_applied(now, entry("kubelet", f("data", "c")), built=config_map({"k": "a", "new": "b"}))
    assert answer["data"] == {"k": "a", "new": "b", "c": "controller"}
    previous = recorded(deployment())
    defaulted = deployment({"imagePullPolicy": "Always"})
    assert baseline_of(subject(live(defaulted, OURS), previous), sendable(deployment())) == sendable(defaulted)


def test_what_a_controller_took_away_again_is_settled_by_the_next_apply_and_what_it_declares_is_not() -> None:
    """Recorded while a controller held it, then gone: shown until we apply, for nobody knows who took it."""
    built = config_map({"k": "a"})
    noted = config_map({"k": "a"}, labels={"seen": "yes"})
    previous = recorded(built, noted)
    now = live(built)
    assert shown(drift(now, previous)) == {"metadata.labels.seen": "extra"}
    answer = baseline_of(subject(now, previous), sendable(built))
    assert drift(now, recorded(built, answer)).fields == ()
    # a declared key that is gone stays in the baseline, whoever holds what is left of it
    declared = recorded(config_map({"k": "a", "d": "b"}))
    again = sendable(config_map({"k": "a", "d": "b"}))
    assert baseline_of(subject(live(config_map({"k": "a", "d": "b"})), declared), again)["data"]["d"] == "b"


def test_the_values_of_a_secret_are_in_no_baseline_and_its_extras_in_none_either() -> None:
    previous = recorded(secret({"k": "YQ=="}))
    now = live(secret({"k": "YQ==", "x": "Yg=="}), entry("kubectl-edit", f("data", "x")))
    answer = baseline_of(subject(now, previous), sendable(secret({"k": "YQ=="})))
    assert answer["data"] == {"k": {"masked": True}}


def removed(before: JsonObject, now: JsonObject, *held: JsonObject, want: JsonObject) -> list[str]:
    return [path_text(path) for path in no_longer_declared(subject(live(now, *held), recorded(before)), sendable(want))]


def test_what_we_no_longer_declare_is_removed_unless_a_controller_holds_it() -> None:
    both = config_map({"k": "a", "gone": "b"})
    want = config_map({"k": "a"})
    assert removed(both, both, entry("kubectl", f("data", "gone"), "Apply"), want=want) == ["data.gone"]
    assert removed(both, both, entry("kubelet", f("data", "gone")), want=want) == []
    assert removed(both, want, want=want) == []
    assert removed(both, both, want=both) == []


def test_of_a_struct_that_a_controller_holds_parts_of_only_ours_is_removed() -> None:
    both = deployment(strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}})
    at = ("spec", "strategy")
    held = [entry("kubectl", f(*at, "rollingUpdate", "maxSurge"), "Apply"), entry("kubelet", f(*at, "type"))]
    assert removed(both, both, *held, want=deployment()) == ["spec.strategy.rollingUpdate"]
    assert removed(both, both, held[0], want=deployment()) == ["spec.strategy"]


def test_a_name_keeps_nothing_in_a_pod_that_we_no_longer_declare() -> None:
    probe = deployment({"livenessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 5}})
    at = ("spec", "template", "spec", "containers", 'k:{"name":"app"}', "livenessProbe")
    held = [entry("kubectl", f(*at, "tcpSocket", "port"), "Apply"), entry("kubelet", f(*at, "periodSeconds"))]
    parts = [f"{APP}.livenessProbe.{part}" for part in ("tcpSocket", "periodSeconds")]
    assert sorted(removed(probe, probe, *held, want=deployment())) == sorted(parts)


def built(data: JsonObject) -> BuiltObject:
    return BuiltObject(StateKey.of("m", data), data)


def rendered(password: str, checksum: str = "", name: str = "fixed") -> list[BuiltObject]:
    annotations = {"annotations": {"checksum/config": checksum}} if checksum else {}
    return [
        built(secret({"password": password, "user": "cm9vdA=="})),
        built(deployment(metadata=annotations)),
        built(obj("v1", "ConfigMap", name)),
    ]


def test_c57_two_renders_that_differ_name_the_paths_and_no_value() -> None:
    schemas = {
        ("v1", "Secret"): builtin_schema("v1", "Secret"),
        ("apps/v1", "Deployment"): builtin_schema("apps/v1", "Deployment"),
    }
    found = compare_renders(rendered("QUFB", "1", "x-1"), rendered("QkJC", "2", "x-2"), schemas)  # type: ignore[arg-type]
    assert {key: [path_text(path) for path in paths] for key, paths in found.fields.items()} == {
        "m//v1/Secret/n/a": ["data.password"],
        "m/apps/v1/Deployment/n/a": ['metadata.annotations["checksum/config"]'],
    }
    assert found.objects == {"m//v1/ConfigMap/n/x-1", "m//v1/ConfigMap/n/x-2"}
    assert "QUFB" not in repr(found)
    assert not compare_renders(rendered("QUFB"), rendered("QUFB"), {})


def test_c57_b36_of_values_that_change_by_themselves_presence_alone_is_compared() -> None:
    before = secret({"password": "QUFB", "user": "cm9vdA=="})
    again = secret({"password": "QkJC", "user": "cm9vdA=="})
    paths = compare_renders([built(before)], [built(again)], {("v1", "Secret"): builtin_schema("v1", "Secret")}).fields  # type: ignore[dict-item]
    unstable = paths["m//v1/Secret/n/a"]
    quiet = plan(again, live(before), recorded(before), unstable=unstable)
    assert (quiet.status, quiet.fields) == ("unchanged", ())
    loud = plan(again, live(before), recorded(before))
    assert shown(loud) == {"data.password": "planned"}
    other = plan(secret({"password": "QkJC", "user": "eA=="}), live(before), recorded(before), unstable=unstable)
    assert (shown(other), other.status) == ({"data.user": "planned"}, "modified")
    gone = plan(again, live(secret({"user": "cm9vdA=="})), recorded(before), unstable=unstable)
    assert shown(gone) == {"data.password": "drifted"}
    by_hand = live(secret({"password": "Q0ND", "user": "cm9vdA=="}), entry("kubectl-edit", f("data", "password")))
    assert shown(plan(again, by_hand, recorded(before), unstable=unstable)) == {"data.password": "drifted"}


def test_c57_a_checksum_that_changes_by_itself_hides_no_other_change() -> None:
    def checked(checksum: str, image: str = "i:1") -> JsonObject:
        return deployment({"image": image}, {"annotations": {"checksum/config": checksum}})

    schemas: Any = {("apps/v1", "Deployment"): builtin_schema("apps/v1", "Deployment")}
    unstable = compare_renders([built(checked("1"))], [built(checked("2"))], schemas).fields["m/apps/v1/Deployment/n/a"]
    record = recorded(checked("1"))
    assert plan(checked("2"), live(checked("1")), record, unstable=unstable).status == "unchanged"
    found = plan(checked("2", "i:2"), live(checked("1")), record, unstable=unstable)
    assert shown(found) == {IMAGE: "planned"}
    assert hidden(found) == {'metadata.annotations["checksum/config"]': "not reproducible"}
    by_hand = plan(checked("2"), live(checked("1", "i:9")), record, unstable=unstable)
    assert (shown(by_hand), field(by_hand, IMAGE).on_merge) == ({IMAGE: "drifted"}, "kept")
