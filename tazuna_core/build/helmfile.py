"""Manifests of type helmfile: the subset of the format reference with the user's helm, all else by helmfile itself."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from tazuna_core.build import helm_template, helmfile_program
from tazuna_core.build.cache import RenderCache
from tazuna_core.build.charts import Charts
from tazuna_core.build.confinement import Confinement
from tazuna_core.build.files import shown
from tazuna_core.build.helm import Capabilities, Helm
from tazuna_core.build.helm_release import ReleaseSettings, Renderer
from tazuna_core.build.helmfile_subset import Helmfile, parse, passwords_of
from tazuna_core.build.hint import apply_hints, load_hints
from tazuna_core.build.hint_models import HINT_FILE
from tazuna_core.build.model import BuildSettings, Rendered
from tazuna_core.build.tree import digest_of
from tazuna_core.build.vars import Variables, resolve
from tazuna_core.build.workspace import private_folder
from tazuna_core.errors import BuildError, RefusedError
from tazuna_core.objects.model import Notice
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import HelmfileOptions

_BEYOND = re.compile(r"^(?:(environments|bases|helmfiles):|---)", re.MULTILINE)
NAMES = ("helmfile.yaml.gotmpl", "helmfile.yaml", "helmfile.yml.gotmpl", "helmfile.yml")


@dataclass(frozen=True, slots=True)
class Work:
    """One helmfile to build: where it is, what it is called, its options and the values of its variables."""

    manifest: Manifest
    file: Path
    shown: str
    options: HelmfileOptions
    variables: Variables = field(repr=False)
    values: dict[str, object] = field(repr=False)
    settings: BuildSettings
    confinement: Confinement

    @property
    def defaults(self) -> dict[str, object]:
        """The values that tazuna.hint.yaml gives."""
        return {name: value for name, value in self.values.items() if name not in self.variables.values}

    def request(self, beyond: tuple[str, ...]) -> helmfile_program.Request:
        """What helmfile's own program is told, for what is ``beyond`` the subset."""
        return helmfile_program.Request(
            self.file, self.shown, self.options, self.values, self.settings, self.manifest.label, _some(beyond)
        )


def build(manifest: Manifest, settings: BuildSettings) -> Rendered:
    """Renders the helmfile of ``manifest``.

    Raises BuildError with what helm said, UsageError for a wrong tazuna.hint.yaml, MissingProgramError without helm
    (or helmfile, where the file needs it), RefusedError for what a build of untrusted files must not do.
    """
    return build_confined(
        manifest, settings, Confinement(None if settings.trusted else settings.directory), settings.trusted
    )


def build_confined(
    manifest: Manifest, settings: BuildSettings, confinement: Confinement, may_run_helmfile: bool
) -> Rendered:
    """As `build`, for files that may read only what ``confinement`` allows and not run helmfile's own program."""
    work = work_of(manifest, settings, confinement)
    with private_folder() as folder:
        helm = Helm.found(folder, settings, manifest.label, work.variables.hidden)
        helmfile = parsed(work, helm)
        if not helmfile.beyond:
            return _render(work, helmfile, helm)
        if not may_run_helmfile:
            raise RefusedError(
                f"{work.shown} uses {_some(helmfile.beyond)}, which needs helmfile, and helmfile is not run here",
                advice="helmfile runs what its files tell it to; files of artifacts and forks are not trusted so far.",
                code="untrusted-build",
            )
        stream, notices = helmfile_program.render(work.request(helmfile.beyond), helm)
        return Rendered((stream,), (*notices, _rendered_for(helmfile_program.capabilities(work.options, settings))))


def work_of(manifest: Manifest, settings: BuildSettings, confinement: Confinement) -> Work:
    """The helmfile of a manifest with the values of its variables; raises as `build` does."""
    options = manifest.helmfile or HelmfileOptions()
    file = _file(manifest)
    confinement.check(file, f"the helmfile '{file.name}'")
    confinement.check(file.parent / HINT_FILE, HINT_FILE)
    hints = load_hints(file.parent)
    variables = resolve(options.vars, settings, manifest.label)
    values = apply_hints(hints, options.vars, variables.values) if hints else dict(variables.values)
    return Work(manifest, file, shown(file, manifest.base), options, variables, values, settings, confinement)


def _file(manifest: Manifest) -> Path:
    source = manifest.source
    if source.is_file():
        return source
    if not source.is_dir():
        raise BuildError(f"{manifest.path} does not exist", advice="`path` is seen from the folder of tazuna.yaml.")
    for name in NAMES:
        if (source / name).is_file():
            return source / name
    raise BuildError(f"{manifest.path} holds no helmfile", advice=f"Looked for {', '.join(NAMES)}.")


def parsed(work: Work, helm: Helm) -> Helmfile:
    """The helmfile as the subset understands it; helm is run only where the text has actions."""
    text = helm_template.read_text(work.file, work.shown)
    # Values from outside are on no disk by themselves; and a text without actions needs no helm to be read.
    keep = helm_template.has_actions(text) and not work.variables.outside
    cache = RenderCache.of(work.settings) if keep else RenderCache(None)
    data = helm_template.TemplateData(work.variables.values, work.defaults, work.settings.environment)

    def key() -> str:
        values = json.dumps([data.given, data.defaults, data.environment], sort_keys=True)
        return digest_of(helm.version, text, values)

    try:
        _, documents = cache.text(
            key, lambda: helm_template.render(text, data, helm, work.shown).encode(), f"{work.shown} (rendered)"
        )
    except helm_template.UnknownFunctionError as error:
        return Helmfile({}, (), (f"the template function '{error.function}'",))
    except BuildError as error:
        # What fails here may work there: values of helmfile's own environments, for one, are unknown here.
        beyond = _BEYOND.search(text) if error.code == "template" else None
        if beyond is None:
            raise
        return Helmfile({}, (), (beyond[1] or "several documents",))
    return parse(documents, work.shown)


def _render(work: Work, helmfile: Helmfile, helm: Helm) -> Rendered:
    helm = replace(helm, hidden=(*helm.hidden, *passwords_of(helmfile.repositories.values())))
    capabilities = Capabilities.of(work.settings, work.options.kube_version)
    # What 1Password gave is on no disk but for the moment that helm reads it.
    cache = RenderCache(None) if work.variables.secret else RenderCache.of(work.settings)
    renderer = Renderer(
        helm,
        Charts(work.file.parent, helmfile.repositories, helm, work.settings),
        ReleaseSettings(
            work.file.parent,
            work.shown,
            work.options.include_crds,
            capabilities,
            work.options.extra_value_files,
            work.confinement,
            cache,
        ),
    )
    rendered = [renderer.render(release) for release in helmfile.releases]
    notices = [notice for _, found in rendered for notice in found]
    if rendered:
        notices.append(_rendered_for(capabilities))
    return Rendered(tuple(stream for stream, _ in rendered), tuple(notices))


def _rendered_for(capabilities: Capabilities) -> Notice:
    return Notice("helm-capabilities", f"charts are rendered for {capabilities}")


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
