"""`apply`: every manifest in its order, its objects sent, state and record saved: what happened is what is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tazuna_core.build.model import BuiltManifest
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.cluster.reader import Unavailable
from tazuna_core.diff.subject import RunContext, Subject
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.errors import ApplyError, InvalidObjectError, RefusedError, TazunaError, UsageError
from tazuna_core.objects.comparable import comparable, same
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.sendable import sendable
from tazuna_core.operations.desired import build, desired_objects, warn_of_superseded
from tazuna_core.operations.established import wait_served
from tazuna_core.operations.lease import ApplyLease
from tazuna_core.operations.options import Options
from tazuna_core.operations.send import Sent, send
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings, assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.check import require_unique_names
from tazuna_core.spec.context_guard import guard_context
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.order import layers
from tazuna_core.state.model import Applied, ManifestState, Record, RecordedObject

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """What `apply` may be told beside the global options."""

    recreate: bool = False
    take_over: bool = False
    break_lock: bool = False
    context_name: str | None = None
    """The context's name inside a cluster (TAZUNA_CONTEXT)."""


def apply(options: Options, how: ApplyOptions = ApplyOptions(), progress: Progress = lambda _line: None) -> Report:
    """Applies the selected manifests.

    Guards, building and validation come before the first write. An object that fails is an error of the report and
    does not stop its layer; later layers do not start. State and record are saved a manifest at a time.
    """
    session = Session(options)
    guard_context(session.spec, session.cluster.name or how.context_name)
    require_unique_names(session.spec)
    findings = session.findings("apply", ("desired", "live"))
    findings.warn(session.spec.notices)
    ordered = [tuple(flat(layer)) for layer in layers(session.spec.manifests, options.tags)]
    manifests = [manifest for layer in ordered for manifest in layer]
    _require_names(manifests)
    built = {one.manifest.name: one for one in build(session, manifests, findings)}
    if findings.errors:
        return assemble(findings)
    run = _Run(session, how, progress, findings, built)
    run.validate()
    if findings.errors:
        return assemble(findings)
    with ApplyLease(session.api, break_lock=how.break_lock) as lease:
        for layer in ordered:
            for manifest in layer:
                lease.require()
                run.manifest(built[manifest.name])
            if findings.errors:
                break
    report = assemble(findings, show_secret_hashes=options.show_secret_hashes)
    return report.model_copy(update={"applied": run.confirmed})


def _require_names(manifests: Sequence[Manifest]) -> None:
    for manifest in manifests:
        if not manifest.name:
            raise UsageError(
                "this manifest has no name, so no state can be kept of it",
                place=manifest.place,
                advice="`tazuna check --fix` names it.",
            )


