"""Sends the objects of one manifest: definitions first and served, then namespaces, then the rest as declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from tazuna_core import tracing
from tazuna_core.cluster.api_server import CONCURRENCY
from tazuna_core.cluster.reader import Answer, Unavailable
from tazuna_core.diff.subject import RunContext, Subject
from tazuna_core.errors import ApplyError, ClusterError, Place, TazunaError
from tazuna_core.objects.comparable import comparable, same
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, StateKey
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.sendable import sendable
from tazuna_core.operations.apply_options import ApplyOptions, Progress
from tazuna_core.operations.causes import Cause
from tazuna_core.operations.desired import Desired
from tazuna_core.operations.established import wait_served
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.send import RE_CREATED_KINDS, Sent, send
from tazuna_core.operations.session import Session
from tazuna_core.state.model import Content, Parts, RecordedObject

Previous = Callable[[Desired], RecordedObject | None]
"""From an object to what the last apply recorded of it, under whatever manifest that was."""
Became = Sent | TazunaError | None
"""What became of an object: sent, failed, or left to the later manifest that declares it as well."""
_NO_ANSWER = frozenset({"unreachable", "timeout", "tls", "unauthorized"})


@dataclass(slots=True)
class Outcome:
    """What became of the objects of one manifest, by state key."""

    sent: dict[str, Sent] = field(default_factory=dict)
    left: dict[str, Desired] = field(default_factory=dict)
    """Objects that a later manifest declares as well and that are there already: the later one's is what counts."""
    failed: list[str] = field(default_factory=list)
    errors: list[TazunaError] = field(default_factory=list)


class Applier:
    """Sends objects in a session. Several manifests may be sent by several threads."""

    def __init__(
        self,
        session: Session,
        how: ApplyOptions,
        guard: RunGuard,
        previous: Previous,
        known: Mapping[Identity, str],
        cause: Cause,
        progress: Progress,
    ) -> None:
        """``known`` are the objects that state knows, applied by us before, and when it was last synced."""
        self._session = session
        self._how = how
        self._guard = guard
        self._previous = previous
        self._known = known
        self._cause = cause
        self._progress = progress
        self._context = RunContext(controllers=frozenset(session.drift_file.content.managers))

    def objects(self, objects: Sequence[Desired], place: Place) -> Outcome:
        """Sends objects of one manifest. One that fails does not stop the others; a run that must end does."""
        outcome = Outcome()
        live = self._live(objects)
        for group in _phases(objects):
            batches = list(self._batches(group, live))
            for number, batch in enumerate(batches):
                if self._guard.over or self._lost(outcome):
                    outcome.failed += [str(rest.built.key) for later in batches[number:] for rest in later]
                    return outcome
                for obj, became in zip(batch, self._side_by_side(batch, live), strict=True):
                    self._settle(obj, became, outcome, place)
            definitions = {obj.ref: obj.built.data for obj in group if _sent_definition(obj, outcome)}
            if definitions:
                self._serve(definitions, outcome)
        return outcome

    def _live(self, objects: Sequence[Desired]) -> Mapping[ObjectRef, Answer]:
        """Reads what is there: metadata is enough to tell whether an apply changes anything, and who applied before."""
        refs = [self._ref(obj.built) for obj in objects]
        in_full = [ref for ref in refs if (ref.group, ref.kind) in RE_CREATED_KINDS]
        rest = [ref for ref in refs if (ref.group, ref.kind) not in RE_CREATED_KINDS]
        cluster = self._session.cluster
        return {**cluster.read_metadata(rest), **(cluster.read(in_full) if in_full else {})}

    def _ref(self, built: BuiltObject) -> ObjectRef:
        # scopes of custom resources are known only when their definition is served
        return self._session.api.kinds().effective(built.ref)

    def _lost(self, outcome: Outcome) -> bool:
        """Whether the last two objects got no answer: asking for hundreds of others would take hours."""
        last = outcome.errors[-2:]
        return len(last) == 2 and all(error.code in _NO_ANSWER for error in last)

    def _batches(self, group: Sequence[Desired], live: Mapping[ObjectRef, Answer]) -> Iterator[list[Desired]]:
        """Splits a phase in declared order: what may change goes by itself, what nothing can change go together."""
        batch: list[Desired] = []
        for obj in group:
            as_left = self._as_left(obj, live.get(self._ref(obj.built)))
            if batch and (not as_left or len(batch) == 2 * CONCURRENCY):
                yield batch
                batch = []
            if as_left:
                batch.append(obj)
            else:
                yield [obj]
        if batch:
            yield batch

    def _as_left(self, obj: Desired, live: Answer | None) -> bool:
        """Whether the same is sent to the very version that it left: then nothing changes, and no order matters."""
        previous = self._previous(obj)
        metadata = live["metadata"] if isinstance(live, dict) else {}
        return (
            previous is not None
            and bool(previous.resource_version)
            and previous.content_hash == obj.built.content_hash
            and (metadata.get("uid"), metadata.get("resourceVersion")) == (previous.uid, previous.resource_version)
        )

    def _side_by_side(self, batch: Sequence[Desired], live: Mapping[ObjectRef, Answer]) -> Iterable[Became]:
        def send_one(obj: Desired) -> Became:
            return self._send(obj, live.get(self._ref(obj.built)))

        if len(batch) == 1:
            return [send_one(batch[0])]
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            return list(pool.map(send_one, batch))

    @tracing.traced(lambda _self, obj, _live: (f"send {obj.ref.kind}", {"tazuna.object": _said(obj.built.key)}))
    def _send(self, obj: Desired, live: Answer | None) -> Became:
        built, ref = obj.built, self._ref(obj.built)
        found = live if isinstance(live, dict) else None
        if obj.superseded_by and found is not None:
            return None  # sending it would change the later manifest's object back and forth
        previous = self._previous(obj)

        def subject(answer: JsonObject) -> Subject:
            return Subject(built.key, ref, answer, lambda: self._session.schema(ref), self._context, previous)

        try:
            return send(
                self._session.api, built, ref, subject, found,
                recreate=self._how.recreate, without_extras=bool(self._how.only),
                synced_at=self._known.get(ref.identity),
            )  # fmt: skip
        except TazunaError as error:
            tracing.fail(error.code)
            return error

    def _settle(self, obj: Desired, became: Became, outcome: Outcome, place: Place) -> None:
        key = str(obj.built.key)
        if became is None:
            outcome.left[key] = obj
        elif isinstance(became, TazunaError):
            outcome.failed.append(key)
            outcome.errors.append(_placed(became, obj.built, place, self._cause(became, obj)))
            self._progress(f"{'failed':<11} {key}")
        else:
            outcome.sent[key] = became
            self._progress(f"{became.action:<11} {key}")

    def _serve(self, definitions: Mapping[ObjectRef, JsonObject], outcome: Outcome) -> None:
        """Waits until CRDs serve, and records the version in which they do: only their status was written since."""
        for ref, why in wait_served(self._session.api, self._session.cluster, definitions).items():
            message = f"{ref} is not established after a minute: {why}"
            outcome.errors.append(ApplyError(message, code="not-established"))
        for ref, answer in self._session.cluster.read_metadata(definitions).items():
            for key, sent in outcome.sent.items():
                exact = bool(sent.recorded.resource_version)
                if sent.recorded.key.ref == ref and exact and not isinstance(answer, Unavailable):
                    outcome.sent[key] = replace(sent, recorded=_with_version(sent, answer))


