"""`apply`: every manifest in its order, sent, awaited, tested, saved: what happened is what is written and reported."""

from __future__ import annotations

from collections.abc import Sequence

from tazuna_core.errors import UsageError
from tazuna_core.operations.apply_options import DEFAULTS, ApplyOptions, PrintValues, Progress, require_consistent
from tazuna_core.operations.apply_run import ApplyRun
from tazuna_core.operations.apply_work import Work
from tazuna_core.operations.cluster_tests import Prepared, prepared
from tazuna_core.operations.desired import build
from tazuna_core.operations.lease import ApplyLease
from tazuna_core.operations.options import Options
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.session import Session
from tazuna_core.operations.sync_report import SyncReport
from tazuna_core.operations.valid import invalid_objects
from tazuna_core.report.assemble import Findings, assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.check import require_unique_names
from tazuna_core.spec.context_guard import guard_context
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.spec.order import layers

__all__ = ["ApplyOptions", "apply"]


def apply(
    options: Options,
    how: ApplyOptions = DEFAULTS,
    progress: Progress = lambda _line: None,
    print_values: PrintValues | None = None,
) -> Report:
    """Applies the selected manifests.

    ``print_values`` prints what genesissecret manifests with a `stdout` output have fetched; without it nothing does.

    Guards, building and validation come before the first write, the lock before state and cluster are read. An object
    that fails is an error of the report and does not stop its layer; later layers do not start. State and record are
    saved a manifest at a time.
    """
    require_consistent(how)
    session = Session(options, writes_state=True)
    guard_context(session.spec, session.cluster.name or how.context_name)
    require_unique_names(session.spec)
    sync_report = SyncReport.guarded(session, how.sync_report, allow_dirty=how.allow_dirty) if how.sync_report else None
    findings = session.findings("apply", ("recorded", "desired", "live"))
    findings.warn(session.spec.notices)
    work = _work(session, how, findings)
    if findings.errors:
        return assemble(findings)
    _validate(session, work, findings)
    if findings.errors:
        return assemble(findings)
    api = session.api
    with ApplyLease(api, break_lock=how.break_lock) as lease:
        guard = RunGuard(lease)
        with guard.on_signals():
            run = ApplyRun(session, how, work, guard, findings, progress, print_values)
            run.go()
    report = run.report()
    if sync_report is not None and not report.errors:
        sync_report.write(report)
    return report


def _work(session: Session, how: ApplyOptions, findings: Findings) -> Work:
    """Builds what is applied; to prune, everything, for what any manifest declares is not to be deleted."""
    tags = session.options.tags
    session.require_tags()
    ordered = [tuple(flat(layer)) for layer in layers(session.spec.manifests, tags)]
    manifests = [manifest for layer in ordered for manifest in layer]
    _require_names(manifests)
    others: list[Manifest] = []
    if how.prune and tags:
        every = (manifest for layer in layers(session.spec.manifests) for manifest in flat(layer))
        others = [manifest for manifest in every if manifest not in manifests]
    fetched = [manifest for manifest in others if manifest.type is ManifestType.GENESIS_SECRET]
    built = build(session, [*(one for one in others if one not in fetched), *manifests], findings)
    return Work(ordered, built, tuple(fetched), *_tests(session, how, manifests, findings))


def _tests(
    session: Session, how: ApplyOptions, manifests: Sequence[Manifest], findings: Findings
) -> tuple[dict[str, list[Prepared]], list[Prepared]]:
    """Returns the tests of each manifest and those of the root, none for single objects that are put back."""
    if how.only:
        return {}, []
    of_manifests = {}
    root: list[Prepared] = []
    try:
        for one in manifests:
            of_manifests[one.name] = prepared(one.tests, f"manifest '{one.name}'", one.place)
        root = prepared(session.spec.spec.tests, "spec.tests", session.spec.place("spec", "tests"))
    except UsageError as error:
        findings.fail(error)
    return of_manifests, root


def _require_names(manifests: Sequence[Manifest]) -> None:
    for manifest in manifests:
        if not manifest.name:
            raise UsageError(
                "this manifest has no name, so no state can be kept of it",
                place=manifest.place,
                advice="`tazuna check --fix` names it.",
            )


def _validate(session: Session, work: Work, findings: Findings) -> None:
    """Finds what the server would refuse before anything is written."""
    for error in invalid_objects(session, work.selected()):
        findings.fail(error)
