"""`state list`: what state and record know."""

from __future__ import annotations

from tazuna_core.objects.identity import StateKey
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.text_tables import StateTable


def state_tables(options: Options) -> list[StateTable]:
    """Returns a table for each manifest of tazuna.yaml that has a name, in its order."""
    session = Session(options)
    stored = session.store.load(manifest.name for manifest in session.manifests if manifest.name)
    return [
        StateTable(
            manifest=name,
            entries=sorted((StateKey.parse(key), content_hash) for key, content_hash in applied.hashes().items()),
            last_synced=applied.state.last_synced_at if applied.state else "",
            git_commit=applied.state.git_commit if applied.state else "",
        )
        for name, applied in stored.items()
    ]
