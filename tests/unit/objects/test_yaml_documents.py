"""Text to documents: what loads as what, what is refused where, and what is noticed."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml

from tazuna_core.errors import BuildError, InvalidObjectError, Place
from tazuna_core.objects import yaml_composer
from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.objects.yaml_limits import MAX_DEPTH


def data_of(text: bytes | str) -> list[Any]:
    return [document.data for document in load_documents(text, "f.yaml").documents]


def value_of(scalar: str) -> Any:
    [data] = data_of(f"k: {scalar}\n")
    return data["k"]


def refusal(text: bytes | str) -> BuildError:
    with pytest.raises(BuildError) as caught:
        load_documents(text, "f.yaml")
    assert caught.value.advice, "every error says what to do"
    return caught.value


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("0755", 493),
        ("0o755", 493),
        ("0O7", 7),
        ("0899", 899),
        ("0X1F", 31),
        ("-0x1f", -31),
        ("+0b11", 3),
        ("0b-1", -1),
        ("0_1", 1),
        ("1__0", 10),
        ("_1", "_1"),
        ("0x", "0x"),
        ("12:30:45", "12:30:45"),
        ("=", "="),
        ("2024-01-02", "2024-01-02"),
        ("1.2.3", "1.2.3"),
        ("<<", "<<"),
        ("١", "١"),
    ],
)
def test_c71_octal_and_friends(scalar: str, value: Any) -> None:
    assert value_of(scalar) == value
    assert type(value_of(scalar)) is type(value)


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("1.0", 1),
        ("5.", 5),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1e3", 1000),
        ("1e+06", 1000000),
        ("1e-5", 1e-5),
        ("9007199254740993", 9007199254740993),
        ("9223372036854775807", 2**63 - 1),
        ("18446744073709551615", 18446744073709551615.0),
        ("-9223372036854775809", -9223372036854775809.0),
        ("1152921504606846976.0", 1152921504606847000),
        ("1e400", "1e400"),
        ("1234567e8", 123456700000000),
        (".1_0", 0.1),
        ("._1", "._1"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_c72_numbers(scalar: str, value: Any) -> None:
    assert value_of(scalar) == value
    assert type(value_of(scalar)) is type(value)


def test_c72_minus_zero_keeps_its_sign_as_a_float_only() -> None:
    assert math.copysign(1, value_of("-0.0")) == -1
    assert value_of("-0") == 0 and type(value_of("-0")) is int


@pytest.mark.parametrize("scalar", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
def test_c72_infinity_and_nan_are_errors(scalar: str) -> None:
    error = refusal(f"a: 1\nk: {scalar}\n")
    assert error.place == Place("f.yaml", 2, 4)
    assert value_of(f"'{scalar}'") == scalar


@pytest.mark.parametrize(("scalar", "value"), [("1e+06", 1000000), ("999999", 999999), ("'1e+06'", "1e+06")])
def test_c62_large_integers_of_helm(scalar: str, value: Any) -> None:
    assert value_of(scalar) == value


def test_c63_an_exponent_needs_no_point() -> None:
    assert value_of("1e-5") == 0.00001


def test_c64_words_as_keys_collide_and_are_noticed() -> None:
    documents = load_documents('data: {y: "1", on: "2", n: "3"}\n', "f.yaml")
    assert documents.documents[0].data == {"data": {"true": "2", "false": "3"}}
    [notice] = documents.notices
    assert "'true' (written 'on')" in notice.message
    assert notice.place == Place("f.yaml", 1, 16)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("1.10", "1.1"),
        ("0755", "493"),
        ("on", "true"),
        ("12:30", "12:30"),
        ("1e6", "1e+06"),
        ("123456.0", "123456"),
        ("16777217.5", "1.6777218e+07"),
        ("2342205.25", "2.3422052e+06"),
        ("1e39", ".inf"),
        (".nan", ".nan"),
        ("-0.0", "-0"),
        ("1e-46", "0"),
        ("3.4028235e38", "3.4028235e+38"),
        ("0.0001", "0.0001"),
        ("1.5e-5", "1.5e-05"),
        ("'1.10'", "1.10"),
    ],
)
def test_keys_become_the_strings_that_go_makes(key: str, text: str) -> None:
    assert data_of(f"{key}: x\n") == [{text: "x"}]


@pytest.mark.parametrize("key", ["~", "null", "18446744073709551615", "[a]", "{a: b}", "? [a]\n", "{{.x}}"])
def test_keys_that_json_cannot_hold_are_errors(key: str) -> None:
    assert "cannot be a key" in refusal(f"{key}: x\n").message


def test_c66_separators() -> None:
    text = "{kind: Namespace, metadata: {name: foo}}\n--- # comment\n{kind: Namespace, metadata: {name: bar}}\n"
    assert [data["metadata"]["name"] for data in data_of(text)] == ["foo", "bar"]
    assert [d.line for d in load_documents(text, "f.yaml").documents] == [1, 3]


@pytest.mark.parametrize("separator", ["----", "--- {a: 1}", "---x", "--- |"])
def test_c66_other_text_after_a_separator_is_an_error(separator: str) -> None:
    error = refusal(f"a: 1\n{separator}\nb: 1\n")
    assert error.place == Place("f.yaml", 2, 4)


def test_a_separator_inside_a_block_scalar_is_text() -> None:
    assert data_of("k: |\n  a\n  ---\n  b\n") == [{"k": "a\n---\nb\n"}]


@pytest.mark.parametrize("text", ["a: 1\n...\nb: 1\n", "{a: 1} b\n", "{a: 1}}\n", "a: 1\n...\n@\n"])
def test_text_after_a_document_is_an_error(text: str) -> None:
    assert refusal(text).code == "text-after-document"


def test_a_document_end_marker_alone_is_none() -> None:
    assert data_of("a: 1\n...\n---\nb: 1\n...\n") == [{"a": 1}, {"b": 1}]


@pytest.mark.parametrize("key", ["apiVersion", "kind", "metadata"])
def test_c67_a_glued_separator_would_lose_an_object(key: str) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\nimmutable: true---\n" + f"{key}: x\n"
    with pytest.raises(InvalidObjectError) as caught:
        load_documents(text, "f.yaml")
    assert caught.value.place == Place("f.yaml", 5, 1)
    assert key in caught.value.message and "---" in caught.value.advice


def test_c67_any_other_repeated_key_is_a_notice_with_its_line() -> None:
    documents = load_documents("kind: A\nspec:\n  kind: a\n  kind: b\nspec: {}\n", "f.yaml")
    assert [(notice.code, notice.place) for notice in documents.notices] == [
        ("duplicate-key", Place("f.yaml", 4, 3)),
        ("duplicate-key", Place("f.yaml", 5, 1)),
    ]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only\n", "---\n", "---\n---\n", "null\n", "~\n", "---\n# a\n---\n~\n---\n\n", "---"]
)
def test_c69_empty_sections_give_no_document(text: str) -> None:
    documents = load_documents(text, "f.yaml")
    assert not documents.documents and not documents.notices


@pytest.mark.parametrize(
    ("text", "what"), [("hello\n", "a single value"), ("- a\n", "a list"), ("a: 1\n---\n3\n", "2")]
)
def test_a_document_that_is_no_mapping_is_an_error(text: str, what: str) -> None:
    error = refusal(text)
    assert isinstance(error, InvalidObjectError) and what in error.message


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("x: &b {p: 1, q: 2}\nd: {<<: *b, q: 9}\n", {"p": 1, "q": 9}),
        ("x: &b {p: 1, q: 2}\nd: {q: 9, <<: *b}\n", {"p": 1, "q": 2}),
        ("x: &b {p: 1}\ny: &c {p: 2, r: 3}\nd: {<<: [*b, *c]}\n", {"p": 1, "r": 3}),
        ("x: &b {p: 1}\ny: &c {p: 2}\nd: {<<: *b, <<: *c}\n", {"p": 2}),
        ("d: {<<: {p: 1}, '<<': 2, !!str <<: 3}\n", {"p": 1, "<<": 3}),
        ("x: &b {p: 1}\nd: {! << : *b}\n", {"p": 1}),
    ],
)
def test_merges_copy_at_their_point_and_later_keys_override(text: str, data: Any) -> None:
    assert data_of(text)[0]["d"] == data


@pytest.mark.parametrize("value", ["", "1", "[1]", "*s", "[*l]"])
def test_merges_of_anything_else_are_errors(value: str) -> None:
    error = refusal(f"x: &s a\ny: &l [{{a: 1}}]\nd:\n  <<: {value}\n")
    assert error.place is not None and error.place.line == 4


def test_anchors_can_be_redefined_and_end_with_their_document() -> None:
    assert data_of("a: &x 1\nb: &x 2\nc: *x\n") == [{"a": 1, "b": 2, "c": 2}]
    assert data_of("a: &x {b: &x 1, c: 2}\nd: *x\n")[0]["d"] == 1
    assert "not known" in refusal("a: &x 1\n---\nb: *x\n").message


@pytest.mark.parametrize("text", ["a: &a\n  k: *a\n", "a: &a [*a]\n", "a: &a {<<: *a}\n"])
def test_an_anchor_that_contains_itself_is_an_error(text: str) -> None:
    assert "contains itself" in refusal(text).message


def laughs(levels: int, width: int, leaf: str) -> str:
    wider = (f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]\n" for level in range(1, levels))
    return f"a0: &a0 {leaf}\n" + "".join(wider)


@pytest.mark.parametrize("text", [laughs(30, 10, "[lol]"), laughs(3, 500, "x" * 1000)])
def test_a_billion_laughs_are_an_error(text: str) -> None:
    assert "unfolds" in refusal(text).message


def test_as_many_aliases_as_people_write_are_read() -> None:
    assert len(data_of(laughs(3, 20, "{a: 1}"))[0]["a2"]) == 20


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "- " * 100_000,
        '{"a":' * 100_000,
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
    ],
)
def test_very_deep_nesting_is_an_error(text: str) -> None:
    assert "nest" in refusal(text).message


def test_nesting_up_to_the_limit_is_read() -> None:
    deep = MAX_DEPTH - 1
    assert data_of("a: " + "[" * deep + "]" * deep) and data_of('{"a":' + "[" * deep + "]" * deep + "}")


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (b"a: 1\nb: \x07\n", Place("f.yaml", 2, 4), "U+0007"),
        (b"a: 1\n---\nb: 1\nc: \x7f\n", Place("f.yaml", 4, 4), "U+007F"),
        (b"a: 1\nb: \xff\n", Place("f.yaml", 2), "UTF-8"),
        (b"a:\n\tb: 1\n", Place("f.yaml", 2, 1), "cannot start any token"),
        (b"---\na: 1\n---\nb: @x\n", Place("f.yaml", 4, 4), "document 2"),
        (b"a: {\n", Place("f.yaml", 2, 1), "document 1"),
        (b'a: "\\/"\n', Place("f.yaml", 1, 5), "escape"),
        (b"---\n\xef\xbb\xbfa: 1\n", Place("f.yaml", 2, 1), "byte order mark"),
        (b"a: [!!str, b]\n", Place("f.yaml", 1, 5), "tag"),
        (b"a: {b: c?}\n", Place("f.yaml", 1, 8), "'?'"),
        (b"a: !!int x\n", Place("f.yaml", 1, 4), "!!int"),
        (b"a: !!binary x\n", Place("f.yaml", 1, 4), "base64"),
        (b"a: !!timestamp 2024-13-01\n", Place("f.yaml", 1, 4), "!!timestamp"),
        (b"a: !!float 18446744073709551615\n", Place("f.yaml", 1, 4), "!!float"),
    ],
)
def test_errors_name_document_or_reason_and_place(text: bytes, place: Place, what: str) -> None:
    error = refusal(text)
    assert error.place == place
    assert what in error.message


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("!!str 1", "1"),
        ("!!float 3", 3),
        ('!!bool "yes"', True),
        ("!!null ''", None),
        ("!foo 123", "123"),
        ("! 123", "123"),
        ("!!binary aGVsbG8=", "hello"),
        ("!!binary /+8=", "\ufffd\ufffd"),
        ("!!timestamp 2024-01-02", "2024-01-02"),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!!omap [a: 1]", [{"a": 1}]),
        ("\"it\\'s \\' \\\\\"", "it's ' \\"),
        ("what?", "what?"),
    ],
)
def test_tags_and_escapes(scalar: str, value: Any) -> None:
    assert value_of(scalar) == value


def test_line_ends_and_byte_order_mark() -> None:
    assert data_of(b"\xef\xbb\xbfa: |\r\n  x\r\n  y\r\n---\r\nb: 1\r\n") == [{"a": "x\ny\n"}, {"b": 1}]


def test_the_last_line_ends_like_any_other() -> None:
    assert data_of("a: |\n  x") == [{"a": "x\n"}]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n---\nb: 2\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1} --- \nb: 2\n', [{"a": 1}, {"b": 2}]),
        ("{a: 1}\n---\n{b: 2}\n", [{"a": 1}, {"b": 2}]),
        ("\t{a: 1}\n", [{"a": 1}]),
        ("\n\n{a: 1}\n", [{"a": 1}]),
        ('{"a": 1}\nnull\n', [{"a": 1}]),
        ('{"a": 9007199254740993, "b": 1.0, "c": 1E2}', [{"a": 9007199254740993, "b": 1, "c": 100}]),
        ('{"a": 18446744073709551616}', [{"a": 18446744073709551616.0}]),
        ('{"a": 1e400}', [{"a": "1e400"}]),  # no JSON number, but YAML text
        ('{"a": "\\ud800x\\/", "b": ["\\udc00"]}', [{"a": "\ufffdx/", "b": ["\ufffd"]}]),
        (b'{"a": "\xff\xfe"}', [{"a": "\ufffd\ufffd"}]),
        ('{"a": "x\x7f"}', [{"a": "x\x7f"}]),
    ],
)
def test_json_streams(text: bytes | str, data: Any) -> None:
    assert data_of(text) == data


def test_json_keeps_the_sign_of_zero() -> None:
    assert math.copysign(1, data_of('{"a": -0}')[0]["a"]) == -1


def test_a_json_stream_stays_json_after_two_objects() -> None:
    error = refusal('{"a": 1}\n{"b": 2}\n---\nc: 3\n')
    assert error.place == Place("f.yaml", 3) and "document 3" in error.message


def test_repeated_keys_in_json_have_lines() -> None:
    documents = load_documents('{"a": 1}\n{"spec": {"x": 1,\n"x": 2}}', "f.yaml")
    assert documents.documents[1].data == {"spec": {"x": 2}}
    assert [notice.place for notice in documents.notices] == [Place("f.yaml", 3, 1)]
    with pytest.raises(InvalidObjectError):
        load_documents('{"kind": "A", "kind": "B"}', "f.yaml")
    only_json = load_documents('{"x": "\\/", "x": 2}', "f.yaml")
    assert [notice.place for notice in only_json.notices] == [Place("f.yaml", 1)]


def test_text_is_read_without_libyaml_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_composer, "_LOADER", yaml.SafeLoader)
    assert data_of("a: &x [0755, yes]\n---\nb: {c: 1.0}\n") == [{"a": [493, True]}, {"b": {"c": 1}}]
    assert refusal("a: 1\nb: @x\n").place == Place("f.yaml", 2, 4)


def test_lines_are_those_of_editors() -> None:
    assert refusal("a: 'x\u2028 y\x85 z'\nb: @x\n").place == Place("f.yaml", 2, 4)


def test_repeated_keys_in_json_that_is_no_utf8() -> None:
    documents = load_documents(b'{"a": "\xff",\n"a": 2}', "f.yaml")
    assert [notice.place for notice in documents.notices] == [Place("f.yaml", 2, 1)]
