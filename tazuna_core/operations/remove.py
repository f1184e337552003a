"""Deletes objects of our state: in reverse order, each by its uid, and never what would take others' along."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tazuna_core import tracing
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.reader import Answer, ClusterReader, Reason, Unavailable
from tazuna_core.errors import ApplyError, ClusterError, RefusedError, TazunaError
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, StateKey
from tazuna_core.objects.managed_fields import entries_of
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.operations.content import content_of, named
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.tracked import Tracked
from tazuna_core.state.model import NAMESPACE

GONE_SECONDS = 120.0
_POLL_SECONDS = 0.3
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Doomed:
    """One object that is to be deleted, as it is live now."""

    tracked: Tracked
    live: JsonObject

    @property
    def key(self) -> StateKey:
        return self.tracked.key

    @property
    def ref(self) -> ObjectRef:
        return self.tracked.ref

    @property
    def uid(self) -> str:
        return str(self.live["metadata"].get("uid", ""))


class Remover:
    """Deletes what it was asked to look at. ``told`` are ``Kind/name`` for which the user said it a second time."""

    def __init__(
        self, api: ApiServer, cluster: ClusterReader, told: Iterable[str], guard: RunGuard, progress: Progress
    ) -> None:
        self._api = api
        self._cluster = cluster
        self._told = frozenset(told)
        self._guard = guard
        self._progress = progress

    def find(self, tracked: Sequence[Tracked]) -> tuple[list[Doomed], list[Tracked], list[TazunaError]]:
        """Reads what is live of ``tracked``: what to delete in their order, what is gone already, what is refused."""
        answers = self._cluster.read({one.ref: None for one in tracked})
        doomed: list[Doomed] = []
        gone: list[Tracked] = []
        problems: list[TazunaError] = []
        for one in tracked:
            answer = answers[one.ref]
            if not isinstance(answer, Unavailable):
                doomed.append(Doomed(one, answer))
            elif answer.missing or _kind_is_gone(answer, one.ref):
                gone.append(one)
            else:
                why = answer.message or str(answer.reason)
                problems.append(ClusterError(f"{one.ref} cannot be deleted, for it cannot be read: {why}"))
        going = frozenset(one.ref.identity for one in doomed)
        for found in doomed:
            why = self._refusal(found, going)
            if why:
                message = f"{found.ref} of manifest '{found.key.manifest}' is not deleted: {why}"
                problems.append(RefusedError(message, advice=_ADVICE.format(found.ref), code="content"))
        return doomed, gone, problems

    @tracing.traced(lambda _self, doomed: ("delete", {"tazuna.objects": len(doomed)}))
    def delete(self, doomed: Sequence[Doomed]) -> tuple[list[Doomed], list[TazunaError]]:
        """Deletes objects in this order, and waits for each group before the next: what lives in something, then it.

        Returns what is gone, and what went wrong; a later group is left when an earlier one failed.
        """
        gone: list[Doomed] = []
        errors: list[TazunaError] = []
        for group in _groups(doomed):
            waiting = []
            for one in group:
                try:
                    self._guard.require()
                    self._delete(one)
                    waiting.append(one)
                except TazunaError as error:
                    errors.append(error)
                    if self._guard.over:
                        break
            left, why = self._wait_gone(waiting)
            gone += [one for one in waiting if one.key not in left]
            errors += why
            if errors:
                break
        return gone, errors

    def _refusal(self, one: Doomed, going: frozenset[Identity]) -> str:
        if one.ref == ObjectRef("v1", "Namespace", "", NAMESPACE):
            return "the state of every manifest is in it"
        if str(one.ref) in self._told:
            return ""
        recorded = one.tracked.recorded
        if (recorded is None or recorded.uid != one.uid) and not _by_us(one.live):
            return "somebody else has created it since we applied it"
        content = content_of(self._api, one.ref, one.live, going)
        return f"it would take along what is not in our state: {named(content)}" if content else ""

    def _delete(self, one: Doomed) -> None:
        if one.ref.kind == "CustomResourceDefinition" and str(one.ref) not in self._told:
            content = content_of(self._api, one.ref, one.live, frozenset())
            if content:  # made since it was looked at
                raise RefusedError(f"{one.ref} is not deleted: it has instances: {named(content)}", code="content")
        answer = self._api.delete(one.ref, uid=one.uid, propagation="Background")
        if not answer.ok and answer.status != 404:
            message = answer.body.get("message") if isinstance(answer.body, dict) else f"HTTP status {answer.status}"
            raise ApplyError(f"{one.ref} is not deleted: {message}", code="delete-refused")
        self._progress(f"{'deleted':<11} {one.key}")

    def _wait_gone(self, doomed: Sequence[Doomed]) -> tuple[set[StateKey], list[TazunaError]]:
        """Waits; returns what is still there, and why."""
        left = list(doomed)
        end = time.monotonic() + GONE_SECONDS
        try:
            while left:
                answers = self._cluster.read_metadata({one.ref: None for one in left})
                left = [one for one in left if _still(one, answers)]
                if not left or time.monotonic() >= end:
                    break
                self._guard.pause(_POLL_SECONDS)
        except TazunaError as error:
            return {one.key for one in left}, [error]
        advice = "A finalizer holds it: see metadata.finalizers of the object. It stays in the state until then."
        late = f"was deleted and is still there after {GONE_SECONDS:g} s"
        errors = [ApplyError(f"{one.ref} {late}", advice=advice, code="still-there") for one in left]
        return {one.key for one in left}, list(errors)


_ADVICE = "When that is meant, say so a second time: --prune-with-content {}"


def in_reverse(tracked: Mapping[str, Sequence[Tracked]], order: Sequence[str]) -> list[Tracked]:
    """Returns objects as they are deleted: the reverse of how they were applied.

    Manifests that are gone from tazuna.yaml have no place in its order, and go first. Of all, definitions go last and
    namespaces before them, for each holds others.
    """
    place = {name: index for index, name in enumerate(order)}
    every = [one for name in tracked for one in tracked[name]]
    return sorted(every, key=lambda one: (_rank(one.ref), -place.get(one.key.manifest, len(place)), str(one.key)))


def _rank(ref: ObjectRef) -> int:
    """Custom resources go while their operator still runs, webhooks before what answers them."""
    if ref.kind == "CustomResourceDefinition":
        return 4
    if (ref.group, ref.kind) == ("", "Namespace"):
        return 3
    if ref.kind.endswith("WebhookConfiguration"):
        return 1
    return 2 if (ref.api_version, ref.kind) in builtin_kinds() else 0


def _groups(doomed: Sequence[Doomed]) -> list[list[Doomed]]:
    ranks = sorted({_rank(one.ref) for one in doomed})
    return [[one for one in doomed if _rank(one.ref) == rank] for rank in ranks]


def _still(one: Doomed, answers: Mapping[ObjectRef, Answer]) -> bool:
    """Whether this very object is there: not another of its name."""
    answer = answers[one.ref]
    if isinstance(answer, Unavailable):
        return not (answer.missing or _kind_is_gone(answer, one.ref))
    return bool(answer["metadata"].get("uid") == one.uid)


def _kind_is_gone(answer: Unavailable, ref: ObjectRef) -> bool:
    """Whether the object went with its definition; built-in kinds are never just gone."""
    return answer.reason is Reason.NOT_SERVED and (ref.api_version, ref.kind) not in builtin_kinds()


def _by_us(live: JsonObject) -> bool:
    return any(entry.manager == OUR_MANAGER for entry in entries_of(live))
