"""Times reading and hashing against bare PyYAML, JSON and SHA-256: `python -m tests.bench.load_and_hash`."""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from tazuna_core.objects.manifest_objects import load_objects

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


class BareLoader(yaml.CSafeLoader):
    """PyYAML as it comes, but for `=`, which it resolves to a tag that it can't construct (C71)."""


BareLoader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


def ours(text: bytes) -> int:
    return sum(len(built.content_hash) for built in load_objects(text, "f.yaml", "m").objects)


def bare(text: bytes) -> int:
    documents = list(yaml.load_all(text, Loader=BareLoader))
    return sum(len(hashlib.sha256(json.dumps(data).encode()).hexdigest()) for data in documents)


def seconds(run: Callable[[bytes], int], text: bytes) -> float:
    gc.collect()
    start = time.perf_counter()
    run(text)
    return time.perf_counter() - start


def main() -> int:
    """Prints both times and their ratio, medians of pairs measured in turn."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, nargs="?", default=CORPUS / "kube-prometheus", help="a kustomization")
    arguments.add_argument("--rounds", type=int, default=7)
    options = arguments.parse_args()
    if not options.folder.is_dir():
        print(f"{options.folder} is not there; name a folder with a kustomization.yaml", file=sys.stderr)
        return 2
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    text = subprocess.run([kubectl, "kustomize", options.folder], capture_output=True, check=True).stdout
    pairs = [(seconds(ours, text), seconds(bare, text)) for _ in range(options.rounds)]
    print(f"{options.folder.name}: {len(text):,} bytes, {options.rounds} rounds")
    print(f"  load and hash  {statistics.median(pair[0] for pair in pairs) * 1000:7.0f} ms")
    print(f"  bare peer      {statistics.median(pair[1] for pair in pairs) * 1000:7.0f} ms")
    print(f"  ratio          {statistics.median(a / b for a, b in pairs):7.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
