"""What goes into a builder and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tazuna_core.errors import TazunaError
from tazuna_core.objects.model import BuiltObject, Notice
from tazuna_core.objects.yaml_documents import Documents
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models import Provider


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What builders may use beside their manifest.

    ``cache_directory`` is the folder of all that is kept between runs (`$XDG_CACHE_HOME/tazuna`), None keeps nothing.
    ``kube_version`` and ``api_versions`` are those of the cluster, where it was asked. ``environ`` is what
    `from: env` may read, ``providers`` are those of tazuna.yaml and ``directory`` is the folder it lies in. In a build
    that is not ``trusted`` (the files of a stranger's fork) no secret is fetched, no variable of the environment is
    read and no program is run that could run others.
    """

    environment: str = ""
    seconds: float = 300.0
    offline: bool = False
    no_cache: bool = False
    render_anew: bool = False
    """Renders are made again, what was fetched for them is not: to see whether two agree (verdicts 9)."""
    cache_directory: Path | None = None
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    providers: tuple[Provider, ...] = ()
    directory: Path = Path()
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a builder made: document streams in order, and what the user should know."""

    streams: tuple[Documents, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltManifest:
    """The objects of one manifest in apply order, or the error that kept it from building."""

    manifest: Manifest
    objects: tuple[BuiltObject, ...] = ()
    notices: tuple[Notice, ...] = ()
    error: TazunaError | None = None
