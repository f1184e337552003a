"""Loads tazuna.yaml and the files it includes into a specification, or says all that is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tazuna_core.errors import Place, TazunaError, UsageError
from tazuna_core.objects.model import Notice
from tazuna_core.spec.explain import Problem, fields_of, name_of, validated, value_at
from tazuna_core.spec.manifest import Manifest, declared
from tazuna_core.spec.models import Spec, TazunaFile
from tazuna_core.spec.models_manifest import DeclaredManifest, ManifestType
from tazuna_core.spec.names import duplicate_names
from tazuna_core.spec.order import dependency_problems
from tazuna_core.spec.positions import Document, Loc, read_document
from tazuna_core.spec.problems import SpecError, raise_if_any
from tazuna_core.spec.reading import read_text
from tazuna_core.spec.rules import file_problems
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import LEFT, SourceText
from tazuna_core.spec.version import check_minimum

_OPTIONS = {
    "kustomize": ManifestType.KUSTOMIZE,
    "helmfile": ManifestType.HELMFILE,
    "genesisSecret": ManifestType.GENESIS_SECRET,
    "oras": ManifestType.ORAS,
    "directory": ManifestType.DIRECTORY,
    "parallel": ManifestType.PARALLEL,
}
_OF_THE_ROOT_ALONE = ("context_matches", "context_match_mode", "environments", "tests", "providers")
_KEPT_BY_AN_INCLUDE = ("name", "description", "includes")


@dataclass(frozen=True)
class Origin:
    """Where a manifest was declared: the document and the way to it there."""

    document: Document
    loc: Loc


@dataclass(frozen=True)
class LoadedSpec:
    """tazuna.yaml, read for one environment.

    ``file`` is the path as it was given, ``directory`` the folder it lies in, ``spec`` the file's own content,
    ``manifests`` all manifests in declaration order, those of included files in the place of the include.
    """

    file: Path
    directory: Path
    environment: str
    spec: Spec
    manifests: tuple[Manifest, ...]
    notices: tuple[Notice, ...]
    document: Document = field(repr=False, compare=False)
    origins: Mapping[int, Origin] = field(repr=False, compare=False)

    def place(self, *loc: str | int) -> Place:
        """Where a value of tazuna.yaml itself stands, such as `("spec", "context_matches", 0)`."""
        return self.document.at_value(loc)

    def place_in(self, manifest: Manifest, *loc: str | int) -> Place:
        """Where a value of a manifest stands, such as `("path",)`, in whichever file declares it."""
        origin = self.origins[manifest.index]
        return origin.document.at_value((*origin.loc, *loc))

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents of tazuna.yaml and of the files that it includes and that declare manifests, each once."""
        found = [self.document, *(origin.document for origin in self.origins.values())]
        return tuple({id(one): one for one in found}.values())


def load_spec(path: Path, environment: str = "") -> LoadedSpec:
    """Reads tazuna.yaml at `path` for the environment `-e`.

    Raises SpecError with every error of these files that concerns each command (`check.check_spec` adds those that
    `check` alone reports), and RefusedError, code `version`, for a file that asks for a later Tazuna.
    """
    shown = str(path)
    try:
        root = _read_file(path, shown, environment, advice="Name another with -f/--file-path.")
        loading = _Loading(environment)
        loading.add_file(root)
        loading.check_names_and_order()
    except UsageError as error:
        raise error if isinstance(error, SpecError) else SpecError([error]) from None
    raise_if_any(loading.errors)
    return LoadedSpec(
        file=path,
        directory=path.parent,
        environment=environment,
        spec=root.model.spec,
        manifests=tuple(loading.manifests),
        notices=(*loading.notices, *_unguarded(root.model.spec, environment, root.document)),
        document=root.document,
        origins=loading.origins,
    )


@dataclass(frozen=True)
class _File:
    base: Path
    shown: str
    model: TazunaFile
    document: Document
    notices: tuple[Notice, ...]


def _read_file(path: Path, shown: str, environment: str, *, asked_at: Place | None = None, advice: str = "") -> _File:
    """One file, checked by itself; raises SpecError or another UsageError, or RefusedError for its version."""
    text = read_text(path, shown=shown, asked_at=asked_at, advice=advice)
    document = read_document(rendered_source(shown, text, environment))
    # Before all else: what a later Tazuna added would be unknown fields here.
    _check_version(document)
    document, notices = strip_includes(document)
    model, errors = validated(TazunaFile, document)
    if model is None:
        raise SpecError(errors)
    raise_if_any([problem.error(document) for problem in file_problems(model)])
    return _File(path.parent, shown, model, document, tuple(notices))


def rendered_source(shown: str, text: str, environment: str) -> SourceText:
    """The text of a file, rendered where it holds a template; raises UsageError for a wrong one."""
    if LEFT not in text:
        return SourceText.plain(shown, text)
    from tazuna_core.spec.templating import render  # few files hold a template

    return render(shown, text, environment)


def _check_version(document: Document) -> None:
    loc: Loc = ("spec", "minimumSupportedTazunaVersion")
    version = value_at(document.data, loc)
    if isinstance(version, str | Scalar):
        check_minimum(version.text if isinstance(version, Scalar) else version, document.at_value(loc))


