"""Where the chart of a release is: a folder beside the helmfile, or one that helm pulls, kept for `--offline`."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tazuna_core.build.helm import Helm
from tazuna_core.build.helmfile_subset import OCI, Release, Repository
from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Output, readable
from tazuna_core.build.secrecy import hide
from tazuna_core.build.tree import digest_of
from tazuna_core.build.workspace import make_private, write_private
from tazuna_core.errors import BuildError
from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.spec.version import is_pre_release, precedence

_EXACT = re.compile(r"v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_FOLDER = "charts"
_NO_INDEX = re.compile(r"Unable to get an update from the .* chart repository .*:\s+(.*)")
_ONLY_PRE_RELEASES = "could not locate a version matching"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart on disk; ``local`` where it belongs to the repository and can be digested."""

    path: Path
    local: bool


@dataclass(frozen=True, slots=True)
class Remote:
    """A chart that helm fetches: what helm calls it, its repository (one without a name for plain `oci://`)."""

    reference: str
    repository: Repository
    flags: tuple[str, ...]

    @property
    def oci(self) -> bool:
        return self.reference.startswith(OCI)

    @property
    def where(self) -> str:
        """Its address; the same in every helmfile."""
        return self.reference if self.oci else f"{self.repository.url} {self.reference}"


class Charts:
    """Finds charts; those pulled in one build are pulled once."""

    def __init__(
        self, folder: Path, repositories: Mapping[str, Repository], helm: Helm, settings: BuildSettings
    ) -> None:
        """``folder`` is the helmfile's."""
        self._folder, self._repositories, self._helm, self._settings = folder, repositories, helm, settings
        self._pulled: dict[tuple[str, str], Path] = {}
        self._updated: set[str] = set()

    def find(self, release: Release) -> Chart:
        """The chart of a release.

        Raises BuildError where there is none, and under `--offline` for a remote one that was never pulled.
        """
        remote = self.remote(release)
        if remote is not None:
            return self._remote(release, remote)
        path = Path(os.path.normpath(self._folder / release.chart))
        if not path.exists():
            raise BuildError(
                f"release '{release.name}': there is no chart '{release.chart}'",
                advice="It is seen from the helmfile's folder; a remote one needs oci:// or a declared repository.",
                code="helm-chart",
            )
        return Chart(path, True)

    def remote(self, release: Release) -> Remote | None:
        """Where a chart that is not beside the helmfile comes from; None for one that is."""
        if release.chart.startswith(OCI):
            host = urlsplit(release.chart).hostname or ""
            return Remote(release.chart, Repository("", ""), ("--plain-http",) if host in _LOOPBACK else ())
        alias, slash, name = release.chart.partition("/")
        repository = self._repositories.get(alias) if slash else None
        if repository is None:
            return None
        reference = f"{OCI}{repository.url}/{name}" if repository.oci else release.chart
        return Remote(reference, repository, _flags(repository))

    def latest(self, remote: Remote) -> str:
        """The highest version that is no pre-release, "" where there is none; raises BuildError with helm's words."""
        environment = self._log_in(remote.repository)
        if not remote.oci:
            return _highest(
                self._helm.run("search", "repo", remote.reference, "--versions", "--devel", "-o=json"), remote
            )
        try:
            output = self._helm.run("show", "chart", remote.reference, *remote.flags, environment=environment)
        except BuildError as error:
            if type(error) is BuildError and _ONLY_PRE_RELEASES in error.message.casefold():
                return ""
            raise
        (chart,) = load_documents(output.stdout, "Chart.yaml").documents
        return str(chart.data.get("version", ""))

    def _remote(self, release: Release, remote: Remote) -> Chart:
        known = (remote.reference, release.version)
        if known not in self._pulled:
            kept = self._kept(remote.where, release.version)
            self._pulled[known] = (
                self._offline(release, kept) if self._settings.offline else self._pull(release, remote, kept)
            )
        return Chart(self._pulled[known], False)

    def _offline(self, release: Release, kept: Path | None) -> Path:
        if kept is not None and kept.is_file():
            return kept
        raise BuildError(
            f"release '{release.name}': chart '{release.chart}' is not in the cache, and --offline was given",
            advice="Build once without --offline; only charts of an exact version are kept.",
            code="offline",
        )

    def _pull(self, release: Release, remote: Remote, kept: Path | None) -> Path:
        target = self._helm.folder / "pulled" / str(len(self._pulled))
        target.mkdir(parents=True)
        version = (f"--version={release.version}",) if release.version else ()
        try:
            environment = self._log_in(remote.repository)
            arguments = (remote.reference, *version, f"--destination={target}", *remote.flags)
            self._helm.run("pull", *arguments, environment=environment)
        except BuildError as error:
            if type(error) is not BuildError:
                raise
            raise BuildError(
                f"release '{release.name}': {error.message}", advice=error.advice, code="helm-pull"
            ) from None
        archive = next(iter(target.glob("*.tgz")))
        if kept is not None:
            _keep(archive, kept)
        return archive

    def _log_in(self, repository: Repository) -> Mapping[str, str]:
        """Makes a repository known to helm; names and passwords go through private files, never arguments."""
        if not repository.name:
            return {}
        if repository.oci:
            if not (repository.username or repository.password):
                return {}
            login = base64.b64encode(f"{repository.username}:{repository.password}".encode()).decode()
            host = repository.url.partition("/")[0]
            path = self._helm.folder / f"login-{len(self._updated)}.json"
            self._updated.add(path.name)
            write_private(path, json.dumps({"auths": {host: {"auth": login}}}).encode())
            return {"HELM_REGISTRY_CONFIG": str(path)}
        if repository.name not in self._updated:
            self._updated.add(repository.name)
            self._declare()
            self._update(repository)
        return {}

    def _update(self, repository: Repository) -> None:
        # helm 3 takes a failure for a success, and both versions say why on standard output alone
        output = self._helm.run("repo", "update", repository.name, allowed=frozenset({0, 1}))
        said = hide(readable(output.stdout), self._helm.hidden)
        reason = _NO_INDEX.search(said)
        if reason or output.code:
            raise BuildError(
                f"repository '{repository.name}' gave no index: {reason[1] if reason else output.stderr}",
                advice="Check its address and login, and the network.",
                code="helm-repository",
            )

    def _declare(self) -> None:
        path = self._helm.folder / "repositories.yaml"
        if path.exists():
            return
        entries = [
            {
                "name": one.name,
                "url": one.url,
                "username": one.username,
                "password": one.password,
                "insecure_skip_tls_verify": one.skip_verify,
            }
            for one in self._repositories.values()
            if not one.oci
        ]
        write_private(path, json.dumps({"apiVersion": "", "repositories": entries}).encode())

    def _kept(self, where: str, version: str) -> Path | None:
        cache = self._settings.cache_directory
        if cache is None or not (_EXACT.fullmatch(version) or "@sha256:" in where):
            return None
        return cache / _FOLDER / f"{digest_of(where, version)}.tgz"


