"""The tests of tazuna.yaml: asked of the cluster again and again until they pass, fail or run out of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tazuna_core import tracing
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.errors import ClusterError, Place, TazunaError, TestFailedError, UsageError
from tazuna_core.objects.condition import Condition, Held, compiled
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.spec.models_tests import ClusterTest, ResourceKind, TestType

SHORTEST_PAUSE = 0.2
"""Seconds between two tries where the test gives no interval: an API server is not there to be flooded."""
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A test that can be run: what it is called, where it stands, and what it asks."""

    name: str
    place: Place | None
    test: ClusterTest
    ask: Callable[[ApiServer], Held]


def prepared(tests: Iterable[ClusterTest], owner: str, place: Place | None) -> list[Prepared]:
    """Returns tests that can be run. ``owner`` is whose they are, for messages. Raises UsageError for a wrong one."""
    out = []
    for number, test in enumerate(tests, 1):
        label = f"{owner}: test {number}"
        try:
            what, ask = _question(test)
        except UsageError as error:
            message, code = f"{label}: {error.message}", error.code
            raise UsageError(message, advice=error.advice, place=place, code=code) from None
        out.append(Prepared(f"{label} ({what})", place, test, ask))
    return out


def run_tests(api: ApiServer, tests: Iterable[Prepared], guard: RunGuard, progress: Progress) -> list[TazunaError]:
    """Runs tests one after the other, each to its end, and returns what failed. Raises ApplyError when told to end."""
    failed: list[TazunaError] = []
    for one in tests:
        with tracing.span("test", {"tazuna.test.type": str(one.test.type)}):
            why = _run(api, one, guard)
            if why:
                tracing.fail(TestFailedError.default_code)
        progress(f"{'failed' if why else 'passed':<11} {one.name}{f': {why}' if why else ''}")
        if why:
            advice = "The objects are applied; run the command again when what the test asks for can come true."
            failed.append(TestFailedError(f"{one.name} failed: {why}", place=one.place, advice=advice))
    return failed


def _run(api: ApiServer, one: Prepared, guard: RunGuard) -> str:
    """Returns why a test failed, the empty string when it passed."""
    test, started = one.test, time.monotonic()
    passed = failed = 0
    while True:
        guard.require()
        answer = _asked(api, one)
        passed, failed = (passed + 1, 0) if answer.holds else (0, failed + 1)
        if passed >= max(test.min_consecutive_success_count, 1):
            return ""
        if answer.final:
            return answer.why
        if failed and failed == test.min_consecutive_failure_count:
            return f"{failed} failures in a row: {answer.why}"
        left = started + test.timeout_seconds - time.monotonic() if test.timeout_seconds else float("inf")
        if left <= 0:
            return f"not so within {test.timeout_seconds} s: {answer.why or 'too few successes in a row'}"
        guard.pause(min(max(float(test.interval_seconds), SHORTEST_PAUSE), left))


def _asked(api: ApiServer, one: Prepared) -> Held:
    try:
        return one.ask(api)
    except ClusterError as error:
        return Held(False, error.message)  # a server that restarts may be back at the next try


def _question(test: ClusterTest) -> tuple[str, Callable[[ApiServer], Held]]:
    if test.type is TestType.WAIT_UNTIL and test.wait_until is not None:
        wanted = test.wait_until
        condition = compiled(wanted.condition)
        ref = _ref(wanted.resource, wanted.namespace, wanted.name)
        return f"{ref}: {wanted.condition}", lambda api: _until(api, ref, condition)
    if test.type is TestType.EXIST_NON_EXIST and test.exist_non_exist is not None:
        asked = test.exist_non_exist
        there = _ref(asked.resource, asked.namespace, asked.name)
        what = "exists" if asked.should_exist else "does not exist"
        return f"{there} {what}", lambda api: _exists(api, there, asked.should_exist)
    raise UsageError(f"a test of type {test.type} needs what it asks", advice="Give waitUntil or existNonExist.")


def _ref(resource: ResourceKind, namespace: str, name: str) -> ObjectRef:
    return ObjectRef(resource.api_version, resource.kind, namespace, name)


def _until(api: ApiServer, ref: ObjectRef, condition: Condition) -> Held:
    answer = api.get(api.kinds().effective(ref))
    if answer.ok:
        return condition.of(answer.body)
    return Held(False, "it does not exist" if answer.status == 404 else _said(answer.body, answer.status))


def _exists(api: ApiServer, ref: ObjectRef, wanted: bool) -> Held:
    answer = api.get(api.kinds().effective(ref))
    if answer.ok or answer.status == 404:
        return Held(answer.ok == wanted, "it exists" if answer.ok else "it does not exist")
    return Held(False, _said(answer.body, answer.status))


def _said(body: object, status: int) -> str:
    message = body.get("message") if isinstance(body, dict) else None
    return str(message) if message else f"HTTP status {status}"
