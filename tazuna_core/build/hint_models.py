"""tazuna.hint.yaml as it is written, which lies beside a helmfile: what its variables may hold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field

from tazuna_core.spec.models_base import Choice, FileModel, Flag, Text

HINT_FILE = "tazuna.hint.yaml"


class HintType(StrEnum):
    """What a variable is."""

    STRING = "string"
    SLICE = "slice"
    MAP = "map"


class HintFormat(StrEnum):
    """What the text of a variable of type string looks like."""

    HOSTNAME = "hostname"
    URL = "url"
    EMAIL = "email"
    IP = "ip"
    CIDR = "cidr"
    UUID = "uuid"
    SEMVER = "semver"
    DATETIME = "datetime"


class RuleType(StrEnum):
    """A rule about several variables."""

    ONEOF_REQUIRED = "oneof_required"


class HintVar(FileModel):
    """One variable."""

    type: Choice[HintType]
    required: Flag = False
    default: Any = Field(None, description="Its value where none is given.")
    description: Text = ""
    format: Choice[HintFormat] | None = None
    required_with: tuple[Text, ...] = Field((), alias="required_with")
    required_without: tuple[Text, ...] = Field((), alias="required_without")


class HintRule(FileModel):
    """One rule: at least one of the variables is given."""

    type: Choice[RuleType]
    vars: tuple[Text, ...]
    message: Text = ""


class HintFile(FileModel):
    """The whole of tazuna.hint.yaml. `apiVersion` and `kind` are not looked at, as in the Go CLI."""

    api_version: Text = ""
    kind: Text = ""
    vars: Mapping[str, HintVar] = Field(default_factory=dict)
    rules: tuple[HintRule, ...] = ()