def _flags(repository: Repository) -> tuple[str, ...]:
    host = urlsplit(f"//{repository.url}").hostname if repository.oci else None
    plain = repository.plain_http or (host in _LOOPBACK and not repository.skip_verify)
    flags = ("--plain-http",) if plain and repository.oci else ()
    return (*flags, *(("--insecure-skip-tls-verify",) if repository.skip_verify else ()))


def _highest(found: Output, remote: Remote) -> str:
    """Of the versions that `helm search` found the highest that is no pre-release (semver.org 2.0.0, 11)."""
    # it looks for the name inside other names and descriptions too
    versions = [str(one.get("version")) for one in json.loads(found.stdout) if one.get("name") == remote.reference]
    if not versions:
        raise BuildError(
            f"repository '{remote.repository.name}' has no chart '{remote.reference.partition('/')[2]}'",
            code="helm-chart",
        )
    ordered = [(rank, one) for one in versions if (rank := precedence(one)) and not is_pre_release(one)]
    return max(ordered)[1] if ordered else ""


def _keep(archive: Path, kept: Path) -> None:
    try:
        make_private(kept.parent)
        new = kept.with_name(f".{kept.name}.{os.getpid()}.{id(archive)}")
        shutil.copyfile(archive, new)
        new.replace(kept)
    except OSError:
        return  # without a copy the next --offline fails, this build does not
