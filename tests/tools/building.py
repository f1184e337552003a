"""Builds a manifest as the product does, and compares what comes out with what a tool printed by hand."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from tazuna_core.build.builder import build_manifest
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.objects.manifest_objects import load_objects
from tazuna_core.spec.load import load_spec
from tests.compat.oracle import Question, ask

Hashes = list[tuple[str, str]]


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files by their paths below ``folder``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def build(
    folder: Path, manifest: Mapping[str, object], settings: BuildSettings | None = None, **spec: object
) -> BuiltManifest:
    """The one manifest of a tazuna.yaml with it, built; ``spec`` are further fields of `spec`."""
    (folder / "tazuna.yaml").write_text(yaml.safe_dump({"spec": {"manifests": [{"name": "m", **manifest}], **spec}}))
    loaded = load_spec(folder / "tazuna.yaml")
    settings = replace(settings or BuildSettings(), providers=loaded.spec.providers, directory=folder)
    return build_manifest(loaded.manifests[0], settings)


def hashes(built: BuiltManifest) -> Hashes:
    """State key and content hash of each object; fails the test when the manifest did not build."""
    assert built.error is None, str(built.error)
    return [(str(one.key), one.content_hash) for one in built.objects]


def said(built: BuiltManifest, code: str) -> list[str]:
    """The notices of one code."""
    return [notice.message for notice in built.notices if notice.code == code]


def hashes_of(text: bytes, namespace: str = "") -> Hashes:
    """The same of a text that a tool printed: by our loader, and by Go's, which must agree."""
    ours = load_objects(text, "by hand", "m", namespace).objects
    [answer] = ask([Question(text, "m", namespace)])
    assert not answer.error
    assert [(str(one.key), one.content_hash) for one in ours] == answer.hashes
    return answer.hashes


def by_hand(program: Path, *arguments: str | Path) -> bytes:
    """What a program prints; fails the test when it fails."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def files_below(folder: Path) -> Sequence[str]:
    """All files below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