def strip_includes(document: Document) -> tuple[Document, list[Notice]]:
    """The document without the fields that count for nothing in a manifest that includes files."""
    spec = value_at(document.data, ("spec",))
    manifests = value_at(spec, ("manifests",))
    if not isinstance(document.data, dict) or not isinstance(spec, dict) or not isinstance(manifests, list):
        return document, []
    notices: list[Notice] = []
    ignored_fields = fields_of(DeclaredManifest).keys() - _KEPT_BY_AN_INCLUDE
    stripped: list[object] = []
    for index, manifest in enumerate(manifests):
        if not isinstance(manifest, dict) or not manifest.get("includes"):
            stripped.append(manifest)
            continue
        stripped.append({key: value for key, value in manifest.items() if key not in ignored_fields})
        ignored = [key for key in manifest if key in ignored_fields]
        if ignored:
            loc: Loc = ("spec", "manifests", index)
            who = name_of(document.data, loc)
            message = f"{who} includes files, so these fields of it count for nothing: {_list(ignored)}"
            notices.append(Notice("ignored-fields", message, document.at_key((*loc, ignored[0]))))
    data = {**document.data, "spec": {**spec, "manifests": stripped}}
    return replace(document, data=data), notices


class _Loading:
    """Gathers the manifests, errors and notices of a file and of those it includes."""

    def __init__(self, environment: str) -> None:
        self.environment = environment
        self.manifests: list[Manifest] = []
        self.errors: list[TazunaError] = []
        self.notices: list[Notice] = []
        self.origins: dict[int, Origin] = {}

    def add_file(self, file: _File, *, included: bool = False) -> None:
        self.notices += file.notices
        for index, manifest in enumerate(file.model.spec.manifests):
            loc: Loc = ("spec", "manifests", index)
            if not manifest.includes:
                self.manifests.append(self._ready(manifest, file, loc))
            elif included:
                problem = Problem(
                    (*loc, "includes"),
                    f"an included file cannot include others, and '{file.shown}' is included",
                    "Include them all from the first file.",
                    "nested-include",
                    at_key=True,
                )
                self.errors.append(problem.error(file.document))
            else:
                self._include(manifest, file, loc)

    def _include(self, manifest: DeclaredManifest, file: _File, loc: Loc) -> None:
        for index, include in enumerate(manifest.includes):
            at = file.document.at_value((*loc, "includes", index, "path"))
            path = Path(os.path.normpath(file.base / include.path))
            try:
                advice = f"Include paths start from the folder of '{file.shown}'."
                inner = _read_file(path, str(path), self.environment, asked_at=at, advice=advice)
            except SpecError as error:
                self.errors += error.errors
            except UsageError as error:
                self.errors.append(error)
            else:
                self.add_file(inner, included=True)
                self.notices += _ignored_in_include(inner)

    def _ready(self, manifest: DeclaredManifest, file: _File, loc: Loc) -> Manifest:
        index = len(self.origins)
        self.origins[index] = Origin(file.document, loc)
        below = manifest.parallel.children if manifest.parallel and manifest.type is ManifestType.PARALLEL else ()
        children = [
            self._ready(child, file, (*loc, "parallel", "children", number)) for number, child in enumerate(below)
        ]
        ready = declared(manifest, base=file.base, place=file.document.at_value(loc), index=index, children=children)
        self.notices += _remarks(ready, file.document, loc)
        return ready

    def check_names_and_order(self) -> None:
        """Names only matter to every command where dependsOn refers to them; `check` looks at them always."""
        if self.errors or not any(manifest.depends_on for manifest in self.manifests):
            return
        for duplicate in duplicate_names(self.manifests):
            self._at(duplicate.manifest, ("name",), duplicate.message, duplicate.advice, "duplicate-name")
        for problem in dependency_problems(self.manifests):
            self._at(problem.manifest, ("dependsOn", problem.entry), problem.message, problem.advice, "depends-on")

    def _at(self, manifest: Manifest, loc: Loc, message: str, advice: str, code: str) -> None:
        origin = self.origins[manifest.index]
        self.errors.append(Problem((*origin.loc, *loc), message, advice, code).error(origin.document))


def _remarks(manifest: Manifest, document: Document, loc: Loc) -> Iterator[Notice]:
    if not manifest.name and manifest.type is not ManifestType.PARALLEL:
        message = "this manifest has no name, so nothing about it can be recorded: commands that use state skip it"
        yield Notice("unnamed", message, manifest.place)
    data = value_at(document.data, loc)
    if isinstance(data, dict):
        for key in [key for key, of in _OPTIONS.items() if data.get(key) and of is not manifest.type]:
            message = f"'{key}' counts for nothing in {manifest.label}, whose type is '{manifest.type}'"
            yield Notice("ignored-fields", message, document.at_key((*loc, key)))


def _ignored_in_include(file: _File) -> Iterator[Notice]:
    for key in _OF_THE_ROOT_ALONE:
        if value_at(file.document.data, ("spec", key)):
            message = f"'spec.{key}' of an included file counts for nothing"
            yield Notice("ignored-fields", message, file.document.at_key(("spec", key)))


def _unguarded(spec: Spec, environment: str, document: Document) -> Iterator[Notice]:
    chosen = spec.environments.get(environment) if environment else None
    if chosen is not None and not chosen.context_matches and spec.context_matches:
        message = (
            f"environment '{environment}' has no context_matches, and those of the root do not count for it:"
            " any context will do"
        )
        yield Notice("unguarded", message, document.at_key(("spec", "environments", environment)))


def _list(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
