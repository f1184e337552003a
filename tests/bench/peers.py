"""What the timings share: the corpus as a repository, kubectl and ours as whole processes, medians in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.mutations import repository
from tests.harness.cluster import KUBECTL, LocalCluster

ROOT = Path(__file__).parents[2]
Run = Callable[[], float]


@dataclass
class Field:
    """A cluster and a repository in which both programs do the same work."""

    cluster: LocalCluster
    folder: Path
    names: Sequence[str]

    def __post_init__(self) -> None:
        self.file = repository.write(self.folder, self.names)
        self._environment = {
            "HOME": str(self.cluster.folder / "home"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "PATH": f"{KUBECTL.parent}{os.pathsep}{os.defpath}",
            "KUBECONFIG": str(self.cluster.kubeconfig),
            "PYTHONPATH": str(ROOT),
        }

    @property
    def files(self) -> list[str]:
        """The rendered manifests as kubectl's arguments."""
        names = [repository.OWN_NAME, *self.names]
        return [word for name in names for word in ("-f", str(self.folder / name / "all.yaml"))]

    def tazuna(self, *arguments: str, allowed: Sequence[int] = (0,)) -> Run:
        """Our program, as a whole process."""
        command = [sys.executable, "-m", "tazuna_core.cli.main", "--file-path", str(self.file), *arguments]
        return lambda: self._seconds(command, allowed)

    def python(self, code: str) -> Callable[[], tuple[float, str]]:
        """A whole Python process, with what it printed."""

        def run() -> tuple[float, str]:
            start = time.perf_counter()
            done = self._run([sys.executable, "-c", code, str(self.file), str(self.folder / "cache")], (0,))
            return time.perf_counter() - start, done.stdout

        return run

    def kubectl(self, *arguments: str, allowed: Sequence[int] = (0,)) -> Run:
        """kubectl over all manifests, as a whole process."""
        return lambda: self._seconds([str(KUBECTL), *arguments, *self.files], allowed)

    def _seconds(self, command: Sequence[str], allowed: Sequence[int]) -> float:
        start = time.perf_counter()
        self._run(command, allowed)
        return time.perf_counter() - start

    def _run(self, command: Sequence[str], allowed: Sequence[int]) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, env=self._environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode not in allowed:
            raise SystemExit(f"{' '.join(command)[:200]}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return done


def in_turn(rounds: int, runs: Mapping[str, Run]) -> dict[str, list[float]]:
    """Seconds of each run, measured in turn so that what else the machine does meets all alike."""
    out: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            out[name].append(run())
    return out


def show(seconds: Mapping[str, Sequence[float]], peer: str) -> None:
    """Prints medians, and how many times the peer's each is."""
    base = statistics.median(seconds[peer])
    for name, values in seconds.items():
        middle = statistics.median(values)
        ratio = "" if name == peer else f"   {base / middle:6.1f} times as fast"
        print(f"  {name:34} {middle:8.2f} s  ({min(values):.2f} to {max(values):.2f}){ratio}")
