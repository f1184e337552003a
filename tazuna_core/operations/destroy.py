"""`destroy`: deletes the objects of our state, those alone, in reverse order (format reference, 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import RefusedError, TazunaError
from tazuna_core.operations.apply_options import Progress
from tazuna_core.operations.desired import stored_states
from tazuna_core.operations.lease import ApplyLease
from tazuna_core.operations.options import Options
from tazuna_core.operations.remove import Doomed, Remover, in_reverse
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.save import StateWriter
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked, tracked_objects
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.context_guard import guard_context
from tazuna_core.spec.manifest import flat
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.spec.order import layers
from tazuna_core.state.model import Applied

DELETED, GONE_BEFORE, LEFT = "deleted", "already gone from the cluster", "not deleted: see the errors"


@dataclass(frozen=True, slots=True)
class DestroyOptions:
    """What `destroy` may be told beside the global options."""

    executable: bool
    """TAZUNA_DESTROY_EXECUTABLE=true: without it nothing is done."""
    confirmed: Callable[[Sequence[Doomed]], bool]
    prune_with_content: tuple[str, ...] = ()
    break_lock: bool = False
    context_name: str | None = None


def destroy(options: Options, how: DestroyOptions, progress: Progress = lambda _line: None) -> Report:
    """Deletes what state knows of the selected manifests.

    Raises RefusedError, before anything is written, without TAZUNA_DESTROY_EXECUTABLE=true, in a context that
    tazuna.yaml does not allow, for manifests of another source, without a yes, and where an object would take along
    what is not in our state.
    """
    if not how.executable:
        raise RefusedError(
            "destroy does nothing without TAZUNA_DESTROY_EXECUTABLE=true",
            advice="Set it in the environment of this one call.",
            code="destroy",
        )
    session = Session(options)
    guard_context(session.spec, session.cluster.name or how.context_name)
    findings = session.findings("destroy", ("recorded", "live"))
    findings.warn(session.spec.notices)
    session.require_tags()
    order = [one.name for layer in layers(session.spec.manifests, options.tags) for one in flat(layer) if one.name]
    api = session.api
    with ApplyLease(api, break_lock=how.break_lock) as lease:
        guard = RunGuard(lease)
        with guard.on_signals():
            _destroy(session, how, order, findings, guard, progress)
    return assemble(findings, show_all=True, show_secret_hashes=options.show_secret_hashes)


def _destroy(
    session: Session,
    how: DestroyOptions,
    order: Sequence[str],
    findings: Findings,
    guard: RunGuard,
    progress: Progress,
) -> None:
    stored = stored_states(session, order, findings)
    _require_source(session, stored, order)
    tracked = tracked_objects(stored, session.cluster.kinds())
    for name, more in _further_secrets(session, stored, findings).items():
        known = {one.ref.identity for one in tracked[name]}
        tracked[name] += [one for one in more if one.ref.identity not in known]
    every = in_reverse(tracked, order)
    remover = Remover(session.api, session.cluster, how.prune_with_content, guard, progress)
    doomed, absent, problems = remover.find([one for one in every if not one.superseded_by])
    if problems:
        for problem in problems:
            findings.fail(problem)
        return
    if doomed and not how.confirmed(doomed):
        raise RefusedError("nothing was deleted: nobody said yes", code="destroy", advice="--force does not ask.")
    deleted, errors = remover.delete(doomed)
    gone = {str(one.key) for one in [*absent, *(one.tracked for one in deleted)]}
    if not errors:
        gone |= {str(one.key) for one in every if one.superseded_by}
    _forget(StateWriter(session, stored), stored, gone, findings)
    for error in errors:
        findings.fail(error)
    was_there = {str(one.key) for one in deleted}
    for name, objects in tracked.items():
        verdicts = [_verdict(one, gone, was_there) for one in objects]
        findings.manifests.append(ManifestVerdicts(name, "", verdicts))


def _further_secrets(session: Session, stored: Mapping[str, Applied], findings: Findings) -> dict[str, list[Tracked]]:
    """Returns the Secrets of further outputs of genesissecret manifests: applied like the first, and in no state.

    No provider is asked. What somebody else applied under their names is refused like everything else.
    """
    found: dict[str, list[Tracked]] = {}
    kinds = session.cluster.kinds()
    for manifest in session.manifests:
        if manifest.type is ManifestType.GENESIS_SECRET and manifest.name:
            from tazuna_core.build.genesis_secret import further_names, names_only

            try:
                applied = stored[manifest.name].state is not None or not names_only(manifest)
                keys = further_names(manifest) if applied else ()
            except TazunaError as error:
                findings.fail(error)
                continue
            found[manifest.name] = [Tracked(key, kinds.effective(key.ref), "", None) for key in keys]
    return found


def _forget(writer: StateWriter, stored: Mapping[str, Applied], gone: set[str], findings: Findings) -> None:
    """Takes what is gone out of the state; a state without entries goes."""
    for name, applied in stored.items():
        keys = applied.hashes().keys()
        try:
            if keys and keys <= gone:
                writer.drop(name)
            elif keys & gone:
                writer.update(name, {}, keys & gone)
        except TazunaError as error:
            findings.fail(error)


def _verdict(one: Tracked, gone: set[str], was_there: set[str]) -> ObjectVerdict:
    key = str(one.key)
    note = DELETED if key in was_there else GONE_BEFORE if key in gone else LEFT
    classes = frozenset({"removed"} if key in was_there else ())
    return ObjectVerdict(
        one.key,
        "removed" if key in gone else "unchanged",
        classes,  # type: ignore[arg-type]
        {"stored": one.stored_hash} if one.stored_hash else {},
        notes=(note,),
    )


def _require_source(session: Session, stored: Mapping[str, Applied], order: Sequence[str]) -> None:
    for name in order:
        record = stored[name].record
        if record is not None and record.source != session.source:
            raise RefusedError(
                f"manifest '{name}' was applied from {record.source}, and this is {session.source}",
                code="other-source",
                advice="Destroy it from there.",
            )
