"""A repository to apply: corpus bundles rendered once, and the bench's own objects."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.bench.mutations.schema import Json
from tests.harness.cluster import KUBECTL

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
OWN = Path(__file__).with_name("objects.yaml")
OWN_NAME = "bench"


class _Loader(yaml.CSafeLoader):
    """PyYAML as it comes, but for `=`, which it resolves to a tag that it can't construct."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


def bundles() -> list[str]:
    """The names of the corpus bundles, none where the corpus is not there."""
    return sorted(path.parent.name for path in CORPUS.glob("*/kustomization.yaml"))


def write(folder: Path, names: Sequence[str]) -> Path:
    """Writes a repository of ``names`` (and the bench's own objects) and returns its tazuna.yaml."""
    manifests = []
    for name in [OWN_NAME, *names]:
        target = folder / name
        target.mkdir(parents=True)
        if name == OWN_NAME:
            text = OWN.read_bytes()
        else:
            text = subprocess.run([KUBECTL, "kustomize", CORPUS / name], capture_output=True, check=True).stdout
            # Nobody answers webhooks here, and edits of what they check must get through.
            text = text.replace(b"failurePolicy: Fail", b"failurePolicy: Ignore")
        (target / "all.yaml").write_bytes(text)
        manifests.append({"name": name, "type": "directory", "path": name})
    file = folder / "tazuna.yaml"
    file.write_text(yaml.safe_dump({"spec": {"manifests": manifests}}))
    return file


def declared(folder: Path, names: Iterable[str]) -> Iterator[Json]:
    """Yields what the repository declares, in order of application; Secrets with their text folded into data."""
    for name in [OWN_NAME, *names]:
        with (folder / name / "all.yaml").open("rb") as stream:
            for document in yaml.load_all(stream, Loader=_Loader):
                yield from map(_sent, _expanded(document))


def _expanded(document: Any) -> Iterator[Json]:
    if isinstance(document, dict) and document.get("kind"):
        yield from document.get("items") or () if document["kind"].endswith("List") else [document]


def _sent(obj: Json) -> Json:
    if obj["kind"] == "Secret" and obj.get("stringData"):
        return {**obj, "data": {**(obj.get("data") or {}), **obj["stringData"]}}
    if obj.get("aggregationRule"):
        return {key: value for key, value in obj.items() if key != "rules"}
    return obj
