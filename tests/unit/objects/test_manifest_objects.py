"""Documents to objects: lists, default namespace, order, validation, identity."""

from __future__ import annotations

import copy

import pytest

from tazuna_core.errors import InvalidObjectError, Place
from tazuna_core.objects.manifest_objects import ManifestObjects, load_objects, objects_of
from tazuna_core.objects.yaml_documents import load_documents

CRD = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}}"


def keys(loaded: ManifestObjects) -> list[str]:
    return [str(built.key) for built in loaded.objects]


def load(text: str, default_namespace: str = "") -> ManifestObjects:
    return load_objects(text, "f.yaml", "m", default_namespace)


def test_c43_a_list_is_its_items() -> None:
    items = ", ".join(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}" for name in "ab")
    assert keys(load(f"apiVersion: v1\nkind: List\nitems: [{items}]\n")) == ["m//v1/ConfigMap/a", "m//v1/ConfigMap/b"]


def test_c43_items_of_a_typed_list_inherit_version_and_kind() -> None:
    loaded = load("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems: [{metadata: {name: a}}]\n")
    assert keys(loaded) == ["m/rbac.authorization.k8s.io/v1/Role/a"]
    assert loaded.objects[0].data["kind"] == "Role"


def test_c43_lists_in_lists_expand_fully() -> None:
    inner = "{apiVersion: v1, kind: ConfigMapList, items: [{metadata: {name: a}}]}"
    assert keys(load(f"apiVersion: v1\nkind: List\nitems: [{inner}]\n")) == ["m//v1/ConfigMap/a"]


@pytest.mark.parametrize("items", ["[]", "null", ""])
@pytest.mark.parametrize("kind", ["List", "ConfigMapList"])
def test_c43_an_empty_list_is_nothing(kind: str, items: str) -> None:
    assert load(f"apiVersion: v1\nkind: {kind}\nitems: {items}\n") == ManifestObjects((), ())


@pytest.mark.parametrize(
    "rest",
    [
        "metadata: {name: a}\nspec: {x: 1}\n",
        "metadata: {name: a}\nitems: [{b: 1}]\n",
        "metadata: {name: a}\nitems: [b]\n",
    ],
)
def test_c43_an_object_whose_kind_only_ends_in_list_stays(rest: str) -> None:
    assert keys(load(f"apiVersion: example.com/v1\nkind: AllowList\n{rest}")) == ["m/example.com/v1/AllowList/a"]


def test_c43_an_item_that_is_no_object_is_an_error() -> None:
    with pytest.raises(InvalidObjectError, match="item 2 of a List"):
        load("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}, 1]\n")


def test_c26_objects_of_two_namespaces_are_two() -> None:
    text = "\n---\n".join(
        f"apiVersion: example.com/v1\nkind: Task\nmetadata: {{name: t, namespace: {n}}}\nspec: {{n: 1}}" for n in "ab"
    )
    loaded = load(text)
    assert keys(loaded) == ["m/example.com/v1/Task/a/t", "m/example.com/v1/Task/b/t"]
    assert not loaded.notices


def test_c26_one_identity_twice_is_a_notice_whatever_the_version() -> None:
    text = "\n---\n".join(f"apiVersion: example.com/{v}\nkind: Task\nmetadata: {{name: t}}" for v in ("v1", "v2"))
    loaded = load(text)
    assert len(loaded.objects) == 2
    [notice] = loaded.notices
    assert notice.code == "duplicate-object" and "Task/t" in notice.message and "f.yaml:1:1" in notice.message
    assert notice.place == Place("f.yaml", 5, 1)


def test_c27_generate_name_is_read_but_has_no_name_to_compare() -> None:
    loaded = load("\n---\n".join(["{apiVersion: batch/v1, kind: Job, metadata: {generateName: seed-}}"] * 2))
    assert [built.key.name for built in loaded.objects] == ["", ""]
    assert not loaded.notices


@pytest.mark.parametrize(
    ("metadata", "what"),
    [
        ("{annotations: {inject: false}, name: a}", "metadata.annotations['inject'] of ConfigMap/a is false"),
        ("{labels: {v: 1}, name: a}", "metadata.labels['v'] of ConfigMap/a is 1"),
        ("{labels: {v: [x]}, name: a}", "is a list"),
        ("{labels: [x], name: a}", "metadata.labels of ConfigMap/a is not a mapping"),
        ("{name: 123}", "metadata.name of ConfigMap/123 is 123"),
        ("{name: a, namespace: 0123}", "metadata.namespace of ConfigMap/83/a is 83"),
        ("{name: null}", "has no name"),
        ("{name: ''}", "has no name"),
        ("{generateName: 1}", "metadata.generateName"),
        ("[a]", "metadata of ConfigMap is not a mapping"),
        ("null", "has no name"),
    ],
)
def test_c74_what_kubectl_cannot_decode_is_invalid(metadata: str, what: str) -> None:
    with pytest.raises(InvalidObjectError) as caught:
        load(f"a: 1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n")
    assert what in caught.value.message
    assert caught.value.place == Place("f.yaml", 3, 1)
    assert caught.value.advice and caught.value.exit_code == 3


@pytest.mark.parametrize("metadata", ["{name: a, labels: }", "{name: a, annotations: {x: null}, namespace: null}"])
def test_c74_nulls_decode(metadata: str) -> None:
    assert keys(load(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n")) == ["m//v1/ConfigMap/a"]


@pytest.mark.parametrize(
    "head", ["kind: A", "kind: ''\napiVersion: v1", "kind: 1\napiVersion: v1", "kind: A\napiVersion: 1"]
)
def test_kind_and_api_version_are_strings(head: str) -> None:
    with pytest.raises(InvalidObjectError):
        load(f"{head}\nmetadata: {{name: a}}\n")


def test_documents_without_kind_are_dropped_with_a_notice() -> None:
    loaded = load("a: 1\n---\n{}\n---\n# nothing\n---\n" + CRD)
    assert len(loaded.objects) == 1
    assert [(notice.code, notice.place) for notice in loaded.notices] == [
        ("no-kind", Place("f.yaml", 1, 1)),
        ("no-kind", Place("f.yaml", 3, 1)),
    ]


def test_definitions_come_first_and_the_rest_keeps_its_order() -> None:
    objects = [f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}" for name in "ba"]
    text = "\n---\n".join([objects[0], CRD, objects[1]])
    assert [built.key.name for built in load(text).objects] == ["c", "b", "a"]


def test_the_default_namespace_reaches_every_object_that_names_none() -> None:
    text = "\n---\n".join(
        [
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: own}}",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: null}}",
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}",
        ]
    )
    documents = load_documents(text, "f.yaml")
    before = copy.deepcopy(documents)
    loaded = objects_of(documents, "m", "ns")
    assert [built.key.namespace for built in loaded.objects] == ["ns", "own", "ns", "ns"]
    assert loaded.objects[0].data["metadata"] == {"name": "a", "namespace": "ns"}
    assert documents == before, "documents may share data through aliases, so they are never changed"


def test_notices_of_the_text_are_kept() -> None:
    loaded = load("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: x, a: y}\n")
    assert [notice.code for notice in loaded.notices] == ["duplicate-key"]
