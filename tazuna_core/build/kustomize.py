"""Manifests of type kustomize: `kustomize build` with its default options, by the user's own program."""

from __future__ import annotations

from functools import cache

from tazuna_core.build.cache import RenderCache
from tazuna_core.build.kustomization import NAMES, Reach, reach
from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.process import Command, find_program, run
from tazuna_core.build.tree import digest_of
from tazuna_core.errors import BuildError
from tazuna_core.spec.manifest import Manifest

INSTALL = "Install kustomize or kubectl, or `pip install 'tazuna-core[kubectl]'`, which brings one."


def build(manifest: Manifest, settings: BuildSettings) -> Rendered:
    """Renders the kustomization of ``manifest``.

    Raises BuildError with what the program said, and under `--offline` for a remote base; MissingProgramError without
    kustomize and kubectl.
    """
    source = manifest.source
    if not source.is_dir():
        raise BuildError(f"{manifest.path} is no folder", advice="`path` of a kustomize manifest is a folder.")
    if not any((source / name).is_file() for name in NAMES):
        raise BuildError(f"{manifest.path} holds no {NAMES[0]}", advice="Add one, or use `type: directory`.")
    name, program = find_program("kustomize", "kubectl", needed_by=manifest.label, advice=INSTALL)
    cached = RenderCache.of(settings)
    if settings.offline:
        _refuse_remote(reach(source), manifest)

    def key() -> str:
        return digest_of(_version(name, program), str(source.absolute()), reach(source).digest())

    def render() -> bytes:
        verb = "build" if name == "kustomize" else "kustomize"
        return run(Command((program, verb, str(source)), seconds=settings.seconds)).stdout

    _, documents = cached.text(key, render, f"{manifest.path} (rendered by {name})")
    return Rendered((documents,))


def _refuse_remote(found: Reach, manifest: Manifest) -> None:
    if found.remote:
        raise BuildError(
            f"{manifest.path} uses {found.remote[0]}, which is remote, and --offline was given",
            advice="Copy it into the repository, or build without --offline.",
            code="offline",
        )


@cache
def _version(name: str, program: str) -> str:
    """What the program calls itself; asked for once a process."""
    arguments = ("version",) if name == "kustomize" else ("version", "--client", "--output=json")
    return f"{name} {run(Command((program, *arguments))).stdout.decode(errors='replace')}"
