"""The GitOps lab in a minute: a plan and a drift report, with no cluster and nothing to install but this package."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LAB = Path(__file__).resolve().parent
OFFLINE = ["--state", "dir:state", "--cluster", "snapshot:cluster.json"]


def say(text: str) -> None:
    """Prints a paragraph of the story."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n# {text}", flush=True)


def tazuna(folder: Path, *arguments: str) -> int:
    """Runs `tazuna` in ``folder`` as a user would, showing the command line; returns its exit code."""
    print(f"$ tazuna {shlex.join(arguments)}", flush=True)
    program = [sys.executable, "-m", "tazuna_core.cli.main"]
    return subprocess.run([*program, *arguments, *OFFLINE], cwd=folder, check=False).returncode


def main() -> int:
    """Tells the story; returns 0 when every exit code is the one that the contract gives."""
    codes = []
    with tempfile.TemporaryDirectory() as temporary:
        lab = Path(temporary) / "gitops-lab"
        shutil.copytree(LAB, lab)

        say("Has anybody touched the cluster? Recorded against live; nothing is built.")
        codes.append(tazuna(lab, "state", "drift", "--fail-on-drift"))
        say(f"Exit code {codes[-1]}: there is drift, and --fail-on-drift was given.")

        say("A pull request sets replicas to 4. What would merging do, and what does it meet?")
        deployment = lab / "apps/web/deployment.yaml"
        deployment.write_text(deployment.read_text().replace("replicas: 3", "replicas: 4"))
        codes.append(tazuna(lab, "plan", "--fail-on-drift"))
        say(f"Exit code {codes[-1]}: the change in git meets one made by hand.")

        say("The same without --fail-on-drift: the work was done, so the code is 0. Errors are never 0 or 1.")
        codes.append(tazuna(lab, "state", "diff"))
        say(f"Exit code {codes[-1]}.")
    return 0 if codes == [1, 1, 0] else 1


if __name__ == "__main__":
    sys.exit(main())
