"""Random edits of a real cluster, sixty of them: drift and plan name exactly what was changed and by whom."""

from __future__ import annotations

from pathlib import Path

from tests.bench.mutations import repository
from tests.bench.mutations.bench import Bench
from tests.bench.mutations.table import details, table
from tests.harness.cluster import LocalCluster

SEED = 4
BUNDLES = [name for name in ("ingress-nginx", "metallb", "metrics-server") if name in repository.bundles()]
"""Of the corpus, where it is there; the bench's own objects hold every kind that people edit."""


def test_every_edit_is_found_at_its_path_with_its_manager(fresh_cluster: LocalCluster, tmp_path: Path) -> None:
    bench = Bench(fresh_cluster, tmp_path, BUNDLES)
    bench.clean("after apply")
    bench.run(SEED, 60)
    print(table(bench.attempts))
    assert list(details(SEED, bench.attempts, bench.strays, ",".join(BUNDLES))) == []
    assert sum(attempt.effect for attempt in bench.attempts) >= 60
