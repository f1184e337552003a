"""`state record`: the record of a cluster that the Go CLI or an older version applied, written after proving it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tazuna_core.build.model import BuiltManifest
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import RefusedError
from tazuna_core.operations.desired import build
from tazuna_core.operations.drift import (
    Comparison,
    add_exclusions,
    comparable_manifests,
    warn_of_rules,
    with_state,
)
from tazuna_core.operations.options import Options
from tazuna_core.operations.proof import How, Proofs, prove
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import tracked_objects
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.context_guard import guard_context
from tazuna_core.spec.manifest import Manifest
from tazuna_core.state.model import Applied, Record, RecordedObject

NOT_PROVEN = "not-proven"
_HOW: Mapping[How, str] = {
    "live": "is what was applied, to the last field",
    "build": "proven by today's build",
    "commit": "proven by the build of its commit",
}


def state_record(
    options: Options, context_name: str | None = None, progress: Callable[[str], None] = lambda _line: None
) -> Report:
    """Writes a record of every object that has state and none, as far as it can be proven what was applied.

    Nothing but our own ConfigMaps is written; records that are there stay. What differs from what was applied is
    reported, now and after: a record never blesses a change by hand. What cannot be proven is named and incomplete.
    Raises RefusedError by the context guard, for a snapshot, and for a record of another source.
    """
    session = Session(options, writes_state=True)
    guard_context(session.spec, session.cluster.name or context_name)
    _ = session.api
    findings = session.findings("state record", ("recorded", "desired", "live"))
    findings.warn(session.spec.notices)
    compared = comparable_manifests(session.manifests, findings)
    stored = with_state(session.store.load(manifest.name for manifest in compared), findings)
    for name, applied in stored.items():
        _require_ours(session, name, applied)
    tracked = tracked_objects(stored, session.cluster.kinds())
    comparison = Comparison(session, tracked)
    proofs = prove(session, comparison, stored, _built_now(session, comparison, compared, findings))
    for name, applied in stored.items():
        _save(session, applied, {k: v for k, v in proofs.records.items() if v.key.manifest == name})
    for key, how in proofs.how.items():
        progress(f"recorded    {key} ({_HOW[how]})")
    for key, reason in proofs.unproven.items():
        progress(f"not proven  {key} ({reason})")
    comparison.proven.update(proofs.records)
    types = {manifest.name: str(manifest.type) for manifest in compared}
    for name, verdicts in comparison.verdicts().items():
        found = [_said(verdict, proofs) for verdict in verdicts]
        findings.manifests.append(ManifestVerdicts(name, types.get(name, ""), found))
    add_exclusions(session, tracked, findings)
    warn_of_rules(session, findings)
    return assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)


def _require_ours(session: Session, name: str, applied: Applied) -> None:
    record = applied.record
    if record is not None and record.source != session.source:
        raise RefusedError(
            f"manifest '{name}' was applied from {record.source}, and this is {session.source}",
            code="other-source",
            advice="Record it from there, or take it over with `tazuna apply --take-over`.",
        )


def _built_now(
    session: Session, comparison: Comparison, manifests: list[Manifest], findings: Findings
) -> tuple[BuiltManifest, ...]:
    """Builds the manifests that have something to prove. One that fails is a warning: its commit may prove it yet."""
    names = {obj.key.manifest for obj in comparison.unrecorded()}
    scratch = replace(findings, errors=[])
    built = build(session, [manifest for manifest in manifests if manifest.name in names], scratch)
    findings.warnings.extend(scratch.errors)
    return built


def _save(session: Session, applied: Applied, proven: Mapping[str, RecordedObject]) -> None:
    if not proven or applied.state is None:
        return
    before = dict(applied.record.objects) if applied.record else {}
    now = session.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    record = Record(applied.manifest, session.source, applied.state.git_commit, now, {**before, **proven})
    session.store.save_record(applied, record)


def _said(verdict: ObjectVerdict, proofs: Proofs) -> ObjectVerdict:
    reason = proofs.unproven.get(str(verdict.key))
    if reason is None or not verdict.unchecked:
        return verdict
    return replace(verdict, unchecked=NOT_PROVEN, message=f"not recorded: {reason}")
