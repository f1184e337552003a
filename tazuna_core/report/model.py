"""The report: what every text, comment, summary and exit code is made from (contract, section 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer
from pydantic.alias_generators import to_camel

from tazuna_core.diff.verdicts import (
    Confidence,
    Method,
    ObjectClass,
    OnMerge,
    Side,
    Status,
    Verdict,
)
from tazuna_core.errors import Place, TazunaError, UsageError
from tazuna_core.objects.managers import Origin

SCHEMA_VERSION: Literal[1] = 1

Result = Literal["clean", "changed", "drifted", "incomplete", "error"]

MASKED: dict[str, Any] = {"masked": True}
"""What stands in the report in place of a secret value."""


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )


class Target(_Model):
    """What was compared: file, environment, kubeconfig context, git commit; ``base`` is the commit compared with."""

    file: str
    environment: str = ""
    context: str | None = None
    commit: str | None = None
    base: str | None = None

    @model_serializer(mode="wrap")
    def _base_where_there_is_one(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if self.base is None:
            data.pop("base", None)
        return data


class Counts(_Model):
    """Objects by class; an object is counted once in each of its classes."""

    objects: int = 0
    added: int = 0
    modified: int = 0
    removed: int = 0
    always_sync: Annotated[int, Field(alias="always-sync")] = 0
    drifted: int = 0
    missing: int = 0
    conflict: int = 0
    unknown_extra: Annotated[int, Field(alias="unknown-extra")] = 0
    unchecked: int = 0


class Unchecked(_Model):
    """An object nothing can be said of, and why."""

    manifest: str
    key: str
    reason: str
    message: str = ""


class Skipped(_Model):
    """A manifest that was left out by rule (no-state, genesissecret, unnamed, ...)."""

    manifest: str
    reason: str


class Excluded(_Model):
    """A kind that the user took out of the check (`unreadable` in tazuna.drift.yaml)."""

    kind: str
    reason: str
    objects: int = 0


class Coverage(_Model):
    """How much of what was asked could be checked; ``complete`` is false when anything is unchecked."""

    complete: bool = True
    expected: int = 0
    checked: int = 0
    excluded: tuple[Excluded, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()


class Owner(_Model):
    """The managedFields entry that holds a field. ``manager`` is a claim; ``time`` is null where none is known."""

    manager: str
    operation: str = ""
    subresource: str = ""
    time: str | None = None
    origin: Origin = "unknown"


class FieldChange(_Model):
    """One path that differs. A side is present only where it has the field; null is a value like any other."""

    path: str
    pointer: str
    verdict: Verdict
    recorded: Any = None
    desired: Any = None
    live: Any = None
    owner: Owner | None = None
    on_merge: OnMerge | None = None
    note: str = ""

    @model_serializer(mode="wrap")
    def _only_present_sides(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        present = self.model_fields_set
        for name, key in (("recorded", "recorded"), ("desired", "desired"), ("live", "live")):
            if name not in present:
                data.pop(key, None)
        if self.on_merge is None:
            data.pop("onMerge", None)
            data.pop("on_merge", None)
        if not self.note:
            data.pop("note", None)
        return data

    def has(self, side: Side) -> bool:
        """Tells whether ``side`` has the field."""
        return side in self.model_fields_set


class ObjectReport(_Model):
    """One object: its status, the classes it counts in, its fields that differ."""

    key: str
    api_version: str
    kind: str
    namespace: str
    name: str
    status: Status
    classes: tuple[ObjectClass, ...] = ()
    hashes: dict[str, str] = {}
    method: Method = "record"
    confidence: Confidence = "exact"
    fields: tuple[FieldChange, ...] = ()
    notes: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    """Where the repository declares it, as far as that is a file that people write; else "" and 0."""


class ManifestReport(_Model):
    """The objects of one manifest that are listed, in report order."""

    name: str
    type: str
    objects: tuple[ObjectReport, ...] = ()


class Hidden(_Model):
    """A difference that a rule hides: nothing disappears without a line here."""

    rule: str
    key: str
    path: str
    reason: str = ""


class ErrorLine(_Model):
    """An error of the run: ``file`` and ``line`` where it has a place, ``exit_code`` what it alone would exit with."""

    code: str
    message: str
    advice: str = ""
    file: str = ""
    line: int = 0
    exit_code: int = 0

    @classmethod
    def of(cls, error: TazunaError) -> ErrorLine:
        """Returns the line for an error."""
        place = error.place or Place("")
        return cls(
            code=error.code,
            message=error.message,
            advice=error.advice,
            file=place.file,
            line=place.line,
            exit_code=error.exit_code,
        )


class AdoptedFile(_Model):
    """A file that `adopt` changes: its path in the repository, the objects it is about, the difference."""

    path: str
    created: bool = False
    keys: tuple[str, ...] = ()
    diff: str = ""


class LeftAlone(_Model):
    """What `adopt` does not take over: an object, or one path of it. ``refused`` where that is an error (exit 5).

    ``file`` (and ``line``) where a place in the repository is the reason.
    """

    key: str
    path: str = ""
    reason: str
    message: str
    advice: str = ""
    refused: bool = False
    file: str = ""
    line: int = 0


class Adoption(_Model):
    """The change of the repository by which the build says what is live; ``written`` when it was put in place."""

    written: bool = False
    git: bool = True
    """Whether the repository is one of git: then the change is to be committed."""
    objects: int = 0
    fields: int = 0
    already: int = 0
    """Fields of which the repository says what is live already; they are drift until it is applied."""
    files: tuple[AdoptedFile, ...] = ()
    left: tuple[LeftAlone, ...] = ()


class Run(_Model):
    """What may differ between two equal runs; never part of a digest."""

    started: str = ""
    seconds: float = 0.0
    version: str = ""


class Report(_Model):
    """One command over one target. ``warnings`` are for people and change neither result nor exit code."""

    schema_version: Literal[1] = SCHEMA_VERSION
    command: str
    target: Target
    sides: tuple[Side, ...]
    result: Result
    counts: Counts
    coverage: Coverage
    manifests: tuple[ManifestReport, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    warnings: tuple[ErrorLine, ...] = ()
    errors: tuple[ErrorLine, ...] = ()
    applied: int | None = None
    """Objects confirmed as applied, unchanged ones included; None for commands that only read."""
    written: int | None = None
    """How many of these the run created or changed; None where that is not known."""
    adoption: Adoption | None = None
    """What `adopt` did; not there for other commands."""
    fixed: tuple[ErrorLine, ...] = ()
    """What `check --fix` changed in tazuna.yaml and its includes; not there where that is nothing."""
    run: Run = Run()

    @model_serializer(mode="wrap")
    def _only_what_there_is(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if self.adoption is None:
            data.pop("adoption", None)
        if not self.fixed:
            data.pop("fixed", None)
        return data

    def objects(self) -> list[tuple[ManifestReport, ObjectReport]]:
        """All listed objects with their manifests, in report order."""
        return [(manifest, obj) for manifest in self.manifests for obj in manifest.objects]


class Reports(_Model):
    """Several targets in one file."""

    schema_version: Literal[1] = SCHEMA_VERSION
    reports: tuple[Report, ...]


def dump_report(report: Report | Reports) -> bytes:
    """Returns the report as JSON text (UTF-8, two blanks of indent, final newline); equal reports give equal bytes."""
    data = report.model_dump(mode="json", by_alias=True)
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def load_report(text: bytes, source: str = "report") -> Report | Reports:
    """Reads a report of ours; raises UsageError naming the first field that is wrong, or a newer schema version."""
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{source} is not JSON: {error}", advice="Give a file written by --report-file.") from None
    if not isinstance(data, dict):
        raise UsageError(f"{source} is not a report", advice="Give a file written by --report-file.")
    if data.get("schemaVersion") != SCHEMA_VERSION:
        raise UsageError(
            f"{source} has schemaVersion {data.get('schemaVersion')!r}, this version reads {SCHEMA_VERSION}",
            advice="Upgrade tazuna-core, or write the report again with this version.",
        )
    try:
        return Reports.model_validate(data) if "reports" in data else Report.model_validate(data)
    except ValueError as error:
        first = str(error).splitlines()
        raise UsageError(f"{source} is not a report: {' '.join(first[1:3])}") from None
