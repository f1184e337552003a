"""`wait: true`: polls the objects of a manifest until each is ready (format reference, 4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tazuna_core import tracing
from tazuna_core.cluster.reader import Answer, ClusterReader, Unavailable
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.readiness import not_observed, not_ready_because
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import DEFAULT_WAIT_SECONDS, HelmfileOptions

POLL_SECONDS = 2.0
Progress = Callable[[str], None]


def wait_seconds(manifest: Manifest) -> int | None:
    """Returns how long to wait for the objects of a manifest, None where it does not ask for it."""
    options: HelmfileOptions | None = manifest.helmfile
    if options is None and manifest.oras is not None:
        options = manifest.oras.delegate.helmfile
    if options is None or not options.wait:
        return None
    return options.timeout_seconds or DEFAULT_WAIT_SECONDS


@tracing.traced(lambda *_: ("wait until ready", {}))
def wait_ready(
    cluster: ClusterReader, refs: Iterable[ObjectRef], seconds: float, guard: RunGuard, progress: Progress
) -> dict[ObjectRef, str]:
    """Waits until each object is ready; returns those that are not when the time is over, and why.

    Raises ApplyError when the run must end.
    """
    waiting = list(dict.fromkeys(refs))
    end = time.monotonic() + seconds
    said: dict[ObjectRef, str] = {}
    while True:
        answers = cluster.read(waiting)
        why = {ref: reason for ref in waiting if (reason := _not_ready(answers[ref]))}
        for ref, reason in why.items():
            if said.get(ref) != reason:
                progress(f"{'waiting':<11} {ref}: {reason}")
        for ref in said.keys() - why.keys():
            progress(f"{'ready':<11} {ref}")
        waiting, said = list(why), why
        if not waiting:
            return why
        if time.monotonic() >= end:
            tracing.fail("not-ready")
            return why
        guard.pause(min(POLL_SECONDS, max(end - time.monotonic(), 0.0)))


def _not_ready(answer: Answer) -> str:
    if isinstance(answer, Unavailable):
        return "missing" if answer.missing else answer.message or str(answer.reason)
    return not_ready_because(answer) or not_observed(answer)
