"""`plan --dry-run=server`: what the server itself would make of each object, asked without changing anything."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tazuna_core import tracing
from tazuna_core.cluster.api_server import CONCURRENCY, ApiServer, ServerAnswer
from tazuna_core.diff.prediction import Disagreement, with_prediction
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.operations.send import without_values
from tazuna_core.report.model import ErrorLine

_ADVICE = {
    403: "A dry run needs the right to patch: `tazuna rbac --for plan --dry-run`.",
    400: "A webhook may not support dry runs (`sideEffects`).",
}


class DryRun:
    """The server's answers to a dry run of all objects, and what is to be said of those that it refused."""

    @tracing.traced(lambda _self, _api, bodies: ("dry run", {"tazuna.objects": len(bodies)}))
    def __init__(self, api: ApiServer, bodies: Mapping[ObjectRef, JsonObject]) -> None:
        """Asks for all of ``bodies``, by effective reference, some at a time."""
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            self._answers = dict(zip(bodies, pool.map(lambda ref: _ask(api, ref, bodies[ref]), bodies), strict=True))
        self._bodies = bodies
        self._disagreements: list[tuple[ObjectRef, Disagreement]] = []
        self._refused: dict[tuple[int, str], list[ObjectRef]] = {}

    def confirm(self, ref: ObjectRef, verdict: ObjectVerdict, subject: Subject | None) -> ObjectVerdict:
        """Returns the verdict by the dry run; by the comparison, with a note, where the server refused the dry run.

        ``subject`` is None for an object that is not in the cluster.
        """
        answer = self._answers.get(ref)
        if answer is None:
            return verdict
        if not answer.ok or not isinstance(answer.body, dict):
            said = _said(ref, answer)
            self._refused.setdefault((answer.status, said), []).append(ref)
            note = f"no dry run ({answer.status}: {said}); compared instead"
            return replace(verdict, notes=(*verdict.notes, note))
        if subject is None:
            return replace(verdict, method="dry-run")
        confirmed, disagreements = with_prediction(subject, self._bodies[ref], verdict, answer.body)
        self._disagreements += [(ref, one) for one in disagreements]
        return confirmed

    def warnings(self) -> list[ErrorLine]:
        """Returns the agreement report: each path at which the two methods differ, and what could not be asked."""
        lines = [
            ErrorLine(code="dry-run-differs", message=f"{ref} {one.path}: comparison and dry run differ: {one.reason}")
            for ref, one in self._disagreements
        ]
        for (status, said), refs in self._refused.items():
            what = str(refs[0]) if len(refs) == 1 else f"{refs[0]} and {len(refs) - 1} more"
            message = f"no dry run of {what} ({status}: {said}); compared instead"
            lines.append(ErrorLine(code="no-dry-run", message=message, advice=_ADVICE.get(status, "")))
        return lines


def _ask(api: ApiServer, ref: ObjectRef, body: JsonObject) -> ServerAnswer:
    try:
        return api.apply(ref, body, field_manager=OUR_MANAGER, dry_run=True)
    except ClusterError as error:
        return ServerAnswer(0, {"message": error.message})


def _said(ref: ObjectRef, answer: ServerAnswer) -> str:
    message = str(answer.body.get("message") or "") if isinstance(answer.body, dict) else ""
    if ref.kind == "Secret":
        message = without_values(message, answer.body)
    return message.partition("\n")[0][:300] or "no reason given"
