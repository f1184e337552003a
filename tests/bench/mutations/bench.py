"""One run: apply, edit in batches, ask for drift and plan, compare with the truth, put everything back."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.operations.apply import apply
from tazuna_core.operations.drift import state_drift
from tazuna_core.operations.options import Options
from tazuna_core.operations.plan import plan
from tazuna_core.report.model import Report
from tests.bench.mutations import controllers, edits, repository
from tests.bench.mutations.compare import Mismatch, compare, said
from tests.bench.mutations.edits import Edit
from tests.bench.mutations.expect import Expected, expected, expires
from tests.bench.mutations.schema import Json
from tests.bench.mutations.tools import Done, Tools
from tests.bench.mutations.view import Ref, View
from tests.harness.cluster import LocalCluster

BATCH = 40
TRIES = 12


@dataclass
class Attempt:
    """One edit that was tried: with which tool, how it went, and what the report made of it."""

    number: int
    edit: Edit
    tool: str
    done: Done | None = None
    effect: bool = False
    mismatch: Mismatch | None = None


@dataclass
class Outcome:
    """A mismatch on an object that no edit of ours was about (a cascade, or nothing at all)."""

    ref: Ref
    mismatch: Mismatch
    where: str


class Bench:
    """A cluster with the repository applied, ready to be edited."""

    def __init__(self, cluster: LocalCluster, folder: Path, bundles: Sequence[str], say=print) -> None:
        self._say = say
        self._view = View(cluster)
        self._tools = Tools(self._view)
        self._options = Options(
            file=repository.write(folder, bundles),
            kubeconfig=cluster.kubeconfig,
            cache_directory=folder / "cache",
        )
        start = time.monotonic()
        report = apply(self._options)
        assert not report.errors, report.errors[:5]
        self._declared: dict[Ref, Json] = {}
        for obj in repository.declared(folder, bundles):
            self._declared[self._view.ref(obj)] = obj
        self.refs = list(self._declared)
        self._say(f"applied {report.applied} objects in {time.monotonic() - start:.1f} s")
        self.attempts: list[Attempt] = []
        self.strays: list[Outcome] = []
        self._rebased: set[Ref] = set()
        self._remember()

    @property
    def faults(self) -> int:
        """How many mismatches there were."""
        return sum(1 for attempt in self.attempts if attempt.mismatch) + len(self.strays)

    def clean(self, where: str) -> None:
        """Nothing may be reported of objects that nobody touched."""
        for command in (state_drift, plan):
            what = said(command(self._options), self._view)
            for ref, obj in what.objects.items():
                if obj.fields or obj.classes:
                    lines = [f"{f.path} {f.verdict} {f.owner}" for f in obj.fields] or [obj.status]
                    self.strays.append(Outcome(ref, Mismatch(extra=lines), f"{where}, {command.__name__}"))
            for ref, reason in what.unchecked.items():
                self.strays.append(Outcome(ref, Mismatch(other=[reason]), f"{where}, {command.__name__}"))

    def run(self, seed: int, count: int, only: int | None = None, with_plan: int = 3) -> None:
        """Makes ``count`` edits that have an effect, in batches; every ``with_plan``-th is planned as well."""
        number, made, batch = 0, 0, 0
        while made < count:
            attempts: list[Attempt] = []
            used: set[Ref] = set()
            size, tries = min(BATCH, len(self.refs) // 2, count - made + 2), 0
            while len(attempts) < size and tries < 3 * size:
                number, tries = number + 1, tries + 1
                attempt = self._draw(seed, number, used)
                if attempt is not None:
                    used.add(attempt.edit.ref)
                    attempts.append(attempt)
            if only is not None:
                attempts = [attempt for attempt in attempts if attempt.number == only]
                if not attempts and number < only:
                    made += BATCH
                    continue
            batch += 1
            last = made + len(attempts) >= count
            self.attempts += attempts
            self._batch(seed, attempts, plan_too=only is not None or batch % with_plan == 0, apply_over=last)
            made += sum(1 for attempt in attempts if attempt.effect)
            self._say(f"seed {seed}: {made} edits, {self.faults} mismatches")
            if only is not None:
                return

    def _draw(self, seed: int, number: int, used: set[Ref]) -> Attempt | None:
        rng = random.Random(f"{seed}/{number}")
        catalogue = [*edits.EDITS, *controllers.EDITS]
        _, _, make, fits = rng.choices(catalogue, [entry[0] for entry in catalogue])[0]
        kinds: dict[str, list[Ref]] = {}
        for ref in self.refs:
            if ref not in used and fits(self._baseline[ref]):
                kinds.setdefault(ref.kind, []).append(ref)
        if not kinds:
            return None
        for _ in range(TRIES):
            ref = rng.choice(kinds[rng.choice(sorted(kinds))])
            edit = make(ref, self._baseline[ref], self._view.node(ref), rng)
            if edit is not None and self._tools.acceptable(edit):
                return Attempt(number, edit, self._tools.choose(edit, rng))
        return None

    def _forget(self, refs: Iterable[Ref]) -> None:
        """Reads schemas anew after their definitions were edited."""
        for ref in refs:
            if ref.kind == "CustomResourceDefinition":
                spec = self._baseline[ref]["spec"]
                for version in spec["versions"]:
                    self._view.catalogue.forget(f"{spec['group']}/{version['name']}")

    def _batch(self, seed: int, attempts: Sequence[Attempt], *, plan_too: bool, apply_over: bool) -> None:
        def perform(attempt: Attempt) -> Done:
            return self._tools.perform(attempt.edit, attempt.tool, random.Random(f"{seed}/{attempt.number}/tool"))

        with ThreadPoolExecutor(3) as pool:
            for attempt, done in zip(attempts, pool.map(perform, attempts), strict=True):
                attempt.done = done
        report, planned, touched, live = self._asked(plan_too)
        by_ref = {attempt.edit.ref: attempt for attempt in attempts}
        for which, one in (("state drift", report), ("plan", planned)):
            if one is not None:
                self._judge(which, one, by_ref, touched, live)
        if apply_over:
            self._apply_over(by_ref, touched, live)
        self._put_back(touched)
        if apply_over:  # what the apply recorded of a controller is gone now, and that is for the next apply to settle
            apply(self._options)
            self._remember()
        self.clean(f"after batch of edits {attempts[0].number}-{attempts[-1].number}" if attempts else "after nothing")

    def _asked(self, plan_too: bool) -> tuple[Report, Report | None, list[Ref], dict[Ref, Json]]:
        """Reports of a moment in which nothing changed, and what was stored then of the objects that were touched."""
        while True:
            before = self._view.settled(self.refs)
            report = state_drift(self._options)
            planned = plan(self._options) if plan_too else None
            touched = [ref for ref in self.refs if before.get(ref) != self._versions.get(ref)]
            self._forget(touched)
            live = self._view.read(touched)
            if before == self._view.versions(self.refs):
                return report, planned, touched, live

    def _judge(
        self, which: str, report: Report, by_ref: dict[Ref, Attempt], touched: Sequence[Ref], live: dict[Ref, Json]
    ) -> None:
        what = said(report, self._view)
        if what.leaks:
            self.strays.append(Outcome(self.refs[0], Mismatch(other=["a secret value is in the report"]), which))
        for ref in dict.fromkeys([*touched, *what.objects, *by_ref]):
            wanted: list[Expected] = []
            state = "there"
            if ref in touched and ref not in live:
                state = "expired" if expires(self._baseline[ref]) else "gone"
            elif ref in touched and live[ref]["metadata"].get("deletionTimestamp"):
                state = "deleting"
            elif ref in touched:
                wanted = self._expected(ref, live[ref], set(touched) - live.keys())
            mismatch = compare(ref, what, wanted, state, ledger_too=ref not in self._rebased)
            attempt = by_ref.get(ref)
            if attempt is not None and attempt.done is not None:
                silent = attempt.done.ok and attempt.edit.kind in ("re-create", "status", "normalised")
                attempt.effect = attempt.effect or state != "there" or bool(wanted) or silent
            if mismatch and attempt is not None:
                mismatch.other = [f"{line} ({which})" for line in mismatch.other]
                attempt.mismatch = attempt.mismatch or mismatch
            elif mismatch:
                self.strays.append(Outcome(ref, mismatch, which))

    def _apply_over(self, by_ref: dict[Ref, Attempt], touched: list[Ref], live: dict[Ref, Json]) -> None:
        """Applies over the edits: what we declare comes back, and what others added is reported as before."""
        held = [ref for ref in touched if live.get(ref, {}).get("metadata", {}).get("deletionTimestamp")]
        for ref in held:
            self._view.restore(ref, self._baseline[ref])
        applied = apply(self._options)
        refused = [line.message for line in applied.errors]
        report, _, changed, live = self._asked(plan_too=False)
        # A re-apply takes into the record what controllers made of the object: later that is no difference.
        self._rebased.update(changed)
        self._judge("drift after apply", report, by_ref, changed, live)
        for ref in changed:
            wanted = self._expected(ref, live[ref], set(changed) - live.keys()) if ref in live else []
            back = [one for one in wanted if one.verdict == "drifted"]
            if back and not any(ref.name in message for message in refused):
                paths = [one.path for one in back]
                self.strays.append(Outcome(ref, Mismatch(other=[f"apply left {paths}"]), "apply over edits"))
        self._say(f"applied over the edits: {len(refused)} objects refused {refused[:3]}")
        touched[:] = list(dict.fromkeys([*touched, *changed]))

    def _expected(self, ref: Ref, live: Json, gone: set[Ref]) -> list[Expected]:
        # an autoscaler that somebody deleted scales nothing
        scaled = any(_targets(obj, ref) for other, obj in self._declared.items() if other not in gone)
        return expected(self._view.node(ref), self._baseline[ref], live, self._declared[ref], scaled)

    def _put_back(self, touched: Sequence[Ref]) -> None:
        # Definitions first, for their objects; role bindings and secrets last, for what they refer to.
        first = {"CustomResourceDefinition": 0, "Namespace": 0, "ServiceAccount": 1}
        for ref in sorted(touched, key=lambda ref: first.get(ref.kind, 2)):
            self._view.restore(ref, self._baseline[ref])
        self._forget(touched)
        self._remember()

    def _remember(self) -> None:
        while True:
            self._versions = self._view.settled(self.refs)
            known = getattr(self, "_baseline", {})
            stale = [r for r in self.refs if known.get(r, {}).get("metadata", {}).get("resourceVersion")
                     != self._versions.get(r)]  # fmt: skip
            self._baseline: dict[Ref, Json] = {**known, **self._view.read(stale)}
            missing = [ref for ref in self.refs if ref not in self._baseline]
            assert not missing, f"not applied: {missing}"
            if all(self._baseline[r]["metadata"]["resourceVersion"] == self._versions.get(r) for r in self.refs):
                return


def _targets(autoscaler: Json, ref: Ref) -> bool:
    if autoscaler["kind"] != "HorizontalPodAutoscaler":
        return False
    target = autoscaler["spec"]["scaleTargetRef"]
    namespace = autoscaler["metadata"].get("namespace", "default")
    return (target["kind"], target["name"], namespace) == (ref.kind, ref.name, ref.namespace)
