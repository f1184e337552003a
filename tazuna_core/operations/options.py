"""What every command is told: the global options of the CLI and the inputs of the action, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """Global options (contract, section 2).

    ``state`` is ``configmap`` or ``dir:PATH``, ``cluster`` is ``kube`` or ``snapshot:PATH``.
    """

    file: Path = Path("tazuna.yaml")
    environment: str = ""
    tags: tuple[str, ...] = ()
    kubeconfig: Path | None = None
    context: str | None = None
    state: str = "configmap"
    cluster: str = "kube"
    all: bool = False
    no_ignore: bool = False
    show_secret_hashes: bool = False
    no_cache: bool = False
    offline: bool = False
    cache_directory: Path | None = None
    """Where answers of a cluster (schemas) and artefacts are kept between runs; None keeps nothing."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What variables of helmfile manifests may read (``from: env``)."""
    trusted: bool = True
    """False for the files of a stranger's fork: building runs nothing that could run programs of theirs."""
