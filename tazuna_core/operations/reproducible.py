"""Builds charts a second time where the first build is another than what was applied: what differs is no change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tazuna_core.build.builder import build_all
from tazuna_core.build.model import BuiltManifest
from tazuna_core.diff.reproducible import Unstable, compare_renders
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.paths import Path, path_text
from tazuna_core.objects.schema import Schema
from tazuna_core.operations.desired import build_settings
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings
from tazuna_core.report.model import ErrorLine
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.state.model import Applied

RENDERED = frozenset({ManifestType.HELMFILE, ManifestType.ORAS})
"""Types whose templates have random and time functions."""
_SHOWN = 5


def unstable_paths(
    session: Session, built: Sequence[BuiltManifest], stored: Mapping[str, Applied], findings: Findings
) -> dict[str, frozenset[Path]]:
    """Returns by state key the paths that no two renders agree on; each manifest that has some is one warning.

    A manifest that builds to what was applied is reproducible, so only the others are rendered again (verdicts 9).
    """
    suspects = [one for one in built if one.manifest.type in RENDERED and _differs(one, stored)]
    if not suspects:
        return {}
    manifests = [one.manifest for one in suspects]
    again = build_all(manifests, replace(build_settings(session, manifests), render_anew=True))
    out: dict[str, frozenset[Path]] = {}
    for first, second in zip(suspects, again, strict=True):
        if second.error is not None:
            continue  # what made it fail now is said when it matters: the first render is the one that is reported
        found = compare_renders(first.objects, second.objects, _schemas(session, first.objects))
        if found:
            findings.warnings.append(_warning(first.manifest, found))
        out |= {key: frozenset(paths) for key, paths in found.fields.items()}
    return out


def _differs(built: BuiltManifest, stored: Mapping[str, Applied]) -> bool:
    applied = stored.get(built.manifest.name)
    hashes = applied.hashes() if applied else {}
    return built.error is None and any(hashes.get(str(obj.key)) != obj.content_hash for obj in built.objects)


def _schemas(session: Session, objects: Sequence[BuiltObject]) -> dict[tuple[str, str], Schema]:
    return {(obj.ref.api_version, obj.ref.kind): session.schema(obj.ref) for obj in objects}


def _warning(manifest: Manifest, found: Unstable) -> ErrorLine:
    names = [f"{key.partition('/')[2]} {path_text(path)}" for key, paths in found.fields.items() for path in paths]
    names += [f"{key.partition('/')[2]} (the object itself)" for key in sorted(found.objects)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ErrorLine(
        code="not-reproducible",
        message=f"{manifest.label} builds to something else each time: {', '.join(names[:_SHOWN])}{more};"
        " of these only the presence is compared",
        advice="Give the chart these values instead of letting it make them up.",
        file=manifest.place.file,
        line=manifest.place.line,
    )
