"""Puts a document into a model, and says what does not fit in words of the file, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.spec.misspelt import clear_match
from tazuna_core.spec.positions import Document, Loc
from tazuna_core.spec.problems import did_you_mean
from tazuna_core.spec.scalars import Scalar

M = TypeVar("M", bound=BaseModel)

_NOUNS = {"manifests": "manifest", "children": "manifest", "providers": "provider", "ignore": "rule", "tests": "test"}
_PLAIN_KEY = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule of ours that a document breaks: the way to what breaks it, what is wrong, what to do.

    `at_key` puts it at the key instead of the value. `correction` is the word that is clearly meant, "" for none.
    """

    loc: Loc
    message: str
    advice: str = ""
    code: str = "spec"
    at_key: bool = False
    correction: str = ""

    def error(self, document: Document) -> TazunaError:
        """The problem as an error with its place in the document."""
        place = document.at_key(self.loc) if self.at_key else document.at_value(self.loc)
        return UsageError(self.message, advice=self.advice, place=place, code=self.code)


def validated(model: type[M], document: Document) -> tuple[M | None, list[TazunaError]]:
    """The document as a model, or None and all that does not fit."""
    found, problems = checked(model, document)
    return found, [problem.error(document) for problem in problems]


def checked(model: type[M], document: Document) -> tuple[M | None, list[Problem]]:
    """The document as a model, or None and the problems of what does not fit."""
    if not isinstance(document.data, Mapping):
        message = f"expected a mapping at the top of the file, found {found(document.data)}"
        known = ", ".join(f"'{name}:'" for name in fields_of(model))
        return None, [Problem((), message, f"Known fields: {known}.", "wrong-type")]
    try:
        return model.model_validate(document.data), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True, include_input=False)
        return None, [_problem(model, document.data, one) for one in details]


def name_of(data: object, loc: Loc) -> str:
    """What to call the thing at `loc`: `'helmfile.vars' of manifest 'argo-cd'`, `manifest 'argo-cd'`, `'spec'`."""
    start, owner = _owner(data, loc)
    path = _dotted(loc[start:])
    if not path:
        return owner or "the file"
    return f"'{path}' of {owner}" if owner else f"'{path}'"


def value_at(data: object, loc: Iterable[str | int]) -> object:
    """The value at `loc`, None where there is none."""
    for step in loc:
        if isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def found(value: object) -> str:
    """What a value is, without the value, for it may be secret."""
    if isinstance(value, Scalar):
        return value.kind
    if value is None:
        return "nothing"
    return "a mapping" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else "a text"


def fields_of(model: type[BaseModel]) -> dict[str, Any]:
    """The annotations of a model's fields by their names in the file."""
    if not model.__pydantic_fields_complete__:
        model.model_rebuild()  # one that names a later class knows only its name until then
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _problem(model: type[BaseModel], data: object, detail: ErrorDetails) -> Problem:
    loc: Loc = detail["loc"]
    kind = detail["type"]
    if kind == "extra_forbidden":
        return _unknown_field(model, data, loc)
    if kind == "missing":
        return Problem(loc[:-1], f"field '{loc[-1]}' is missing {_inside(data, loc[:-1])}", "", "missing-field")
    subject = name_of(data, loc)
    value = value_at(data, loc)
    if kind in ("enum", "literal_error") and isinstance(value, str | Scalar):
        return _unknown_value(_schema_at(model, loc), data, loc, value.text if isinstance(value, Scalar) else value)
    if kind == "empty":
        return Problem(loc, f"{subject} must not be empty", "", "empty-field")
    if kind == "greater_than_equal":
        return Problem(loc, f"{subject} must not be below 0", "", "wrong-value")
    if kind.startswith("value_error") or kind == "invalid":
        return Problem(loc, f"{subject}: {detail['msg'].removeprefix('Value error, ')}", "", "wrong-value")
    schema = _schema_at(model, loc)
    advice = ""
    if isinstance(value, str | Scalar) and get_origin(schema) is tuple:
        advice = f"Write '{loc[-1]}: [...]', or one '- ...' a line."
    return Problem(loc, f"{subject}: expected {expected(schema)}, found {found(value)}", advice, "wrong-type")


