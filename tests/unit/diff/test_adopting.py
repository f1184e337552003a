"""What an object has to say so that it says what is live, for chosen fields and no others."""

from __future__ import annotations

from typing import Any

from tazuna_core.diff.adopting import Adopting
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.verdicts import FieldVerdict
from tazuna_core.diff.walk import differences
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.paths import ABSENT

SCHEMA = builtin_schema("apps/v1", "Deployment")
assert SCHEMA is not None


def pod(*containers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "spec": {"replicas": 2, "template": {"spec": {"containers": [*containers], **more}}}}


def fields(recorded: dict[str, Any], live: dict[str, Any]) -> list[FieldVerdict]:
    """The drift between two answers of the server."""
    assert SCHEMA is not None
    return [
        FieldVerdict(one.path, "", "drifted", recorded=one.left, live=one.right, note=one.note)
        for one in differences(SCHEMA, recorded, live)
    ]


def adopting(live: dict[str, Any], recorded: dict[str, Any] | None = None) -> Adopting:
    assert SCHEMA is not None
    return Adopting(SCHEMA, Meaning(built_in=True), live, recorded)


DEFAULTS = {"terminationMessagePath": "/dev/termination-log", "imagePullPolicy": "IfNotPresent"}


def test_a_new_item_comes_where_it_is_live_and_without_what_the_server_adds_to_all() -> None:
    built = pod({"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"})
    recorded = pod({"name": "a", "image": "a:1", **DEFAULTS}, {"name": "b", "image": "b:1", **DEFAULTS})
    live = pod(
        {"name": "a", "image": "a:1", **DEFAULTS},
        {"name": "new", "image": "n:1", **DEFAULTS, "tty": True},
        {"name": "b", "image": "b:1", **DEFAULTS},
    )
    out = adopting(live, recorded).adopted(built, fields(recorded, live))
    assert out == pod(
        {"name": "a", "image": "a:1"}, {"name": "new", "image": "n:1", "tty": True}, {"name": "b", "image": "b:1"}
    )
    assert list(adopting(live).unmet(out, out, fields(recorded, live))) == []
    assert list(adopting(live).unmet(built, out, fields(recorded, live)))


def test_another_order_of_containers() -> None:
    a, b = {"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}
    recorded, live = pod({**a, **DEFAULTS}, {**b, **DEFAULTS}), pod({**b, **DEFAULTS}, {**a, **DEFAULTS})
    assert adopting(live).adopted(pod(a, b), fields(recorded, live)) == pod(b, a)


def test_another_order_of_an_atomic_list_is_its_values() -> None:
    recorded, live = pod({"name": "a", "args": ["-x", "-y"]}), pod({"name": "a", "args": ["-y", "-x"]})
    assert adopting(live).adopted(recorded, fields(recorded, live)) == live


def test_what_becomes_empty_goes_unless_emptiness_speaks() -> None:
    built = pod({"name": "a"}, nodeSelector={"disk": "ssd"}, volumes=[{"name": "v", "emptyDir": {"medium": "Memory"}}])
    live = pod({"name": "a"}, volumes=[{"name": "v", "emptyDir": {}}])
    assert adopting(live).adopted(built, fields(built, live)) == live


def test_an_atomic_list_keeps_our_way_to_write_the_items_that_stay() -> None:
    toleration = {"key": "a", "operator": "Exists"}
    built = pod({"name": "a"}, tolerations=[{**toleration, "tolerationSeconds": None}])
    recorded = pod({"name": "a"}, tolerations=[toleration])
    live = pod({"name": "a"}, tolerations=[toleration, {"key": "b", "operator": "Exists"}])
    out = adopting(live).adopted(built, fields(recorded, live))
    assert out["spec"]["template"]["spec"]["tolerations"][0] == {**toleration, "tolerationSeconds": None}


def test_what_the_repository_changed_since_contradicts() -> None:
    recorded, live = {"spec": {"replicas": 2}}, {"spec": {"replicas": 5}}
    (field,) = fields(recorded, live)
    said = {n: adopting(live).contradicts({"spec": {"replicas": n}}, field) for n in (2, 3, 5)}
    assert said == {2: False, 3: True, 5: False}
    assert adopting(live).said_already({"spec": {"replicas": 5}}, field)


def test_what_is_gone_is_said_only_by_saying_nothing() -> None:
    (field,) = fields({"spec": {"template": {}}}, {"spec": {}})
    assert field.live is ABSENT
    assert not adopting({"spec": {}}).said_already({"spec": {"template": {}}}, field)
    assert adopting({"spec": {}}).adopted({"spec": {"template": {}}}, [field]) == {"spec": {}}
