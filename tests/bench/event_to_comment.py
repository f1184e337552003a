"""From the event to the comment, part by part, for all add-ons: `python -m tests.bench.event_to_comment`.

The environment is warm. A peer in the same run: `kubectl diff --server-side` of one add-on, which writes no comment.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.action.run_act import warm_environment
from tests.github.fake_github import FakeGitHub
from tests.harness.cluster import KUBECTL, LocalCluster
from tests.harness.corpus import ROOT, bundles, repository
from tests.harness.tazuna import Tazuna

PARTS = {
    "build the manifests": ("tazuna_core.operations.plan", "build"),
    "read state and record": ("tazuna_core.operations.plan", "stored_states"),
    "look for values that change by themselves": ("tazuna_core.operations.plan", "unstable_paths"),
    "read the cluster and compare": ("tazuna_core.operations.plan", "plan"),
    "assemble the report": ("tazuna_core.operations.plan", "assemble"),
    "write JSON, HTML and markdown": ("entrypoints.step", "_write_files"),
    "write the summary": ("entrypoints.step", "append_summary"),
    "comment": ("entrypoints.step", "Publisher.publish"),
}
"""Functions, in the order in which they are called; one that others lie in counts without them."""
OUTER = "read the cluster and compare"
INSIDE = (*list(PARTS)[:3], "assemble the report")


def child() -> int:
    """Runs the action's program with a clock around each part; the times go to the file TIMES."""
    spent: dict[str, float] = {}
    started = time.perf_counter()
    for module in ("entrypoints.main", *{module for module, _ in PARTS.values()}):
        importlib.import_module(module)
    spent["import the program"] = time.perf_counter() - started
    for part, (module, name) in PARTS.items():
        holder: Any = sys.modules[module]
        *outer, last = name.split(".")
        for one in outer:
            holder = getattr(holder, one)
        setattr(holder, last, _timed(getattr(holder, last), part, spent))
    times, total = os.environ.pop("TIMES"), time.perf_counter()
    code = int(sys.modules["entrypoints.main"].main())
    spent["everything"] = time.perf_counter() - total + spent["import the program"]
    Path(times).write_text(json.dumps(spent))
    return code


def _timed(run: Callable[..., Any], part: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return run(*arguments, **named)
        finally:
            spent[part] = spent.get(part, 0.0) + time.perf_counter() - started

    return timed


def upgrade(repo: Path) -> None:
    """The pull request: every image one patch release on."""
    for path in repo.rglob("*.yaml"):
        text = path.read_text()
        new = re.sub(r"(image: \S+:v?\d+\.\d+\.)(\d+)", lambda found: f"{found[1]}{int(found[2]) + 1}", text)
        if new != text:
            path.write_text(new)


def event(repo: Path, kubeconfig: Path, github: FakeGitHub, scratch: Path) -> Mapping[str, float]:
    """One run of the action's program on the pull request; what each part took."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repo, capture_output=True, text=True, check=True
    ).stdout.strip()
    scratch.mkdir()
    pull = {"number": 7, "head": {"sha": head, "repo": {"full_name": "octo-org/gitops"}}, "base": {"sha": "0" * 40}}
    (scratch / "event.json").write_text(json.dumps({"pull_request": pull}))
    github.pulls.pop(7, None)
    github.add_pull(7, head)
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(scratch.parent),
        "TIMES": str(scratch / "times.json"),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(scratch / "event.json"),
        "GITHUB_WORKSPACE": str(repo),
        "GITHUB_SHA": head,
        "GITHUB_OUTPUT": str(scratch / "output"),
        "GITHUB_STEP_SUMMARY": str(scratch / "summary"),
        "RUNNER_TEMP": str(scratch),
        "TAZUNA_INPUT_GITHUB_TOKEN": github.token,
        "TAZUNA_INPUT_KUBECONFIG": str(kubeconfig),
        **github.environment(),
        "PYTHONPATH": str(ROOT),
    }
    (scratch / "output").touch()
    command = [sys.executable, "-m", "tests.bench.event_to_comment", "--child"]
    done = subprocess.run(command, cwd=repo, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or not github.comments[7]:
        raise SystemExit(f"exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    spent: dict[str, float] = json.loads((scratch / "times.json").read_text())
    spent[OUTER] -= sum(spent.get(part, 0.0) for part in INSIDE)
    return spent


def start(scratch: Path) -> tuple[float, float]:
    """Seconds until the program is loaded in the action's own environment: first without compiled files, then with."""
    python = warm_environment() / "bin" / "python"
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import entrypoints.main, tazuna_core.operations.plan"
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        subprocess.run([python, "-I", "-X", f"pycache_prefix={scratch / 'pycache'}", "-c", code], check=True)
        seconds.append(time.perf_counter() - began)
    return seconds[0], seconds[1]


def main() -> int:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    if options.child:
        return child()
    names = bundles()
    with tempfile.TemporaryDirectory() as temporary, LocalCluster() as cluster, FakeGitHub() as github:
        scratch = Path(temporary)
        repo = repository(scratch / "repo", names)
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
        subprocess.run([*git, "init", "--quiet"], cwd=repo, check=True)
        tazuna = Tazuna(repo, cluster.kubeconfig, {"XDG_CACHE_HOME": str(scratch / "cache")})
        applied = tazuna("apply")
        if applied.code:
            raise SystemExit(applied.stderr[-3000:])
        upgrade(repo)
        subprocess.run([*git, "add", "--all"], cwd=repo, check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "upgrade"], cwd=repo, check=True)
        runs = [event(repo, cluster.kubeconfig, github, scratch / f"run-{n}") for n in range(options.rounds)]
        first, second = start(scratch)
        body = github.comments[7][0]["body"]
        peer = time.perf_counter()
        folder = repo / (names[-1] if names else "apps/web")
        flag = "-k" if names else "-f"
        diff = [KUBECTL, "diff", "--server-side", "--force-conflicts", "--field-manager=tazuna", flag, folder]
        subprocess.run(
            diff, env={"KUBECONFIG": str(cluster.kubeconfig), "PATH": os.defpath}, capture_output=True, check=False
        )
        peer = time.perf_counter() - peer
    best = min(runs, key=lambda run: run["everything"])
    print(f"{len(names)} add-ons, comment of {len(body.encode()):,} bytes: {body.splitlines()[1]}")
    for part in ("import the program", *PARTS):
        seconds = best.get(part, 0.0)
        print(f"  {part:<44} {seconds:7.2f} s  {100 * seconds / best['everything']:4.0f} %")
    rest = best["everything"] - sum(best.get(part, 0.0) for part in ("import the program", *PARTS))
    print(f"  {'the rest':<44} {rest:7.2f} s  {100 * rest / best['everything']:4.0f} %")
    print(f"  {'everything, the best of ' + str(len(runs)):<44} {best['everything']:7.2f} s")
    every = ", ".join(f"{run['everything']:.2f}" for run in runs)
    print(f"  {'all runs':<44} {every} s")
    print(f"  {'load it in a new environment, then again':<44} {first:7.2f} s  {second:.2f} s")
    print(f"  {f'peer: kubectl diff of {folder.name} alone':<44} {peer:7.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
