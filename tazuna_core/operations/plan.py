"""`plan`: built, recorded and live, field by field: what merging would do, and whether it meets a change by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tazuna_core import tracing
from tazuna_core.build.model import BuiltManifest
from tazuna_core.cluster.reader import Reason, Unavailable
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.drift import absent_verdict, drift_of, unknown_verdict
from tazuna_core.diff.moves import moved_from, moved_to, sent_under_new_key
from tazuna_core.diff.plan import Wanted, plan_of
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.diff.verdicts import Method, ObjectClass, ObjectVerdict, Status
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.identity import JsonObject, ObjectRef, StateKey
from tazuna_core.objects.paths import Path
from tazuna_core.objects.sendable import sendable
from tazuna_core.operations.always_sync import always_sync_verdicts
from tazuna_core.operations.desired import (
    Desired,
    build,
    desired_objects,
    served_soon,
    stored_states,
    warn_of_superseded,
)
from tazuna_core.operations.diff import not_built
from tazuna_core.operations.drift import ALWAYS_SYNC, Comparison, add_exclusions, warn_of_rules
from tazuna_core.operations.dry_run import DryRun
from tazuna_core.operations.options import Options
from tazuna_core.operations.proof import prove
from tazuna_core.operations.reproducible import unstable_paths
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked, tracked_objects
from tazuna_core.operations.valid import invalid_objects
from tazuna_core.report.assemble import ManifestVerdicts, assemble
from tazuna_core.report.model import ErrorLine, Report, Skipped
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.state.model import Applied


def plan(options: Options, *, dry_run: bool = False) -> Report:
    """Compares build, record and live objects of every selected manifest. Reads only; needs rights to get and list.

    ``dry_run`` asks the server as well what it would make of each object, which needs the right to patch them. Raises
    RefusedError for a dry run on a snapshot.
    """
    session = Session(options)
    findings = session.findings("plan", ("recorded", "desired", "live"))
    findings.warn(session.spec.notices)
    named = [manifest for manifest in session.manifests if manifest.name]
    findings.skipped += [
        Skipped(manifest=str(manifest.place), reason="unnamed") for manifest in session.manifests if not manifest.name
    ]
    synced = {manifest.name: manifest for manifest in named if manifest.type in ALWAYS_SYNC}
    built = build(session, [manifest for manifest in named if manifest.name not in synced], findings)
    stored = stored_states(session, [manifest.name for manifest in named], findings)
    desired = desired_objects(built, session.cluster.kinds())
    warn_of_superseded(desired, findings)
    unstable = unstable_paths(session, built, stored, findings)
    planning = Planning(session, built, desired, stored, unstable, dry_run=dry_run)
    types = {manifest.name: str(manifest.type) for manifest in named}
    for name, applied in stored.items():
        if name in planning.failed:
            verdicts = not_built(applied)
        elif name in synced:
            verdicts = always_sync_verdicts(synced[name], findings)
        else:
            with tracing.span(f"compare {name}"):
                verdicts = list(planning.verdicts(name))
        findings.manifests.append(ManifestVerdicts(name, types.get(name, ""), verdicts))
    for error in invalid_objects(session, built, planning.as_stored):
        findings.fail(error)
    findings.warnings += planning.warnings()
    add_exclusions(session, planning.tracked, findings)
    warn_of_rules(session, findings)
    return assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)


class Planning:
    """The three sides of every object, read once."""

    def __init__(
        self,
        session: Session,
        built: Sequence[BuiltManifest],
        desired: Mapping[str, Sequence[Desired]],
        stored: Mapping[str, Applied],
        unstable: Mapping[str, frozenset[Path]] | None = None,
        *,
        dry_run: bool = False,
    ) -> None:
        self._session = session
        self._desired = desired
        self._stored = stored
        every = [obj for objects in desired.values() for obj in objects]
        self._now = {obj.ref.identity: obj.built.key for obj in every if not obj.superseded_by}
        self._soon = served_soon(every)
        self.failed = frozenset(one.manifest.name for one in built if one.error is not None)
        self._written = frozenset(one.manifest.name for one in built if one.manifest.type is ManifestType.DIRECTORY)
        self.tracked = tracked_objects(stored, session.cluster.kinds())
        known = {str(obj.key): obj.stored_hash for objects in self.tracked.values() for obj in objects}
        self.as_stored = frozenset(
            str(obj.built.key) for obj in every if known.get(str(obj.built.key)) == obj.built.content_hash
        )
        changed = [
            obj.ref
            for obj in every
            if not obj.superseded_by and obj.ref.name and (dry_run or str(obj.built.key) not in self.as_stored)
        ]
        self._comparison = Comparison(session, self.tracked, in_full=changed, scaling=self._built_autoscalers())
        self._unreadable = self._comparison.unreadable
        keys = {str(obj.built.key) for obj in every}
        tracked = (one for objects in self.tracked.values() for one in objects)
        self._moved = {one.ref.identity: one for one in tracked if str(one.key) not in keys and not one.superseded_by}
        proofs = prove(session, self._comparison, stored, built)
        self._comparison.proven.update(proofs.records)
        self._proven: dict[str, Method] = {k: "hash" if how == "live" else "built" for k, how in proofs.how.items()}
        self._unproven = proofs.unproven
        self._unstable = unstable or {}
        self._dry_run = DryRun(session.api, self._bodies()) if dry_run else None

    def warnings(self) -> list[ErrorLine]:
        """Returns why the last apply of some objects is not known, and where a dry run differs from the comparison."""
        return [*self._unproven_lines(), *(self._dry_run.warnings() if self._dry_run else ())]

    def _unproven_lines(self) -> list[ErrorLine]:
        reasons: dict[tuple[str, str], int] = {}
        for key, reason in self._unproven.items():
            about = (StateKey.parse(key).manifest, reason)
            reasons[about] = reasons.get(about, 0) + 1
        return [
            ErrorLine(
                code="not-proven",
                message=f"manifest '{manifest}': what was applied as {count} of its objects is not known: {reason}",
            )
            for (manifest, reason), count in reasons.items()
        ]

    def verdicts(self, manifest: str) -> Iterator[ObjectVerdict]:
        """Yields the verdicts of a manifest: its built objects in order, then what state knows and is not built."""
        tracked = {str(obj.key): obj for obj in self.tracked.get(manifest, ())}
        applied, seen = self._stored[manifest], set()
        for obj in self._desired.get(manifest, ()):
            key = str(obj.built.key)
            seen.add(key)
            if obj.ref.kind not in self._unreadable:
                verdict = self._planned(obj, tracked.get(key), applied)
                written = manifest in self._written and bool(verdict.classes)
                yield replace(verdict, place=obj.built.place) if written else verdict
        for key, gone in tracked.items():
            if key not in seen and gone.ref.kind not in self._unreadable:
                yield self._gone(gone)

    def _planned(self, obj: Desired, tracked: Tracked | None, applied: Applied) -> ObjectVerdict:
        key, built_hash = obj.built.key, obj.built.content_hash
        stored_hash = tracked.stored_hash if tracked else None
        hashes = {"built": built_hash} | ({"stored": stored_hash} if stored_hash else {})
        if obj.superseded_by:
            note = f"declared by manifest '{obj.superseded_by}' as well, which is applied later"
            return ObjectVerdict(key, "superseded", hashes=hashes, notes=(note,))
        if not obj.ref.name:
            return unknown_verdict(key, "", "generate-name", "an object with generateName cannot be compared")
        answer = self._comparison.live[obj.ref]
        before = tracked or self._moved.get(obj.ref.identity)
        if isinstance(answer, Unavailable):
            return self._without_live(obj, before, answer, hashes)
        if obj.ref in self._comparison.untouched and built_hash == stored_hash and self._dry_run is None:
            return ObjectVerdict(key, "unchanged", hashes=hashes)
        # of another version's record no path is one of this version
        known = before if before is not None and before.ref == obj.ref else None
        subject = self._comparison.subject(known or Tracked(key, obj.ref, "", None), answer)
        subject = replace(subject, key=key, unstable=self._unstable.get(str(key), frozenset()))
        if answer["metadata"].get("deletionTimestamp"):
            return replace(drift_of(subject, known.stored_hash if known else ""), hashes=hashes)
        wanted = Wanted(sendable(obj.built.data, obj.ref), built_hash, self._meaning(obj.ref))
        synced_at = known.synced_at if known else applied.state.last_synced_at if applied.state else ""
        verdict = plan_of(subject, wanted, known.stored_hash if known else None, synced_at)
        if before is not None and tracked is None:
            verdict = sent_under_new_key(verdict, before.key)
        if str(key) in self._proven:
            verdict = replace(verdict, method=self._proven[str(key)])
        return self._dry_run.confirm(obj.ref, verdict, subject) if self._dry_run else verdict

    def _without_live(
        self, obj: Desired, tracked: Tracked | None, answer: Unavailable, hashes: dict[str, str]
    ) -> ObjectVerdict:
        key = obj.built.key
        soon = answer.reason is Reason.NOT_SERVED and (obj.ref.group, obj.ref.kind) in self._soon
        if tracked is None and (answer.missing or soon):
            problems = field_problems(self._session.schema(obj.ref), sendable(obj.built.data, obj.ref))
            notes = tuple(problem.message for problem in problems)
            added = ObjectVerdict(key, "added", frozenset({"added"}), hashes, method="built", notes=notes)
            return self._dry_run.confirm(obj.ref, added, None) if self._dry_run else added
        if tracked is None or not (answer.missing or soon):
            return unknown_verdict(key, hashes.get("stored", ""), str(answer.reason), answer.message)
        absent = absent_verdict(key, tracked.stored_hash, tracked.recorded, self._session.now())
        if str(tracked.key) != str(key):
            return self._moved_without_live(tracked.key, replace(absent, hashes=hashes))
        if tracked.stored_hash == hashes["built"]:
            return replace(absent, hashes=hashes)
        if absent.status == "expired":  # C54: it went as it was meant to, and the repository now says otherwise
            return ObjectVerdict(key, "modified", frozenset({"modified"}), hashes, notes=absent.notes)
        classes: frozenset[ObjectClass] = frozenset({"conflict", "missing", "modified"})
        return ObjectVerdict(
            key, "conflict", classes, hashes, notes=("deleted by hand, and changed in the repository",)
        )

    @staticmethod
    def _moved_without_live(before: StateKey, absent: ObjectVerdict) -> ObjectVerdict:
        """An object without a live one, and without a hash under its new key: apply creates it, whyever it is gone."""
        note = moved_from(before, absent.key)
        if absent.status == "expired":
            return replace(absent, status="added", classes=frozenset({"added"}), notes=(note, *absent.notes))
        return replace(absent, classes=absent.classes | {"added"}, notes=(note, *absent.notes))

    def _bodies(self) -> dict[ObjectRef, JsonObject]:
        """What a dry run asks of: all but what could only fail, as its kind or namespace comes with this apply."""
        out: dict[ObjectRef, JsonObject] = {}
        for obj in (obj for objects in self._desired.values() for obj in objects):
            if obj.superseded_by or not obj.ref.name or obj.ref.kind in self._unreadable:
                continue
            answer = self._comparison.live[obj.ref]
            namespace = self._comparison.live.get(ObjectRef("v1", "Namespace", "", obj.ref.namespace))
            comes = isinstance(namespace, Unavailable) and namespace.missing
            if not isinstance(answer, Unavailable) or (answer.missing and not comes):
                out[obj.ref] = sendable(obj.built.data, obj.ref)
        return out

    def _gone(self, tracked: Tracked) -> ObjectVerdict:
        hashes = {"stored": tracked.stored_hash}
        if tracked.ref.identity in self._now:
            note = moved_to(tracked.key, self._now[tracked.ref.identity])
            return ObjectVerdict(tracked.key, "moved", hashes=hashes, notes=(note,))
        if tracked.superseded_by:
            return ObjectVerdict(tracked.key, "superseded", hashes=hashes)
        answer = self._comparison.live[tracked.ref]
        if isinstance(answer, Unavailable):
            if answer.missing:
                note = "already gone from the cluster"
                return ObjectVerdict(tracked.key, "removed", frozenset({"removed"}), hashes, notes=(note,))
            return unknown_verdict(tracked.key, tracked.stored_hash, str(answer.reason), answer.message)
        if tracked.ref in self._comparison.untouched:
            return ObjectVerdict(tracked.key, "removed", frozenset({"removed"}), hashes)
        drifted = drift_of(self._comparison.subject(tracked, answer), tracked.stored_hash)
        by_hand = bool(drifted.fields)
        status: Status = "conflict" if by_hand else "removed"
        classes: frozenset[ObjectClass] = frozenset({"removed", "conflict"} if by_hand else {"removed"})
        fields = tuple(replace(field, verdict="conflict", on_merge="reverted") for field in drifted.fields)
        return ObjectVerdict(tracked.key, status, classes, hashes, fields=fields, hidden=drifted.hidden)

    def _meaning(self, ref: ObjectRef) -> Meaning:
        return Meaning(built_in=(ref.api_version, ref.kind) in builtin_kinds())

    def _built_autoscalers(self) -> list[JsonObject]:
        return [obj.built.data for objects in self._desired.values() for obj in objects]
