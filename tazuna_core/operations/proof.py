"""Proves what was applied where no record tells: by the live object's hash, today's build, or the recorded commit's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tazuna_core.build.commits import commit_of
from tazuna_core.build.git import is_clean
from tazuna_core.build.model import BuiltManifest
from tazuna_core.cluster.reader import Answer
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.proven import proven_record
from tazuna_core.errors import BuildError, UsageError
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.model import BuiltObject
from tazuna_core.operations.drift import Comparison
from tazuna_core.operations.other_commit import SHOWN, build_commit, work_tree_of
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked
from tazuna_core.state.model import Applied, RecordedObject

How = Literal["live", "build", "commit"]
CHANGED_SECRET = "its values were changed, and its base64 does not let a record tell which were applied"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Proof:
    """What was applied as one object, and how that is known."""

    built: BuiltObject
    how: How


@dataclass(slots=True)
class Proofs:
    """Records by state key of what could be proven, why not of the others, and what to say of whole commits."""

    records: dict[str, RecordedObject] = field(default_factory=dict)
    how: dict[str, How] = field(default_factory=dict)
    unproven: dict[str, str] = field(default_factory=dict)


def prove(
    session: Session, comparison: Comparison, stored: Mapping[str, Applied], built: Sequence[BuiltManifest]
) -> Proofs:
    """Proves what it can of the objects that state knows, that are live, and that no record tells of (verdicts 2).

    ``built`` is today's build. Other commits are built only for what is left after it.
    """
    out = Proofs()
    wanted = {str(obj.key): obj for obj in comparison.unrecorded()}
    found: dict[str, Proof] = {}
    for key, obj in wanted.items():
        live = _object(comparison.live, obj.ref)
        if content_hash(live) == obj.stored_hash:
            found[key] = Proof(BuiltObject(obj.key, _hashed(live)), "live")
    _accept(found, wanted, built, "build")
    for commit, group in _by_commit(wanted, found, stored):
        reason = _prove_at(session, commit, group, found)
        out.unproven.update({key: reason for key in group if key not in found})
    for key, proof in found.items():
        obj = wanted[key]
        synced_at = _synced_at(stored[obj.key.manifest])
        meaning = Meaning(built_in=(obj.ref.api_version, obj.ref.kind) in builtin_kinds())
        subject = comparison.subject(obj, _object(comparison.live, obj.ref))
        record = proven_record(subject, proof.built, meaning, synced_at)
        if record is None:
            out.unproven[key] = CHANGED_SECRET
        else:
            out.records[key], out.how[key] = record, proof.how
    return out


def _accept(found: dict[str, Proof], wanted: Mapping[str, Tracked], built: Iterable[BuiltManifest], how: How) -> None:
    """Each object is accepted by its own hash: what else its commit or manifest holds does not matter."""
    for one in built:
        for obj in one.objects:
            key = str(obj.key)
            if key in wanted and key not in found and obj.content_hash == wanted[key].stored_hash:
                found[key] = Proof(obj, how)


def _by_commit(
    wanted: Mapping[str, Tracked], found: Mapping[str, Proof], stored: Mapping[str, Applied]
) -> Iterator[tuple[str, dict[str, Tracked]]]:
    groups: dict[str, dict[str, Tracked]] = {}
    for key, obj in wanted.items():
        if key not in found:
            state = stored[obj.key.manifest].state
            groups.setdefault(state.git_commit if state else "", {})[key] = obj
    yield from groups.items()


def _prove_at(session: Session, commit: str, wanted: Mapping[str, Tracked], found: dict[str, Proof]) -> str:
    """Adds what the build at a commit proves; returns why the rest is not proven by it."""
    if not commit:
        return "it is not what is built now, and the state names no commit"
    try:
        root = work_tree_of(session).root
        whole = commit_of(root, commit)
        if session.checkout and whole == session.checkout.commit and is_clean(root):
            return f"it is not what its commit {commit[:SHOWN]}, which is checked out, builds to"
        other = build_commit(session, whole, {obj.key.manifest for obj in wanted.values()})
    except (BuildError, UsageError) as error:
        return f"{error.message}{'. ' + error.advice if error.advice else ''}"
    _accept(found, wanted, other.built, "commit")
    failed = [one.error.message for one in other.built if one.error is not None]
    missing = [f"submodule {path} has not got its commit" for path in other.missing]
    return "; ".join([*missing, *failed]) or f"it is not what its commit {commit[:SHOWN]} builds to"


def _object(live: Mapping[ObjectRef, Answer], ref: ObjectRef) -> JsonObject:
    answer = live[ref]
    assert isinstance(answer, dict)  # noqa: S101 - ``unrecorded`` has only those that are there
    return answer


def _hashed(live: JsonObject) -> JsonObject:
    """What of a live object the hash speaks of: all of it but status and the server's metadata."""
    from tazuna_core.objects.canonical import SERVER_FIELDS

    metadata = {key: value for key, value in live["metadata"].items() if key not in SERVER_FIELDS}
    return {**{key: value for key, value in live.items() if key != "status"}, "metadata": metadata}


def _synced_at(applied: Applied) -> str:
    return applied.state.last_synced_at if applied.state else ""
