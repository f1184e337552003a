"""From manifests to objects: one builder a type behind one function; a manifest that fails never hides the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

from tazuna_core import tracing
from tazuna_core.build.model import BuildSettings, BuiltManifest, Rendered
from tazuna_core.errors import BuildError, TazunaError
from tazuna_core.objects.manifest_objects import objects_of
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.yaml_documents import Documents
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType

Builder = Callable[[Manifest, BuildSettings], Rendered]


BUILDERS: Mapping[ManifestType, str] = {
    ManifestType.DIRECTORY: "tazuna_core.build.directory",
    ManifestType.KUSTOMIZE: "tazuna_core.build.kustomize",
    ManifestType.HELMFILE: "tazuna_core.build.helmfile",
    ManifestType.ORAS: "tazuna_core.build.oras",
    ManifestType.GENESIS_SECRET: "tazuna_core.build.genesis_secret",
}
"""The module of each type; its function ``build`` is a Builder. Loaded when the first manifest of the type is built."""


def _step(manifest: Manifest, _settings: BuildSettings) -> tracing.Described:
    return f"build {manifest.name or manifest.type}", {"tazuna.manifest.type": str(manifest.type)}


@tracing.traced(_step)
def build_manifest(manifest: Manifest, settings: BuildSettings) -> BuiltManifest:
    """Builds one manifest; what goes wrong comes back as its ``error``, placed at the manifest."""
    try:
        rendered = _builder(manifest.type)(manifest, settings)
        joined = Documents(
            tuple(document for stream in rendered.streams for document in stream.documents),
            tuple(notice for stream in rendered.streams for notice in stream.notices),
        )
        found = objects_of(joined, manifest.name, manifest.default_namespace)
    except TazunaError as error:
        tracing.fail(error.code)
        return BuiltManifest(manifest, error=placed(error, manifest))
    objects = _without_overridden(found.objects)
    tracing.note({"tazuna.objects": len(objects)})
    return BuiltManifest(manifest, objects, (*rendered.notices, *found.notices))


def _without_overridden(objects: tuple[BuiltObject, ...]) -> tuple[BuiltObject, ...]:
    """Of objects that are declared twice with different content the last stays: it is what the cluster ends with.

    Without this, each apply would write both, one over the other, and never come to rest.
    """
    last = {str(obj.key): obj for obj in objects if obj.key.name}
    return tuple(obj for obj in objects if not obj.key.name or obj.content_hash == last[str(obj.key)].content_hash)


def build_all(manifests: Iterable[Manifest], settings: BuildSettings, workers: int = 2) -> tuple[BuiltManifest, ...]:
    """Builds manifests side by side; results are in the order of ``manifests``."""
    wanted = list(manifests)
    if len(wanted) <= 1:
        return tuple(build_manifest(manifest, settings) for manifest in wanted)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return tuple(pool.map(lambda manifest: build_manifest(manifest, settings), wanted))


def _builder(manifest_type: ManifestType) -> Builder:
    module = BUILDERS.get(manifest_type)
    if module is None:
        raise BuildError(
            f"manifests of type '{manifest_type}' are not built by this version",
            advice=f"It builds {', '.join(sorted(BUILDERS))}. State of other types is still read and checked.",
            code="unsupported-type",
        )
    builder: Builder = import_module(module).build
    return builder


def placed(error: TazunaError, manifest: Manifest) -> TazunaError:
    """Names the manifest in an error; its own place stays when it has one (a file of the manifest)."""
    kind = type(error)
    message = error.message if manifest.label in error.message else f"{manifest.label}: {error.message}"
    return kind(message, advice=error.advice, place=error.place or manifest.place, code=error.code)
