"""`adopt`: the smallest change of the repository that makes the build say what is live, tried before it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tazuna_core.build.builder import build_all
from tazuna_core.build.git import has_changes, is_ignored
from tazuna_core.build.model import BuiltManifest
from tazuna_core.build.scratch import scratch
from tazuna_core.diff.adopting import Adopting
from tazuna_core.diff.desired import Meaning
from tazuna_core.errors import Place, RefusedError
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.identity import JsonObject
from tazuna_core.operations.adopt_choice import Choice, Wish, agreed, choose, named_verdicts
from tazuna_core.operations.adopt_files import Overlay
from tazuna_core.operations.adopt_kustomize import is_generated
from tazuna_core.operations.adopt_trial import EDITABLE, Goal, Trial, compare, related
from tazuna_core.operations.adopt_tries import Form, Tries
from tazuna_core.operations.adopt_values import values_hint
from tazuna_core.operations.desired import build_settings
from tazuna_core.operations.drift import Comparison, add_exclusions, comparable_manifests, with_state
from tazuna_core.operations.options import Options
from tazuna_core.operations.send import RE_CREATED_KINDS
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import tracked_objects
from tazuna_core.report.assemble import Findings, ManifestVerdicts, assemble
from tazuna_core.report.model import AdoptedFile, Adoption, ErrorLine, Report
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.models_manifest import ManifestType


@dataclass(frozen=True, slots=True)
class AdoptOptions:
    """The flags of `tazuna adopt` (contract, section 2). Without ``keys`` all that persons changed is adopted."""

    keys: tuple[str, ...] = ()
    form: Form | None = None
    write: bool = False
    allow_dirty: bool = False


class _Sides(NamedTuple):
    live: JsonObject
    recorded: JsonObject | None


def adopt(options: Options, how: AdoptOptions) -> Report:
    """Returns the drift that was chosen and the change of the repository that adopts it; ``write`` puts it in place.

    Every change is built in a copy first: each adopted path must say what is live and nothing else may differ. What
    cannot be adopted is left alone with its reason. After writing it is built again, and put back if that differs.
    Raises UsageError for keys that name nothing, RefusedError for files with changes that are not committed.
    """
    session = Session(options)
    findings = session.findings("adopt", ("recorded", "desired", "live"))
    findings.warn(session.spec.notices)
    manifests = {one.name: one for one in comparable_manifests(session.manifests, findings)}
    applied = with_state(session.store.load(manifests), findings)
    tracked = tracked_objects(applied, session.cluster.kinds())
    comparison = Comparison(session, tracked)
    verdicts = named_verdicts(comparison.verdicts(), how.keys)
    choice = Choice()
    for name, found in verdicts.items():
        findings.manifests.append(ManifestVerdicts(name, str(manifests[name].type), found))
        for verdict in found:
            choose(choice, manifests[name], verdict, named=bool(how.keys))
    if not how.keys:
        add_exclusions(session, tracked, findings)
    adopting = _Adopting(session, how, findings, choice)
    live = {
        str(obj.key): _Sides(answer, obj.recorded.answer if obj.recorded else None)
        for objects in tracked.values()
        for obj in objects
        if isinstance(answer := comparison.live.get(obj.ref), dict)
    }
    overlay, goals = adopting.run(live)
    findings.warnings += [_re_creates(goal) for goal in goals if _re_created(goal)]
    if session.checkout is not None:
        new = [path for path in overlay.changed() if overlay.before.get(path) is None]
        findings.warnings += [_ignored(overlay.shown(path)) for path in new if is_ignored(path)]
    written = bool(overlay.changed()) and how.write
    if written:
        adopting.write(overlay, goals)
    for left in choice.left:
        if left.refused:
            where = f"{left.key} at {left.path}" if left.path else left.key
            message, place = f"cannot adopt {where}: {left.message}", Place(left.file, left.line) if left.file else None
            findings.fail(RefusedError(message, advice=left.advice, place=place, code=left.reason))
    report = assemble(findings, show_all=options.all, show_secret_hashes=options.show_secret_hashes)
    files = [
        AdoptedFile(
            path=overlay.shown(path),
            created=overlay.before.get(path) is None,
            keys=tuple(overlay.owners[path]),
            diff=overlay.difference(path),
        )
        for path in overlay.changed()
    ]
    adoption = Adoption(
        written=written,
        git=session.checkout is not None,
        objects=len(goals),
        fields=sum(len(goal.fields) for goal in goals),
        already=choice.already,
        files=tuple(files),
        left=tuple(choice.left),
    )
    return report.model_copy(update={"adoption": adoption})


def _re_created(goal: Goal) -> bool:
    return (goal.wish.key.group, goal.wish.key.kind) in RE_CREATED_KINDS


def _re_creates(goal: Goal) -> ErrorLine:
    message = f"{goal.key} is built otherwise now, so the next apply deletes it and creates it anew"
    return ErrorLine(code="re-created", message=message)


def _ignored(name: str) -> ErrorLine:
    advice = f"Change .gitignore, or add it with `git add --force {name}`."
    return ErrorLine(
        code="ignored",
        message=f"{name} is new and git ignores it, so no commit would hold it",
        advice=advice,
        file=name,
    )


_GENERATED = (
    "generated",
    "a generator of kustomize makes it, and its name from its content",
    "Change the file or literal that it is generated from, or put it back with `tazuna apply --only {key}`.",
)
_NO_KUSTOMIZATION = (
    "no-kustomization",
    "its manifest is a directory, which has no patches",
    "Leave --as out, or give --as yaml.",
)


class _Adopting:
    """The work on one repository."""

    def __init__(self, session: Session, how: AdoptOptions, findings: Findings, choice: Choice) -> None:
        self._session, self._how, self._findings, self._choice = session, how, findings, choice
        checkout = session.checkout
        self._root = (checkout.root if checkout else session.options.file.parent).resolve()
        self._before: Sequence[BuiltManifest] = ()

    def run(self, live: Mapping[str, _Sides]) -> tuple[Overlay, list[Goal]]:
        """Returns the changed files, and what was adopted by them. Nothing is written."""
        wishes = []
        for wish in self._choice.wishes:
            if self._how.form == "kustomize-patch" and wish.manifest.type is ManifestType.DIRECTORY:
                self._choice.leave(wish.key, _NO_KUSTOMIZATION, refused=True)
            elif wish.manifest.type in EDITABLE:
                wishes.append(wish)
            else:
                self._choice.leave(wish.key, values_hint(wish, self._root), refused=wish.named)
        if not wishes:
            return Overlay(self._root), []
        chosen = list({wish.manifest.index: wish.manifest for wish in wishes}.values())
        every = related(flat(self._session.spec.manifests), chosen)
        self._before = self._built(every)
        built = {
            (one.manifest.index, str(obj.key)): obj.data
            for one in self._before
            if one.error is None
            for obj in one.objects
        }
        goals = [goal for wish in wishes if (goal := self._goal(wish, built, live)) is not None]
        if not goals:
            return Overlay(self._root), []
        settings = replace(build_settings(self._session, every, ask_cluster=False), render_anew=True)
        with scratch(every) as copies:
            trial = Trial(copies, self._before, settings)
            return Tries(self._root, self._before, self._how.form, self._choice, trial).settled(goals)

    def write(self, overlay: Overlay, goals: Sequence[Goal]) -> None:
        """Puts the change in place and builds again; all is put back when that is not what was tried.

        Raises RefusedError, also for files that git has no other copy of.
        """
        changed = overlay.changed()
        existing = [path for path in changed if overlay.before.get(path) is not None]
        if self._session.checkout is not None and not self._how.allow_dirty:
            dirty = [overlay.shown(path) for path in existing if has_changes(path)]
            if dirty:
                raise RefusedError(
                    f"{', '.join(dirty)}: there are changes that are not committed",
                    advice="Commit them first, so that `git diff` shows what was adopted, or give --allow-dirty.",
                    code="dirty",
                )
        manifests = self._reading(changed)
        before = [*self._before, *self._built(manifests)]
        overlay.write()
        try:
            settings = build_settings(self._session, manifests)
            after = build_all([one.manifest for one in before], settings)
            problems = compare(before, after, goals)
        except BaseException:
            overlay.put_back()
            raise
        if problems:
            overlay.put_back()
            name, found = next(iter(problems.items()))
            key, message = next(iter(found.items()))
            raise RefusedError(
                f"{key or f'manifest {name!r}'}: {message}",
                advice="All files are as they were. Run it again; did something else change them?",
                code="not-verified",
            )

    def _built(self, manifests: Sequence[Manifest]) -> tuple[BuiltManifest, ...]:
        """Builds manifests; one that fails matters where something of it is to be adopted."""
        return build_all(manifests, build_settings(self._session, manifests)) if manifests else ()

    def _reading(self, files: Sequence[Path]) -> list[Manifest]:
        """Manifests of other types that lie around a changed file and may read it."""
        out = []
        for manifest in flat(self._session.spec.manifests):
            source = manifest.source.resolve()
            folder = source if source.is_dir() else source.parent
            if manifest.type is ManifestType.HELMFILE and any(file.is_relative_to(folder) for file in files):
                out.append(manifest)
        return out

    def _goal(self, wish: Wish, built: Mapping[tuple[int, str], JsonObject], live: Mapping[str, _Sides]) -> Goal | None:
        error = next((one.error for one in self._before if one.manifest.index == wish.manifest.index), None)
        if error is not None:
            if not any(line.message == error.message for line in self._findings.errors):
                self._findings.fail(error)
            return None
        data = built.get((wish.manifest.index, str(wish.key)))
        if data is None:
            why = ("not-declared", "the repository does not declare it like this any more", "Apply first.")
            self._choice.leave(wish.key, why, refused=wish.named)
            return None
        if wish.manifest.type is ManifestType.KUSTOMIZE and is_generated(wish.key):
            self._choice.leave(wish.key, _GENERATED, refused=wish.named)
            return None
        ref = wish.key.ref
        meaning = Meaning(built_in=(ref.api_version, ref.kind) in builtin_kinds())
        adopting = Adopting(self._session.schema(ref), meaning, live[str(wish.key)].live, live[str(wish.key)].recorded)
        fields = agreed(self._choice, wish, data, adopting)
        return Goal(wish, fields, adopting, data, adopting.adopted(data, fields)) if fields else None
