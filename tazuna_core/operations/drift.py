"""`state drift`: recorded against live. It builds nothing, so a nightly job needs no helm and no kustomize."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tazuna_core import tracing
from tazuna_core.cluster.reader import Unavailable
from tazuna_core.diff.drift import absent_verdict, drift_of, unknown_verdict
from tazuna_core.diff.elsewhere import OtherVersion, other_versions
from tazuna_core.diff.subject import RunContext, Subject
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import StateError
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import JsonObject, ObjectRef, StateKey
from tazuna_core.operations.autoscaling import autoscaled, may_scale, targets_of
from tazuna_core.operations.live import read_live
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked, tracked_objects
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import ErrorLine, Excluded, Report, Skipped
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.state.model import Applied, RecordedObject

Compare = Literal["record", "hash"]
ALWAYS_SYNC = frozenset({ManifestType.GENESIS_SECRET})


def state_drift(options: Options, *, all_state: bool = False, compare: Compare = "record") -> Report:
    """Compares every object of the state with its record.

    ``all_state`` takes every state of the namespace and needs no tazuna.yaml. ``compare="hash"`` is the Go CLI's
    literal rule: the hash of live against the hash of what was built. Raises StateError when no manifest has state.
    """
    session = Session(options)
    findings = session.findings("state drift", ("recorded", "live"))
    if all_state:
        stored = session.store.load_all()
        types = dict.fromkeys(stored, "")
    else:
        findings.warn(session.spec.notices)
        compared = comparable_manifests(session.manifests, findings)
        stored = session.store.load(manifest.name for manifest in compared)
        types = {manifest.name: str(manifest.type) for manifest in compared}
    applied = with_state(stored, findings)
    tracked = tracked_objects(applied, session.cluster.kinds())
    verdicts = Comparison(session, tracked, compare).verdicts()
    for manifest, objects in verdicts.items():
        findings.manifests.append(ManifestVerdicts(manifest, types.get(manifest, ""), objects))
    add_exclusions(session, tracked, findings)
    warn_of_rules(session, findings)
    return assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)


def comparable_manifests(manifests: Iterable[Manifest], findings: Findings) -> list[Manifest]:
    """Returns the manifests that state can be kept of; the others are named as skipped."""
    out = []
    for manifest in manifests:
        if not manifest.name:
            findings.skipped.append(Skipped(manifest=str(manifest.place), reason="unnamed"))
        elif manifest.type in ALWAYS_SYNC:
            findings.skipped.append(Skipped(manifest=manifest.name, reason="always-sync"))
        else:
            out.append(manifest)
    return out


def with_state(stored: Mapping[str, Applied], findings: Findings) -> dict[str, Applied]:
    """Returns the manifests that have state or a record. Raises StateError when none has (the wrong cluster?)."""
    out = {}
    for manifest, applied in stored.items():
        if applied.problem:
            findings.warnings.append(ErrorLine(code="damaged-record", message=applied.problem))
        if applied.state is None and applied.record is None:
            findings.skipped.append(Skipped(manifest=manifest, reason="no-state"))
        else:
            out[manifest] = applied
    if not out:
        raise StateError(
            "no manifest has state: there is nothing to compare",
            advice="Is this the right cluster? State is written by `tazuna apply`.",
            code="no-state",
        )
    return out


class Comparison:
    """Reads what is live of tracked objects and compares it with what was recorded."""

    def __init__(
        self,
        session: Session,
        tracked: Mapping[str, Sequence[Tracked]],
        compare: Compare = "record",
        *,
        in_full: Iterable[ObjectRef] = (),
        scaling: Iterable[JsonObject] = (),
    ) -> None:
        """``in_full`` as in ``read_live``; ``scaling`` are objects among which autoscalers are looked for."""
        self._session = session
        self._tracked = tracked
        self.proven: dict[str, RecordedObject] = {}
        """Records by state key that were proven another way, and are used where there is none."""
        self._unseen: dict[StateKey, str] = {}
        """Why a change at another version could not be looked at."""
        self._compare = compare
        every = [obj for objects in tracked.values() for obj in objects]
        self.unreadable = frozenset(rule.kind for rule in session.drift_file.content.unreadable)
        wanted = [obj for obj in every if not obj.superseded_by and obj.ref.kind not in self.unreadable]
        if compare == "hash":
            in_full = [obj.ref for obj in wanted]
        live = read_live(session.cluster, wanted, [ref for ref in in_full if ref.kind not in self.unreadable])
        self.live, self.untouched = live.answers, live.untouched
        untouched = [obj for obj in wanted if obj.recorded and obj.ref in self.untouched and may_scale(obj.ref)]
        scaling = [*scaling, *(obj.recorded.answer for obj in untouched if obj.recorded)]
        self.context = RunContext(
            controllers=frozenset(session.drift_file.content.managers),
            autoscaled=targets_of(scaling) | autoscaled(session.cluster, self.live, self._other_replicas(wanted)),
            ignore=session.ignore_rules(),
            today=session.today(),
        )

    def verdicts(self) -> dict[str, list[ObjectVerdict]]:
        """Returns the verdicts of each manifest; kinds that the user excluded are left out."""
        out = {
            manifest: self._compared(manifest, [obj for obj in objects if obj.ref.kind not in self.unreadable])
            for manifest, objects in self._tracked.items()
        }
        return {manifest: [self._with_cause(verdict) for verdict in verdicts] for manifest, verdicts in out.items()}

    @tracing.traced(lambda _self, manifest, objects: (f"compare {manifest}", {"tazuna.objects": len(objects)}))
    def _compared(self, _manifest: str, objects: Sequence[Tracked]) -> list[ObjectVerdict]:
        return [self._verdict(obj) for obj in objects]

    def unrecorded(self) -> list[Tracked]:
        """Returns the objects that are live and that no record tells of; those that are going are left out."""
        return [
            obj
            for objects in self._tracked.values()
            for obj in objects
            if obj.recorded is None and not obj.superseded_by and obj.ref.kind not in self.unreadable
            if isinstance(answer := self.live[obj.ref], dict) and not answer["metadata"].get("deletionTimestamp")
        ]

    def subject(self, obj: Tracked, live: JsonObject) -> Subject:
        """Returns an object as a comparison sees it."""
        recorded = obj.recorded or self.proven.get(str(obj.key))
        subject = Subject(obj.key, obj.ref, live, lambda: self._session.schema(obj.ref), self.context, recorded)
        versions = subject.unread_versions()
        return replace(subject, elsewhere=tuple(self._elsewhere(subject, versions))) if versions else subject

    def _elsewhere(self, subject: Subject, versions: Sequence[str]) -> Iterator[OtherVersion]:
        """Reads an object at the versions where somebody wrote since the record (verdicts 5); that is seldom."""
        since = subject.recorded.time if subject.recorded else ""
        refs = [subject.ref._replace(api_version=version) for version in versions]
        for ref, answer in self._session.cluster.read(refs).items():
            if isinstance(answer, Unavailable):
                reason = answer.message or str(answer.reason)
                self._unseen[subject.key] = f"changed at {ref.api_version}, which cannot be read: {reason}"
            else:
                yield from other_versions(subject.live, subject.schema, answer, self._session.schema(ref), since)

    def _verdict(self, obj: Tracked) -> ObjectVerdict:
        hashes = {"stored": obj.stored_hash}
        if obj.superseded_by:
            note = f"declared by manifest '{obj.superseded_by}' as well, which is applied later"
            return ObjectVerdict(obj.key, "superseded", hashes=hashes, notes=(note,))
        if obj.state_gone:
            message = "its record is there and its state is gone; apply the manifest again"
            return unknown_verdict(obj.key, obj.stored_hash, "no-state", message)
        answer = self.live[obj.ref]
        if isinstance(answer, Unavailable):
            if answer.missing:
                return absent_verdict(obj.key, obj.stored_hash, obj.recorded, self._session.now())
            return unknown_verdict(obj.key, obj.stored_hash, str(answer.reason), answer.message)
        if self._compare == "hash":
            return _by_hash(obj, content_hash(answer))
        if obj.ref in self.untouched:
            return ObjectVerdict(obj.key, "unchanged", hashes=hashes)
        verdict = drift_of(self.subject(obj, answer), obj.stored_hash, obj.synced_at)
        verdict = replace(verdict, hashes={**verdict.hashes, **hashes})
        if obj.key not in self._unseen:
            return verdict
        status = "unknown" if verdict.status == "unchanged" else verdict.status
        return replace(verdict, status=status, unchecked="other-version", message=self._unseen[obj.key])

    def _with_cause(self, verdict: ObjectVerdict) -> ObjectVerdict:
        """Names the one cause of many missing objects: their namespace is gone (C48)."""
        namespace = self._session.cluster.kinds().effective(verdict.key.ref).namespace
        answer = self.live.get(ObjectRef("v1", "Namespace", "", namespace))
        if verdict.status == "live-missing" and isinstance(answer, Unavailable) and answer.missing:
            return replace(verdict, notes=(*verdict.notes, f"namespace '{namespace}' is gone"))
        return verdict

    def _other_replicas(self, tracked: Iterable[Tracked]) -> list[ObjectRef]:
        def replicas(obj: object) -> object:
            spec = obj.get("spec") if isinstance(obj, dict) else None
            return spec.get("replicas") if isinstance(spec, dict) else None

        return [
            obj.ref
            for obj in tracked
            if obj.ref not in self.untouched
            and not isinstance(answer := self.live.get(obj.ref), Unavailable)
            # without a record it is not known yet whether they are others
            and (replicas(answer) != replicas(obj.recorded.answer) if obj.recorded else replicas(answer) is not None)
        ]


def add_exclusions(session: Session, tracked: Mapping[str, Sequence[Tracked]], findings: Findings) -> None:
    """Names the kinds that tazuna.drift.yaml takes out of the check, with how many objects that are."""
    for rule in session.drift_file.content.unreadable:
        count = sum(obj.ref.kind == rule.kind for objects in tracked.values() for obj in objects)
        findings.excluded.append(Excluded(kind=rule.kind, reason=rule.reason, objects=count))


def warn_of_rules(session: Session, findings: Findings) -> None:
    """Warns of rules of tazuna.drift.yaml that hide nothing: past their day, or matching nothing."""
    if session.options.no_ignore:
        return
    used = {hidden.rule for manifest in findings.manifests for verdict in manifest.objects for hidden in verdict.hidden}
    for index, rule in enumerate(session.ignore_rules()):
        place = session.drift_file.place("ignore", index)
        if rule.until is not None and session.today() > rule.until:
            code, message = "rule-expired", f"the rule '{rule.reason}' hides nothing since {rule.until}"
        elif rule.name not in used:
            code, message = "rule-unused", f"the rule '{rule.reason}' matches nothing"
        else:
            continue
        findings.warnings.append(ErrorLine(code=code, message=message, file=place.file, line=place.line))


def _by_hash(obj: Tracked, live_hash: str) -> ObjectVerdict:
    hashes = {"stored": obj.stored_hash, "live": live_hash}
    if live_hash == obj.stored_hash:
        return ObjectVerdict(obj.key, "unchanged", hashes=hashes, method="hash")
    return ObjectVerdict(obj.key, "live-drifted", frozenset({"drifted"}), hashes, method="hash", confidence="heuristic")
