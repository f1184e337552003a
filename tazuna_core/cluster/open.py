"""What ``--cluster`` means: an API server, or a snapshot file."""

from __future__ import annotations

from pathlib import Path

from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.reader import ClusterReader
from tazuna_core.errors import UsageError

_SNAPSHOT = "snapshot:"


def open_cluster(
    cluster: str = "kube",
    *,
    kubeconfig: Path | None = None,
    context: str | None = None,
    cache_directory: Path | None = None,
) -> ClusterReader:
    """Returns the reader for ``kube`` or ``snapshot:PATH``; sends no request yet.

    ``cache_directory`` keeps schemas between runs; None keeps nothing. Raises UsageError for another word or a broken
    snapshot, ClusterError for a kubeconfig that cannot be used.
    """
    if cluster == "kube":
        return KubeReader(ApiServer.open(kubeconfig, context), cache_directory)
    if cluster.startswith(_SNAPSHOT) and len(cluster) > len(_SNAPSHOT):
        from tazuna_core.cluster.snapshot import SnapshotReader

        return SnapshotReader.open(Path(cluster.removeprefix(_SNAPSHOT)))
    raise UsageError(f"'{cluster}' is no cluster", advice="--cluster is kube or snapshot:PATH.")
