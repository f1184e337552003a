"""`check --fix`: mends in the text of tazuna.yaml and its includes what has one clear answer, and nothing else.

Each change is made in place, then the file is read again: one that changes anything but what it was to is not made. So
comments, order, quotes, line ends and templates stay, and a second run finds nothing to do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tazuna_core.errors import Place, TazunaError
from tazuna_core.objects.model import Notice
from tazuna_core.objects.yaml_resolver import resolve_plain
from tazuna_core.spec.explain import Problem, checked
from tazuna_core.spec.load import rendered_source, strip_includes
from tazuna_core.spec.models import TazunaFile
from tazuna_core.spec.models_manifest import DeclaredManifest, ManifestType
from tazuna_core.spec.names import is_storable, storable
from tazuna_core.spec.positions import Document, Loc, read_document
from tazuna_core.spec.reading import read_text
from tazuna_core.spec.rules import file_problems
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import line_starts

_MOST_CHANGES = 1000
_UNNAMED = re.compile(r"""(['"]?name['"]?[ \t]*:)(?:[ \t]*(?:""|''|~|null))?""")
_FILES_OF_FOLDERS = frozenset({"helmfile", "kustomization", "tazuna", "secret", "secrets", "genesis"})


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file, the text that it should have, and what of it is new; ``remarks`` have the lines of that text."""

    path: Path
    text: str
    remarks: tuple[Notice, ...]


def fix(path: Path, environment: str = "") -> tuple[FixedFile, ...]:
    """Returns the files that are to be changed; writes none, and raises nothing for files that cannot be read.

    Misspelt fields and words are corrected, manifests without a name get one, and names under which no state can be
    kept become such ones, in `dependsOn` too. Names are left alone while any file has an error that is not mended.
    """
    first = _Text.read(path, environment)
    if first is None:
        return ()
    first.correct_words()
    files, whole = [first], first.is_right
    for include in dict.fromkeys(first.includes):
        one = _Text.read(include, environment)
        if one is not None:
            one.correct_words()
            files.append(one)
        whole = whole and one is not None and one.is_right
    if whole:
        _Names(files).mend()
    return tuple(FixedFile(one.path, one.text, one.remarks) for one in files if one.changes)


@dataclass(slots=True)
class _Text:
    """One file as it is being changed."""

    path: Path
    environment: str
    text: str
    document: Document
    changes: list[tuple[Loc, str, bool]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, environment: str) -> _Text | None:
        try:
            text = read_text(path)
            return cls(path, environment, text, _document(path, text, environment))
        except TazunaError:
            return None  # `check` says why

    @property
    def model(self) -> TazunaFile | None:
        return checked(TazunaFile, strip_includes(self.document)[0])[0]

    @property
    def is_right(self) -> bool:
        """Whether the file by itself has no error."""
        model = self.model
        return model is not None and not any(file_problems(model))

    @property
    def includes(self) -> list[Path]:
        model = self.model
        manifests = model.spec.manifests if model else ()
        return [
            Path(os.path.normpath(self.path.parent / one.path)) for manifest in manifests for one in manifest.includes
        ]

    @property
    def remarks(self) -> tuple[Notice, ...]:
        placed = [
            (self.document.at_key(loc) if at_key else self.document.at_value(loc), message)
            for loc, message, at_key in self.changes
        ]
        placed.sort(key=lambda one: (one[0].line, one[0].column))
        return tuple(Notice("fixed", message, place) for place, message in placed)

    def manifests(self) -> Iterator[tuple[Loc, DeclaredManifest]]:
        """Those that build something, with the way to each."""
        model = self.model
        for index, manifest in enumerate(model.spec.manifests if model else ()):
            loc: Loc = ("spec", "manifests", index)
            if manifest.type is ManifestType.PARALLEL and manifest.parallel:
                for number, child in enumerate(manifest.parallel.children):
                    yield (*loc, "parallel", "children", number), child
            elif not manifest.includes:
                yield loc, manifest

    def correct_words(self) -> None:
        """Corrects misspelt fields and words, until there is none that can be."""
        tried: set[tuple[Loc, str]] = set()
        for _ in range(_MOST_CHANGES):
            problems = checked(TazunaFile, strip_includes(self.document)[0])[1]
            left = [one for one in problems if one.correction and (one.loc, one.correction) not in tried]
            if not left:
                return
            tried.add((left[0].loc, left[0].correction))
            self._correct(left[0])

    def _correct(self, problem: Problem) -> None:
        loc, right = problem.loc, problem.correction
        if problem.at_key:
            wrong, new = str(loc[-1]), (*loc[:-1], right)
            data = _with(
                self.document.data, loc[:-1], lambda inner: {right if k == wrong else k: v for k, v in inner.items()}
            )
            message, place = f"field '{wrong}' is '{right}' now", self.document.at_key(loc)
        else:
            wrong, new = _word(_at(self.document.data, loc)), loc
            data = _with(self.document.data, loc, lambda _: right)
            message, place = f"'{wrong}' is '{right}' now", self.document.at_value(loc)
        if self.replace(place, wrong, right, data):
            self.changes.append((new, message, problem.at_key))

    def replace(self, place: Place, wrong: str, right: str, data: object) -> bool:
        """Writes a word over another, in its quotes; see `put`."""
        at = self.offset(place)
        if self.text[at : at + 1] in ("'", '"'):
            at += 1
        elif not isinstance(resolve_plain(right), str):
            right = f'"{right}"'
        return self.text.startswith(wrong, at) and self.put(at, at + len(wrong), right, data)

    def put(self, start: int, end: int, new: str, data: object) -> bool:
        """Changes the text if it then reads as ``data``; says whether it did."""
        text = self.text[:start] + new + self.text[end:]
        try:
            document = _document(self.path, text, self.environment)
        except TazunaError:
            return False
        if document.data != data:
            return False
        self.text, self.document = text, document
        return True

    def offset(self, place: Place) -> int:
        return line_starts(self.text)[place.line - 1] + place.column - 1


class _Names:
    """Names of manifests, over all files together."""

    def __init__(self, files: Sequence[_Text]) -> None:
        self._files = files
        self._names = [manifest.name for file in files for _, manifest in file.manifests() if manifest.name]

    def mend(self) -> None:
        for file in self._files:
            for loc, manifest in list(file.manifests()):
                if not manifest.name:
                    self._give(file, loc, manifest)
                elif not is_storable(manifest.name):
                    self._change(file, loc, manifest.name)

    def _give(self, file: _Text, loc: Loc, manifest: DeclaredManifest) -> None:
        name = self._free(_name_for(manifest))
        data = _with(file.document.data, loc, lambda inner: {**inner, "name": name})
        if _named(file, loc, name, data):
            self._names.append(name)
            file.changes.append(((*loc, "name"), f"the manifest is named '{name}'", True))

    def _change(self, file: _Text, loc: Loc, old: str) -> None:
        new = storable(old)
        if not new or new in self._names or self._names.count(old) != 1:
            return
        before = [(one.text, one.document, list(one.changes)) for one in self._files]
        at: Loc = (*loc, "name")
        if _renamed(file, at, old, new) and all(self._depends(one, old, new) for one in self._files):
            file.changes.append((at, f"the manifest '{old}' is named '{new}' now", False))
            self._names.append(new)
            return
        for one, (text, document, changes) in zip(self._files, before, strict=True):
            one.text, one.document, one.changes = text, document, changes

    def _depends(self, file: _Text, old: str, new: str) -> bool:
        for loc, manifest in _all(file):
            for entry, name in enumerate(manifest.depends_on):
                if name == old and not _renamed(file, (*loc, "dependsOn", entry), old, new):
                    return False
        return True

    def _free(self, wanted: str) -> str:
        number = 1
        while (name := wanted if number == 1 else f"{wanted}-{number}") in self._names:
            number += 1
        return name


def _all(file: _Text) -> Iterable[tuple[Loc, DeclaredManifest]]:
    """All manifests with `dependsOn`, a `parallel` among them."""
    model = file.model
    return [(("spec", "manifests", index), one) for index, one in enumerate(model.spec.manifests if model else ())]


def _renamed(file: _Text, loc: Loc, old: str, new: str) -> bool:
    data = _with(file.document.data, loc, lambda _: new)
    return file.replace(file.document.at_value(loc), old, new, data)


def _named(file: _Text, loc: Loc, name: str, data: object) -> bool:
    """Writes the name of a manifest that has none: after its empty `name:`, else as its first field."""
    written = name if isinstance(resolve_plain(name), str) else f'"{name}"'
    manifest = _at(file.document.data, loc)
    if isinstance(manifest, dict) and "name" in manifest:
        found = _UNNAMED.match(file.text, file.offset(file.document.at_key((*loc, "name"))))
        return found is not None and file.put(*found.span(), f"{found[1]} {written}", data)
    place = file.document.at_value(loc)
    at = file.offset(place)
    if file.text.startswith("{", at):
        blanks = re.compile(r"\{[ \t]*").match(file.text, at)
        end = blanks.end() if blanks else at + 1
        return file.put(end, end, f"name: {written}, ", data)
    end_of_line = "\r\n" if "\r\n" in file.text else "\n"
    return file.put(at, at, f"name: {written}{end_of_line}{' ' * (place.column - 1)}", data)


def _name_for(manifest: DeclaredManifest) -> str:
    """What to call a manifest: after the folder or file of its `path`, or after its artifact."""
    path = PurePosixPath(manifest.path)
    if manifest.oras is not None and manifest.type is ManifestType.ORAS:
        path = PurePosixPath(re.split(r"@|:(?=[^/]*$)", manifest.oras.reference)[0])
    word = path.name.partition(".")[0] if path.suffix in (".yaml", ".yml", ".json", ".gotmpl") else path.name
    if word in _FILES_OF_FOLDERS and path.parent.name:
        word = path.parent.name
    return storable(word) or str(manifest.type)


def _document(path: Path, text: str, environment: str) -> Document:
    return read_document(rendered_source(str(path), text, environment))


def _at(data: object, loc: Loc) -> object:
    for step in loc:
        data = data[step]  # type: ignore[index]
    return data


def _with(data: Any, loc: Loc, change: Any) -> Any:
    """The data with one value of it changed."""
    if not loc:
        return change(data)
    step, rest = loc[0], loc[1:]
    if isinstance(data, list):
        return [_with(one, rest, change) if number == step else one for number, one in enumerate(data)]
    return {key: _with(one, rest, change) if key == step else one for key, one in data.items()}


def _word(value: object) -> str:
    return value.text if isinstance(value, Scalar) else str(value)
