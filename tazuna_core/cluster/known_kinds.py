"""Kinds that are known without asking a cluster: the built-in ones, and those that given CRDs define."""

from __future__ import annotations

from collections.abc import Iterable

from tazuna_core.cluster.discovery import ServedKind, ServedKinds
from tazuna_core.cluster.reader import KindInfo
from tazuna_core.objects.builtin_schema import builtin_kinds
from tazuna_core.objects.identity import JsonObject


def known_kinds(objects: Iterable[JsonObject] = ()) -> ServedKinds:
    """Returns the built-in kinds and those of the CustomResourceDefinitions among ``objects``."""
    served = {key: ServedKind(KindInfo(*builtin)) for key, builtin in builtin_kinds().items()}
    for obj in objects:
        if obj.get("kind") == "CustomResourceDefinition" and isinstance(obj.get("spec"), dict):
            served.update(_defined(obj["spec"]))
    return ServedKinds(served)


def _defined(spec: JsonObject) -> dict[tuple[str, str], ServedKind]:
    names = spec.get("names")
    if not isinstance(names, dict):
        return {}
    info = KindInfo(str(names.get("plural", "")), spec.get("scope") == "Namespaced")
    versions = [version.get("name") for version in spec.get("versions") or () if isinstance(version, dict)]
    return {(f"{spec.get('group')}/{version}", str(names.get("kind", ""))): ServedKind(info) for version in versions}
