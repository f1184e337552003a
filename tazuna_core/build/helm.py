"""The user's helm program, run so that it reads no cluster, and writes nothing outside a private folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Command, Output, find_program, run

INSTALL = "Install helm, version 3.13 or later."
_APIS_AN_ARGUMENT = 200
_NONE_KNOWN = "helm's own"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which Kubernetes a chart is rendered for: a version, API versions, and who said so."""

    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    source: str = _NONE_KNOWN

    @classmethod
    def of(cls, settings: BuildSettings, kube_version: str) -> Capabilities:
        """The cluster's where it was asked, else the manifest's `kubeVersion`, else helm's default (format, 4.2)."""
        if settings.kube_version or settings.api_versions:
            return cls(settings.kube_version or kube_version, settings.api_versions, "the cluster's")
        return cls(kube_version, (), "the manifest's kubeVersion") if kube_version else cls()

    @property
    def arguments(self) -> tuple[str, ...]:
        version = (f"--kube-version={self.kube_version}",) if self.kube_version else ()
        # Some clusters serve thousands of kinds, and Linux takes no argument above 128 KiB.
        apis, step = self.api_versions, _APIS_AN_ARGUMENT
        return (*version, *(f"--api-versions={','.join(apis[at : at + step])}" for at in range(0, len(apis), step)))

    def __str__(self) -> str:
        version = (
            f"Kubernetes {self.kube_version} ({self.source})" if self.kube_version else "helm's own default version"
        )
        more = f" and {len(self.api_versions)} API versions of the cluster" if self.api_versions else ""
        return version + more


@dataclass(frozen=True, slots=True)
class Helm:
    """helm at ``program``; ``folder`` is private and outlives no build. ``hidden`` never shows in errors."""

    program: str
    folder: Path
    seconds: float
    hidden: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def found(cls, folder: Path, settings: BuildSettings, needed_by: str, hidden: Iterable[str] = ()) -> Helm:
        """The helm on PATH; raises MissingProgramError naming the manifest."""
        _, program = find_program("helm", needed_by=needed_by, advice=INSTALL)
        return cls(program, folder, settings.seconds, tuple(hidden))

    def run(
        self, *arguments: str, environment: Mapping[str, str] | None = None, allowed: frozenset[int] = frozenset({0})
    ) -> Output:
        """Runs helm; raises BuildError with its words where it ends with another exit code than ``allowed``."""
        return run(
            Command(
                (self.program, *arguments),
                environment={**self.environment, **(environment or {})},
                seconds=self.seconds,
                hidden=self.hidden,
                allowed=allowed,
            )
        )

    @property
    def environment(self) -> dict[str, str]:
        """What keeps helm to itself. Logins of the user (its registry configuration) are read where they are."""
        return {
            "HELM_CACHE_HOME": str(self.folder / "cache"),
            "HELM_DATA_HOME": str(self.folder / "data"),
            "HELM_PLUGINS": str(self.folder / "plugins"),
            "HELM_REPOSITORY_CACHE": str(self.folder / "cache" / "repository"),
            "HELM_REPOSITORY_CONFIG": str(self.folder / "repositories.yaml"),
            "HELM_CONTENT_CACHE": str(self.folder / "cache" / "content"),
            "HELM_DEBUG": "false",
            "KUBECONFIG": os.devnull,
        }

    @property
    def version(self) -> str:
        """What the program calls itself; asked for once a process."""
        return _version(self.program, self.seconds)


@cache
def _version(program: str, seconds: float) -> str:
    command = Command((program, "version", "--template", "{{.Version}}"), seconds=seconds)
    return run(command).stdout.decode(errors="replace").strip()
