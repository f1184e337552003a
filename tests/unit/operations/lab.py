"""A repository, a state and a snapshot in a folder: commands run on them as users run them, without a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tazuna_core.cluster.snapshot import Snapshot, SnapshotKind, SnapshotList, SnapshotUnavailable
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.operations.diff import state_diff
from tazuna_core.operations.drift import state_drift
from tazuna_core.operations.options import Options
from tazuna_core.operations.plan import plan
from tazuna_core.report.model import ObjectReport, Report
from tazuna_core.state.folder_store import FolderConfigMaps
from tazuna_core.state.model import ManifestState, Record, RecordedObject, Source
from tazuna_core.state.store import StateStore
from tests.unit.diff.factories import live, recorded

SYNCED = "2026-11-30T10:00:00Z"


class Lab:
    """One folder. Manifests are named by their first key; objects are as built."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = StateStore(FolderConfigMaps(folder / "state"))

    def repository(self, **manifests: Iterable[JsonObject]) -> None:
        """Writes tazuna.yaml and what its manifests build to."""
        lines = ["apiVersion: tazuna.pepabo.com/v1", "kind: Tazuna", "spec:", "  manifests:"]
        for name, objects in manifests.items():
            lines += [f"    - name: {name}", "      type: directory", f"      path: {name}"]
            (self._folder / name).mkdir(exist_ok=True)
            text = "\n---\n".join(json.dumps(obj) for obj in objects)
            (self._folder / name / "all.yaml").write_text(text)
        (self._folder / "tazuna.yaml").write_text("\n".join(lines))

    def applied(self, manifest: str, *objects: JsonObject, record: bool = True, **more: Any) -> None:
        """Writes state and record of a manifest as an apply of ``objects`` leaves them."""
        found: dict[str, RecordedObject] = {}
        for built in objects:
            key = StateKey.of(manifest, built)
            found[str(key)] = recorded(built, key=key, **more)
        hashes = {key: obj.content_hash for key, obj in found.items()}
        kept = Record(manifest, Source("", "tazuna.yaml", ""), "", SYNCED, found) if record else None
        self._store.save(self._store.load([manifest])[manifest], ManifestState(manifest, hashes, "", SYNCED), kept)

    def cluster(
        self,
        *objects: JsonObject,
        unavailable: Mapping[tuple[str, str, str, str], str] | None = None,
        lists: Iterable[JsonObject] = (),
        kinds: Iterable[tuple[str, str, str, bool]] = (),
    ) -> None:
        """Writes the snapshot. ``unavailable`` has reasons by apiVersion, kind, namespace, name."""
        missing = tuple(
            SnapshotUnavailable(apiVersion=ref[0], kind=ref[1], namespace=ref[2], name=ref[3], reason=reason)  # type: ignore[arg-type]
            for ref, reason in (unavailable or {}).items()
        )
        snapshot = Snapshot(
            schemaVersion=1,
            kind="ClusterSnapshot",
            objects=tuple(obj if "uid" in obj["metadata"] else live(obj) for obj in objects),
            unavailable=missing,
            lists=tuple(SnapshotList(**one) for one in lists),
            kinds=tuple(SnapshotKind(apiVersion=a, kind=k, plural=p, namespaced=n) for a, k, p, n in kinds),
        )
        (self._folder / "cluster.json").write_bytes(snapshot.to_json())
        (self._folder / "state").mkdir(exist_ok=True)

    @property
    def options(self) -> Options:
        return Options(
            file=self._folder / "tazuna.yaml",
            cluster=f"snapshot:{self._folder / 'cluster.json'}",
            state=f"dir:{self._folder / 'state'}",
            all=True,
        )

    def drift(self) -> Report:
        return state_drift(self.options)

    def plan(self) -> Report:
        return plan(self.options)

    def diff(self) -> Report:
        return state_diff(self.options)


def objects_of(report: Report) -> dict[str, ObjectReport]:
    """The objects of a report by kind and name."""
    return {f"{one.kind}/{one.name}": one for manifest in report.manifests for one in manifest.objects}


def statuses(report: Report) -> dict[str, str]:
    return {name: one.status for name, one in objects_of(report).items()}
