"""Times `state drift` and `plan` next to `kubectl diff --server-side`: `python -m tests.bench.drift_vs_kubectl`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.mutations import repository
from tests.bench.peers import Field, in_turn, show
from tests.harness.cluster import LocalCluster

PLAN = """
import sys, time
from pathlib import Path
from tazuna_core.operations import plan as module
from tazuna_core.operations.options import Options
spent, build = [], module.build
def timed(*given):
    start = time.perf_counter()
    built = build(*given)
    spent.append(time.perf_counter() - start)
    return built
module.build = timed
report = module.plan(Options(file=Path(sys.argv[1]), cache_directory=Path(sys.argv[2]) / "tazuna"))
assert report.result == "clean", report.counts
print(sum(spent))
"""
"""`plan` as a process that says how long it built."""


def main() -> int:
    """Prints medians of interleaved rounds over the whole corpus, all of it in sync."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bundles", default=",".join(repository.bundles()))
    options = parser.parse_args()
    with LocalCluster() as cluster, tempfile.TemporaryDirectory() as folder:
        field = Field(cluster, Path(folder), [name for name in options.bundles.split(",") if name])
        field.tazuna("apply", "--no-wait")()
        plan = field.python(PLAN)

        def without_building() -> float:
            seconds, printed = plan()
            return seconds - float(printed)

        ours = ("diff", "--server-side", "--field-manager=tazuna", "--force-conflicts", "--concurrency=8")
        runs = {
            "kubectl diff --server-side": field.kubectl(*ours, allowed=(0, 1)),
            "tazuna state drift": field.tazuna("state", "drift"),
            "tazuna plan, without building": without_building,
            "tazuna plan": field.tazuna("plan"),
        }
        in_turn(1, runs)  # both keep what the server publishes
        print(f"{len(field.names)} bundles, {options.rounds} rounds")
        show(in_turn(options.rounds, runs), "kubectl diff --server-side")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
