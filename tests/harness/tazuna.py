"""Runs `tazuna` as a user does: a process of its own, a folder, an exit code, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Ran:
    """What one call gave."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> dict[str, Any]:
        """The report, where the call was made with ``-o json``."""
        return dict(orjson.loads(self.stdout))

    def fields(self) -> dict[str, dict[str, Any]]:
        """The fields of a JSON report by ``kind/name path``."""
        return {
            f"{obj['kind']}/{obj['name']} {change['path']}": change
            for manifest in self.json()["manifests"]
            for obj in manifest["objects"]
            for change in obj["fields"]
        }

    def statuses(self) -> dict[str, str]:
        """The status of each listed object of a JSON report by ``kind/name``."""
        objects = [obj for manifest in self.json()["manifests"] for obj in manifest["objects"]]
        return {f"{obj['kind']}/{obj['name']}": obj["status"] for obj in objects}


@dataclass(frozen=True, slots=True)
class Tazuna:
    """`tazuna` in one folder, with one account."""

    folder: Path
    kubeconfig: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str) -> Ran:
        """Runs one command."""
        started = self.start(*arguments)
        stdout, stderr = started.communicate()
        return Ran(started.returncode, stdout, stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts one command and returns at once."""
        options = ["--kubeconfig", str(self.kubeconfig)] if self.kubeconfig else []
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return subprocess.Popen(
            [sys.executable, "-m", "tazuna_core.cli.main", *arguments, *options],
            cwd=self.folder,
            env={**os.environ, "PATH": path, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
