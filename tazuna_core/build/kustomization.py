"""What a kustomization reaches: the folders it reads, and what of it is elsewhere (remote bases, the environment).

It only looks, and errs on the side of too much: what it cannot tell makes the build one that is not kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tazuna_core.build.tree import CannotDigestError, digest_of, tree_digest
from tazuna_core.errors import BuildError
from tazuna_core.objects.yaml_documents import load_documents

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PATH_FIELDS = (
    "resources",
    "bases",
    "components",
    "crds",
    "generators",
    "transformers",
    "validators",
    "configurations",
)
_REMOTE = re.compile(
    r"^[a-z][a-z0-9+.-]*:{1,2}/?/|^git@|^git::|[?&](?:ref|version)=|^(?:github|gitlab|bitbucket)\.[a-z]+/|//",
    re.IGNORECASE,
)
_MOST_FOLDERS = 500


@dataclass(slots=True)
class Reach:
    """What a kustomization reads.

    ``roots`` are folders, each with all it holds, and files outside them; ``remote`` are addresses; ``unsure`` says why
    the inputs cannot be told by these alone, "" if they can.
    """

    roots: dict[Path, None] = field(default_factory=dict)
    remote: list[str] = field(default_factory=list)
    unsure: str = ""

    def digest(self) -> str:
        """A digest of all that is read; raises CannotDigestError where it cannot be told."""
        if self.unsure or self.remote:
            raise CannotDigestError(self.unsure or f"it uses {self.remote[0]}")
        top = [
            root for root in self.roots if not any(root != other and root.is_relative_to(other) for other in self.roots)
        ]
        return digest_of(*(part for root in sorted(top) for part in (str(root), tree_digest(root))))


def reach(folder: Path) -> Reach:
    """What the kustomization in a folder reads; never raises for a kustomization that is wrong."""
    found = Reach()
    waiting = [Path(os.path.abspath(folder))]  # noqa: PTH100 - links are kept: kustomize names files by them
    while waiting:
        at = waiting.pop()
        if at in found.roots:
            continue
        found.roots[at] = None
        if len(found.roots) > _MOST_FOLDERS:
            found.unsure = "it reaches too many folders"
            break
        for file in _kustomizations(at):
            waiting += _outgoing(file, found)
    return found


def _kustomizations(at: Path) -> Iterator[Path]:
    """The kustomization of a folder and those of all folders below, for any of them can be one it names."""
    if not at.is_dir():
        return
    for folder, folders, files in os.walk(at):
        folders[:] = [name for name in folders if name != ".git"]
        yield from (Path(folder, name) for name in NAMES if name in files)


def _outgoing(file: Path, found: Reach) -> Iterator[Path]:
    """What a kustomization names outside its folder; addresses and doubts are noted in ``found``."""
    try:
        documents = load_documents(file.read_bytes(), file.name).documents
    except (BuildError, OSError):
        found.unsure = f"{file} cannot be read"
        return
    for document in documents:
        _note_remote(document.data, file, found)
        _note_environment(document.data, file, found)
        for text in _strings(document.data):
            # `key=path` in generators; all else is a path or is not.
            for name in {text, text.rpartition("=")[2]}:
                yield from _existing(file.parent, name)


def _existing(folder: Path, name: str) -> Iterator[Path]:
    if not name or "\n" in name or "\0" in name or len(name) > 1024:
        return
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(folder) and os.path.lexists(path):
        yield path


def _note_remote(data: dict[str, Any], file: Path, found: Reach) -> None:
    for name in _PATH_FIELDS:
        entries = data.get(name)
        for entry in entries if isinstance(entries, list) else ():
            # kustomize takes what exists for a path, all else for an address (or inline YAML).
            if isinstance(entry, str) and "\n" not in entry and not os.path.lexists(file.parent / entry):
                if _REMOTE.search(entry):
                    found.remote.append(entry)
                else:
                    found.unsure = f"{entry} is not there"
    if data.get("helmCharts") or data.get("helmChartInflationGenerator"):
        found.unsure = "it inflates charts"


def _note_environment(data: dict[str, Any], file: Path, found: Reach) -> None:
    """A line of an env file without `=` takes its value from the environment of the process."""
    for generator in ("configMapGenerator", "secretGenerator"):
        entries = data.get(generator)
        for entry in entries if isinstance(entries, list) else ():
            if not isinstance(entry, dict):
                continue
            names = [entry.get("env"), *(entry.get("envs") or ())]
            for name in names:
                if isinstance(name, str) and _reads_environment(file.parent / name):
                    found.unsure = f"{name} takes values from the environment"


def _reads_environment(path: Path) -> bool:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return True
    return any(line.strip() and not line.strip().startswith("#") and "=" not in line for line in lines)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
