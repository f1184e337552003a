"""Builds charts a second time where the first build is another than what was applied: what differs is no change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tazuna_core.build.builder import build_all
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.diff.reproducible import Unstable, compare_renders
from tazuna_core.errors import TazunaError
from tazuna_core.lint.model import ADVICE
from tazuna_core.objects.identity import ObjectRef
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
    settings = build_settings(session, [one.manifest for one in suspects])
    out: dict[str, frozenset[Path]] = {}
    for manifest, found in rendered_again(suspects, settings, session.schema):
        if isinstance(found, TazunaError):
            continue  # what made it fail now is said when it matters: the first render is the one that is reported
        findings.warnings.append(_warning(manifest, found))
        out |= {key: frozenset(paths) for key, paths in found.fields.items()}
    return out


def rendered_again(
    suspects: Sequence[BuiltManifest], settings: BuildSettings, schema: Callable[[ObjectRef], Schema]
) -> Iterator[tuple[Manifest, Unstable | TazunaError]]:
    """Renders manifests once more, and yields those of which the two renders differ, or the second failed."""
    again = build_all([one.manifest for one in suspects], replace(settings, render_anew=True))
    for first, second in zip(suspects, again, strict=True):
        if second.error is not None:
            yield first.manifest, second.error
            continue
        schemas = {(obj.ref.api_version, obj.ref.kind): schema(obj.ref) for obj in first.objects}
        found = compare_renders(first.objects, second.objects, schemas)
        if found:
            yield first.manifest, found


def made_up(found: Unstable) -> str:
    """Returns what no two renders agree on as words: a few of the fields and objects, and how many more there are."""
    names = [f"{key.partition('/')[2]} {path_text(path)}" for key, paths in found.fields.items() for path in paths]
    names += [f"{key.partition('/')[2]} (the object itself)" for key in sorted(found.objects)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _differs(built: BuiltManifest, stored: Mapping[str, Applied]) -> bool:
    applied = stored.get(built.manifest.name)
    hashes = applied.hashes() if applied else {}
    return built.error is None and any(hashes.get(str(obj.key)) != obj.content_hash for obj in built.objects)


def _warning(manifest: Manifest, found: Unstable) -> ErrorLine:
    return ErrorLine(
        code="not-reproducible",
        message=f"{manifest.label} builds to something else each time: {made_up(found)};"
        " of these only the presence is compared",
        advice=ADVICE["not-reproducible"],
        file=manifest.place.file,
        line=manifest.place.line,
    )
