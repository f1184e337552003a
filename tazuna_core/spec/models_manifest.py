"""A manifest of tazuna.yaml and the options of its types, as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from tazuna_core.spec.models_base import Choice, Count, Entry, FileModel, Flag, Needed, Text
from tazuna_core.spec.models_tests import ClusterTest

NAME_PATTERN = r"^[a-zA-Z0-9_-]+$"
DEFAULT_WAIT_SECONDS = 300


class ManifestType(StrEnum):
    """What builds a manifest."""

    KUSTOMIZE = "kustomize"
    HELMFILE = "helmfile"
    GENESIS_SECRET = "genesissecret"  # noqa: S105 - the type's name
    ORAS = "oras"
    DIRECTORY = "directory"
    PARALLEL = "parallel"


class DelegateType(StrEnum):
    """What builds the content of an OCI artifact."""

    HELMFILE = "helmfile"
    KUSTOMIZE = "kustomize"


class VarSource(StrEnum):
    """Where a variable of a helmfile comes from."""

    ENV = "env"
    STATIC = "static"
    OP = "op"


class OpKey(StrEnum):
    """What names a field of a 1Password item."""

    ID = "id"
    LABEL = "label"


class KustomizeOptions(FileModel):
    """Options of `type: kustomize`."""

    default_namespace: Text = Field("", description="For objects that name no namespace.")


class DirectoryOptions(FileModel):
    """Options of `type: directory`, an extension: plain YAML and JSON files."""

    recurse: Flag = Field(False, description="Read the folders below as well.")
    default_namespace: Text = Field("", description="For objects that name no namespace.")


class OpField(FileModel):
    """One field of a 1Password item."""

    key: Choice[OpKey] = Field(description="Whether `field` is an id or a label.")
    vault: Needed
    item: Needed
    field: Needed


class HelmfileVar(FileModel):
    """A variable of a helmfile: `from: env` with `env`, `from: static` with one of three, or `from: op` with `op`."""

    from_: Choice[VarSource] = Field(alias="from")
    env: Text | None = Field(None, description="Name of the environment variable.")
    static: Text | None = Field(None, repr=False)
    static_slice: tuple[Text, ...] | None = Field(None, repr=False)
    static_map: Mapping[str, Text] | None = Field(None, repr=False)
    op: OpField | None = None


class HelmfileOptions(FileModel):
    """Options of `type: helmfile`."""

    vars: Mapping[str, Entry[HelmfileVar]] = Field(default_factory=dict)
    include_crds: Flag = Field(False, alias="includeCRDs")
    default_namespace: Text = Field("", description="For objects that name no namespace.")
    extra_value_files: tuple[Needed, ...] = ()
    wait: Flag = Field(False, description="Wait after apply until every object is ready.")
    timeout_seconds: Count = Field(0, description=f"How long to wait; 0 means {DEFAULT_WAIT_SECONDS}.")
    kube_version: Text = ""


class GenesisSecretOptions(FileModel):
    """Options of `type: genesissecret`: none so far."""


class OrasAuth(FileModel):
    """Credentials of a registry; used if either is set."""

    username: Text = ""
    password: Text = Field("", repr=False)


class OrasDelegate(FileModel):
    """What builds the content of the artifact, and its options."""

    type: Choice[DelegateType]
    helmfile: HelmfileOptions | None = None
    kustomize: KustomizeOptions | None = None


class OrasOptions(FileModel):
    """Options of `type: oras`."""

    reference: Needed = Field(description="The artifact, by tag or by digest (`@sha256:...`).")
    target: Text = Field("", description="A folder inside the artifact.")
    plain_http: Flag = Field(False, alias="plainHTTP")
    insecure_skip_verify: Flag = False
    auth: OrasAuth | None = None
    delegate: OrasDelegate


class ParallelOptions(FileModel):
    """Options of `type: parallel`, an older type: manifests that are handled at the same time."""

    children: tuple[DeclaredManifest, ...] = Field(json_schema_extra={"minItems": 1})


class Include(FileModel):
    """Another tazuna.yaml whose manifests take the place of this one."""

    path: Needed = Field(description="Relative to the folder of the file that includes it.")


class DeclaredManifest(FileModel):
    """One unit of what goes into the cluster."""

    name: Text = Field("", json_schema_extra={"pattern": NAME_PATTERN})
    description: Text = ""
    type: Choice[ManifestType] | None = None
    path: Text = Field("", description="Relative to the folder of the file that declares it.")
    tags: tuple[Text, ...] = ()
    depends_on: tuple[Text, ...] = Field((), description="Names of the manifests to be applied before.")
    includes: tuple[Include, ...] = ()
    kustomize: KustomizeOptions | None = None
    helmfile: HelmfileOptions | None = None
    genesis_secret: GenesisSecretOptions | None = None
    oras: OrasOptions | None = None
    directory: DirectoryOptions | None = None
    parallel: ParallelOptions | None = None
    tests: tuple[ClusterTest, ...] = Field((), description="Run right after this manifest is applied.")
