"""`rehearse`: proves on an empty cluster that it can be built from this file, and that once more changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from tazuna_core import tracing
from tazuna_core.errors import ApplyError, RefusedError, StateError
from tazuna_core.operations.apply import apply
from tazuna_core.operations.apply_options import ApplyOptions, Progress
from tazuna_core.operations.drift import state_drift
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.model import ErrorLine, Report
from tazuna_core.spec.context_guard import guard_context

_CHANGES = ("created", "configured", "re-created")
_NAMED_AT_MOST = 5


@dataclass(slots=True)
class _Heard:
    """Passes progress on, and keeps which objects were written to."""

    tell: Progress
    changed: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        self.tell(line)
        word, _, key = line.partition(" ")
        if word in _CHANGES:
            self.changed.append(key.strip())


def rehearse(
    options: Options,
    *,
    no_wait: bool = False,
    context_name: str | None = None,
    progress: Progress = lambda _line: None,
) -> Report:
    """Applies everything to an empty cluster, waits and tests; applies again; looks for drift.

    The report is the first one that something is wrong with, else that of the drift check. Raises RefusedError for a
    cluster that has state: it is somebody's.
    """
    session = Session(options, writes_state=True)
    guard_context(session.spec, session.cluster.name or context_name)
    known = sorted(session.store.load_all())
    if known:
        raise RefusedError(
            f"this cluster is no empty one: it has the state of {', '.join(known[:_NAMED_AT_MOST])}",
            advice="Rehearse on a cluster that was made for it and is thrown away after it, such as kind's.",
            code="not-empty",
        )
    how = ApplyOptions(no_wait=no_wait, context_name=context_name)
    progress("rehearse    first apply")
    with tracing.span("first apply"):
        first = apply(options, how, progress)
    if first.errors:
        return _as_rehearsal(first, first)
    progress("rehearse    second apply: nothing may change")
    heard = _Heard(progress)
    with tracing.span("second apply"):
        second = apply(options, how, heard)
    if second.errors:
        return _as_rehearsal(second, first)
    problems = []
    if heard.changed:
        message = f"applying again changed {_objects(heard.changed)}: {_some(heard.changed)}"
        advice = "Something in the build or in the cluster does not hold still: see `tazuna plan`."
        problems.append(ErrorLine.of(ApplyError(message, advice=advice, code="not-stable")))
    progress("rehearse    drift: nothing may be found")
    try:
        drift = state_drift(options)
    except StateError as error:
        if error.code != "no-state":
            raise
        return _as_rehearsal(second, first)  # nothing that state is compared for, such as secrets alone
    if drift.result == "drifted":
        found = [obj.key for _, obj in drift.objects()]
        message = f"right after applying, this differs in {_objects(found)}: {_some(found)}"
        problems.append(ErrorLine.of(ApplyError(message, code="drift-after-apply", advice="The fields are above.")))
    rehearsed = drift.model_copy(update={"errors": (*drift.errors, *problems)})
    return _as_rehearsal(rehearsed, first)


def _as_rehearsal(report: Report, first: Report) -> Report:
    result = "error" if report.errors else report.result
    return report.model_copy(
        update={"command": "rehearse", "result": result, "applied": first.applied, "written": first.written}
    )


def _objects(keys: list[str]) -> str:
    return "1 object" if len(keys) == 1 else f"{len(keys)} objects"


def _some(keys: list[str]) -> str:
    more = f" and {len(keys) - _NAMED_AT_MOST} more" if len(keys) > _NAMED_AT_MOST else ""
    return ", ".join(keys[:_NAMED_AT_MOST]) + more
