"""What all models of our YAML files share: they are frozen, know every field, and read scalars as the Go CLI does."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from tazuna_core.spec.scalars import Scalar

WRONG_TYPE = "wrong_type"
"""The type of a validation error whose sentence is "expected ..., found ..."."""

# gopkg.in/yaml.v3 takes these for a bool where the field is one.
_TRUE = frozenset(["true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
_FALSE = frozenset(["false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"])
FLAG_WORDS = _TRUE | _FALSE
"""Texts that a `Flag` takes."""

_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")


class FileModel(BaseModel):
    """A mapping of one of our files. Fields have the file's names (camelCase) in the file and in constructors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, hide_input_in_errors=True, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_unset(cls, data: Any) -> Any:
        # Go leaves a field at its zero value when YAML says null; an unknown one is wrong whatever it holds.
        if not isinstance(data, dict):
            return data
        known = {field.alias for field in cls.model_fields.values()}
        return {key: value for key, value in data.items() if value is not None or key not in known}


def _wrong_type() -> PydanticCustomError:
    return PydanticCustomError(WRONG_TYPE, "wrong type")


def _text(value: Any) -> Any:
    if isinstance(value, Scalar):
        return value.text
    if not isinstance(value, str):
        raise _wrong_type()
    return value


def _flag(value: Any) -> Any:
    text = value.text if isinstance(value, Scalar) else value
    if isinstance(text, bool):
        return text
    if isinstance(text, str) and text in FLAG_WORDS:
        return text in _TRUE
    raise _wrong_type()


def _whole_number(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Scalar) and _DECIMAL.fullmatch(value.text):
        return int(value.text)
    raise _wrong_type()


def _null_is_empty(value: Any) -> Any:
    return {} if value is None else value


_C = TypeVar("_C")

Text = Annotated[str, BeforeValidator(_text)]
"""A scalar as it is written: `1.30` stays `1.30`, as in Go's decoding into a string."""

Flag = Annotated[bool, BeforeValidator(_flag)]
Count = Annotated[int, Field(ge=0), BeforeValidator(_whole_number)]
Choice = Annotated[_C, BeforeValidator(_text)]
"""A value of a StrEnum."""

Entry = Annotated[_C, BeforeValidator(_null_is_empty)]
"""The value of a map whose keys are names: `name:` with nothing after it is an entry with nothing set."""


def _not_empty(value: str) -> str:
    if not value:
        raise PydanticCustomError("empty", "must not be empty")
    return value


Needed = Annotated[str, BeforeValidator(_text), AfterValidator(_not_empty), Field(json_schema_extra={"minLength": 1})]
"""A text that must hold something."""
