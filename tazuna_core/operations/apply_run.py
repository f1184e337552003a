"""One run of `apply` under the lock: layer by layer, then the tests of the whole, then what is no longer declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from tazuna_core import tracing
from tazuna_core.build.model import BuiltManifest
from tazuna_core.errors import ApplyError, RefusedError, TazunaError
from tazuna_core.objects.identity import Identity, ObjectRef, StateKey
from tazuna_core.operations.apply_options import ApplyOptions, PrintValues, Progress
from tazuna_core.operations.apply_report import AppliedReport
from tazuna_core.operations.apply_work import Work, only
from tazuna_core.operations.applying import Applier, Outcome, recorded_as_left
from tazuna_core.operations.causes import cause_in
from tazuna_core.operations.cluster_tests import run_tests
from tazuna_core.operations.desired import (
    Desired,
    build_settings,
    desired_objects,
    stored_states,
    warn_of_superseded,
)
from tazuna_core.operations.plan import Planning
from tazuna_core.operations.prune import Pruning
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.save import StateWriter
from tazuna_core.operations.session import Session
from tazuna_core.operations.waits import wait_ready, wait_seconds
from tazuna_core.report.assemble import Findings
from tazuna_core.report.model import ErrorLine, Report
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.state.model import Applied, RecordedObject

MANIFESTS_AT_ONCE = 4


class ApplyRun:
    """One apply: what was stored and live before, and what came of each manifest."""

    def __init__(
        self,
        session: Session,
        how: ApplyOptions,
        work: Work,
        guard: RunGuard,
        findings: Findings,
        progress: Progress,
        print_values: PrintValues | None = None,
    ) -> None:
        self._session = session
        self._how = how
        self._work = work
        self._guard = guard
        self._findings = findings
        self._progress = progress
        self._print = print_values
        self._to_print: dict[str, str] = {}
        names = [manifest.name for manifest in work.manifests()]
        # states of other sources are worth a word only where something could be pruned
        noted = findings if how.prune else session.findings("apply", ())
        self._stored = stored_states(session, names, noted)
        self._require_source(names)
        self._desired = desired_objects(work.built, session.cluster.kinds())
        warn_of_superseded(self._desired, findings)
        self._planning = Planning(session, work.built, self._desired, self._stored)
        self._report = AppliedReport(session, how, work.manifests(), self._stored, self._planning, findings)
        self._writer = StateWriter(session, self._stored, atomic=how.atomic)
        self._moved = self._moved_records()
        tracked = (one for objects in self._planning.tracked.values() for one in objects)
        known = {one.ref.identity: one.synced_at for one in tracked}
        self._applier = Applier(session, how, guard, self._previous, known, cause_in(self._desired), progress)
        self._pruning = Pruning(session, how, guard, self._writer, progress)

    def go(self) -> None:
        """Does all of it; what goes wrong is in the findings."""
        wanted = self._wanted()
        refused = self._report.refusals(wanted) if self._how.on_drift == "refuse" else []
        if self._how.prune and not refused:
            refused = self._pruning.prepare(self._planning.tracked, self._declared(), self._order())
        if refused:
            self._fail(refused)
            return
        for layer in self._work.layers:
            if self._guard.over:
                break
            self._layer([one for one in layer if wanted[one.name] or not self._how.only], wanted)
            if self._findings.errors:
                break
        self._finish()

    def report(self) -> Report:
        """Returns the report: what was found before, and what became of it."""
        return self._report.assembled(self._pruning.gone)

    def _finish(self) -> None:
        """What comes after all manifests: the tests of the root, pruning, moved entries, the state of `--atomic`."""
        try:
            self._guard.require()
            if not self._findings.errors:
                self._fail(run_tests(self._session.api, self._work.root_tests, self._guard, self._progress))
            if not self._findings.errors:
                self._fail(self._pruning.prune())
                self._forget_moved()
            if self._how.atomic and not self._findings.errors:
                self._writer.flush()
        except TazunaError as error:
            self._fail([error])

    def _layer(self, layer: Sequence[Manifest], wanted: Mapping[str, list[Desired]]) -> None:
        names = {manifest.name for manifest in layer}
        # two manifests of one layer that declare one object: the later must come later, or it would not win
        meet = any(obj.superseded_by in names for manifest in layer for obj in wanted[manifest.name])
        if len(layer) <= 1 or meet:  # none of a layer may be wanted (--only)
            for manifest in layer:
                self._fail(self._manifest(manifest, wanted[manifest.name]))
            return
        with ThreadPoolExecutor(min(len(layer), MANIFESTS_AT_ONCE)) as pool:
            for done in [pool.submit(self._manifest, manifest, wanted[manifest.name]) for manifest in layer]:
                self._fail(done.result())  # in declared order, whoever failed first

    @tracing.traced(lambda _self, manifest, objects: (f"apply {manifest.name}", {"tazuna.objects": len(objects)}))
    def _manifest(self, manifest: Manifest, objects: Sequence[Desired]) -> list[TazunaError]:
        errors = self._applied(manifest, objects)
        for error in errors:
            tracing.fail(error.code)
        return errors

    def _applied(self, manifest: Manifest, objects: Sequence[Desired]) -> list[TazunaError]:
        """Applies one manifest: objects, wait, tests, state; under `--sync` the state before the tests (4.2)."""
        errors: list[TazunaError] = []
        try:
            outcome = self._applier.objects(objects, manifest.place)
            self._report.add(manifest.name, outcome)
            errors += outcome.errors
            if outcome.failed or outcome.errors:
                # what was applied is written, what was not keeps its old entry: state says what really happened
                if not self._guard.lock_lost:
                    self._save(manifest.name, outcome)
                return errors
            self._print_values(manifest.name)
            errors += self._late(manifest, objects)
            if errors:
                return errors
            if self._how.sync:
                self._save(manifest.name, outcome)
            tests = self._work.tests.get(manifest.name, ())
            errors += run_tests(self._session.api, tests, self._guard, self._progress)
            if not self._how.sync and not errors:
                self._save(manifest.name, outcome)
        except TazunaError as error:
            errors.append(error)
        return errors

    def _late(self, manifest: Manifest, objects: Sequence[Desired]) -> list[TazunaError]:
        """Waits where the manifest asks for it; returns what is not ready after that."""
        seconds = wait_seconds(manifest)
        if seconds is None or self._how.no_wait:
            return []
        kinds = self._session.api.kinds()
        # under --sync what was not sent is waited for too: the run before may have ended while waiting
        every = objects if self._how.only else self._desired[manifest.name]
        refs = [kinds.effective(obj.built.ref) for obj in every if not obj.superseded_by]
        late = wait_ready(self._session.cluster, refs, seconds, self._guard, self._progress)
        advice = "`tazuna status` shows it; --no-wait applies without waiting."
        return [
            ApplyError(
                f"manifest '{manifest.name}': {ref} is not ready after {seconds} s: {why}",
                place=manifest.place,
                advice=advice,
                code="not-ready",
            )
            for ref, why in late.items()
        ]

    def _save(self, manifest: str, outcome: Outcome) -> None:
        before = self._writer.current(manifest)
        recorded = before.record.objects if before.record else {}
        done: dict[str, tuple[str, RecordedObject | None]] = {
            key: (sent.recorded.content_hash, sent.recorded) for key, sent in outcome.sent.items()
        }
        for key, obj in outcome.left.items():
            done[key] = obj.built.content_hash, recorded_as_left(obj, recorded.get(key))
        built = self._keys(manifest)  # a Secret of a further output has no entry
        done = {key: entry for key, entry in done.items() if key in built}
        kinds = self._session.api.kinds()
        # another version of an object that was just applied is the same object: its old key is rewritten
        now = {kinds.effective(StateKey.parse(key).ref).identity for key in done}
        old = [
            key
            for key in before.hashes()
            if key not in built and kinds.effective(StateKey.parse(key).ref).identity in now
        ]
        if done or old:
            self._writer.update(manifest, done, old)

    def _wanted(self) -> dict[str, list[Desired]]:
        """Returns the objects to send of each selected manifest."""
        by_manifest = {one.manifest.name: one for one in self._work.selected()}
        wanted = {name: list(self._desired[name]) for name in by_manifest}
        if self._how.only:
            return only(wanted, self._how.only)
        for one in by_manifest.values():
            name = one.manifest.name
            if one.manifest.type is ManifestType.GENESIS_SECRET:
                wanted[name] += self._more_secrets(one)
            elif self._how.sync:
                hashes = self._stored[name].hashes()
                wanted[name] = [obj for obj in wanted[name] if hashes.get(str(obj.built.key)) != obj.built.content_hash]
        return wanted

    def _more_secrets(self, one: BuiltManifest) -> list[Desired]:
        """Returns the Secrets of further outputs: they are applied, and state holds the first alone (4.2)."""
        from tazuna_core.build.builder import placed
        from tazuna_core.build.genesis_secret import further_outputs
        from tazuna_core.objects.model import BuiltObject

        try:
            further = further_outputs(one.manifest, build_settings(self._session, [one.manifest]))
        except TazunaError as error:
            raise placed(error, one.manifest) from None
        if further.printed and self._print is not None:
            self._to_print[one.manifest.name] = further.printed
        elif further.printed:
            self._say_not_printed(one.manifest.name)
        known = {obj.ref.identity for obj in one.objects}
        kinds = self._session.cluster.kinds()
        objects = [
            BuiltObject(StateKey.of(one.manifest.name, secret), secret, one.manifest.place)
            for secret in further.secrets
        ]
        found = [Desired(obj, kinds.effective(obj.ref)) for obj in objects]
        return [obj for obj in found if obj.ref.identity not in known]

    def _say_not_printed(self, manifest: str) -> None:
        message = f"the values of manifest '{manifest}' are not printed: only `tazuna apply` on a machine of yours does"
        advice = "Use -o text, outside of CI: what is printed there is kept in a log."
        self._findings.warnings.append(ErrorLine(code="not-printed", message=message, advice=advice))

    def _print_values(self, manifest: str) -> None:
        """Hands out the values of a manifest with a `stdout` output, once."""
        text = self._to_print.pop(manifest, "")
        if text and self._print is not None:
            self._print(text)

    def _keys(self, manifest: str) -> frozenset[str]:
        return frozenset(str(obj.built.key) for obj in self._desired[manifest])

    def _order(self) -> list[str]:
        return [manifest.name for manifest in self._work.manifests()]

    def _declared(self) -> frozenset[Identity]:
        """Every identity that any manifest declares: never pruned."""
        from tazuna_core.build.genesis_secret import names_only

        kinds = self._session.cluster.kinds()
        named = [kinds.effective(key.ref).identity for one in self._work.unbuilt for key in names_only(one)]
        return frozenset(named) | {obj.ref.identity for objects in self._desired.values() for obj in objects}

    def _moved_records(self) -> dict[ObjectRef, RecordedObject]:
        """Returns the records whose object is built under another manifest now, by reference."""
        kinds = self._session.cluster.kinds()
        built = {str(obj.built.key) for objects in self._desired.values() for obj in objects}
        return {
            kinds.effective(obj.key.ref): obj
            for applied in self._stored.values()
            for key, obj in (applied.record.objects if applied.record else {}).items()
            if key not in built
        }

    def _previous(self, obj: Desired) -> RecordedObject | None:
        """Returns what the last apply recorded of an object, whatever manifest it belonged to then."""
        record = self._writer.current(obj.built.key.manifest).record
        own = record.objects.get(str(obj.built.key)) if record else None
        return own or self._moved.get(obj.ref)

    def _forget_moved(self) -> None:
        """Removes entries of objects that another manifest has now, and a state that is left without any."""
        if self._findings.errors or self._how.only:
            return
        kinds = self._session.api.kinds()
        # the new owner must have been applied: until then the old entry is all that is known of the object
        applied = {obj.ref.identity for name in self._order() for obj in self._desired[name]}
        for name in self._stored:
            built = self._keys(name) if name in self._desired else frozenset()
            hashes = self._writer.current(name).hashes()
            moved = [
                key
                for key in hashes
                if key not in built and kinds.effective(StateKey.parse(key).ref).identity in applied
            ]
            if name not in self._desired and hashes and len(moved) == len(hashes):
                self._writer.drop(name)
            elif moved:
                self._writer.update(name, {}, moved)

    def _require_source(self, names: Iterable[str]) -> None:
        for name in names:
            record = self._stored.get(name, Applied(name)).record
            if record is not None and record.source != self._session.source and not self._how.take_over:
                raise RefusedError(
                    f"manifest '{name}' was applied from {record.source}, and this is {self._session.source}",
                    code="other-source",
                    advice="Choose another name, or take it over with --take-over.",
                )

    def _fail(self, errors: Iterable[TazunaError]) -> None:
        for error in errors:
            self._findings.fail(error)
