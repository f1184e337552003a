"""Builds the manifests as they were at another commit; errors speak of that commit, never of a temporary folder."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tazuna_core.build.commits import files_of
from tazuna_core.build.git import Checkout
from tazuna_core.build.model import BuiltManifest
from tazuna_core.errors import BuildError, Place, TazunaError, UsageError
from tazuna_core.objects.model import Notice
from tazuna_core.operations.desired import build
from tazuna_core.operations.drift import ALWAYS_SYNC
from tazuna_core.operations.session import Session
from tazuna_core.spec.manifest import Manifest

SHOWN = 12
"""Digits of a commit in a sentence."""


@dataclass(frozen=True, slots=True)
class BuiltCommit:
    """What a commit builds to. ``missing`` names submodules that could not be filled, ``synced`` what is not built."""

    commit: str
    built: tuple[BuiltManifest, ...]
    synced: tuple[Manifest, ...]
    missing: tuple[str, ...]


def work_tree_of(session: Session) -> Checkout:
    """Returns the work tree that tazuna.yaml lies in. Raises UsageError where there is none."""
    checkout = session.checkout
    inside = checkout is not None and session.options.file.resolve().is_relative_to(checkout.root.resolve())
    if checkout is None or not checkout.commit or not inside:
        raise UsageError(
            f"{session.options.file} lies in no git work tree, so no other commit of it can be built",
            advice="Run this in a clone, with git installed. Git refuses folders of other users: see `safe.directory`.",
        )
    return checkout


def build_commit(
    session: Session, commit: str, names: Collection[str] | None = None, *, ask_cluster: bool = True
) -> BuiltCommit:
    """Builds what ``session`` selects (of it, the manifests ``names``) at a commit that is there.

    A manifest that fails carries its error. Raises BuildError where the commit holds no usable tazuna.yaml.
    """
    checkout = work_tree_of(session)
    file = session.options.file.resolve()
    with files_of(checkout, commit) as exported:
        place = exported.folder / file.relative_to(checkout.root.resolve())
        at = _At(commit, exported.folder)
        if not place.is_file():
            raise BuildError(f"commit {commit[:SHOWN]} has no {at.inside(place)}", code="no-such-file")
        other = Session(replace(session.options, file=place))
        other.take_cluster_of(session)
        findings = session.findings("build", ())
        try:
            chosen = [m for m in other.manifests if m.name and (names is None or m.name in names)]
            built = build(other, [m for m in chosen if m.type not in ALWAYS_SYNC], findings, ask_cluster=ask_cluster)
        except TazunaError as error:
            raise at.error(error) from None
        return BuiltCommit(
            commit,
            tuple(at.manifest(one) for one in built),
            tuple(manifest for manifest in chosen if manifest.type in ALWAYS_SYNC),
            exported.missing,
        )


@dataclass(frozen=True, slots=True)
class _At:
    """Puts sentences about files of the temporary folder into words about the commit."""

    commit: str
    folder: Path

    def inside(self, path: Path) -> str:
        return str(path.relative_to(self.folder))

    def text(self, text: str) -> str:
        return text.replace(f"{self.folder}/", "").replace(str(self.folder), ".")

    def place(self, place: Place | None) -> Place | None:
        return place and replace(place, file=self.text(place.file))

    def error(self, error: TazunaError) -> BuildError:
        where = f"{self.place(error.place)}: " if error.place else ""
        message = f"at commit {self.commit[:SHOWN]}: {where}{self.text(error.message)}"
        return BuildError(message, advice=self.text(error.advice), code=error.code)

    def manifest(self, built: BuiltManifest) -> BuiltManifest:
        return BuiltManifest(
            built.manifest,
            tuple(replace(obj, place=self.place(obj.place)) for obj in built.objects),
            tuple(Notice(n.code, self.text(n.message), self.place(n.place)) for n in built.notices),
            self.error(built.error) if built.error else None,
        )
