"""Manifests of type genesissecret: a Secret whose values come from a provider. They are in memory alone, ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tazuna_core.build.genesis_file import load_genesis
from tazuna_core.build.genesis_models import KubernetesSecret, Output
from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.providers import fetch, provider
from tazuna_core.errors import Place
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.yaml_documents import Document, Documents
from tazuna_core.spec.manifest import Manifest

DEFAULT_TYPE = "Opaque"


@dataclass(frozen=True, slots=True)
class FurtherOutputs:
    """The Secrets of outputs after the first, and the text that `stdout` outputs print, "" without one."""

    secrets: tuple[JsonObject, ...] = field(default=(), repr=False)
    printed: str = field(default="", repr=False)


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


def further_outputs(manifest: Manifest, settings: BuildSettings) -> FurtherOutputs:
    """What apply does beside what is built: state holds the first output alone (format reference, 4.2).

    No provider is asked where there is nothing of the kind. Raises as `build` does.
    """
    first, *others = load_genesis(manifest).outputs
    wanted = [output.kubernetes_secret for output in others if output.kubernetes_secret]
    printed = any(output.stdout is not None for output in (first, *others))
    if not wanted and not printed:
        return FurtherOutputs()
    fetched = values(manifest, settings)
    return FurtherOutputs(tuple(secret(one, fetched) for one in wanted), dotenv(fetched) if printed else "")


def dotenv(data: Mapping[str, str]) -> str:
    """The values as the Go CLI prints them for `stdout`: a line KEY=VALUE each, sorted by keys, nothing quoted."""
    return "".join(f"{key}={data[key]}\n" for key in sorted(data))


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
    return _keys(manifest, load_genesis(manifest).outputs[:1])


def further_names(manifest: Manifest) -> tuple[StateKey, ...]:
    """The keys that the Secrets of further outputs would have in a state that held them; raises as `names_only`."""
    return _keys(manifest, load_genesis(manifest).outputs[1:])


def _keys(manifest: Manifest, outputs: Sequence[Output]) -> tuple[StateKey, ...]:
    secrets = [output.kubernetes_secret for output in outputs if output.kubernetes_secret]
    return tuple(StateKey(manifest.name, "", "v1", "Secret", one.namespace, one.name) for one in secrets)


def secret(wanted: KubernetesSecret, data: Mapping[str, str]) -> JsonObject:
    """The Secret as Go marshals a corev1.Secret: creationTimestamp is null, what is empty is left out."""
    metadata: dict[str, Any] = {"creationTimestamp": None, "name": wanted.name, "namespace": wanted.namespace}
    for name, entries in (("labels", wanted.labels), ("annotations", wanted.annotations)):
        if entries:
            metadata[name] = dict(entries)
    out: JsonObject = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": wanted.type or DEFAULT_TYPE}
    if data:
        out["stringData"] = dict(data)
    return out


def _stream(manifest: Manifest, obj: JsonObject) -> Documents:
    place = Place(str(manifest.source), 1)
    return Documents((Document(obj, place.line, place),), ())
