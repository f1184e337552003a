"""Seals a report before it is shown: secret values masked, content hashes of Secrets replaced, whoever built it."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from tazuna_core.report.catalogue import Lang
from tazuna_core.report.model import MASKED, FieldChange, ObjectReport, Report, Reports
from tazuna_core.report.values import SECRET

AnyReport = TypeVar("AnyReport", bound=Report | Reports)

_SECRET_PATH = re.compile(
    r"(data|stringData)($|[.\[])|metadata\.annotations($|\[\"kubectl\.kubernetes\.io/last-applied)"
)
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def prepared(report: Report | Reports, lang: Lang, *, show_secret_hashes: bool = False) -> Report | Reports:
    """Returns the report as people see it: sealed, and with its own words in their language."""
    sealed = seal(report, show_secret_hashes=show_secret_hashes)
    if lang == "en":
        return sealed
    from tazuna_core.report.phrases import report_in_japanese

    if isinstance(sealed, Reports):
        return sealed.model_copy(update={"reports": tuple(map(report_in_japanese, sealed.reports))})
    return report_in_japanese(sealed)


def seal(report: AnyReport, *, show_secret_hashes: bool = False) -> AnyReport:
    """Returns the report as it may be shown. Sealing twice changes nothing.

    The engine masks secret values itself; this is the second lock (B42): no renderer sees a value of a Secret, and the
    content hash of a Secret, which is a hash of its values, stands as ``(secret)`` unless ``show_secret_hashes``.
    """
    if isinstance(report, Reports):
        sealed = tuple(seal(one, show_secret_hashes=show_secret_hashes) for one in report.reports)
        return report.model_copy(update={"reports": sealed})
    manifests = tuple(
        manifest.model_copy(update={"objects": tuple(_object(obj, show_secret_hashes) for obj in manifest.objects)})
        for manifest in report.manifests
    )
    return report.model_copy(update={"manifests": manifests})


def is_secret(obj: ObjectReport) -> bool:
    """Tells whether an object is a core Secret."""
    return obj.kind == "Secret" and obj.api_version == "v1"


def _object(obj: ObjectReport, show_secret_hashes: bool) -> ObjectReport:
    if not is_secret(obj):
        return obj
    changes: dict[str, Any] = {"fields": tuple(_field(field) for field in obj.fields)}
    if not show_secret_hashes:
        changes["hashes"] = dict.fromkeys(obj.hashes, SECRET)
    return obj.model_copy(update=changes)


def _field(field: FieldChange) -> FieldChange:
    if field.path not in ("", "metadata") and not _SECRET_PATH.match(field.path):
        return field
    update = {
        side: _masked(field.path, getattr(field, side)) for side in ("recorded", "desired", "live") if field.has(side)
    }
    return field.model_copy(update=update)


def _masked(path: str, value: Any) -> Any:
    if value is None:
        return None
    if path == "" and isinstance(value, dict):  # the whole object
        return {key: _masked(key, item) if _is_part(key) else item for key, item in value.items()}
    if path in ("metadata", "metadata.annotations"):
        inner = value.get("annotations", value) if path == "metadata" and isinstance(value, dict) else value
        return MASKED if isinstance(inner, dict) and _LAST_APPLIED in inner else value
    if path in ("data", "stringData") and isinstance(value, dict):
        return {key: None if item is None else MASKED for key, item in value.items()}
    return MASKED


def _is_part(key: str) -> bool:
    return key in ("data", "stringData", "metadata")
