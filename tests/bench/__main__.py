"""Runs every benchmark that prints a ratio to a peer, one after the other: `make bench`."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = ("load_and_hash", "drift_vs_kubectl", "apply_vs_kubectl")
"""Longer runs have commands of their own: `python -m tests.bench.mutations`, `.fuzz_oracle`, `.kills`,
`.event_to_comment`."""


def main() -> int:
    """Returns the worst exit code."""
    codes = []
    for name in BENCHMARKS:
        print(f"\n== {name}", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
