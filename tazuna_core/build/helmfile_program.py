"""Runs helmfile itself, for files that use more of it than the subset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tazuna_core.build.helm import Capabilities, Helm
from tazuna_core.build.helm_release import without_hooks
from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Command, Output, find_program, run
from tazuna_core.build.workspace import write_private
from tazuna_core.objects.model import Notice
from tazuna_core.objects.yaml_documents import Documents, load_documents
from tazuna_core.spec.models_manifest import HelmfileOptions

_OF_HELM_ALONE = frozenset({"HELM_DATA_HOME", "HELM_PLUGINS", "KUBECONFIG", "HELM_DEBUG"})
"""Set for helm, not for helmfile: its files may use the user's helm plugins (secrets, for one)."""


@dataclass(frozen=True, slots=True)
class Request:
    """A helmfile, the values of its variables, and why the subset does not do."""

    file: Path
    shown: str
    options: HelmfileOptions
    values: Mapping[str, object] = field(repr=False)
    settings: BuildSettings
    needed_by: str
    because: str


def render(request: Request, helm: Helm) -> tuple[Documents, tuple[Notice, ...]]:
    """The objects, and hooks as notices; raises BuildError with helmfile's words, MissingProgramError without it."""
    settings, options = request.settings, request.options
    helmfile = _Helmfile(request, helm)
    if not settings.offline:
        helmfile.run("repos")
    output = helmfile.run(
        "template",
        # Else it runs `helm dependency build`, which writes into charts that lie beside the helmfile.
        "--skip-deps",
        *(("--include-crds",) if options.include_crds else ()),
        *((f"--kube-version={version}",) if (version := capabilities(options, settings).kube_version) else ()),
        *(f"--values={request.file.absolute().parent / name}" for name in options.extra_value_files),
    )
    documents, notices = without_hooks(
        load_documents(output.stdout, f"{request.shown} (rendered by helmfile)"), request.shown
    )
    said = Notice("helmfile-program", f"{request.shown} was rendered by helmfile itself, for it uses {request.because}")
    return documents, (said, *notices)


def state(request: Request, helm: Helm) -> Documents:
    """The helmfile and those it includes, as helmfile understands them: a document each; raises as `render` does."""
    return load_documents(_Helmfile(request, helm).run("build").stdout, f"{request.shown} (read by helmfile)")


class _Helmfile:
    """The program, told where to keep what: all that it and its helm write goes into the private folder."""

    def __init__(self, request: Request, helm: Helm) -> None:
        advice = f"{request.shown} uses {request.because}: install helmfile, or keep to what docs/manifests.md lists."
        _, program = find_program("helmfile", needed_by=request.needed_by, advice=advice)
        file = request.file.absolute()  # helmfile changes into its folder
        values = write_private(helm.folder / "state-values.json", json.dumps(dict(request.values)).encode())
        environment = {name: value for name, value in helm.environment.items() if name not in _OF_HELM_ALONE}
        self._seconds, self._hidden = request.settings.seconds, helm.hidden
        self._environment = {
            **environment,
            "HELM_REGISTRY_CONFIG": str(_logins(helm)),
            "HELMFILE_CACHE_HOME": str(helm.folder / "helmfile-cache"),
            "HELMFILE_TEMPDIR": str(helm.folder),
            "TMPDIR": str(helm.folder),  # where it patches charts
        }
        chosen = (f"--environment={request.settings.environment}",) if request.settings.environment else ()
        self._arguments = (
            program,
            f"--file={file}",
            f"--helm-binary={helm.program}",
            f"--state-values-file={values}",
            "--no-color",
            "--quiet",
            *chosen,
        )

    def run(self, *arguments: str) -> Output:
        """Runs it; raises BuildError with its words."""
        command = (*self._arguments, *arguments)
        return run(Command(command, environment=self._environment, seconds=self._seconds, hidden=self._hidden))


def _logins(helm: Helm) -> Path:
    """A copy of the user's logins for registries: helmfile logs in to those it declares, and would add to them."""
    users = Path(helm.run("env", "HELM_REGISTRY_CONFIG").stdout.decode().strip())
    try:
        content = users.read_bytes()
    except OSError:
        content = b"{}"
    return write_private(helm.folder / "registry.json", content)


def capabilities(options: HelmfileOptions, settings: BuildSettings) -> Capabilities:
    """Which Kubernetes it renders for: helmfile takes a version on its command line, but no API versions."""
    known = Capabilities.of(settings, options.kube_version)
    return Capabilities(known.kube_version, (), known.source)
