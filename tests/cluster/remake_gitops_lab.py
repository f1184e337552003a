"""Makes state and snapshot of examples/gitops-lab anew: apply, edits by hand, snapshot, on a real API server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.harness.cluster import LocalCluster

LAB = Path(__file__).resolve().parents[2] / "examples/gitops-lab"
PORT = '[{"op": "add", "path": "/spec/ports/-", "value": {"name": "debug", "port": 9999, "targetPort": 9999}}]'


def main() -> None:
    """Writes ``state/`` and ``cluster.json`` of the lab."""
    shutil.rmtree(LAB / "state", ignore_errors=True)
    with LocalCluster() as cluster:

        def tazuna(*arguments: str) -> None:
            options = ["--kubeconfig", str(cluster.kubeconfig), "--state", "dir:state"]
            subprocess.run([sys.executable, "-m", "tazuna_core.cli.main", *arguments, *options], cwd=LAB, check=True)

        tazuna("apply")
        cluster.kubectl("-n", "gitops-lab", "scale", "deployment/web", "--replicas=5")
        cluster.kubectl("-n", "gitops-lab", "patch", "service/web", "--type=json", "-p", PORT)
        cluster.wait_until(
            "the controller to have seen the new scale",
            lambda: (
                cluster.kubectl("-n", "gitops-lab", "get", "deployment/web", "-o=jsonpath={.status.replicas}").stdout
                == "5"
            ),
        )
        tazuna("snapshot", "--to", "cluster.json")


if __name__ == "__main__":
    main()
