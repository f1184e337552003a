"""`apply --sync --prune`: deletes what state knows and no manifest declares any more, by identity (verdicts 2, 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tazuna_core.errors import TazunaError
from tazuna_core.objects.identity import Identity
from tazuna_core.operations.apply_options import ApplyOptions, Progress
from tazuna_core.operations.remove import Doomed, Remover, in_reverse
from tazuna_core.operations.run_guard import RunGuard
from tazuna_core.operations.save import StateWriter
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked


class Pruning:
    """What one apply prunes: looked at before the first write, deleted after everything else."""

    def __init__(
        self, session: Session, how: ApplyOptions, guard: RunGuard, writer: StateWriter, progress: Progress
    ) -> None:
        self._told = how.prune_with_content
        self._session = session
        self._guard = guard
        self._writer = writer
        self._progress = progress
        self._doomed: list[Doomed] = []
        self._absent: list[Tracked] = []
        self.gone: set[str] = set()
        """State keys of what was deleted, or was gone before."""

    def prepare(
        self, tracked: Mapping[str, Sequence[Tracked]], declared: frozenset[Identity], order: Sequence[str]
    ) -> list[TazunaError]:
        """Looks at what is to be deleted; returns why something must not be.

        An object that any manifest declares is never deleted, nor is one that a later manifest's entry stands for.
        """
        wanted = [
            one for one in in_reverse(tracked, order) if one.ref.identity not in declared and not one.superseded_by
        ]
        if not wanted:
            return []
        self._doomed, self._absent, problems = self._remover().find(wanted)
        self._absent += [
            one for one in in_reverse(tracked, order) if one.superseded_by and one.ref.identity not in declared
        ]
        return problems

    def prune(self) -> list[TazunaError]:
        """Deletes, and takes out of the state what is gone. Returns what went wrong."""
        if not self._doomed and not self._absent:
            return []
        deleted, errors = self._remover().delete(self._doomed)
        gone = [*self._absent, *(one.tracked for one in deleted)]
        for manifest in dict.fromkeys(one.key.manifest for one in gone):
            keys = [str(one.key) for one in gone if one.key.manifest == manifest]
            self.gone.update(keys)
            left = self._writer.current(manifest).hashes().keys() - set(keys)
            declared = {one.name for one in self._session.manifests}
            if not left and manifest not in declared:
                self._writer.drop(manifest)
            else:
                self._writer.update(manifest, {}, keys)
        return errors

    def _remover(self) -> Remover:
        return Remover(self._session.api, self._session.cluster, self._told, self._guard, self._progress)