def _said(key: StateKey) -> str:
    """How traces name an object: those of Secrets say enough about what they are for to stay here."""
    return str(replace(key, name=tracing.NOT_SAID) if key.kind == "Secret" else key)


def recorded_as_left(obj: Desired, before: RecordedObject | None) -> RecordedObject:
    """Returns the record of an object that a later manifest owns: never compared, it only keeps the entry's hash."""
    if before is not None and before.content_hash == obj.built.content_hash:
        return before
    body = sendable(obj.built.data, obj.ref)
    skeleton: JsonObject = {name: body[name] for name in ("apiVersion", "kind", "metadata") if name in body}
    return RecordedObject(obj.built.key, obj.built.content_hash, "", "", 0, "", "", Content(Parts(skeleton, skeleton)))


def _phases(objects: Sequence[Desired]) -> Iterator[list[Desired]]:
    """Splits a manifest: definitions, then namespaces, then the rest in declared order."""
    definitions = [obj for obj in objects if _is_definition(obj.built)]
    namespaces = [obj for obj in objects if obj.built.key.kind == "Namespace" and not obj.built.key.group]
    early = {id(obj) for obj in (*definitions, *namespaces)}
    yield from (phase for phase in (definitions, namespaces, [o for o in objects if id(o) not in early]) if phase)


def _is_definition(obj: BuiltObject) -> bool:
    return obj.key.kind == "CustomResourceDefinition"


def _sent_definition(obj: Desired, outcome: Outcome) -> bool:
    return _is_definition(obj.built) and str(obj.built.key) in outcome.sent


def _placed(error: TazunaError, built: BuiltObject, place: Place, cause: str) -> TazunaError:
    """Names manifest and place. No answer to a write is a failed apply, not an unreadable cluster."""
    kind = ApplyError if isinstance(error, ClusterError) else type(error)
    message = f"manifest '{built.key.manifest}': {error.message}"
    if str(built.ref) not in message and built.key.name not in message:
        message = f"manifest '{built.key.manifest}': {built.ref}: {error.message}"
    return kind(message, advice=cause or error.advice, place=built.place or place, code=error.code)


def _with_version(sent: Sent, metadata_only: JsonObject) -> RecordedObject:
    """Returns the record at a later version of the object, when nothing but its status can differ.

    The generation counts changes of the spec; all else that counts is metadata.
    """
    before, after = sent.live["metadata"], metadata_only["metadata"]
    unchanged = (
        before.get("uid") == after.get("uid")
        and before.get("generation") == after.get("generation")
        and same(comparable({"metadata": before}), comparable({"metadata": after}))
    )
    return replace(sent.recorded, resource_version=str(after["resourceVersion"])) if unchanged else sent.recorded
