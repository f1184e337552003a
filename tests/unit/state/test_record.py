"""The record: whole, torn, damaged, newer; and what was sent, written against the answer."""

from __future__ import annotations

import base64
import gzip
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.errors import StateError
from tazuna_core.objects.comparable import same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.state.delta import decode_delta, encode_delta
from tazuna_core.state.model import Applied, RecordedObject
from tazuna_core.state.record import (
    NewerRecordError,
    decode_record,
    encode_record,
    parse_shard_name,
    parts_of,
    shard_name,
)
from tests.unit.state.factories import key, record, recorded, state

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)


@given(values, values)
def test_a_delta_gives_back_what_was_sent(sent: Any, answer: Any) -> None:
    assert same(decode_delta(json.loads(json.dumps(encode_delta(sent, answer))), answer), sent)


@given(values)
def test_the_delta_of_the_same_is_one_character(value: Any) -> None:
    assert encode_delta(value, value) == 0


kept = st.builds(
    lambda name, answer, sent, managers, skeleton: recorded(
        key(name), answer=answer, sent=sent, managers=managers, secret_skeleton=skeleton
    ),
    st.from_regex(r"[a-z]{1,5}(:[a-z]{1,3})?", fullmatch=True),
    objects,
    objects,
    st.frozensets(st.text(max_size=5), max_size=2),
    st.none() | objects,
)


@given(st.lists(kept, max_size=4), st.booleans())
def test_a_record_is_read_as_it_was_written(found: list[RecordedObject], packed: bool) -> None:
    written = record(*found)
    shards = {shard_number(shard): shard for shard in encode_record(written, packed=packed)}
    assert decode_record(shards) == written


def test_a_content_nobody_looks_at_is_not_parsed_and_a_damaged_one_says_so_when_looked_at() -> None:
    (shard,) = encode_record(record(recorded(key("a")), recorded(key("b"))))
    lines = gzip.decompress(base64.b64decode(shard["binaryData"]["objects.jsonl.gz"])).split(b"\n")
    for broken in (b"{", b"3", b"{}", b'{"answer":{},"sent":{"m":3}}'):
        blob = gzip.compress(b"\n".join([*lines[:2], broken]))
        shard["binaryData"]["objects.jsonl.gz"] = base64.b64encode(blob).decode()
        read = decode_record({0: shard})
        assert read.objects[str(key("a"))] == recorded(key("a"))
        assert read.objects[str(key("b"))].content_hash == "h"
        with pytest.raises(StateError, match="the record of manifest 'm' cannot be read"):
            _ = read.objects[str(key("b"))].answer


def test_a_content_that_was_read_is_written_again_as_it_was() -> None:
    shards = encode_record(record(recorded(key("a")), recorded(key("b"), secret_skeleton={"kind": "Secret"})))
    read = decode_record({shard_number(shard): shard for shard in shards})
    assert encode_record(read) == shards


def shard_number(shard: JsonObject) -> int:
    parsed = parse_shard_name(shard["metadata"]["name"])
    assert parsed is not None
    return parsed[1]


def large(seed: int = 0, size: int = 200_000) -> list[RecordedObject]:
    """Objects that do not compress: two shards and a bit."""
    noise = random.Random(seed)
    return [
        recorded(key(f"a{number}"), answer={"data": {"k": noise.randbytes(size).hex()}}, sent={})
        for number in range(10)
    ]


def test_large_records_are_shards_below_a_config_maps_limit_and_shard_0_is_last() -> None:
    shards = encode_record(record(*large()))
    assert [shard_number(shard) for shard in shards] == [1, 2, 3, 0]
    for shard in shards:
        blob = shard.get("binaryData", {}).get("objects.jsonl.gz", "")
        assert len(base64.b64decode(blob)) <= 900 * 1024
    assert decode_record({shard_number(shard): shard for shard in shards}) == record(*large())


def test_shards_of_the_record_that_is_replaced_are_not_written_over() -> None:
    assert [shard_number(shard) for shard in encode_record(record(*large()), [1, 3])] == [2, 4, 5, 0]


def test_torn_shards_are_damage_and_never_a_smaller_record() -> None:
    shards = {shard_number(shard): shard for shard in encode_record(record(*large()))}
    other = {shard_number(shard): shard for shard in encode_record(record(*large(1)))}
    with pytest.raises(StateError, match="shard 2 is missing"):
        decode_record({number: shard for number, shard in shards.items() if number != 2})
    with pytest.raises(StateError, match="shard 2 is not the one that was written"):
        decode_record(shards | {2: other[2]})


