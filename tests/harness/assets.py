"""Where the test cluster's three programs lie; `python -m tests.harness.assets` builds them and prints the folder."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

from tests.harness.build_cache import cached_folder
from tests.harness.go_tools import BuildError, linker_flags, run_go

MODULE = Path(__file__).parents[1] / "cluster" / "assets"
PROGRAMS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
}


def cluster_assets() -> Path:
    """The folder that holds etcd, kube-apiserver and kube-controller-manager.

    It is `KUBEBUILDER_ASSETS` if that is set, else built once from the Go module in `tests/cluster/assets`
    (some seven minutes on two cores). Raises BuildError if a program is missing or can't be built.
    """
    configured = os.environ.get("KUBEBUILDER_ASSETS")
    if configured:
        missing = [name for name in PROGRAMS if not os.access(Path(configured) / name, os.X_OK)]
        if missing:
            raise BuildError(
                f"KUBEBUILDER_ASSETS={configured} lacks {', '.join(missing)}; "
                "unset it to have all three programs built from source"
            )
        return Path(configured)
    version = kubernetes_version()
    major, minor, _ = version.split(".")
    base = "k8s.io/component-base/version"
    linker = linker_flags([f"{base}.gitVersion=v{version}", f"{base}.gitMajor={major}", f"{base}.gitMinor={minor}"])

    def build(folder: Path) -> None:
        for program, package in PROGRAMS.items():
            run_go(["build", "-trimpath", linker, "-o", str(folder / program), package], cwd=MODULE)

    digest = hashlib.sha256(linker.encode())
    for name in ("go.mod", "go.sum"):
        digest.update((MODULE / name).read_bytes())
    return cached_folder(f"cluster/{version}-{digest.hexdigest()[:12]}", build)


def kubernetes_version() -> str:
    """The Kubernetes release that go.mod asks for, as `1.36.3`."""
    found = re.search(r"^\s*k8s\.io/kubernetes v(\d+\.\d+\.\d+)", (MODULE / "go.mod").read_text(), re.MULTILINE)
    if not found:
        raise BuildError(f"{MODULE / 'go.mod'} requires no release of k8s.io/kubernetes")
    return found[1]


def main() -> int:
    """Prints the folder, or why there is none."""
    try:
        print(cluster_assets())
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
