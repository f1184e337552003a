"""Canonical JSON and the content hash, case by case; the Go oracle checks them in bulk in tests/compat."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import pytest

from tazuna_core.errors import InvalidObjectError
from tazuna_core.objects.canonical import canonical_json, content_hash


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (-0.0, "-0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (2**63 - 1, "9223372036854776000"),
        (18446744073709551615.0, "18446744073709552000"),
        (10**20, "100000000000000000000"),
        (1e21, "1e+21"),
        (123456789012345678901234567890, "1.2345678901234568e+29"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (9.99e-7, "9.99e-7"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (-1.5e-9, "-1.5e-9"),
        (1234.5678, "1234.5678"),
        (1e16, "10000000000000000"),
    ],
)
def test_numbers_are_float64_in_gos_form(value: Any, text: str) -> None:
    assert canonical_json([value]) == f"[{text}]".encode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<a href='x'>&amp;</a>", "\"\\u003ca href='x'\\u003e\\u0026amp;\\u003c/a\\u003e\""),
        ("\u2028\u2029", '"\\u2028\\u2029"'),
        ("\b\f\n\r\t", '"\\b\\f\\n\\r\\t"'),
        ("\x00\x1b\x7f", '"\\u0000\\u001b\x7f"'),
        ('"\\/', '"\\"\\\\/"'),
        ("日本語😀", '"日本語😀"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_strings_are_escaped_as_go_escapes(value: str, text: str) -> None:
    assert canonical_json(value) == text.encode()


def test_keys_are_in_the_order_of_their_bytes() -> None:
    assert canonical_json({"\U00010000": 1, "\uffff": 2, "é": 3, "b": 4, "B": 5, "": 6}) == (
        '{"":6,"B":5,"b":4,"é":3,"\uffff":2,"\U00010000":1}'.encode()
    )


def test_text_that_looks_like_a_float_stays_text() -> None:
    assert canonical_json({"image": "a:1.25", "cidr": '",1e5', "n": [1, 2]}) == (
        b'{"cidr":"\\",1e5","image":"a:1.25","n":[1,2]}'
    )
    assert canonical_json({"image": "a:1.25", "f": 1e16}) == b'{"f":10000000000000000,"image":"a:1.25"}'


def test_deep_nesting_beyond_orjson() -> None:
    value: Any = 1.0
    for _ in range(600):
        value = [value]
    assert canonical_json(value) == b"[" * 600 + b"1" + b"]" * 600


def test_what_go_cannot_encode_is_an_error() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for value in ([1.5, float("inf")], [1.5, float("nan")], [10**400], deep):
        with pytest.raises(InvalidObjectError):
            canonical_json(value)
    while deep:  # else its own end recurses
        deep = deep.pop()


@pytest.mark.parametrize("value", [{1: 2}, [object()], [{1, 2}]])
def test_what_is_no_json_is_a_defect(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


OBJECT = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cm", "labels": {"uid": "x"}},
    "spec": {"status": {"b": 2}, "metadata": {"uid": "kept"}, "f": 0.5},
}


def test_server_fields_and_status_do_not_count_and_the_object_is_not_changed() -> None:
    live = copy.deepcopy(OBJECT)
    live["status"] = {"a": 1}
    live["metadata"] |= {  # type: ignore[operator]
        "uid": "u",
        "resourceVersion": "5",
        "generation": 3,
        "creationTimestamp": None,
        "selfLink": "/x",
        "managedFields": [],
    }
    before = copy.deepcopy(live)
    assert content_hash(live) == content_hash(OBJECT)
    assert live == before


def test_a_twin_of_each_server_field_elsewhere_counts() -> None:
    for field in ("uid", "generation"):
        changed = copy.deepcopy(OBJECT)
        changed["metadata"]["labels"][field] = "other"  # type: ignore[index]
        assert content_hash(changed) != content_hash(OBJECT)


@pytest.mark.parametrize("metadata", [{}, {"metadata": None}, {"metadata": {}}])
def test_absent_metadata_counts_as_empty(metadata: dict[str, Any]) -> None:
    expected = hashlib.sha256(b'{"kind":"A","metadata":{}}').hexdigest()
    assert content_hash({"kind": "A", **metadata}) == expected
