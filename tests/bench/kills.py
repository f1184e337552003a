"""Bootstraps real add-ons on an empty server, twice, then kills applies at random moments and starts pairs at once.

Run as `python -m tests.bench.kills`; `--kills`, `--pairs`, `--seed`. Every kill falls into an apply that changes every
object. Exit code 1, with the seed, when a state is torn, a run does not converge, anything is reported at the end, or a
pair does anything but "one applies, the other is refused".
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson

from tests.harness.cluster import LocalCluster
from tests.harness.corpus import bundles, repository
from tests.harness.interrupting import Kills, kill_at_random, torn
from tests.harness.tazuna import Ran, Tazuna

AFTER = {"metrics-server": ["kube-prometheus"], "argo-cd": ["cert-manager", "ingress-nginx"]}
"""metrics-server declares two objects that kube-prometheus declares too, so it comes later; the rest is an example."""
FIRST = "calico"


def main() -> int:
    """Runs all of it and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--only", nargs="*", default=[], help="add-ons; all without it")
    given = parser.parse_args()
    names = tuple(name for name in bundles() if not given.only or name in given.only)
    print(f"seed {given.seed}, {given.kills} kills, {len(names)} add-ons", flush=True)
    with tempfile.TemporaryDirectory() as scratch, LocalCluster() as cluster:
        folder = repository(Path(scratch) / "repo", names)
        tazuna = Tazuna(folder, cluster.kubeconfig, {"XDG_CACHE_HOME": f"{scratch}/cache"})
        return _run(tazuna, cluster, names, given.kills, given.seed) or _race(tazuna, cluster, names, given.pairs)


def _run(tazuna: Tazuna, cluster: LocalCluster, names: tuple[str, ...], count: int, seed: int) -> int:
    _change(tazuna.folder, names, 0)
    seconds = _bootstrap(tazuna)
    kills, chance = Kills(seed), random.Random(seed)
    for number in range(1, count + 1):
        _change(tazuna.folder, names, number)
        kill_at_random(tazuna, seconds, chance, kills)
        if number % 10 == 0:
            print(f"  after {number}: {kills.killed} killed", flush=True)
        wrong = torn(cluster)
        if wrong:
            print(f"torn after kill {number}: {wrong}")
            return 1
    final = tazuna("apply", "--break-lock", "--no-wait", "-o", "json")
    print(f"{kills.killed} killed at {min(kills.moments, default=0)} to {max(kills.moments, default=0)} s, "
          f"{kills.ended} had ended; then {_said(final)}")  # fmt: skip
    results = [(command, tazuna(*command, "--fail-on-drift")) for command in (("state", "drift"), ("state", "diff"))]
    for command, ran in results:
        print(f"{' '.join(command)}: exit code {ran.code}, {ran.stdout.splitlines()[0] if ran.stdout else ran.stderr}")
    return 0 if final.code == 0 and not any(ran.code for _, ran in results) else 1


def _race(tazuna: Tazuna, cluster: LocalCluster, names: tuple[str, ...], count: int) -> int:
    """Starts two applies at once, again and again: one applies, the other is refused and names it."""
    seen: Counter[str] = Counter()
    for number in range(count):
        _change(tazuna.folder, names, 1000 + number)
        both = [tazuna.start("apply", "--no-wait", "-o", "json") for _ in range(2)]
        answers = sorted((one.communicate()[0], one.returncode) for one in both)
        codes = sorted(code for _, code in answers)
        named = any('"code": "lock"' in stdout and "is applying since" in stdout for stdout, _ in answers)
        seen[f"{codes}{'' if named else ', no holder named'}"] += 1
        if torn(cluster):
            print(f"torn by pair {number}: {torn(cluster)}")
            return 1
    drift = tazuna("state", "drift", "--fail-on-drift")
    print(f"{count} pairs, exit codes: {dict(seen)}; drift: exit code {drift.code}")
    return 0 if not count or (list(seen) == ["[0, 5]"] and drift.code == 0) else 1


def _bootstrap(tazuna: Tazuna) -> float:
    """Applies twice; the second must change nothing. Returns the seconds of the second."""
    started = time.monotonic()
    first = tazuna("apply", "--no-wait", "-o", "json")
    print(f"bootstrap: {_said(first)}, {time.monotonic() - started:.1f} s", flush=True)
    started = time.monotonic()
    second = tazuna("apply", "--no-wait", "-o", "json")
    seconds = time.monotonic() - started
    changed = [line for line in second.stderr.splitlines() if line.startswith(("created", "configured", "re-created"))]
    print(f"again: {_said(second)}, {len(changed)} changes, {seconds:.1f} s", flush=True)
    for line in changed[:10]:
        print(f"  {line}")
    return seconds


def _change(folder: Path, names: tuple[str, ...], number: int) -> None:
    """Wraps each add-on in a kustomization that gives every object another annotation."""
    manifests = []
    for name in names:
        wrapped = folder / f"{name}-{number % 2}"
        wrapped.mkdir(exist_ok=True)
        content = {"resources": [f"../{name}"], "commonAnnotations": {"example.com/run": str(number)}}
        (wrapped / "kustomization.yaml").write_bytes(orjson.dumps(content))
        after = [] if name == FIRST or FIRST not in names else [FIRST]
        after += [one for one in AFTER.get(name, []) if one in names]
        manifests.append({"name": name, "type": "kustomize", "path": wrapped.name, "dependsOn": after})
    (folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))


def _said(ran: Ran) -> str:
    if ran.code:
        errors = [error["message"] for error in ran.json()["errors"]] if ran.stdout.startswith("{") else [ran.stderr]
        return f"exit code {ran.code}: {errors[:3]}"
    return f"exit code 0, {ran.json()['applied']} applied"


if __name__ == "__main__":
    sys.exit(main())
