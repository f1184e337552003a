"""Loads tazuna.drift.yaml, which lies beside tazuna.yaml: differences not to report, kinds not to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from tazuna_core.errors import Place, UsageError
from tazuna_core.spec.explain import Problem, validated
from tazuna_core.spec.models_base import WRONG_TYPE, FileModel, Needed, Text
from tazuna_core.spec.positions import Document, Loc, read_document
from tazuna_core.spec.problems import SpecError, raise_if_any
from tazuna_core.spec.reading import read_text
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import SourceText

DRIFT_FILE = "tazuna.drift.yaml"
_SELECTORS = ("group", "kind", "namespace", "name", "fields", "managers")


def _day(value: Any) -> Any:
    if isinstance(value, date):
        return value
    text = value.text if isinstance(value, Scalar) else value
    if not isinstance(text, str):
        raise PydanticCustomError(WRONG_TYPE, "wrong type")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("invalid", "is not a day; write it like 2026-11-30") from None


class IgnoreRule(FileModel):
    """Differences that are hidden: those of every selector that is given. Past `until`, it hides nothing."""

    group: Text | None = Field(None, description='API group; "" is the core group.')
    kind: Text | None = None
    namespace: Text | None = None
    name: Text | None = None
    fields: tuple[Needed, ...] = Field((), description="Paths, or beginnings of paths; `[*]` stands for any item.")
    managers: tuple[Needed, ...] = Field((), description="Field managers that made the change.")
    reason: Needed
    until: Annotated[date, BeforeValidator(_day)] | None = None


class UnreadableKind(FileModel):
    """A kind that the account may not read: left out, named in every output, no failure."""

    kind: Needed
    reason: Needed


class DriftFile(FileModel):
    """The whole of tazuna.drift.yaml."""

    ignore: tuple[IgnoreRule, ...] = ()
    unreadable: tuple[UnreadableKind, ...] = ()
    managers: tuple[Needed, ...] = Field((), description="Field managers that are controllers.")


@dataclass(frozen=True)
class LoadedDriftFile:
    """tazuna.drift.yaml with its places; without a file, no rules."""

    content: DriftFile
    document: Document = field(repr=False, compare=False)

    @property
    def file(self) -> str:
        """The file's name as users know it."""
        return self.document.file

    def place(self, *loc: str | int) -> Place:
        """Where a value stands, such as `("ignore", 0)`: for "this rule matches nothing"."""
        return self.document.at_value(loc)


def load_drift_file(directory: Path) -> LoadedDriftFile:
    """The tazuna.drift.yaml of the folder of tazuna.yaml; a missing or empty one has no rules.

    Raises SpecError with everything that is wrong with it. It is no template: `{{` means itself.
    """
    path = directory / DRIFT_FILE
    shown = str(path)
    nothing = Document(shown, {}, {}, {})
    try:
        if not path.exists() and not path.is_symlink():
            return LoadedDriftFile(DriftFile(), nothing)
        text = read_text(path, shown=shown)
        source = SourceText.plain(shown, text)
        document = read_document(source, may_be_empty=True)
    except OSError as error:
        raise SpecError([UsageError(f"can't be read: {error.strerror}", place=Place(shown), code="no-file")]) from None
    except UsageError as error:
        raise SpecError([error]) from None
    content, errors = validated(DriftFile, document)
    if content is None:
        raise SpecError(errors)
    raise_if_any([problem.error(document) for problem in _problems(content)])
    return LoadedDriftFile(content, document)


def _problems(content: DriftFile) -> Iterator[Problem]:
    for index, rule in enumerate(content.ignore):
        loc: Loc = ("ignore", index)
        if not any(getattr(rule, selector) not in (None, ()) for selector in _SELECTORS):
            known = ", ".join(f"'{selector}'" for selector in _SELECTORS)
            yield Problem(loc, f"rule number {index + 1} would hide every difference", f"Give it one of {known}.")
        for number, path in enumerate(rule.fields):
            wrong = _path_problem(path)
            if wrong:
                at: Loc = (*loc, "fields", number)
                yield Problem(at, f"rule number {index + 1}: '{path}' is not a path: {wrong}", _PATHS, "wrong-value")


_PATHS = "Write paths as reports show them, such as spec.template.spec.containers[name=app].image."


def _path_problem(path: str) -> str:
    """Why a text can't be a path or its beginning; what each step means is for the comparison to say."""
    inside = quoted = escaped = False
    for character in path:
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = character == "\\", character != '"'
        elif character == '"' and inside:
            quoted = True
        elif character == "[":
            if inside:
                return "'[' inside '[ ]'"
            inside = True
        elif character == "]":
            if not inside:
                return "']' without '['"
            inside = False
        elif not inside and character.isspace():
            return "it holds a blank"
    if quoted or inside:
        return "'[' without ']'"
    return "it begins or ends with a dot" if path.startswith(".") or path.endswith(".") else ""