class _Run:
    """One apply: what was stored before, and what is confirmed so far."""

    def __init__(
        self,
        session: Session,
        how: ApplyOptions,
        progress: Progress,
        findings: Findings,
        built: Mapping[str, BuiltManifest],
    ) -> None:
        self._session = session
        self._how = how
        self._progress = progress
        self._findings = findings
        self._built = built
        self._stored = session.store.load(built)
        self._context = RunContext(controllers=frozenset(session.drift_file.content.managers))
        self.confirmed = 0

    def validate(self) -> None:
        """Finds what the server would refuse, and whose manifests these are, before anything is written."""
        for name, applied in self._stored.items():
            record = applied.record
            if record is not None and record.source != self._session.source and not self._how.take_over:
                raise RefusedError(
                    f"manifest '{name}' was applied from {record.source}, and this is {self._session.source}",
                    code="other-source",
                    advice="Choose another name, or take it over with --take-over.",
                )
        served = known_kinds(obj.data for one in self._built.values() for obj in one.objects)
        warn_of_superseded(desired_objects(tuple(self._built.values()), served), self._findings)
        for one in self._built.values():
            for obj in one.objects:
                for problem in self._problems(obj):
                    self._findings.fail(
                        InvalidObjectError(
                            f"manifest '{one.manifest.name}': {obj.ref}: {problem}",
                            place=obj.place or one.manifest.place,
                            advice="Correct or remove it; the server would refuse the object.",
                        )
                    )

    def _problems(self, obj: BuiltObject) -> Iterator[str]:
        if not obj.key.name:
            yield "generateName alone makes another object with each apply; give it a name"
        schema = self._session.schema(obj.ref)
        for problem in field_problems(schema, sendable(obj.data)):
            yield problem.message

    def manifest(self, built: BuiltManifest) -> None:
        """Applies one manifest and saves its state."""
        name = built.manifest.name
        before = self._stored[name]
        kinds = self._session.api.kinds()
        live = self._session.cluster.read(kinds.effective(obj.ref) for obj in built.objects)
        done: dict[str, Sent] = {}
        failed: list[BuiltObject] = []
        for group in _phases(built.objects):
            for obj in group:
                self._object(obj, before, live.get(kinds.effective(obj.ref)), done, failed)
            definitions = {obj.ref: obj.data for obj in group if str(obj.key) in done and _is_definition(obj)}
            if definitions:
                self._serve(definitions, done)
                kinds = self._session.api.kinds()
        self._save(built, before, done, failed)

    def _object(
        self, obj: BuiltObject, before: Applied, live: object, done: dict[str, Sent], failed: list[BuiltObject]
    ) -> None:
        ref = self._session.api.kinds().effective(obj.ref)

        def subject(answer: JsonObject) -> Subject:
            recorded = before.record.objects.get(str(obj.key)) if before.record else None
            return Subject(obj.key, ref, answer, lambda: self._session.schema(ref), self._context, recorded)

        found = live if isinstance(live, dict) else None
        try:
            sent = send(self._session.api, obj, ref, subject, found, recreate=self._how.recreate)
        except TazunaError as error:
            failed.append(obj)
            place = obj.place or self._built[obj.key.manifest].manifest.place
            message = f"manifest '{obj.key.manifest}': {error.message}"
            self._findings.fail(type(error)(message, advice=error.advice, place=place, code=error.code))
            self._progress(f"failed      {obj.key}")
            return
        done[str(obj.key)] = sent
        self.confirmed += 1
        self._progress(f"{sent.action:<11} {obj.key}")

    def _serve(self, definitions: Mapping[ObjectRef, JsonObject], done: dict[str, Sent]) -> None:
        """Waits until CRDs serve, and records the version in which they do: only their status was written since."""
        for ref, why in wait_served(self._session.api, self._session.cluster, definitions).items():
            self._findings.fail(ApplyError(f"{ref} is not established after a minute: {why}", code="not-established"))
        for ref, answer in self._session.cluster.read_metadata(definitions).items():
            for key, sent in done.items():
                exact = bool(sent.recorded.resource_version)
                if sent.recorded.key.ref == ref and exact and not isinstance(answer, Unavailable):
                    done[key] = replace(sent, recorded=_with_version(sent, answer))

    def _save(
        self, built: BuiltManifest, before: Applied, done: Mapping[str, Sent], failed: Sequence[BuiltObject]
    ) -> None:
        """Writes what really happened: new entries for what was applied, the old ones for what failed or is gone.

        Objects that are no longer built stay as entries until they are pruned, so that they are shown as removed.
        """
        now = self._session.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        commit = self._session.checkout.commit if self._session.checkout else ""
        hashes = before.hashes()
        objects: dict[str, RecordedObject] = {
            key: obj for key, obj in (before.record.objects if before.record else {}).items() if key in hashes
        }
        for key, sent in done.items():
            hashes[key] = sent.recorded.content_hash
            objects[key] = sent.recorded
        if failed and not done and before.state is None:
            return  # nothing was applied, so there is nothing to write
        name = built.manifest.name
        state = ManifestState(name, hashes, commit, now)
        record = Record(name, self._session.source, commit, now, objects)
        self._stored[name] = self._session.store.save(before, state, record)


def _phases(objects: Sequence[BuiltObject]) -> Iterator[list[BuiltObject]]:
    """Splits a manifest: definitions, then namespaces, then the rest in declared order."""
    definitions = [obj for obj in objects if _is_definition(obj)]
    namespaces = [obj for obj in objects if obj.key.kind == "Namespace" and not obj.key.group]
    early = {id(obj) for obj in (*definitions, *namespaces)}
    yield from (phase for phase in (definitions, namespaces, [o for o in objects if id(o) not in early]) if phase)


def _is_definition(obj: BuiltObject) -> bool:
    return obj.key.kind == "CustomResourceDefinition"


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
