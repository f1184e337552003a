"""A git repository with a tazuna.yaml, for tests that go back in its history."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
ORIGIN = "https://example.com/team/repository.git"


def git(folder: Path, *arguments: str) -> str:
    """Runs git and returns what it printed."""
    done = subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def start(folder: Path) -> None:
    """Makes a repository that says where everybody clones it from."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", ORIGIN)


def commit(folder: Path, manifests: Mapping[str, Sequence[Mapping[str, Any]]], message: str = "a commit") -> str:
    """Writes directory manifests with these objects, in this order, commits all there is, and returns the commit."""
    listed = [{"name": name, "type": "directory", "path": f"{name}.json"} for name in manifests]
    (folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": listed}}))
    for name, objects in manifests.items():
        (folder / f"{name}.json").write_bytes(
            orjson.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        )
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "HEAD")


def clone(folder: Path, target: Path, *options: str) -> Path:
    """Clones a repository, and says that the clone came from where everybody clones it."""
    git(folder, "clone", "-q", *options, f"file://{folder}", str(target))
    git(target, "remote", "set-url", "origin", ORIGIN)
    return target
