"""The hidden line and the identity in it: equal for the same leg of the next run, different for every other one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entrypoints.identity import Marker, target_identity

TARGET: dict[str, Any] = {
    "workflow": "plan",
    "job": "plan",
    "matrix": '{"cluster": "a"}',
    "files": ["tazuna.yaml"],
    "environment": "prod",
    "tags": ["net"],
    "context": "prod",
}


@pytest.mark.parametrize(
    "other",
    [
        {"workflow": "other"},
        {"job": "other"},
        {"matrix": '{"cluster": "a1"}'},
        {"matrix": "null"},
        {"files": ["b.yaml"]},
        {"files": ["tazuna.yaml", "b.yaml"]},
        {"environment": "stage"},
        {"tags": []},
        {"context": ""},
        {"workflow": "pla", "job": "nplan"},
    ],
)
def test_b16_every_part_tells_targets_apart(other: dict[str, Any]) -> None:
    assert target_identity(**TARGET) != target_identity(**TARGET | other)


def test_b16_order_of_keys_and_tags_does_not_matter() -> None:
    one = {"matrix": '{"a": 1, "b": 2}', "tags": ["x", "y"]}
    other = {"matrix": '{"b":2,"a":1}', "tags": ["y", "x"]}
    assert target_identity(**TARGET | one) == target_identity(**TARGET | other)


def test_identity_shows_no_value() -> None:
    identity = target_identity(**TARGET | {"matrix": '{"token": "hunter2"}', "context": "hunter2"})
    assert identity.startswith("plan:")
    assert "hunter2" not in identity


@given(st.text(min_size=1), st.text(), st.integers(0, 2**53), st.integers(1, 99), st.text())
def test_marker_is_read_back_and_is_one_comment(identity: str, sha: str, run: int, attempt: int, digest: str) -> None:
    marker = Marker(identity, sha, run, attempt, digest)
    line = marker.line()
    assert Marker.read(f"{line}\nbody") == Marker.read(f"{line}\r\nbody") == marker
    assert "\n" not in line
    assert line.index("-->") == len(line) - 3
    assert "--" not in line[4:-3]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "> <!-- tazuna-action {} -->",
        " <!-- tazuna-action {} -->",
        "<!-- tazuna-action {} -->",
        '<!-- tazuna-action {"v":2,"id":"x"} -->',
        '<!-- tazuna-action {"v":1,"id":7} -->',
        "<!-- tazuna-action {not json} -->",
        '<!-- tazuna-action {"v":1,"id":"x"} --> and more',
        'first\n<!-- tazuna-action {"v":1,"id":"x"} -->',
    ],
)
def test_what_is_no_marker(body: str) -> None:
    assert Marker.read(body) is None
