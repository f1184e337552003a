"""Repositories to test on: real add-ons where they are at hand, this project's own example otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
LAB = ROOT / "examples" / "gitops-lab"

ORDER = (
    "calico", "cert-manager", "external-secrets", "ingress-nginx", "kube-prometheus", "metallb", "metrics-server",
    "argo-cd",
)  # fmt: skip
"""Apply order. metrics-server declares two objects that kube-prometheus declares too."""


def bundles() -> tuple[str, ...]:
    """Returns the names of the add-ons that are at hand, none without the corpus."""
    return tuple(name for name in ORDER if (CORPUS / name).is_dir())


def repository(folder: Path, names: tuple[str, ...]) -> Path:
    """Writes a repository with one kustomize manifest for each add-on, and returns its folder.

    Without the corpus it is the example's web server, as a directory manifest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    manifests: list[dict[str, str]] = []
    for name in names:
        shutil.copytree(CORPUS / name, folder / name, copy_function=shutil.copyfile)
        manifests.append({"name": name, "type": "kustomize", "path": name})
    if not names:
        shutil.copytree(LAB / "apps", folder / "apps")
        manifests.append({"name": "web", "type": "directory", "path": "apps/web"})
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    # JSON is YAML, and needs no care for quotes
    (folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    return folder
