"""The whole of tazuna.yaml as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from tazuna_core.spec.models_base import Choice, Entry, FileModel, Needed, Text
from tazuna_core.spec.models_manifest import DeclaredManifest
from tazuna_core.spec.models_tests import ClusterTest

API_VERSION = "tazuna.pepabo.com/v1"
KIND = "Tazuna"


class MatchMode(StrEnum):
    """Whether one pattern or every pattern must match the context. Empty: the root's mode, else `or`."""

    UNSET = ""
    OR = "or"
    AND = "and"


class ProviderType(StrEnum):
    """What fetches secrets."""

    ONEPASSWORD = "onepassword"
    ENVFILE = "envfile"


class OnePasswordConfig(FileModel):
    """Options of a 1Password provider: none so far."""


class EnvFileConfig(FileModel):
    """Options of a provider that reads a dotenv file."""

    path: Needed = Field(description="Relative to the folder of tazuna.yaml.")


class Provider(FileModel):
    """A source of secrets, for manifests of type genesissecret."""

    name: Needed
    type: Choice[ProviderType]
    onepassword: OnePasswordConfig | None = None
    envfile: EnvFileConfig | None = None


class Environment(FileModel):
    """Which contexts an environment may be applied to; replaces the root's, never adds to them."""

    context_matches: tuple[Text, ...] = Field((), alias="context_matches")
    context_match_mode: Choice[MatchMode] = Field(MatchMode.UNSET, alias="context_match_mode")


class Spec(FileModel):
    """What tazuna.yaml declares."""

    minimum_supported_tazuna_version: Text = ""
    manifests: tuple[DeclaredManifest, ...] = Field(
        json_schema_extra={"minItems": 1}, description="In the order in which they are applied."
    )
    context_matches: tuple[Text, ...] = Field(
        (), alias="context_matches", description="RE2 patterns of whole context names that may be written to."
    )
    context_match_mode: Choice[MatchMode] = Field(MatchMode.UNSET, alias="context_match_mode")
    environments: Mapping[str, Entry[Environment]] = Field(default_factory=dict)
    tests: tuple[ClusterTest, ...] = Field((), description="Run after all manifests are applied.")
    providers: tuple[Provider, ...] = ()


class TazunaFile(FileModel):
    """tazuna.yaml: which manifests make up a cluster, in which order, and which cluster that may be."""

    api_version: Literal["tazuna.pepabo.com/v1"] | None = None
    kind: Literal["Tazuna"] | None = None
    spec: Spec
