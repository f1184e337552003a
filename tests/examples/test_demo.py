"""The examples run as their readers run them, and say what the README says they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_tells_its_story_without_a_cluster() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/gitops-lab/demo.py")],
        env={"PATH": "/nonexistent", "HOME": "/nonexistent"},  # no program, no kubeconfig, no cache is needed
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "spec.replicas: 3 -> 5   (kubectl/scale, time unknown)" in lines
    (shown,) = re.findall(r"```\n(Manifest: .*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert {line.strip() for line in shown.splitlines()} <= set(lines)
    assert any(line.startswith("spec.ports[port=9999,protocol=TCP]: (absent) -> ") for line in lines)
    assert any(line.startswith("spec.replicas: 3 -> 4, live: 5") and "[conflict" in line for line in lines)
    assert [line for line in lines if line.startswith("# Exit code")] == [
        "# Exit code 1: there is drift, and --fail-on-drift was given.",
        "# Exit code 1: the change in git meets one made by hand.",
        "# Exit code 0.",
    ]
