"""Manifests of type oras: an artifact from an OCI registry, whose content helmfile or kustomize builds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tazuna_core.build import helmfile, kustomize
from tazuna_core.build.archive import unpack
from tazuna_core.build.artifacts import ArtifactStore
from tazuna_core.build.confinement import Confinement
from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.registry import Reference, Registry
from tazuna_core.build.workspace import private_folder
from tazuna_core.errors import BuildError, UsageError
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import DelegateType, ManifestType, OrasOptions

_FOLDER = "oras"


def build(manifest: Manifest, settings: BuildSettings) -> Rendered:
    """Pulls the artifact of ``manifest`` (or takes it from the cache) and builds it as its delegate says.

    Raises BuildError where the registry or the delegate fails, for an artifact that could harm (code ``artifact``) and
    for a miss under `--offline`, MissingProgramError without `oras`, UsageError for `--offline` with `--no-cache`.
    """
    options = manifest.oras
    if options is None:
        raise BuildError("there is no `oras` in the manifest", advice="It needs `reference` and `delegate`.")
    if settings.offline and settings.no_cache:
        raise UsageError("--offline and --no-cache exclude each other", advice="Leave out one.")
    with _artifact(manifest, options, settings) as root:
        return _delegate(manifest, options, root, settings)


@contextmanager
def _artifact(manifest: Manifest, options: OrasOptions, settings: BuildSettings) -> Iterator[Path]:
    """The unpacked artifact; without a cache it is gone afterwards."""
    reference = Reference.parse(options.reference)
    with private_folder() as folder:
        directory = settings.cache_directory
        store = ArtifactStore(directory / _FOLDER if directory else folder / "store")
        known = "" if settings.no_cache else store.known_digest(reference)
        found = store.find(known) if known and (reference.digest or settings.offline) else None
        if found is not None:
            yield found
        elif settings.offline:
            raise BuildError(
                f"{reference} is not in the cache (or not whole there), and --offline was given",
                advice="Build once without --offline.",
                code="offline",
            )
        else:
            yield _pulled(reference, Registry(options, settings, folder, manifest.label), store, settings)


def _pulled(reference: Reference, registry: Registry, store: ArtifactStore, settings: BuildSettings) -> Path:
    """The artifact as the registry has it now. A tag is always asked for: it may have moved."""
    described = registry.manifest()
    root = None if settings.no_cache else store.find(described.digest)
    if root is None:
        layer = registry.layer(described)
        root = store.add(described.digest, lambda target: unpack(layer, target))
    store.remember(reference, described.digest)
    return root


def _delegate(manifest: Manifest, options: OrasOptions, root: Path, settings: BuildSettings) -> Rendered:
    source = (root / options.target).resolve()
    if not source.is_relative_to(root.resolve()):
        raise BuildError(f"the target '{options.target}' leads out of the artifact", code="artifact")
    if not source.exists():
        raise BuildError(
            f"the artifact holds no '{options.target}'",
            advice=f"At its top are: {', '.join(sorted(path.name for path in root.iterdir())[:10])}.",
            code="artifact",
        )
    delegate = options.delegate
    is_helmfile = delegate.type is DelegateType.HELMFILE
    inner = manifest.model_copy(
        update={
            "type": ManifestType.HELMFILE if is_helmfile else ManifestType.KUSTOMIZE,
            "base": root.resolve(),
            "path": str(source.relative_to(root.resolve())),
            "helmfile": delegate.helmfile,
            "kustomize": delegate.kustomize,
        }
    )
    if is_helmfile:
        # Whoever pushed it must not read this machine's files, nor run what helmfile runs.
        return helmfile.build_confined(inner, settings, Confinement(root.resolve()), may_run_helmfile=False)
    return kustomize.build(inner, settings)
