"""`apply --sync --sync-report`: which commit is in the cluster, whether it differs, how many objects are applied."""

from __future__ import annotations

from pathlib import Path

import orjson

from tazuna_core.build.git import is_clean
from tazuna_core.errors import ClusterError, RefusedError, UsageError
from tazuna_core.operations.drift import state_drift
from tazuna_core.operations.session import Session
from tazuna_core.report.model import Report


class SyncReport:
    """The file and the commit it will name. Made by ``guarded``, before anything is written."""

    def __init__(self, session: Session, path: Path, commit: str) -> None:
        self._session = session
        self._path = path
        self._commit = commit

    @classmethod
    def guarded(cls, session: Session, path: Path, *, allow_dirty: bool) -> SyncReport:
        """Checks that the report can be true (contract, section 2). Raises RefusedError.

        A report inside the work tree makes it dirty, or, committed, names a commit that is no longer the last.
        """
        checkout = session.checkout
        if checkout is None or not checkout.commit:
            raise RefusedError(
                "a sync report names the commit that is applied, and there is none",
                advice="tazuna.yaml must lie in a git repository with a commit.",
                code="no-commit",
            )
        root = checkout.root.resolve()
        if path.resolve().is_relative_to(root):
            raise RefusedError(
                f"the sync report {path} would lie inside the work tree {root}",
                advice="Give a path outside of it; inside, the report itself would make the tree dirty.",
                code="report-in-tree",
            )
        if not allow_dirty and not is_clean(root):
            raise RefusedError(
                f"the work tree {root} has changes that are not committed, so no commit says what would be applied",
                advice="Commit or remove them (`git status`), or give --allow-dirty.",
                code="dirty",
            )
        if not path.resolve().parent.is_dir():
            raise UsageError(f"the folder of {path} does not exist")
        return cls(session, path, checkout.commit)

    def write(self, applied: Report) -> None:
        """Measures drift anew and writes the three keys. Raises ClusterError where not everything could be checked."""
        drift = state_drift(self._session.options)
        if drift.errors or not drift.coverage.complete:
            unchecked = [f"{one.key}: {one.reason}" for one in drift.coverage.unchecked]
            first = [*(line.message for line in drift.errors), *unchecked]
            raise ClusterError(
                f"everything was applied, and drift cannot be measured afterwards: {first[0]}",
                advice=f"{self._path} is not written: what could not be checked is not called clean.",
            )
        content = {
            "repo_commit": self._commit,
            "drift": drift.result == "drifted",
            "applied": applied.applied or 0,
        }
        try:
            self._path.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}") from None
