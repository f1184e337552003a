"""Times `apply` next to `kubectl apply --server-side`: `python -m tests.bench.apply_vs_kubectl`."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.mutations import repository
from tests.bench.peers import Field, in_turn, show
from tests.harness.cluster import LocalCluster

KUBECTL = ("apply", "--server-side", "--force-conflicts")


def first(names: Sequence[str], ours: bool) -> float:
    """Seconds until everything is in a new cluster; kubectl is run again while it misses kinds of new CRDs."""
    with LocalCluster() as cluster, tempfile.TemporaryDirectory() as folder:
        field = Field(cluster, Path(folder), names)
        start = time.perf_counter()
        if ours:
            field.tazuna("apply", "--no-wait")()
        else:
            field.kubectl(*KUBECTL, allowed=(0, 1))()
            field.kubectl(*KUBECTL)()
        return time.perf_counter() - start


def main() -> int:
    """Prints medians of interleaved rounds: into new clusters, and again over what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bundles", default=",".join(repository.bundles()))
    options = parser.parse_args()
    names = [name for name in options.bundles.split(",") if name]
    print(f"{len(names)} bundles, {options.rounds} rounds\nfirst apply")
    runs = {
        "kubectl apply --server-side, twice": lambda: first(names, ours=False),
        "tazuna apply": lambda: first(names, ours=True),
    }
    show(in_turn(options.rounds, runs), "kubectl apply --server-side, twice")
    with LocalCluster() as cluster, tempfile.TemporaryDirectory() as folder:
        field = Field(cluster, Path(folder), names)
        field.tazuna("apply", "--no-wait")()
        again = {
            "kubectl apply --server-side": field.kubectl(*KUBECTL),
            "tazuna apply": field.tazuna("apply", "--no-wait"),
        }
        print("apply again")
        show(in_turn(options.rounds, again), "kubectl apply --server-side")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
