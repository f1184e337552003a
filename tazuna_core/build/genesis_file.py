"""Loads the file of a genesissecret manifest, or says all that is wrong with it; no message holds a value of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tazuna_core.build.files import modelled, raise_together
from tazuna_core.build.genesis_models import GenesisFile, GenesisSpec
from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.spec.explain import Problem
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.positions import Document, Loc, read_document
from tazuna_core.spec.reading import read_text
from tazuna_core.spec.source import SourceText


def load_genesis(manifest: Manifest) -> GenesisSpec:
    """What the manifest's file declares; raises UsageError with every error and its place."""
    path = manifest.source
    text = read_text(path, advice="`path` of a genesissecret manifest is a file, seen from the folder of tazuna.yaml.")
    document = read_document(SourceText.plain(str(path), text))
    if isinstance(document.data, dict):
        document = _as_go_reads(document, text)
    spec = modelled(GenesisFile, document).spec
    raise_together([problem.error(document) for problem in _problems(spec)])
    return spec


def _as_go_reads(document: Document, text: str) -> Document:
    """The document with scalars as the Go CLI reads them here: YAML 1.1, and into texts (`yes` becomes "true")."""
    [found] = load_documents(text, document.file).documents or [None]
    return document if found is None else Document(document.file, _texts(found.data), document.keys, document.values)


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _problems(spec: GenesisSpec) -> Iterator[Problem]:
    if not spec.outputs:
        yield Problem(("spec", "outputs"), "'spec.outputs' is empty", "Name at least one output.", "empty-field")
    for index, output in enumerate(spec.outputs):
        loc: Loc = ("spec", "outputs", index)
        if (output.kubernetes_secret is None) == (output.stdout is None):
            has = "both" if output.stdout else "neither"
            message = f"output number {index + 1} needs one of 'kubernetesSecret' and 'stdout', and has {has}"
            yield Problem(loc, message, "Write 'stdout: {}' to print the values.", "output")
