"""Manifests of type kustomize: `kustomize build` with its default options, by the user's own program."""

from __future__ import annotations

from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.process import Command, find_program, run
from tazuna_core.errors import BuildError
from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.spec.manifest import Manifest

INSTALL = "Install kustomize or kubectl, or `pip install 'tazuna-core[kubectl]'`, which brings one."


def build(manifest: Manifest, settings: BuildSettings) -> Rendered:
    """Renders the kustomization of ``manifest``. Raises BuildError with what the program said."""
    if not manifest.source.is_dir():
        raise BuildError(f"{manifest.path} is no folder", advice="`path` of a kustomize manifest is a folder.")
    name, program = find_program("kustomize", "kubectl", needed_by=manifest.label, advice=INSTALL)
    verb = "build" if name == "kustomize" else "kustomize"
    output = run(Command((program, verb, str(manifest.source)), seconds=settings.seconds))
    return Rendered((load_documents(output.stdout, f"{manifest.path} (rendered by {name})"),))
