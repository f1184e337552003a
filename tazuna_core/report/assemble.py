"""From verdicts to the report: sorted, counted, masked where it must be; everything later only reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict, Side
from tazuna_core.errors import TazunaError
from tazuna_core.objects.model import Notice
from tazuna_core.objects.paths import ABSENT, path_text
from tazuna_core.report.model import (
    Counts,
    Coverage,
    ErrorLine,
    Excluded,
    FieldChange,
    Hidden,
    ManifestReport,
    ObjectReport,
    Owner,
    Report,
    Result,
    Skipped,
    Target,
    Unchecked,
)

SECRET_HASH = "(secret)"  # noqa: S105 - what is shown instead of one
_QUIET = frozenset({"unchanged", "superseded", "expired"})


@dataclass(frozen=True, slots=True)
class ManifestVerdicts:
    """The verdicts of one manifest, listed or not."""

    name: str
    type: str
    objects: Sequence[ObjectVerdict] = ()


@dataclass(slots=True)
class Findings:
    """What a command found, in the order of tazuna.yaml; filled step by step, read once."""

    command: str
    target: Target
    sides: tuple[Side, ...]
    manifests: list[ManifestVerdicts] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    warnings: list[ErrorLine] = field(default_factory=list)
    errors: list[ErrorLine] = field(default_factory=list)

    def warn(self, notices: Iterable[Notice]) -> None:
        """Adds notices as warnings."""
        for notice in notices:
            place = notice.place
            self.warnings.append(
                ErrorLine(
                    code=notice.code,
                    message=notice.message,
                    file=place.file if place else "",
                    line=place.line if place else 0,
                )
            )

    def fail(self, error: TazunaError) -> None:
        """Adds an error; the rest of the report stays."""
        self.errors.append(ErrorLine.of(error))


def assemble(findings: Findings, *, show_all: bool = False, show_secret_hashes: bool = False) -> Report:
    """Returns the report of a command. ``show_all`` lists objects without differences too."""
    verdicts = [(manifest, verdict) for manifest in findings.manifests for verdict in manifest.objects]
    unchecked = tuple(
        Unchecked(manifest=manifest.name, key=str(verdict.key), reason=verdict.unchecked, message=verdict.message)
        for manifest, verdict in verdicts
        if verdict.unchecked
    )
    objects = [verdict for _, verdict in verdicts if not _is_old_key(verdict)]
    excluded_objects = sum(excluded.objects for excluded in findings.excluded)
    coverage = Coverage(
        complete=not unchecked,
        expected=len(objects) + excluded_objects,
        checked=len(objects) - len(unchecked),
        excluded=tuple(findings.excluded),
        skipped=tuple(findings.skipped),
        unchecked=unchecked,
    )
    counts = _counts([verdict for _, verdict in verdicts], len(objects), len(unchecked))
    return Report(
        command=findings.command,
        target=findings.target,
        sides=findings.sides,
        result=_result(counts, coverage, findings.errors),
        counts=counts,
        coverage=coverage,
        manifests=tuple(
            ManifestReport(
                name=manifest.name,
                type=manifest.type,
                objects=tuple(
                    _object(verdict, show_secret_hashes)
                    for verdict in sorted(manifest.objects, key=lambda verdict: str(verdict.key))
                    if show_all or _listed(verdict)
                ),
            )
            for manifest in findings.manifests
        ),
        hidden=tuple(
            Hidden(rule=hidden.rule, key=str(verdict.key), path=path_text(hidden.path), reason=hidden.reason)
            for _, verdict in verdicts
            for hidden in verdict.hidden
        ),
        warnings=tuple(findings.warnings),
        errors=tuple(findings.errors),
    )


def _listed(verdict: ObjectVerdict) -> bool:
    return verdict.status not in _QUIET or bool(verdict.classes)


def _is_old_key(verdict: ObjectVerdict) -> bool:
    """Whether the row is an entry of the state whose object is declared, and counted, under another key now."""
    return verdict.status == "moved" and "built" not in verdict.hashes


def _counts(verdicts: Sequence[ObjectVerdict], objects: int, unchecked: int) -> Counts:
    by_class = Counter(name for verdict in verdicts for name in verdict.classes)
    return Counts(
        objects=objects,
        added=by_class["added"],
        modified=by_class["modified"],
        removed=by_class["removed"],
        always_sync=sum(verdict.status == "always-sync" for verdict in verdicts),
        drifted=by_class["drifted"],
        missing=by_class["missing"],
        conflict=by_class["conflict"],
        unknown_extra=by_class["unknown-extra"],
        unchecked=unchecked,
    )


def _result(counts: Counts, coverage: Coverage, errors: Sequence[ErrorLine]) -> Result:
    if errors:
        return "error"
    if not coverage.complete:
        return "incomplete"
    if counts.drifted or counts.missing or counts.conflict or counts.unknown_extra:
        return "drifted"
    return "changed" if counts.added or counts.modified or counts.removed else "clean"


def _object(verdict: ObjectVerdict, show_secret_hashes: bool) -> ObjectReport:
    key = verdict.key
    hide = key.kind == "Secret" and not key.group and not show_secret_hashes
    return ObjectReport(
        key=str(key),
        api_version=key.api_version,
        kind=key.kind,
        namespace=key.namespace,
        name=key.name,
        status=verdict.status,
        classes=tuple(sorted(verdict.classes)),
        hashes=dict.fromkeys(verdict.hashes, SECRET_HASH) if hide else dict(verdict.hashes),
        method=verdict.method,
        confidence=verdict.confidence,
        fields=tuple(_field(change) for change in verdict.fields),
        notes=verdict.notes,
        file=verdict.place.file if verdict.place else "",
        line=verdict.place.line if verdict.place else 0,
    )


def _field(change: FieldVerdict) -> FieldChange:
    sides: dict[str, Any] = {"recorded": change.recorded, "desired": change.desired, "live": change.live}
    owner = None
    if change.owner is not None:
        owner = Owner(
            manager=change.owner.manager,
            operation=change.owner.operation,
            subresource=change.owner.subresource,
            time=change.owner.time or None,
            origin=change.origin,
        )
    return FieldChange(
        path=path_text(change.path),
        pointer=change.pointer,
        verdict=change.verdict,
        owner=owner,
        on_merge=change.on_merge,
        note=change.note,
        **{side: value for side, value in sides.items() if value is not ABSENT},
    )
