"""Edits a cluster at random and holds drift and plan to the truth: `python -m tests.bench.mutations --seed 1`."""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.mutations import repository
from tests.bench.mutations.bench import Bench
from tests.bench.mutations.table import details, table
from tests.harness.cluster import LocalCluster


def main() -> int:
    """Prints the table for all seeds; 1 when report and truth differ anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--edits", type=int, default=400, help="edits with an effect, for each seed")
    parser.add_argument("--bundles", default=",".join(repository.bundles()), help="of the corpus, by comma")
    parser.add_argument("--only", type=int, help="the one edit of this number")
    parser.add_argument("--clean", action="store_true", help="first hold that nothing is reported of what is untouched")
    parser.add_argument("--refused", action="store_true", help="say what the server refused")
    options = parser.parse_args()
    names = [name for name in options.bundles.split(",") if name]
    attempts, faults = [], 0
    with LocalCluster() as cluster, tempfile.TemporaryDirectory() as folder:
        bench = Bench(cluster, Path(folder), names)
        bench.clean("after apply")
        if options.clean:
            time.sleep(60)
            bench.clean("after a minute")
            cluster.restart_api_server()
            bench.clean("after a restart of the API server")
            print(f"untouched: {len(bench.refs)} objects, {bench.faults} reported, by drift and plan")
        for seed in options.seed:
            print(f"seed {seed}", flush=True)
            try:
                bench.run(seed, options.edits, options.only)
            finally:
                for line in details(seed, bench.attempts, bench.strays, options.bundles):
                    print(line, flush=True)
            attempts += bench.attempts
            faults += bench.faults
            bench.attempts, bench.strays = [], []
    print(table(attempts))
    print(table(attempts, by_tool=True))
    if options.refused:
        said = collections.Counter(
            f"{a.tool}: {a.done.said[:160]}" for a in attempts if a.done is not None and not a.done.ok
        )
        print("\n".join(f"{count:4} {text}" for text, count in said.most_common(30)))
    print(f"seeds {options.seed}: {sum(a.effect for a in attempts)} edits, {faults} mismatches")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
