"""A folder with files, and one manifest of it built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tazuna_core.build.builder import build_manifest
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.manifest import Manifest

Build = Callable[..., BuiltManifest]


def load(folder: Path, manifest: dict[str, object], **spec: object) -> tuple[Manifest, BuildSettings]:
    """The one manifest of a tazuna.yaml, and settings that know its providers."""
    file = folder / "tazuna.yaml"
    file.write_text(yaml.safe_dump({"spec": {"manifests": [{"name": "m", **manifest}], **spec}}))
    loaded = load_spec(file)
    return loaded.manifests[0], BuildSettings(providers=loaded.spec.providers, directory=folder)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes files (`name=content`) and builds the manifest; ``settings`` replace fields of BuildSettings."""

    def built(
        manifest: dict[str, object],
        files: dict[str, str],
        settings: dict[str, object] | None = None,
        **spec: object,
    ) -> BuiltManifest:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        loaded, defaults = load(tmp_path, manifest, **spec)
        return build_manifest(loaded, replace(defaults, **(settings or {})))  # type: ignore[arg-type]

    return built
