"""Manifests of type genesissecret: a Secret whose values come from a provider. They are in memory alone, ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tazuna_core.build.genesis_file import load_genesis
from tazuna_core.build.genesis_models import KubernetesSecret
from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.providers import fetch, provider
from tazuna_core.errors import Place
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.yaml_documents import Document, Documents
from tazuna_core.spec.manifest import Manifest

DEFAULT_TYPE = "Opaque"


def build(manifest: Manifest, settings: BuildSettings) -> Rendered:
    """The Secret of the first output; nothing where that is `stdout` (format reference, 2.3).

    Raises UsageError for a wrong file, BuildError where the provider fails or lacks a field, MissingProgramError
    without `op`, RefusedError in a build that is not trusted.
    """
    spec = load_genesis(manifest)
    wanted = spec.outputs[0].kubernetes_secret
    if wanted is None:
        return Rendered((Documents((), ()),))
    return Rendered((_stream(manifest, secret(wanted, values(manifest, settings))),))


def secrets_to_apply(manifest: Manifest, settings: BuildSettings) -> tuple[JsonObject, ...]:
    """The Secrets of all outputs, in order, for apply: state holds the first, the cluster gets each (format, 4.2)."""
    wanted = [output.kubernetes_secret for output in load_genesis(manifest).outputs if output.kubernetes_secret]
    if not wanted:
        return ()
    fetched = values(manifest, settings)
    return tuple(secret(one, fetched) for one in wanted)


def values(manifest: Manifest, settings: BuildSettings) -> dict[str, str]:
    """All values by their keys: each provider item, the later winning, then `static`, which wins over them."""
    spec = load_genesis(manifest)
    ask = provider(spec.provider, settings, manifest.label)
    found: dict[str, str] = {}
    for wanted in spec.secrets:
        found.update(fetch(wanted, ask))
    return {**found, **spec.static}


def names_only(manifest: Manifest) -> tuple[StateKey, ...]:
    """The state key of what the manifest builds, without asking a provider: none for `stdout`, else one.

    Raises UsageError for a wrong file.
    """
    wanted = load_genesis(manifest).outputs[0].kubernetes_secret
    return () if wanted is None else (StateKey(manifest.name, "", "v1", "Secret", wanted.namespace, wanted.name),)


def secret(wanted: KubernetesSecret, data: Mapping[str, str]) -> JsonObject:
    """The Secret as Go marshals a corev1.Secret: creationTimestamp is null, what is empty is left out."""
    metadata: dict[str, Any] = {"creationTimestamp": None, "name": wanted.name, "namespace": wanted.namespace}
    for field, entries in (("labels", wanted.labels), ("annotations", wanted.annotations)):
        if entries:
            metadata[field] = dict(entries)
    out: JsonObject = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": wanted.type or DEFAULT_TYPE}
    if data:
        out["stringData"] = dict(data)
    return out


def _stream(manifest: Manifest, obj: JsonObject) -> Documents:
    place = Place(str(manifest.source), 1)
    return Documents((Document(obj, place.line, place),), ())
