"""Conditions of tests: what of CEL must work over a live object, and what each failure is called."""

from __future__ import annotations

from typing import Any

import pytest

from tazuna_core.errors import UsageError
from tazuna_core.objects.condition import compiled

OBJECT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "web",
        "labels": {"a": "b", "app.kubernetes.io/name": "web"},
        "creationTimestamp": "2026-11-30T03:12:44Z",
    },
    "spec": {"replicas": 3},
    "status": {
        "readyReplicas": 3,
        "ratio": 0.5,
        "big": 9007199254740993,
        "conditions": [{"type": "Available", "status": "True"}, {"type": "Progressing", "status": "False"}],
    },
}
HOLD = [
    "object.status.readyReplicas == object.spec.replicas",
    "object.status.conditions.exists(c, c.type == 'Available' && c.status == 'True')",
    "object.status.conditions.all(c, has(c.status))",
    "object.status.conditions.filter(c, c.type == 'Progressing')[0].status == 'False'",
    "object.status.conditions.map(c, c.type) == ['Available', 'Progressing']",
    "object.status.conditions.exists_one(c, c.status == 'True')",
    "has(object.status.readyReplicas) && !has(object.status.nothing)",
    "object.metadata.labels['app.kubernetes.io/name'] == 'web' && 'a' in object.metadata.labels",
    "size(object.status.conditions) == 2 && object.status.conditions.size() == 2",
    "object.metadata.name.startsWith('w') && object.metadata.name.matches('^w.b$')",
    "timestamp(object.metadata.creationTimestamp) < timestamp('2027-01-01T00:00:00Z')",
    "timestamp('2026-11-30T04:12:44Z') - timestamp(object.metadata.creationTimestamp) == duration('1h')",
    "object.status.ratio < 1 && object.status.readyReplicas > 0.5",
    "object.status.big == 9007199254740993",
    "string(object.spec.replicas) == '3' && int('3') == object.spec.replicas",
    "object.spec.replicas > 2 ? true : false",
    "object.status.nothing == 1 || true",
    "object.kind == \"Deployment\" && object.apiVersion == 'apps/v1'",
]


@pytest.mark.parametrize("text", HOLD)
def test_what_tests_need_of_cel(text: str) -> None:
    held = compiled(text).of(OBJECT)
    assert held.holds, held.why


@pytest.mark.parametrize(
    ("text", "why", "final"),
    [
        ("object.spec.replicas == 4", "the condition is false", False),
        ("object.status.nothing == 1", "the object has no field 'nothing'", False),
        ("object.spec.replicas", "the condition gives int, not true or false", True),
        ("replicas == 3", "Undefined variable or function: 'replicas'", True),
    ],
)
def test_what_does_not_hold_says_why_and_whether_for_good(text: str, why: str, final: bool) -> None:
    held = compiled(text).of(OBJECT)
    assert (held.holds, held.why, held.final) == (False, why, final)


@pytest.mark.parametrize("text", ["object.spec ==", "(((", "a ? b", "[1, 2"])
def test_what_is_no_cel_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="no CEL expression"):
        compiled(text)


def test_a_failure_over_a_secret_quotes_no_value() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "aHVudGVyMg=="}}
    held = compiled("int(object.data.k) == 1").of(secret)
    assert not held.holds
    assert "aHVudGVy" not in held.why
