"""A cluster in a file: the live objects of one moment, to be read without a cluster and without its secrets.

Values of Secrets are replaced by ``{"masked": true}``. What the file does not mention is unknown, never missing: an
object that the server did not have is listed in ``unavailable`` with the reason ``not-found``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tazuna_core.cluster.discovery import ServedKind, ServedKinds
from tazuna_core.cluster.reader import Answer, ClusterReader, KindInfo, Reason, Unavailable
from tazuna_core.errors import BuildError, Place, UsageError
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.crd_schema import CRD, schemas_of_crd
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.schema import Schema
from tazuna_core.objects.yaml_documents import load_documents

MASK: dict[str, Any] = {"masked": True}
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class ListRef(NamedTuple):
    """A list: all objects of a kind, in one namespace where one is given."""

    api_version: str
    kind: str
    namespace: str = ""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    api_version: str = Field(alias="apiVersion")
    kind: str


class SnapshotKind(_Part):
    """One served kind."""

    plural: str
    namespaced: bool


class SnapshotList(_Part):
    """A list that was read; all its objects are in the snapshot, unless ``reason`` says why it could not be read."""

    namespace: str = ""
    reason: Reason | None = None
    message: str = ""

    @property
    def ref(self) -> ListRef:
        return ListRef(self.api_version, self.kind, self.namespace)


class SnapshotUnavailable(_Part):
    """An object that was asked for and not returned."""

    namespace: str = ""
    name: str
    reason: Reason
    message: str = ""

    @property
    def ref(self) -> ObjectRef:
        return ObjectRef(self.api_version, self.kind, self.namespace, self.name)


class SnapshotServer(BaseModel):
    """The API server that was read."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    version: str = ""


