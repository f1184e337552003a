"""The file of a genesissecret manifest as it is written."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from tazuna_core.spec.models_base import FileModel, Flag, Needed, Text


class Item(FileModel):
    """Where a value goes."""

    map_to: Needed


class Fetched(FileModel):
    """An item of a provider, and which of its fields become keys of the Secret."""

    uri: Text = ""
    items: Mapping[str, Item]
    prefer_label: Flag = Field(False, description="Items are named by their fields' labels, not ids.")


class KubernetesSecret(FileModel):
    """The Secret to make. `context` is known to the Go CLI, which does not look at it either."""

    namespace: Needed
    name: Needed
    labels: Mapping[str, Text] = Field(default_factory=dict)
    annotations: Mapping[str, Text] = Field(default_factory=dict)
    type: Text = ""
    context: Text = ""


class Stdout(FileModel):
    """Print the values instead."""


class Output(FileModel):
    """Where the values go: exactly one of the two."""

    kubernetes_secret: KubernetesSecret | None = None
    stdout: Stdout | None = None


class GenesisSpec(FileModel):
    """Values by provider and by hand, and what becomes of them."""

    provider: Text = ""
    secrets: tuple[Fetched, ...] = ()
    static: Mapping[str, Text] = Field(default_factory=dict, repr=False)
    outputs: tuple[Output, ...] = Field(json_schema_extra={"minItems": 1})


class GenesisFile(FileModel):
    """The whole file. `apiVersion` and `kind` are not looked at, as in the Go CLI."""

    api_version: Text = ""
    kind: Text = ""
    spec: GenesisSpec
