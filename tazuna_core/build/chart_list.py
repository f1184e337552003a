"""Which charts a helmfile manifest uses, read without rendering one, and which versions of them there are now."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from tazuna_core.build import helmfile_program
from tazuna_core.build.charts import Charts, Remote
from tazuna_core.build.confinement import Confinement
from tazuna_core.build.helm import Helm
from tazuna_core.build.helm_template import has_actions, read_text
from tazuna_core.build.helmfile import Work, parsed, work_of
from tazuna_core.build.helmfile_subset import Helmfile, Release, passwords_of, understood
from tazuna_core.build.model import BuildSettings
from tazuna_core.build.workspace import private_folder
from tazuna_core.errors import BuildError, RepositoryError, TazunaError
from tazuna_core.spec.manifest import Manifest

_AT_ONCE = 4
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class UsedChart:
    """A release and the chart it names. ``remote`` is None for a chart that lies beside the helmfile."""

    manifest: Manifest
    release: Release
    file: str
    remote: Remote | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Latest:
    """The highest version of a chart that is no pre-release, "" where there is none, or why it is not known."""

    version: str = ""
    error: TazunaError | None = None


def used_charts(manifest: Manifest, settings: BuildSettings) -> list[UsedChart]:
    """The charts of a helmfile manifest in order; no chart is fetched and no cluster asked.

    Raises what building it raises where the helmfile itself cannot be read: MissingProgramError without helm for one
    that is a template, or without helmfile for one that is beyond the subset.
    """
    work = work_of(manifest, settings, Confinement())
    with private_folder() as folder:
        helm = _helm(work, settings, folder)
        found = [(work.file, parsed(work, helm))]
        if found[0][1].beyond:
            helm = Helm.found(folder, settings, manifest.label, work.variables.hidden)
            documents = helmfile_program.state(work.request(found[0][1].beyond), helm).documents
            names = [str(one.data.get("filepath", work.file.name)) for one in documents]
            found = [
                (work.file.parent / name, understood(one.data, f"{work.shown}: {name}"))
                for name, one in zip(names, documents, strict=True)
            ]
        return [
            UsedChart(manifest, release, str(file), _charts(helmfile, helm, work).remote(release))
            for file, helmfile in found
            for release in helmfile.releases
        ]


def latest(used: list[UsedChart], settings: BuildSettings) -> list[Latest]:
    """The latest version of each chart, in the order of ``used``; each chart of a repository is asked for once."""
    wanted = {one.remote.where: one for one in used if one.remote}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = dict(zip(wanted, pool.map(lambda one: _latest(one, settings), wanted.values()), strict=True))
    return [found[one.remote.where] if one.remote else Latest() for one in used]


def _helm(work: Work, settings: BuildSettings, folder: Path) -> Helm:
    if has_actions(read_text(work.file, work.shown)):
        return Helm.found(folder, settings, work.manifest.label, work.variables.hidden)
    return Helm("helm", folder, settings.seconds)  # never run: the text is read as it is


def _charts(helmfile: Helmfile, helm: Helm, work: Work) -> Charts:
    return Charts(work.file.parent, helmfile.repositories, helm, work.settings)


def _latest(used: UsedChart, settings: BuildSettings) -> Latest:
    remote = used.remote
    if remote is None:
        return Latest()
    repositories = {remote.repository.name: remote.repository}
    try:
        with private_folder() as folder:
            settings = replace(settings, seconds=min(_SECONDS, settings.seconds))
            helm = Helm.found(folder, settings, used.manifest.label, passwords_of(repositories.values()))
            return Latest(Charts(folder, repositories, helm, settings).latest(remote))
    except BuildError as error:
        if type(error) is not BuildError:
            return Latest(error=error)
        return Latest(
            error=RepositoryError(
                f"the latest version of chart '{used.release.chart}' is not known: {error.message}",
                advice=error.advice or "Check the address of the repository, its login and the network.",
                place=used.manifest.place,
            )
        )
