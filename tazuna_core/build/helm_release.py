"""One release to objects: `helm template` with the values merged by helm itself; hooks are left out and named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tazuna_core.build.cache import RenderCache
from tazuna_core.build.charts import Chart, Charts
from tazuna_core.build.confinement import Confinement
from tazuna_core.build.helm import Capabilities, Helm
from tazuna_core.build.helmfile_subset import Release
from tazuna_core.build.tree import CannotDigestError, digest_of, tree_digest
from tazuna_core.build.workspace import write_private
from tazuna_core.errors import BuildError
from tazuna_core.objects.model import Notice
from tazuna_core.objects.yaml_documents import Document, Documents

_HOOK = "helm.sh/hook"
_UNSET = "tazuna-release-without-namespace"
"""Stands for the namespace of a release that has none: in the Go CLI `.Release.Namespace` is empty then, and helm's
program would put "default" there. Taken out of the output again; only a template that measures it can tell."""


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """What all releases of a helmfile have in common. ``extra`` are further value files, which win."""

    folder: Path
    shown: str
    include_crds: bool
    capabilities: Capabilities
    extra: tuple[str, ...]
    confinement: Confinement
    cache: RenderCache


class Renderer:
    """Renders releases, one after the other."""

    def __init__(self, helm: Helm, charts: Charts, settings: ReleaseSettings) -> None:
        self._helm, self._charts, self._settings = helm, charts, settings
        self._files = 0

    def render(self, release: Release) -> tuple[Documents, tuple[Notice, ...]]:
        """The objects of a release, and its hooks as notices; raises BuildError naming the release."""
        settings = self._settings
        chart = self._charts.find(release)
        if chart.local:
            settings.confinement.check(chart.path, f"the chart '{release.chart}' of release '{release.name}'")
        contents = [self._content(entry, release) for entry in (*release.values, *settings.extra)]
        options = (
            f"--namespace={release.namespace or _UNSET}",
            *(("--include-crds",) if settings.include_crds else ()),
            *settings.capabilities.arguments,
        )

        def key() -> str:
            if not chart.local:
                raise CannotDigestError("a remote chart can change behind its version")
            return digest_of(self._helm.version, release.name, *options, tree_digest(chart.path), *contents)

        def text() -> bytes:
            return self._template(release, chart, contents, options)

        _, documents = settings.cache.text(key, text, f"{settings.shown} (release '{release.name}')")
        return without_hooks(documents, f"release '{release.name}'")

    def _template(self, release: Release, chart: Chart, contents: Iterable[bytes], options: Sequence[str]) -> bytes:
        values = [f"--values={self._value_file(content)}" for content in contents]
        try:
            output = self._helm.run("template", release.name, str(chart.path), *options, *values)
        except BuildError as error:
            if type(error) is not BuildError:
                raise
            message = f"release '{release.name}': {error.message.replace(_UNSET, '')}"
            raise BuildError(message, advice=error.advice, place=error.place, code="helm-template") from None
        return output.stdout.replace(_UNSET.encode(), b"")

    def _content(self, entry: str | Mapping[str, Any], release: Release) -> bytes:
        if not isinstance(entry, str):
            return json.dumps(entry).encode()  # JSON is YAML
        path = self._settings.folder / entry
        self._settings.confinement.check(path, f"the value file '{entry}' of release '{release.name}'")
        try:
            return path.read_bytes()
        except OSError as error:
            raise BuildError(
                f"release '{release.name}': the value file '{entry}' cannot be read: {error.strerror}",
                advice="Value files are seen from the helmfile's folder.",
                code="helm-values",
            ) from None

    def _value_file(self, content: bytes) -> Path:
        """A private copy: helm would split a path at its commas, and an inline map has no file."""
        self._files += 1
        return write_private(self._helm.folder / f"values-{self._files}.yaml", content)


def without_hooks(documents: Documents, who: str) -> tuple[Documents, tuple[Notice, ...]]:
    """The documents that Helm's release manifest holds, and one notice a hook: the Go CLI applies no hooks."""
    kept: list[Document] = []
    notices: list[Notice] = []
    for document in documents.documents:
        events = _hook_events(document)
        if events is None:
            kept.append(document)
        else:
            message = f"{who}: the hook {_name(document)} ({events}) is left out: hooks are not applied"
            notices.append(Notice("helm-hook", message, document.place))
    return Documents(tuple(kept), documents.notices), tuple(notices)


def _hook_events(document: Document) -> str | None:
    annotations = _mapping(_mapping(document.data, "metadata"), "annotations")
    return str(annotations[_HOOK]) if _HOOK in annotations else None


def _name(document: Document) -> str:
    metadata = _mapping(document.data, "metadata")
    parts: Iterator[Any] = iter((document.data.get("kind"), metadata.get("namespace"), metadata.get("name")))
    return "/".join(str(part) for part in parts if part)


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}
