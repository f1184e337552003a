"""What a strategic merge patch says, what only JSON6902 can, and how patches that were adopted before grow."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tazuna_core.edit.kustomize_patch import appended, merged, operations, strategic_merge
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.schema import ANY_OBJECT

DEPLOYMENT = {
    "spec": {
        "replicas": 2,
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {"name": "main", "image": "a:1", "args": ["-a"], "env": [{"name": "A", "value": "1"}]},
                    {"name": "side", "image": "s:1"},
                ],
                "volumes": [{"name": "tmp", "emptyDir": {}}],
                "nodeSelector": {"disk": "ssd", "zone": "a"},
            },
        },
    }
}
SCHEMA = builtin_schema("apps/v1", "Deployment")
assert SCHEMA is not None
C = ("spec", "template", "spec")


def changed(*path: Any) -> dict[str, Any]:
    """The Deployment with the last argument at a path; Ellipsis takes it out."""
    out: Any = copy.deepcopy(DEPLOYMENT)
    here = out
    for step in path[:-2]:
        here = here[step]
    if path[-1] is ...:
        del here[path[-2]]
    else:
        here[path[-2]] = path[-1]
    return dict(out)


def inside(pod: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"template": {"spec": pod}}}


@pytest.mark.parametrize(
    ("after", "patch"),
    [
        (changed("spec", "replicas", 5), {"spec": {"replicas": 5}}),
        (changed("spec", "replicas", ...), {"spec": {"replicas": None}}),
        (changed(*C, "containers", 0, "image", "a:2"), inside({"containers": [{"name": "main", "image": "a:2"}]})),
        (changed(*C, "containers", 0, "args", ["-b"]), inside({"containers": [{"name": "main", "args": ["-b"]}]})),
        (changed(*C, "containers", 1, ...), inside({"containers": [{"$patch": "delete", "name": "side"}]})),
        (changed(*C, "nodeSelector", {"zone": "b"}), inside({"nodeSelector": {"disk": None, "zone": "b"}})),
        (
            changed(*C, "volumes", [{"name": "tmp", "emptyDir": {}}, {"name": "c", "configMap": {"name": "c"}}]),
            inside({"volumes": [{"name": "c", "configMap": {"name": "c"}}]}),
        ),
    ],
)
def test_a_strategic_merge(after: dict[str, Any], patch: dict[str, Any]) -> None:
    assert SCHEMA is not None
    assert strategic_merge(DEPLOYMENT, after, SCHEMA, built_in=True) == patch


def test_what_goes_is_named_by_itself_and_no_map_or_list_goes_whole() -> None:
    assert SCHEMA is not None
    pod = {
        "nodeSelector": {"disk": "ssd"},
        "initContainers": [{"name": "i", "image": "i:1"}],
        "tolerations": [{"key": "a"}],
        "securityContext": {"runAsUser": 1},
        "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
        "containers": [{"name": "main", "resources": {"limits": {"cpu": "1"}}, "livenessProbe": {"periodSeconds": 1}}],
    }
    before = inside(pod)
    after = inside({"volumes": [{"name": "v"}], "containers": [{"name": "main"}]})
    assert strategic_merge(before, after, SCHEMA, built_in=True) == inside(
        {
            "nodeSelector": {"disk": None},
            "initContainers": [{"$patch": "delete", "name": "i"}],
            "tolerations": None,  # atomic
            "securityContext": None,  # `{}` is not absence
            "volumes": [{"name": "v", "emptyDir": None}],
            "containers": [{"name": "main", "resources": {"limits": {"cpu": None}}, "livenessProbe": None}],
        }
    )
    one = changed(*C, "volumes", [])
    wanted = inside({"volumes": [{"$patch": "delete", "name": "tmp"}]})
    assert strategic_merge(DEPLOYMENT, one, SCHEMA, built_in=True) == wanted
    assert strategic_merge(DEPLOYMENT, changed(*C, "volumes", ...), SCHEMA, built_in=True) == wanted

    at = "/spec/template/spec"
    assert operations(before, after, schema=SCHEMA, built_in=True) == [
        {"op": "remove", "path": f"{at}/nodeSelector/disk"},
        {"op": "test", "path": f"{at}/initContainers/0/name", "value": "i"},
        {"op": "remove", "path": f"{at}/initContainers/0"},
        {"op": "remove", "path": f"{at}/tolerations"},
        {"op": "remove", "path": f"{at}/securityContext"},
        {"op": "test", "path": f"{at}/volumes/0/name", "value": "v"},
        {"op": "remove", "path": f"{at}/volumes/0/emptyDir"},
        {"op": "test", "path": f"{at}/containers/0/name", "value": "main"},
        {"op": "remove", "path": f"{at}/containers/0/resources/limits/cpu"},
        {"op": "remove", "path": f"{at}/containers/0/livenessProbe"},
    ]


@pytest.mark.parametrize("built_in", [True, False])
def test_an_annotation_goes_by_itself_and_not_by_a_strategic_merge(built_in: bool) -> None:
    """kustomize makes the text "null" of it where the patch has a target."""
    before, after = {"metadata": {"annotations": {"p/q": "x"}}}, {"metadata": {"name": "n"}}
    schema = SCHEMA if built_in and SCHEMA is not None else ANY_OBJECT
    assert strategic_merge(before, after, schema, built_in=built_in) is None
    assert operations(before, after, schema=schema, built_in=built_in)[0] == {
        "op": "remove",
        "path": "/metadata/annotations/p~1q",
    }


@pytest.mark.parametrize(
    "after",
    [
        changed(*C, "containers", 0, "env", [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]),  # goes first
        changed(*C, "containers", [DEPLOYMENT["spec"]["template"]["spec"]["containers"][n] for n in (1, 0)]),  # type: ignore[index]
        changed(*C, "volumes", 0, {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": None}}),
        changed(*C, "containers", 0, "args", []),
    ],
)
def test_what_a_strategic_merge_cannot_say(after: dict[str, Any]) -> None:
    assert SCHEMA is not None
    assert strategic_merge(DEPLOYMENT, after, SCHEMA, built_in=True) is None
    assert operations(DEPLOYMENT, after)


def test_lists_of_custom_resources_are_replaced_whole() -> None:
    before, after = {"spec": {"beds": [{"name": "a", "n": 1}, {"name": "b"}]}}, {"spec": {"beds": [{"name": "b"}]}}
    assert strategic_merge(before, after, ANY_OBJECT, built_in=False) == {"spec": {"beds": [{"name": "b"}]}}


def test_operations_test_the_name_before_they_touch_an_item() -> None:
    at = "/spec/template/spec/containers"
    after = changed(*C, "containers", 0, "image", "a:2")
    assert operations(DEPLOYMENT, after) == [
        {"op": "test", "path": f"{at}/0/name", "value": "main"},
        {"op": "replace", "path": f"{at}/0/image", "value": "a:2"},
    ]
    assert operations(DEPLOYMENT, changed(*C, "containers", 0, ...)) == [
        {"op": "test", "path": f"{at}/0/name", "value": "main"},
        {"op": "remove", "path": f"{at}/0"},
    ]
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    assert operations(DEPLOYMENT, changed(*C, "containers", 0, "env", env))[-1] == {
        "op": "add",
        "path": f"{at}/0/env/-",
        "value": env[1],
    }
    assert operations({"a/b": {"~": 1}}, {"a/b": {"~": 2}}) == [{"op": "replace", "path": "/a~1b/~0", "value": 2}]


def test_a_second_adoption_changes_the_first_patch() -> None:
    assert SCHEMA is not None
    old = inside({"containers": [{"name": "main", "image": "a:2"}], "nodeSelector": {"zone": "b"}})
    new = inside({"containers": [{"name": "main", "args": ["-x"]}, {"$patch": "delete", "name": "side"}]})
    assert merged(old, new, SCHEMA) == inside(
        {
            "containers": [{"name": "main", "image": "a:2", "args": ["-x"]}, {"$patch": "delete", "name": "side"}],
            "nodeSelector": {"zone": "b"},
        }
    )
    tolerations = inside({"tolerations": [{"key": "a"}, {"key": "b"}]})
    assert merged(tolerations, inside({"tolerations": [{"key": "b"}]}), SCHEMA) == inside(
        {"tolerations": [{"key": "b"}]}
    )


def test_a_second_list_of_operations_comes_after_the_first() -> None:
    one = [{"op": "replace", "path": "/spec/replicas", "value": 5}]
    assert appended(one, [{"op": "replace", "path": "/spec/replicas", "value": 7}]) == [{**one[0], "value": 7}]
    removed = [{"op": "remove", "path": "/spec/replicas"}]
    assert appended(one, removed) == [*one, *removed]
    assert appended(removed, one) == [*removed, *one]
