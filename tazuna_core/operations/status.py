"""`status`: whether the objects of the state are ready (format reference, 4)."""

from __future__ import annotations

from tazuna_core.cluster.reader import Answer, Unavailable
from tazuna_core.objects.readiness import not_known_ready_because
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import Tracked, tracked_objects
from tazuna_core.report.text_tables import StatusRow


def status_rows(options: Options) -> tuple[list[str], list[StatusRow]]:
    """Returns the manifests in order, and a row for each object of their state."""
    session = Session(options)
    names = [manifest.name for manifest in session.manifests if manifest.name]
    tracked = tracked_objects(session.store.load(names), session.cluster.kinds())
    live = session.cluster.read({obj.ref: None for objects in tracked.values() for obj in objects})
    rows = [
        _row(manifest, obj, live[obj.ref])
        for manifest, objects in tracked.items()
        for obj in sorted(objects, key=lambda obj: str(obj.key))
    ]
    return names, rows


def _row(manifest: str, obj: Tracked, answer: Answer) -> StatusRow:
    place = (manifest, obj.ref.kind, obj.ref.namespace, obj.ref.name)
    if isinstance(answer, Unavailable):
        status = "Missing" if answer.missing else "Error"
        reason = "" if answer.missing else answer.message or str(answer.reason)
    else:
        reason = not_known_ready_because(answer)
        status = "NotReady" if reason else "Ready"
    return StatusRow(place[0], status, *place[1:], reason)  # type: ignore[arg-type]