def _unknown_field(model: type[BaseModel], data: object, loc: Loc) -> Problem:
    field = str(loc[-1])
    schema = _schema_at(model, loc[:-1])
    known = fields_of(schema) if isinstance(schema, type) and issubclass(schema, BaseModel) else {}
    advice = did_you_mean(field, known)
    # A field that belongs one level below is the other frequent slip.
    inner = [
        f"{name}.{field}"
        for name, annotation in known.items()
        if isinstance(below := _bare(annotation), type) and issubclass(below, BaseModel) and field in fields_of(below)
    ]
    if inner:
        advice = "Did you mean " + " or ".join(f"'{name}'" for name in inner) + "?"
    around = value_at(data, loc[:-1])
    free = [name for name in known if not isinstance(around, Mapping) or name not in around]
    return Problem(
        loc,
        f"unknown field '{field}' {_inside(data, loc[:-1])}",
        advice,
        "unknown-field",
        at_key=True,
        correction="" if inner else clear_match(field, free),
    )


def _inside(data: object, loc: Loc) -> str:
    return f"in {name_of(data, loc)}" if loc else "at the top of the file"


def _unknown_value(schema: Any, data: object, loc: Loc, value: str) -> Problem:
    choices = [choice for choice in _choices(schema) if choice]
    near = did_you_mean(value, choices)
    if get_origin(schema) is Literal:
        return Problem(
            loc,
            f"{name_of(data, loc)} must be '{choices[0]}', not '{value}'",
            "Correct it or leave it out.",
            "wrong-value",
        )
    message = f"unknown {loc[-1]} '{value}' in {name_of(data, loc[:-1])}"
    return Problem(loc, message, near, "wrong-value", correction=clear_match(value, choices))


def expected(schema: Any, *, many: bool = False) -> str:
    """What a field takes, in words."""
    origin = get_origin(schema)
    if origin is tuple:
        return f"a list of {expected(_bare(get_args(schema)[0]), many=True)}"
    if schema is bool:
        return "true or false"
    if schema is int:
        return "whole numbers" if many else "a whole number"
    if origin is Literal or (isinstance(schema, type) and issubclass(schema, Enum)):
        return f"one of {', '.join(choice for choice in _choices(schema) if choice)}"
    if schema is date:
        return "a day"
    if schema is str:
        return "strings" if many else "a text"
    return "mappings" if many else "a mapping"


def _choices(schema: Any) -> list[str]:
    return [str(choice) for choice in (get_args(schema) if get_origin(schema) is Literal else schema)]


def _bare(annotation: Any) -> Any:
    """An annotation without Annotated and `| None`."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, UnionType):
            annotation = next(one for one in get_args(annotation) if one is not NoneType)
        else:
            return annotation


def _schema_at(schema: Any, loc: Loc) -> Any:
    """The annotation of what stands at `loc` of a model, None where the model knows nothing of it."""
    for step in loc:
        schema = _bare(schema)
        origin = get_origin(schema)
        if isinstance(schema, type) and issubclass(schema, BaseModel):
            schema = fields_of(schema).get(str(step))
        elif origin is tuple:
            schema = get_args(schema)[0]
        elif isinstance(origin, type) and issubclass(origin, Mapping):
            schema = get_args(schema)[1]
        else:
            return None
    return _bare(schema)


def _owner(data: object, loc: Loc) -> tuple[int, str]:
    """The innermost named thing on the way to `loc`: how many steps lead to it, and what to call it."""
    for end in range(len(loc), 1, -1):
        step, noun = loc[end - 1], _NOUNS.get(str(loc[end - 2]))
        if noun and isinstance(step, int):
            name = value_at(data, (*loc[:end], "name"))
            name = name.text if isinstance(name, Scalar) else name
            if isinstance(name, str) and name and noun != "rule":
                return end, f"{noun} '{name}'"
            if noun == "test":
                continue  # tests have no name: "'tests[0]' of manifest 'x'" says more
            return end, f"{noun} number {step + 1}"
    return 0, ""


def _dotted(loc: Loc) -> str:
    text = ""
    for step in loc:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text
