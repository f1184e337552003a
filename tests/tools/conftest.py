"""Fixtures that put real programs on PATH; one that cannot be had fails the test, nothing is skipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.compat.oracle import oracle_program
from tests.harness.go_tools import go_tool
from tests.harness.registry import registry_program

OnPath = Callable[..., None]


@pytest.fixture(scope="session", autouse=True)
def programs() -> Mapping[str, Path]:
    """The programs of this folder's tests, and the oracle: found before a test changes the home they are cached in."""
    oracle_program()
    registry_program()
    return {name: go_tool(name) for name in ("helm", "helm3", "helmfile", "kustomize", "oras")}


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch, programs: Mapping[str, Path]) -> OnPath:
    """Puts programs (by name, or folders) on PATH, and leaves of the rest only the system's."""

    def put(*wanted: str | Path) -> None:
        folders = [str(one if isinstance(one, Path) else programs[one].parent) for one in wanted]
        monkeypatch.setenv("PATH", os.pathsep.join([*folders, "/usr/bin", "/bin"]))

    return put


@pytest.fixture(params=["helm", "helm3"])
def helm(request: pytest.FixtureRequest, on_path: OnPath, programs: Mapping[str, Path]) -> Path:
    """helm 4, then helm 3; the only programs on PATH beside the system's."""
    on_path(request.param)
    return programs[request.param]


@pytest.fixture(autouse=True)
def home(
    programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty home, so that a test sees what a build writes there."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    for name in [name for name in os.environ if name.startswith(("XDG_", "HELM_", "DOCKER_", "KUBECONFIG"))]:
        monkeypatch.delenv(name)
    return folder
