"""`chart list`: the charts of all helmfile manifests, and whether their repositories have later ones."""

from __future__ import annotations

from dataclasses import dataclass

from tazuna_core.build.chart_list import Latest, UsedChart, latest, used_charts
from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.operations.desired import build_settings
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.text_lists import ChartRow
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.spec.version import precedence


@dataclass(frozen=True, slots=True)
class ChartList:
    """A row for each release, in the order of tazuna.yaml, and what could not be read or asked."""

    rows: tuple[ChartRow, ...]
    errors: tuple[TazunaError, ...]


def chart_list(options: Options, *, check_latest: bool) -> ChartList:
    """Lists the charts of manifests of type helmfile; asks repositories where ``check_latest``.

    A manifest whose helmfile cannot be read is an error beside the others' rows.
    """
    if check_latest and options.offline:
        raise UsageError("--check-latest and --offline exclude each other", advice="Give one of them.")
    session = Session(options)
    settings = build_settings(session, (), ask_cluster=False)
    used: list[UsedChart] = []
    errors: list[TazunaError] = []
    for manifest in session.manifests:
        if manifest.type is ManifestType.HELMFILE:
            try:
                used += used_charts(manifest, settings)
            except TazunaError as error:
                errors.append(error)
    found = latest(used, settings) if check_latest else [Latest()] * len(used)
    rows = tuple(_row(one, newest, asked=check_latest) for one, newest in zip(used, found, strict=True))
    return ChartList(rows, (*errors, *_each_once(found)))


def _each_once(found: list[Latest]) -> list[TazunaError]:
    return list({id(one.error): one.error for one in found if one.error is not None}.values())


def _row(used: UsedChart, newest: Latest, *, asked: bool) -> ChartRow:
    pinned, there = precedence(used.release.version), precedence(newest.version)
    return ChartRow(
        manifest=used.manifest.name,
        chart=used.release.chart,
        release=used.release.name,
        file=used.file,
        version=used.release.version,
        latest=newest.version if asked and newest.error is None else None,
        outdated=pinned < there if pinned and there else None,
        error=newest.error.message if newest.error else "",
    )
