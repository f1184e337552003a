"""`plan --against base:REF`: two builds compared, this work tree's and that of the commit it went out from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tazuna_core.build.commits import MissingCommitError, commit_of, fetch_commit, merge_base
from tazuna_core.build.model import BuiltManifest
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.cluster.reader import Kinds
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.moves import moved_to
from tazuna_core.diff.two_builds import Builds, compare_builds
from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import BuildError, UsageError
from tazuna_core.objects.builtin_schema import builtin_kinds, builtin_schema
from tazuna_core.objects.crd_schema import schemas_of_crd
from tazuna_core.objects.identity import Identity
from tazuna_core.objects.schema import ANY, ANY_OBJECT, Schema
from tazuna_core.operations.always_sync import always_sync_verdicts
from tazuna_core.operations.desired import Desired, build, desired_objects, warn_of_superseded
from tazuna_core.operations.drift import ALWAYS_SYNC
from tazuna_core.operations.options import Options
from tazuna_core.operations.other_commit import SHOWN, BuiltCommit, build_commit, work_tree_of
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import ErrorLine, Report, Skipped


def base_plan(options: Options, ref: str, *, fetch: bool = False) -> Report:
    """Returns what merging the work tree into ``ref`` would change of what is built. Needs no cluster and no state.

    Compared is the build of the merge base, so that what ``ref`` gained since is no change of ours; it stands on the
    report's side ``recorded``. ``fetch`` lets a commit that a shallow clone lacks be fetched, once. Raises UsageError
    where it cannot be had.
    """
    session = Session(options)
    findings = session.findings("plan", ("recorded", "desired"))
    findings.warn(session.spec.notices)
    base = _base(session, ref, findings, fetch=fetch)
    findings.target = findings.target.model_copy(update={"base": base})
    named = [manifest for manifest in session.manifests if manifest.name]
    findings.skipped += [
        Skipped(manifest=str(manifest.place), reason="unnamed") for manifest in session.manifests if not manifest.name
    ]
    synced = {manifest.name: manifest for manifest in named if manifest.type in ALWAYS_SYNC}
    after = build(session, [m for m in named if m.name not in synced], findings, ask_cluster=False)
    before = build_commit(session, base, ask_cluster=False)
    for one in before.built:
        if one.error is not None:
            findings.fail(one.error)
    findings.warnings += [
        ErrorLine(code="missing-submodule", message=f"submodule {path} has not got its commit of {base[:SHOWN]}")
        for path in before.missing
    ]
    comparing = _Comparing(before, after)
    warn_of_superseded(comparing.after, findings)
    types = {one.manifest.name: str(one.manifest.type) for one in (*before.built, *after)}
    for name in dict.fromkeys([*(manifest.name for manifest in named), *types]):
        if name in synced:
            verdicts = always_sync_verdicts(synced[name], findings)
            types[name] = str(synced[name].type)
        else:
            verdicts = list(comparing.verdicts(name))
        findings.manifests.append(ManifestVerdicts(name, types[name], verdicts))
    return assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)


def _base(session: Session, ref: str, findings: Findings, *, fetch: bool) -> str:
    checkout = work_tree_of(session)
    if fetch:
        with contextlib.suppress(MissingCommitError):
            commit_of(checkout.root, ref)
            fetch = False
        with contextlib.suppress(BuildError):  # what is still missing is said below
            if fetch:
                fetch_commit(checkout.root, ref)
    try:
        commit = commit_of(checkout.root, ref)
    except MissingCommitError as error:
        raise UsageError(error.message, advice=error.advice, code=error.code) from None
    base = merge_base(checkout.root, commit, checkout.commit)
    if not base:
        message = (
            f"this clone's history does not tell where it left {ref}, so it is compared with {commit[:SHOWN]} itself"
        )
        findings.warnings.append(ErrorLine(code="no-merge-base", message=message, advice="Use `fetch-depth: 0`."))
    return base or commit


class _Comparing:
    """The objects of two builds, matched by identity: a manifest or a version that changed is a move, not a loss."""

    def __init__(self, before: BuiltCommit, after: Sequence[BuiltManifest]) -> None:
        objects = [obj.data for one in (*before.built, *after) for obj in one.objects]
        kinds: Kinds = known_kinds(objects)
        self.before = desired_objects(before.built, kinds)
        self.after = desired_objects(after, kinds)
        self._failed = {one.manifest.name for one in (*before.built, *after) if one.error is not None}
        self._was, self._is = _by_identity(self.before), _by_identity(self.after)
        self._schemas: dict[tuple[str, str], Schema] = {}
        for data in objects:
            if data.get("kind") == "CustomResourceDefinition":
                self._schemas.update(schemas_of_crd(data))

    def verdicts(self, manifest: str) -> Iterator[ObjectVerdict]:
        for obj in self.after.get(manifest, ()):
            yield self._of(obj, manifest)
        for obj in self.before.get(manifest, ()):
            now = self._is.get(obj.ref.identity)
            hashes = {"stored": obj.built.content_hash}
            if obj.superseded_by or (now is not None and now.built.key.manifest == manifest):
                continue
            if manifest in self._failed:
                yield _not_built(obj)
            elif now is None:
                yield ObjectVerdict(obj.built.key, "removed", frozenset({"removed"}), hashes, method="built")
            else:
                note = moved_to(obj.built.key, now.built.key)
                yield ObjectVerdict(obj.built.key, "moved", hashes=hashes, method="built", notes=(note,))

    def _of(self, obj: Desired, manifest: str) -> ObjectVerdict:
        key, hashes = obj.built.key, {"built": obj.built.content_hash}
        if obj.superseded_by:
            note = f"declared by manifest '{obj.superseded_by}' as well, which is applied later"
            return ObjectVerdict(key, "superseded", hashes=hashes, method="built", notes=(note,))
        if not obj.ref.name:
            message = "an object with generateName cannot be compared"
            return ObjectVerdict(key, "unknown", hashes=hashes, unchecked="generate-name", message=message)
        was = self._was.get(obj.ref.identity)
        if was is None and manifest in self._failed:
            return _not_built(obj)
        if was is None:
            return ObjectVerdict(key, "added", frozenset({"added"}), hashes, method="built")
        kind = (obj.ref.api_version, obj.ref.kind)
        schema = builtin_schema(*kind) or self._schemas.get(kind) or ANY
        return compare_builds(
            Builds(
                obj.ref,
                was.built,
                obj.built,
                ANY_OBJECT if schema is ANY else schema,
                Meaning(built_in=kind in builtin_kinds()),
            )
        )


def _by_identity(desired: Mapping[str, Sequence[Desired]]) -> dict[Identity, Desired]:
    every = (obj for objects in desired.values() for obj in objects)
    return {obj.ref.identity: obj for obj in every if obj.ref.name and not obj.superseded_by}


def _not_built(obj: Desired) -> ObjectVerdict:
    verdict = ObjectVerdict(obj.built.key, "unknown", method="built", unchecked="not-built")
    return replace(verdict, message="its manifest does not build at both commits")
