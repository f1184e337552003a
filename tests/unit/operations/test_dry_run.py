"""Dry runs that a server refuses. No server of today takes a webhook with side effects, so that one is faked."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tazuna_core.cluster.api_server import ApiServer, ServerAnswer
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.objects.identity import ObjectRef, StateKey
from tazuna_core.operations.dry_run import DryRun

REF = ObjectRef("v1", "ConfigMap", "default", "c")
FOUND = ObjectVerdict(
    StateKey("m", "", "v1", "ConfigMap", "default", "c"), "modified", frozenset({"modified"}), method="record"
)


class RefusingServer:
    """Answers every dry run with one status."""

    def __init__(self, status: int, message: str) -> None:
        self.answer = ServerAnswer(status, {"kind": "Status", "code": status, "message": message})

    def apply(self, *_: Any, **__: Any) -> ServerAnswer:
        return self.answer


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, 'admission webhook "w.example.com" does not support dry run'),  # sideEffects: Unknown
        (403, "configmaps is forbidden"),
        (409, "the object has been modified"),
        (500, "failed calling webhook"),
    ],
)
def test_c49_c50_a_refused_dry_run_is_compared_instead_and_said(status: int, said: str) -> None:
    dry_run = DryRun(cast(ApiServer, RefusingServer(status, said)), {REF: {"kind": "ConfigMap"}})
    verdict = dry_run.confirm(REF, FOUND, None)
    assert (verdict.status, verdict.classes, verdict.method) == ("modified", {"modified"}, "record")
    assert str(status) in verdict.notes[0] and "compared instead" in verdict.notes[0]
    (warning,) = dry_run.warnings()
    assert warning.code == "no-dry-run"
    assert "ConfigMap/default/c" in warning.message
