"""What goes into a builder and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tazuna_core.errors import TazunaError
from tazuna_core.objects.model import BuiltObject, Notice
from tazuna_core.objects.yaml_documents import Documents
from tazuna_core.spec.manifest import Manifest


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What builders may use beside their manifest. ``kube_version`` and ``api_versions`` are those of the cluster."""

    environment: str = ""
    seconds: float = 300.0
    offline: bool = False
    no_cache: bool = False
    cache_directory: Path | None = None
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


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
