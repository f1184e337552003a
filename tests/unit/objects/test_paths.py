"""Typed paths: how they are written, where they point, and that all differences of a walk make one side the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.diff.ignore import path_tokens
from tazuna_core.diff.walk import ORDER_CHANGED, differences
from tazuna_core.objects.paths import (
    ABSENT,
    Index,
    Item,
    Key,
    Path,
    Value,
    keyed_items,
    lookup,
    path_pointer,
    path_text,
    schema_at,
    with_value,
)
from tazuna_core.objects.schema import ANY, Schema

TEXT = Schema("scalar", "string")
PORTS = Schema(
    "list",
    items=Schema("object", properties={"port": Schema("scalar", "integer"), "protocol": TEXT, "name": TEXT}),
    list_type="map",
    list_keys=("port", "protocol"),
    key_defaults={"protocol": "TCP"},
)
MAP = Schema("object", values=TEXT)
SCHEMA = Schema(
    "object",
    properties={
        "ports": PORTS,
        "labels": MAP,
        "set": Schema("list", items=TEXT, list_type="set"),
        "atomic": Schema("list", items=Schema("object", properties={"a": TEXT, "b": TEXT})),
        "whole": Schema("object", values=TEXT, atomic=True),
        "deep": Schema("object", properties={"labels": MAP, "n": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        ((Key("spec"), Key("a-b_C1")), "spec.a-b_C1"),
        ((Key("metadata"), Key("labels"), Key("app.kubernetes.io/name")), 'metadata.labels["app.kubernetes.io/name"]'),
        ((Key("a b"), Key('q"u')), '["a b"]["q\\"u"]'),
        ((Key("data"), Key("")), 'data[""]'),
        ((Key("c"), Item((("name", "app"),))), "c[name=app]"),
        ((Key("c"), Item((("name", "a b"),))), 'c[name="a b"]'),
        ((Key("c"), Item((("name", ""),))), 'c[name=""]'),
        ((Key("c"), Item((("name", "80"),))), 'c[name="80"]'),
        ((Key("c"), Item((("name", "1.5"),))), 'c[name="1.5"]'),
        ((Key("c"), Item((("name", "1e3"),))), 'c[name="1e3"]'),
        ((Key("c"), Item((("name", "true"),))), 'c[name="true"]'),
        ((Key("c"), Item((("name", "Null"),))), 'c[name="Null"]'),
        ((Key("c"), Item((("name", "1.2.3"),))), "c[name=1.2.3]"),
        ((Key("c"), Item((("path", "/a:b"),))), "c[path=/a:b]"),
        ((Key("c"), Item((("port", 80), ("protocol", "TCP")))), "c[port=80,protocol=TCP]"),
        ((Key("c"), Item((("on", True), ("n", None)))), "c[on=true,n=null]"),
        ((Key("env"), Item((("name", "A"),), 1), Key("value")), "env[name=A]#1.value"),
        ((Key("finalizers"), Value("x")), 'finalizers[="x"]'),
        ((Key("numbers"), Value(3)), "numbers[=3]"),
        ((Key("args"), Index(3)), "args[3]"),
    ],
)
def test_path_text(path: Path, text: str) -> None:
    assert path_text(path) == text


def test_pointers_lead_into_the_document_they_are_made_for() -> None:
    document = {
        "ports": [{"port": 1}, {"port": 80, "protocol": "UDP"}, {"port": 80}],
        "labels": {"a/b~c": "x"},
        "set": ["q", "r"],
    }
    tcp = (Key("ports"), Item((("port", 80), ("protocol", "TCP"))))
    assert path_pointer((*tcp, Key("name")), document, SCHEMA) == "/ports/2/name"
    assert path_pointer((Key("labels"), Key("a/b~c")), document, SCHEMA) == "/labels/a~1b~0c"
    assert path_pointer((Key("set"), Value("r")), document, SCHEMA) == "/set/1"
    assert path_pointer((Key("set"), Value("new")), document, SCHEMA) == "/set/-"
    assert path_pointer((Key("atomic"), Index(4)), document, SCHEMA) == "/atomic/4"
    assert path_pointer((Key("gone"), Item((("name", "x"),))), document, SCHEMA) == "/gone/-"


def test_c19_keys_get_their_defaults_before_items_are_matched() -> None:
    items = [{"port": 80}, {"port": 80, "protocol": "TCP"}, {"port": 80, "protocol": "UDP"}]
    tcp, udp = (("port", 80), ("protocol", "TCP")), (("port", 80), ("protocol", "UDP"))
    assert [key for key, _ in keyed_items(items, PORTS)] == [Item(tcp), Item(tcp, 1), Item(udp)]
    assert lookup({"ports": items}, (Key("ports"), Item(tcp, 1)), SCHEMA) == items[1]


def test_null_is_a_value_and_absent_is_none() -> None:
    assert lookup({"a": None}, (Key("a"),), ANY) is None
    assert lookup({"a": None}, (Key("b"),), ANY) is ABSENT
    assert lookup({"a": None}, (Key("a"), Key("b")), ANY) is ABSENT
    assert lookup({"set": [1]}, (Key("set"), Value(True)), ANY) is ABSENT, "1 is not true"
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"


@pytest.mark.parametrize(
    ("document", "path", "value", "out"),
    [
        ({"a": 1}, (Key("a"),), 2, {"a": 2}),
        ({"a": 1}, (Key("a"),), ABSENT, {}),
        ({"a": 1}, (Key("b"),), ABSENT, {"a": 1}),
        ({}, (Key("labels"), Key("x")), "y", {"labels": {"x": "y"}}),
        ({}, (Key("labels"), Key("x")), ABSENT, {}),
        ({"labels": "text"}, (Key("labels"), Key("x")), "y", {"labels": "text"}),
        ({"set": ["a"]}, (Key("set"), Value("b")), "b", {"set": ["a", "b"]}),
        ({"set": ["a", "b"]}, (Key("set"), Value("a")), ABSENT, {"set": ["b"]}),
        ({}, (Key("set"), Value("b")), "b", {"set": ["b"]}),
        (
            {"ports": [{"port": 1}]},
            (Key("ports"), Item((("port", 2), ("protocol", "TCP"))), Key("name")),
            "n",
            {"ports": [{"port": 1}, {"port": 2, "protocol": "TCP", "name": "n"}]},
        ),
        ({"atomic": [{"a": "1"}]}, (Key("atomic"), Index(0), Key("a")), "2", {"atomic": [{"a": "2"}]}),
    ],
)
def test_with_value(document: Any, path: Path, value: Any, out: Any) -> None:
    before = repr(document)
    assert with_value(document, path, value, SCHEMA) == out
    assert repr(document) == before, "the input stays as it is"


def test_schema_at() -> None:
    assert schema_at(SCHEMA, (Key("ports"), Item((("port", 1),)), Key("protocol"))) is TEXT
    assert schema_at(SCHEMA, (Key("labels"), Key("x"))) is TEXT
    assert schema_at(SCHEMA, (Key("nothing"), Index(0))) is ANY


text = st.text(st.sampled_from('ab"]\\[.#= é'), max_size=4)
pairs = st.tuples(st.sampled_from(["name", "port"]), text | st.integers(0, 9))
elements = st.one_of(
    st.builds(Key, text),
    st.builds(Item, st.lists(pairs, min_size=1, max_size=2).map(tuple), st.integers(0, 2)),
    st.builds(Value, text | st.integers(0, 9)),
    st.builds(Index, st.integers(0, 99)),
)  # fmt: skip


@given(st.lists(elements, min_size=1, max_size=4).map(tuple))
def test_every_path_that_is_written_can_be_written_in_a_rule(path: Path) -> None:
    assert len(path_tokens(path_text(path))) == len(path)


small = st.text(st.sampled_from("ab"), max_size=2)
port = st.fixed_dictionaries(
    {"port": st.integers(1, 3)}, optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": small}
)
unknown = st.recursive(
    small, lambda inner: st.dictionaries(small, inner, max_size=2) | st.lists(inner, max_size=2), max_leaves=4
)
documents = st.fixed_dictionaries(
    {},
    optional={
        "ports": st.lists(port, max_size=4),
        "labels": st.dictionaries(small, small, max_size=3),
        "set": st.lists(small, max_size=3, unique=True),
        "atomic": st.lists(st.dictionaries(st.sampled_from(["a", "b"]), small, max_size=2), max_size=3),
        "whole": st.dictionaries(small, small, max_size=2),
        "deep": st.fixed_dictionaries({}, optional={"labels": st.dictionaries(small, small, max_size=2), "n": small}),
        "unknown": unknown,
    },
)  # fmt: skip


@given(documents)
def test_nothing_differs_from_itself(document: Any) -> None:
    assert list(differences(SCHEMA, document, document)) == []


@given(documents, documents)
def test_both_directions_name_the_same_paths(left: Any, right: Any) -> None:
    there = {(d.path, d.note, repr(d.left), repr(d.right)) for d in differences(SCHEMA, left, right)}
    back = {(d.path, d.note, repr(d.right), repr(d.left)) for d in differences(SCHEMA, right, left)}
    assert there == back


@given(documents, documents)
def test_no_path_is_named_twice_and_none_inside_another(left: Any, right: Any) -> None:
    paths = [d.path for d in differences(SCHEMA, left, right) if d.note != ORDER_CHANGED]
    assert len(set(paths)) == len(paths)
    assert not any(one != two and two[: len(one)] == one for one in paths for two in paths)


@given(documents, documents)
def test_all_differences_together_make_one_side_the_other(left: Any, right: Any) -> None:
    made = left
    # items from the last to the first, so that those of one key keep their numbers
    for difference in reversed(list(differences(SCHEMA, left, right))):
        if difference.right is ABSENT:
            made = with_value(made, difference.path, ABSENT, SCHEMA)
    for difference in differences(SCHEMA, made, right):
        made = with_value(made, difference.path, difference.right, SCHEMA)
    assert list(differences(SCHEMA, made, right)) == []


@given(documents, documents)
def test_a_pointer_leads_to_the_value(left: Any, right: Any) -> None:
    for difference in differences(SCHEMA, left, right):
        if difference.right is ABSENT or difference.note == ORDER_CHANGED:
            continue
        here = right
        for token in path_pointer(difference.path, right, SCHEMA).split("/")[1:]:
            here = here[int(token)] if isinstance(here, list) else here[token.replace("~1", "/").replace("~0", "~")]
        assert here == difference.right
