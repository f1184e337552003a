"""The state as the Go CLI writes it, to the byte (format reference, 3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.errors import StateError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.state.codec import decode_state, encode_state
from tazuna_core.state.model import ManifestState, data_key, storable

HASH = "0f" * 32


def config_map(data: dict[str, str], manifest: str = "m") -> JsonObject:
    return {"metadata": {"name": f"tazuna-state-{manifest}", "namespace": "tazuna"}, "data": data}


def entry(content_hash: str = HASH) -> str:
    return f'{{"contentHash":"{content_hash}"}}'


def test_byte_for_byte() -> None:
    hashes = {"web/apps/v1/Deployment/n/web": HASH, "web//v1/Namespace/n": "ab"}
    assert encode_state(ManifestState("web", hashes, "c0ffee", "2026-11-30T10:00:00Z")) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "tazuna-state-web", "namespace": "tazuna"},
        "data": {
            "_metadata": '{"gitCommitHash":"c0ffee","lastSyncedAt":"2026-11-30T10:00:00Z"}',
            "web____v1__Namespace__n": '{"contentHash":"ab"}',
            "web__apps__v1__Deployment__n__web": f'{{"contentHash":"{HASH}"}}',
        },
    }


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("m__apps__v1__Deployment__n__a", "m/apps/v1/Deployment/n/a"),
        ("m____v1__Namespace__n", "m//v1/Namespace/n"),
        ("m____v1__ConfigMap__n__kube-root-ca.crt", "m//v1/ConfigMap/n/kube-root-ca.crt"),
        # the default namespace reaches cluster-scoped objects too
        ("m__rbac.authorization.k8s.io__v1__ClusterRole__n__a", "m/rbac.authorization.k8s.io/v1/ClusterRole/n/a"),
        ("m__rbac.authorization.k8s.io__v1__ClusterRole__a", "m/rbac.authorization.k8s.io/v1/ClusterRole/a"),
        ("m__rbac.authorization.k8s.io__v1__Role__n__a__b", "m/rbac.authorization.k8s.io/v1/Role/n/a__b"),
        ("m__rbac.authorization.k8s.io__v1__ClusterRole__A__b", "m/rbac.authorization.k8s.io/v1/ClusterRole/A__b"),
        ("m__rbac.authorization.k8s.io__v1__ClusterRole__a.b__c", "m/rbac.authorization.k8s.io/v1/ClusterRole/a.b__c"),
    ],
)
def test_data_keys_are_read_as_what_they_can_only_mean(data: str, key: str) -> None:
    assert list(decode_state(config_map({data: entry()})).hashes) == [key]


def test_a_data_key_that_could_mean_two_takes_what_the_record_knows() -> None:
    known = StateKey("m", "rbac.authorization.k8s.io", "v1", "ClusterRole", "", "a__b")
    data = config_map({data_key(known): entry()})
    assert list(decode_state(data).hashes) == ["m/rbac.authorization.k8s.io/v1/ClusterRole/a/b"]
    assert list(decode_state(data, [known]).hashes) == [str(known)]


def test_a_manifest_name_may_hold_the_separator() -> None:
    read = decode_state(config_map({"a__b____v1__Namespace__n": entry()}, "a__b"))
    assert list(read.hashes) == ["a__b//v1/Namespace/n"]


def test_names_that_no_config_map_can_hold_are_left_to_the_record() -> None:
    odd = "m/rbac.authorization.k8s.io/v1/ClusterRole/system:auth-delegator"
    long = f"m//v1/ConfigMap/{'n' * 60}/{'a' * 200}"
    encoded = encode_state(ManifestState("m", {odd: HASH, long: HASH, "m//v1/Namespace/n": HASH}))
    assert sorted(encoded["data"]) == ["_metadata", "m____v1__Namespace__n"]


def test_unknown_fields_and_missing_metadata() -> None:
    read = decode_state(config_map({"m____v1__Namespace__n": '{"contentHash":"ab","later":{"x":1}}'}))
    assert (read.hashes, read.git_commit, read.last_synced_at) == ({"m//v1/Namespace/n": "ab"}, "", "")
    assert decode_state({"metadata": {"name": "tazuna-state-m"}}).hashes == {}


@pytest.mark.parametrize("value", ["", "null", "[]", "{", "{}", '{"contentHash":1}'])
def test_an_entry_that_is_none_is_an_error_that_names_it(value: str) -> None:
    with pytest.raises(StateError, match="m____v1__Namespace__n"):
        decode_state(config_map({"m____v1__Namespace__n": value}))


@pytest.mark.parametrize("key", ["other", "m__", "m____v1__Namespace"])
def test_a_key_that_is_none_is_an_error_that_names_it(key: str) -> None:
    with pytest.raises(StateError, match="not a state key"):
        decode_state(config_map({key: entry()}))


def test_a_state_too_large_is_refused_before_anything_is_written() -> None:
    hashes = {f"m//v1/ConfigMap/n/{'a' * 150}{number}": HASH for number in range(5000)}
    with pytest.raises(StateError, match="more than a ConfigMap holds"):
        encode_state(ManifestState("m", hashes))


label = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
subdomain = st.lists(label, min_size=1, max_size=3).map(".".join)
manifests = st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True).filter(lambda name: name != "_metadata")
keys = st.builds(
    StateKey,
    st.just("m"),
    st.one_of(st.just(""), subdomain),
    st.from_regex(r"v[1-9](beta[1-9])?", fullmatch=True),
    st.from_regex(r"[A-Z][A-Za-z]{0,10}", fullmatch=True),
    st.one_of(st.just(""), label),
    subdomain,
)


@given(manifests, st.dictionaries(keys, st.text(st.sampled_from("0123456789abcdef"), min_size=1), max_size=5))
def test_what_is_written_is_read(manifest: str, hashes: dict[StateKey, str]) -> None:
    own = {str(StateKey(manifest, k.group, k.version, k.kind, k.namespace, k.name)): v for k, v in hashes.items()}
    state = ManifestState(manifest, own, "c", "t")
    assert all(storable(StateKey.parse(key)) for key in own)
    assert decode_state(encode_state(state)) == state