class Snapshot(BaseModel):
    """The file. ``objects`` are whole, with metadata and managedFields; references carry effective namespaces."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    schema_version: Literal[1] = Field(alias="schemaVersion")
    kind: Literal["ClusterSnapshot"]
    server: SnapshotServer = SnapshotServer()
    context: str | None = None
    kinds: tuple[SnapshotKind, ...] = ()
    lists: tuple[SnapshotList, ...] = ()
    objects: tuple[JsonObject, ...] = ()
    unavailable: tuple[SnapshotUnavailable, ...] = ()

    def to_json(self) -> bytes:
        """Returns the file's content; equal snapshots give equal bytes."""
        data = self.model_dump(by_alias=True, mode="json", exclude_defaults=True)
        head = {"schemaVersion": 1, "kind": "ClusterSnapshot"}
        return orjson.dumps({**head, **data}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def snapshot_of(reader: ClusterReader, refs: Iterable[ObjectRef], lists: Iterable[ListRef] = ()) -> Snapshot:
    """Reads objects and whole lists into a snapshot.

    ``lists`` are for what is looked for without being named: the state's ConfigMaps, autoscalers. Raises ClusterError
    when the cluster cannot be read at all; what cannot be read in part is in the snapshot with its reason.
    """
    kinds = reader.kinds()
    objects: dict[ObjectRef, JsonObject] = {}
    unavailable: list[SnapshotUnavailable] = []
    served: dict[tuple[str, str], KindInfo | None] = {}
    for ref, answer in reader.read({kinds.effective(ref): None for ref in refs}).items():
        served[ref.api_version, ref.kind] = kinds.get(ref.api_version, ref.kind)
        if isinstance(answer, Unavailable):
            fields = {**ref._asdict(), "reason": answer.reason, "message": answer.message}
            unavailable.append(SnapshotUnavailable(**fields))
        else:
            objects[ref] = without_secret_values(answer)
    read_lists: list[SnapshotList] = []
    for asked in sorted(set(lists)):
        served[asked.api_version, asked.kind] = kinds.get(asked.api_version, asked.kind)
        listed = reader.list_kind(*asked)
        if isinstance(listed, Unavailable):
            read_lists.append(SnapshotList(**asked._asdict(), reason=listed.reason, message=listed.message))
            continue
        read_lists.append(SnapshotList(**asked._asdict()))
        objects.update({ref_of(obj): without_secret_values(obj) for obj in listed})
    return Snapshot(
        schema_version=1,
        kind="ClusterSnapshot",
        server=SnapshotServer(version=reader.server_version()),
        context=reader.name,
        kinds=tuple(
            SnapshotKind(api_version=api_version, kind=kind, plural=info.plural, namespaced=info.namespaced)
            for (api_version, kind), info in sorted(served.items(), key=lambda item: item[0])
            if info is not None
        ),
        lists=tuple(read_lists),
        objects=tuple(objects[ref] for ref in sorted(objects)),
        unavailable=tuple(sorted(unavailable, key=lambda item: item.ref)),
    )


def ref_of(obj: JsonObject) -> ObjectRef:
    """Returns the reference of a live object."""
    metadata = obj["metadata"]
    return ObjectRef(obj["apiVersion"], obj["kind"], metadata.get("namespace", ""), metadata["name"])


def without_secret_values(obj: JsonObject) -> JsonObject:
    """Returns a Secret with its values masked, those in kubectl's last-applied annotation too (C55); else ``obj``."""
    if obj.get("kind") != "Secret" or obj.get("apiVersion") != "v1":
        return obj
    out = dict(obj)
    for part in ("data", "stringData"):
        if part in out:
            out[part] = dict.fromkeys(out[part] or {}, MASK)
    metadata = out["metadata"]
    annotations = metadata.get("annotations") or {}
    if _LAST_APPLIED in annotations:
        out["metadata"] = {**metadata, "annotations": {**annotations, _LAST_APPLIED: MASK}}
    return out


def load_snapshot(path: Path) -> Snapshot:
    """Reads a snapshot file, JSON or YAML. Raises UsageError, with the place, when it is none."""
    place = Place(str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the snapshot: {error.strerror}", place=place) from None
    data = _parsed(content, path)
    version = data.get("schemaVersion") if isinstance(data, dict) else None
    if isinstance(version, int) and version > 1:
        raise UsageError(
            f"this snapshot has version {version}, this program reads version 1",
            place=place,
            advice="Upgrade tazuna.",
        )
    try:
        return Snapshot.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(
            f"this is no cluster snapshot: {_field_text(first['loc'])}{first['msg']}",
            place=place,
            advice="`tazuna snapshot --to FILE` writes one.",
        ) from None


def _parsed(content: bytes, path: Path) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass  # YAML, or JSON with an error that the YAML reader knows the line of
    try:
        documents = load_documents(content, str(path)).documents
    except BuildError as error:
        raise UsageError(error.message, place=error.place, advice=error.advice) from None
    if len(documents) != 1:
        raise UsageError(f"a snapshot is one document, this file has {len(documents)}", place=Place(str(path)))
    return documents[0].data


def _field_text(location: tuple[int | str, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{text.lstrip('.')}: " if text else ""


class SnapshotReader:
    """``ClusterReader`` over a snapshot file."""

    def __init__(self, snapshot: Snapshot, source: str = "snapshot") -> None:
        """Raises UsageError when an object in the snapshot cannot be one of Kubernetes."""
        self._snapshot = snapshot
        # A file written by hand need not list kinds that every cluster has.
        served = {key: ServedKind(KindInfo(*builtin)) for key, builtin in builtin_kinds().items()}
        for kind in snapshot.kinds:
            served[kind.api_version, kind.kind] = ServedKind(KindInfo(kind.plural, kind.namespaced))
        self._kinds = ServedKinds(served)
        self._answers: dict[ObjectRef, Answer] = {
            item.ref: Unavailable(item.reason, item.message) for item in snapshot.unavailable
        }
        for number, obj in enumerate(snapshot.objects):
            try:
                self._answers[ref_of(obj)] = obj
            except (KeyError, TypeError, AttributeError):
                raise UsageError(
                    f"objects[{number}]: an object needs apiVersion, kind and metadata.name", place=Place(source)
                ) from None
        self._schemas: Mapping[tuple[str, str], Schema] | None = None
        self._lists = {item.ref: item for item in snapshot.lists}

    @classmethod
    def open(cls, path: Path) -> SnapshotReader:
        """Reads the file. Raises UsageError, with the place, when it is no snapshot."""
        return cls(load_snapshot(path), str(path))

    @property
    def name(self) -> str | None:
        return None

    def kinds(self) -> ServedKinds:
        return self._kinds

    def read(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        return {ref: self._answers.get(self._kinds.effective(ref), _not_mentioned(str(ref))) for ref in refs}

    def read_metadata(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        return self.read(refs)

    def list_kind(self, api_version: str, kind: str, namespace: str = "") -> list[JsonObject] | Unavailable:
        found = self._lists.get(ListRef(api_version, kind, namespace))
        if found is None:
            return _not_mentioned(f"the list of {kind} in namespace {namespace}" if namespace else f"all {kind}")
        if found.reason is not None:
            return Unavailable(found.reason, found.message)
        return [
            obj
            for ref, obj in self._answers.items()
            if not isinstance(obj, Unavailable)
            and (ref.api_version, ref.kind) == (api_version, kind)
            and namespace in ("", ref.namespace)
        ]

    def schema(self, api_version: str, kind: str) -> Schema | None:
        """Returns the schema of a custom resource whose definition is in the snapshot; None for any other kind."""
        if self._schemas is None:
            crds = [obj for ref, obj in self._answers.items() if ref[:2] == CRD and not isinstance(obj, Unavailable)]
            self._schemas = {key: schema for crd in crds for key, schema in schemas_of_crd(crd).items()}
        return self._schemas.get((api_version, kind))

    def server_version(self) -> str:
        return self._snapshot.server.version


def _not_mentioned(what: str) -> Unavailable:
    return Unavailable(Reason.NOT_IN_SNAPSHOT, f"the snapshot does not mention {what}")
