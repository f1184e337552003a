"""`state diff`: what the repository builds to against what was applied, by content hash. Live objects are not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tazuna_core import tracing
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.cluster.reader import Kinds
from tazuna_core.diff.moves import moved_from, moved_to
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.objects.identity import Identity, StateKey
from tazuna_core.operations.always_sync import always_sync_verdicts
from tazuna_core.operations.desired import Desired, build, desired_objects, stored_states, warn_of_superseded
from tazuna_core.operations.drift import ALWAYS_SYNC
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import ManifestVerdicts, assemble
from tazuna_core.report.model import Report, Skipped
from tazuna_core.state.model import Applied


def state_diff(options: Options) -> Report:
    """Compares the build of every selected manifest with its state and record; secret providers are never called."""
    session = Session(options)
    findings = session.findings("state diff", ("recorded", "desired"))
    findings.warn(session.spec.notices)
    named = [manifest for manifest in session.manifests if manifest.name]
    findings.skipped += [
        Skipped(manifest=str(manifest.place), reason="unnamed") for manifest in session.manifests if not manifest.name
    ]
    stored = stored_states(session, [manifest.name for manifest in named], findings)
    synced = {manifest.name: manifest for manifest in named if manifest.type in ALWAYS_SYNC}
    built = build(session, [manifest for manifest in named if manifest.name not in synced], findings)
    kinds = known_kinds(obj.data for one in built for obj in one.objects)
    desired = desired_objects(built, kinds)
    warn_of_superseded(desired, findings)
    moves = _moves(desired, stored, kinds)
    failed = {one.manifest.name for one in built if one.error is not None}
    types = {manifest.name: str(manifest.type) for manifest in named}
    for name, applied in stored.items():
        if name in failed:
            verdicts = not_built(applied)
        elif name in synced:
            verdicts = always_sync_verdicts(synced[name], findings)
        else:
            with tracing.span(f"compare {name}"):
                verdicts = list(_verdicts(desired.get(name, ()), applied, moves, kinds))
        findings.manifests.append(ManifestVerdicts(name, types.get(name, ""), verdicts))
    return assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)


class _Moves(NamedTuple):
    """Where each object is declared now, and the key of the state that stands for one that is declared elsewhere."""

    now: Mapping[Identity, StateKey]
    before: Mapping[Identity, StateKey]


def _moves(desired: Mapping[str, Sequence[Desired]], stored: Mapping[str, Applied], kinds: Kinds) -> _Moves:
    every = [obj for objects in desired.values() for obj in objects]
    built = {str(obj.built.key) for obj in every}
    old = (StateKey.parse(text) for applied in stored.values() for text in applied.hashes() if text not in built)
    return _Moves(
        {obj.ref.identity: obj.built.key for obj in every if not obj.superseded_by},
        {kinds.effective(key.ref).identity: key for key in old},
    )


def not_built(applied: Applied) -> list[ObjectVerdict]:
    """Returns what can be said of a manifest that does not build: nothing, of each of its objects."""
    return [
        ObjectVerdict(StateKey.parse(key), "unknown", hashes={"stored": stored}, method="built", unchecked="not-built")
        for key, stored in applied.hashes().items()
    ]


def compare_hashes(key: StateKey, built: str, stored: str | None) -> ObjectVerdict:
    """Says what the hashes of a built object say: added, modified, unchanged."""
    if stored is None:
        return ObjectVerdict(key, "added", frozenset({"added"}), {"built": built}, method="hash")
    if stored == built:
        return ObjectVerdict(key, "unchanged", hashes={"stored": stored, "built": built}, method="hash")
    return ObjectVerdict(key, "modified", frozenset({"modified"}), {"stored": stored, "built": built}, method="hash")


def _verdicts(desired: Sequence[Desired], applied: Applied, moves: _Moves, kinds: Kinds) -> Iterable[ObjectVerdict]:
    hashes = applied.hashes()
    keys = {str(obj.built.key) for obj in desired}
    for obj in desired:
        if obj.superseded_by:
            yield ObjectVerdict(obj.built.key, "superseded", hashes={"built": obj.built.content_hash}, method="hash")
        else:
            verdict = compare_hashes(obj.built.key, obj.built.content_hash, hashes.get(str(obj.built.key)))
            before = moves.before.get(obj.ref.identity) if verdict.status == "added" else None
            yield replace(verdict, notes=(moved_from(before, obj.built.key),)) if before else verdict
    for text, stored in hashes.items():
        if text in keys:
            continue
        key = StateKey.parse(text)
        now = moves.now.get(kinds.effective(key.ref).identity)
        if now is not None:
            yield ObjectVerdict(key, "moved", hashes={"stored": stored}, method="hash", notes=(moved_to(key, now),))
        else:
            yield ObjectVerdict(key, "removed", frozenset({"removed"}), {"stored": stored}, method="hash")
