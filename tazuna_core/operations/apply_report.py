"""The report of `apply`: what was found before, field by field, and what the run made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict, OnMerge
from tazuna_core.errors import RefusedError, TazunaError
from tazuna_core.operations.always_sync import always_sync_verdicts
from tazuna_core.operations.apply_options import ApplyOptions
from tazuna_core.operations.applying import Outcome
from tazuna_core.operations.desired import Desired
from tazuna_core.operations.drift import ALWAYS_SYNC
from tazuna_core.operations.plan import Planning
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.manifest import Manifest
from tazuna_core.state.model import Applied

NOT_APPLIED = "not applied: see the errors"
PRUNED = "deleted"
_NAMED_AT_MOST = 5
_PRESENT = frozenset({"unchanged", "live-drifted", "superseded", "moved", "always-sync", "conflict", "modified"})


class AppliedReport:
    """The plan as it stood before the first write, and what became of each object."""

    def __init__(
        self,
        session: Session,
        how: ApplyOptions,
        manifests: Sequence[Manifest],
        stored: Mapping[str, Applied],
        planning: Planning,
        findings: Findings,
    ) -> None:
        self._session = session
        self._how = how
        self._findings = findings
        self._types = {manifest.name: str(manifest.type) for manifest in manifests}
        synced = {manifest.name: manifest for manifest in manifests if manifest.type in ALWAYS_SYNC}
        self._verdicts: dict[str, list[ObjectVerdict]] = {
            name: always_sync_verdicts(synced[name], findings) if name in synced else list(planning.verdicts(name))
            for name in stored
        }
        self._outcomes: dict[str, Outcome] = {}

    def add(self, manifest: str, outcome: Outcome) -> None:
        """Takes note of what became of a manifest's objects."""
        self._outcomes[manifest] = outcome

    def refusals(self, wanted: Mapping[str, Sequence[Desired]]) -> list[TazunaError]:
        """Returns the error of `--on-drift=refuse` where sending ``wanted`` would undo somebody's change."""
        keys = {str(obj.built.key) for objects in wanted.values() for obj in objects}
        meets = [
            str(verdict.key)
            for verdicts in self._verdicts.values()
            for verdict in verdicts
            if str(verdict.key) in keys and _by_hand(verdict)
        ]
        if not meets:
            return []
        more = f" and {len(meets) - _NAMED_AT_MOST} more" if len(meets) > _NAMED_AT_MOST else ""
        return [
            RefusedError(
                f"applying would undo changes made in the cluster: {', '.join(meets[:_NAMED_AT_MOST])}{more}",
                advice="Nothing was applied. Take them into the repository, or overwrite them: --on-drift=overwrite.",
                code="drift",
            )
        ]

    def assembled(self, pruned: Collection[str]) -> Report:
        """Returns the report, with how many objects are confirmed as applied, and how many were written."""
        options, confirmed, written = self._session.options, 0, 0
        for name, verdicts in self._verdicts.items():
            outcome = self._outcomes.get(name, Outcome())
            shown = [self._after(verdict, outcome, pruned) for verdict in verdicts]
            if self._how.only:
                shown = [one for one in shown if str(one.key) in {*outcome.sent, *outcome.failed}]
            self._findings.manifests.append(ManifestVerdicts(name, self._types.get(name, ""), shown))
            known = {str(verdict.key) for verdict in verdicts}
            confirmed += sum(self._confirmed(verdict, outcome) for verdict in verdicts)
            confirmed += sum(key not in known for key in outcome.sent)
            written += sum(sent.action != "unchanged" for sent in outcome.sent.values())
        report = assemble(self._findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)
        return report.model_copy(update={"applied": confirmed, "written": written})

    def _confirmed(self, verdict: ObjectVerdict, outcome: Outcome) -> bool:
        """Whether an object is applied: sent now, or under `--sync` the same as before and there."""
        key = str(verdict.key)
        if key in outcome.sent or key in outcome.left:
            return True
        unsent = self._how.sync and key not in outcome.failed and "built" in verdict.hashes
        same = verdict.hashes.get("built") == verdict.hashes.get("stored")
        return unsent and same and not verdict.unchecked and verdict.status in _PRESENT

    def _after(self, verdict: ObjectVerdict, outcome: Outcome, pruned: Collection[str]) -> ObjectVerdict:
        key = str(verdict.key)
        if key in outcome.sent:
            # what could not be compared before was written now
            fate = self._with_fate(verdict, sent=True)
            status = fate.status if fate.status != "unknown" else "unchanged"
            return replace(fate, unchecked="", message="", status=status)
        if key in pruned:
            return replace(verdict, notes=(*verdict.notes, PRUNED), unchecked="", message="")
        notes = (*verdict.notes, NOT_APPLIED) if key in outcome.failed else verdict.notes
        return replace(self._with_fate(verdict, sent=False), notes=notes)

    def _with_fate(self, verdict: ObjectVerdict, *, sent: bool) -> ObjectVerdict:
        return replace(verdict, fields=tuple(self._fate(field, sent=sent) for field in verdict.fields))

    def _fate(self, change: FieldVerdict, *, sent: bool) -> FieldVerdict:
        if change.verdict not in ("drifted", "conflict", "extra"):
            return change
        undone = sent and (change.verdict != "extra" or bool(self._how.only))
        fate: OnMerge = "reverted" if undone else "kept"
        return replace(change, on_merge=fate)


def _by_hand(verdict: ObjectVerdict) -> bool:
    """Whether sending the object undoes what somebody did: a field, or its deletion.

    What an interrupted run of ours left is nobody's change.
    """
    undone = (field for field in verdict.fields if field.verdict in ("drifted", "conflict"))
    return "missing" in verdict.classes or any(field.origin != "tazuna" for field in undone)