@pytest.mark.parametrize("name", ["a-b", "a_b", "x.0"])
def test_a_shards_name_can_be_no_other_manifests(name: str) -> None:
    assert parse_shard_name(shard_name(name, 3)) == (name, 3)
    assert parse_shard_name("tazuna-state-a") is None
    assert parse_shard_name("tazuna-record-a") is None


def test_a_newer_format_is_exit_4_upgrade_and_never_void() -> None:
    (shard,) = encode_record(record(recorded()))
    shard["data"]["record.json"] = shard["data"]["record.json"].replace('"format":1', '"format":2')
    with pytest.raises(NewerRecordError) as raised:
        decode_record({0: shard})
    assert (raised.value.exit_code, "Upgrade" in raised.value.advice) == (4, True)


def damaged() -> list[JsonObject]:
    metadata = {"name": "tazuna-record-m.0"}
    header = {"format": 1, "manifest": "m", "parts": []}

    def shard(header: Any, **content: Any) -> JsonObject:
        return {"metadata": metadata, "data": {"record.json": json.dumps(header)}, **content}

    def packed(blob: bytes) -> JsonObject:
        return {"binaryData": {"objects.jsonl.gz": base64.b64encode(blob).decode()}}

    (good,) = encode_record(record(recorded()))
    blob = base64.b64decode(good["binaryData"]["objects.jsonl.gz"])
    plain = {"data": {"record.json": json.dumps(header), "objects.json": '[{"key": 1}]'}}
    return [
        {"metadata": metadata},
        {"metadata": metadata, "data": {"record.json": "{"}},
        shard([]),
        shard({}),
        shard({"format": 1, "parts": 3}),
        shard({"format": 1, "parts": [1]}),
        shard(header),
        shard(header, **packed(b"no gzip")),
        shard(header, **packed(blob[:-9])),
        shard(header, **packed(gzip.compress(gzip.decompress(blob).split(b"\n")[0]))),
        shard(header, **packed(gzip.compress(gzip.decompress(blob) + b"\n{}"))),
        shard(header, **packed(blob[:12] + b"\xff\xff\xff" + blob[15:])),
        shard(header, binaryData={"objects.jsonl.gz": "%"}),
        {"metadata": metadata, **plain},
        {"metadata": metadata, "data": {**plain["data"], "objects.json": "[3]"}},
        {"metadata": metadata, "data": {**plain["data"], "objects.json": "{}x"}},
        {
            "metadata": metadata,
            "data": {
                **plain["data"],
                "objects.json": '[{"key":"m//v1/ConfigMap/n/a","contentHash":"h","uid":"","resourceVersion":"",'
                '"generation":0,"time":"","manager":"","answer":{},"sent":{"m":3}}]',
            },
        },
    ]


@pytest.mark.parametrize("shard", damaged())
def test_every_kind_of_damage_is_one_error(shard: JsonObject) -> None:
    with pytest.raises(StateError) as raised:
        decode_record({0: shard})
    assert raised.value.exit_code == 4


def test_parts_of_a_single_shard() -> None:
    assert parts_of(encode_record(record(recorded()))[0]) == []


def test_hashes_are_the_states_and_for_names_it_cannot_hold_the_records() -> None:
    plain, odd = recorded(key("a")), recorded(key("system:x", "ClusterRole", "rbac.authorization.k8s.io"))
    applied = Applied("m", state(plain), record(plain, odd))
    assert applied.hashes() == {str(plain.key): "h", str(odd.key): "h"}
    pruned = Applied("m", state(), record(plain, odd))
    assert pruned.hashes() == {str(odd.key): "h"}
    assert Applied("m", None, record(plain, odd)).hashes() == {str(plain.key): "h", str(odd.key): "h"}
    assert Applied("m", state(plain)).hashes() == {str(plain.key): "h"}


def test_an_entry_of_the_record_that_the_state_does_not_confirm_is_void() -> None:
    plain, odd = recorded(key("a")), recorded(key("system:x", "ClusterRole", "rbac.authorization.k8s.io"))
    both = record(plain, odd)
    assert Applied("m", state(plain), both).recorded(str(plain.key)) == plain
    assert Applied("m", state(recorded(key("a"), "other")), both).recorded(str(plain.key)) is None
    assert Applied("m", state(), both).recorded(str(plain.key)) is None
    assert Applied("m", state(), both).recorded(str(odd.key)) == odd
    assert Applied("m", None, both).recorded(str(plain.key)) == plain
    assert Applied("m", state(plain)).recorded(str(plain.key)) is None
