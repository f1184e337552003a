"""What `check` reports beyond what every command needs, and the rules that some commands ask for by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tazuna_core.errors import Place, TazunaError, UsageError
from tazuna_core.spec.load import LoadedSpec
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.spec.names import duplicate_names, storage_problem
from tazuna_core.spec.problems import did_you_mean, in_order, raise_if_any

HELMFILES = ("helmfile.yaml.gotmpl", "helmfile.yaml", "helmfile.yml.gotmpl", "helmfile.yml")
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def check_spec(loaded: LoadedSpec) -> tuple[TazunaError, ...]:
    """Every error that `check` adds to those of `load_spec`, in the order of the files; never raises.

    Reads no file, but looks whether what manifests name is there.
    """
    return in_order(error for check in CHECKS for error in check(loaded))


def require_environment(loaded: LoadedSpec) -> None:
    """Raises UsageError where `-e` names an environment that is not declared: apply, destroy and check ask for it."""
    for error in undeclared_environment(loaded):
        raise error


def require_unique_names(loaded: LoadedSpec) -> None:
    """Raises SpecError where a manifest name is given twice: whatever writes state asks for it."""
    raise_if_any(list(duplicates(loaded)))


def undeclared_environment(loaded: LoadedSpec) -> Iterator[TazunaError]:
    """The environment of `-e` is declared, or none was given."""
    name, known = loaded.environment, loaded.spec.environments
    if name and name not in known:
        yield UsageError(
            f"the environment '{name}' is not declared",
            advice=did_you_mean(name, known) if known else "Declare it under 'spec.environments', or leave out -e.",
            place=loaded.place("spec", "environments"),
            code="environment",
        )


def missing_names(loaded: LoadedSpec) -> Iterator[TazunaError]:
    """Each manifest that builds something has a name."""
    for manifest in flat(loaded.manifests):
        if not manifest.name:
            yield UsageError(
                "this manifest has no name",
                advice="Give it one, or run 'tazuna check --fix'.",
                place=manifest.place,
                code="name",
            )


def duplicates(loaded: LoadedSpec) -> Iterator[TazunaError]:
    """No name is given twice."""
    for problem in duplicate_names(loaded.manifests):
        yield UsageError(
            problem.message,
            advice=problem.advice,
            place=loaded.place_in(problem.manifest, "name"),
            code="duplicate-name",
        )


def unstorable_names(loaded: LoadedSpec) -> Iterator[TazunaError]:
    """State can be kept under each name."""
    for manifest in flat(loaded.manifests):
        problem = storage_problem(manifest) if manifest.name else None
        if problem:
            place = loaded.place_in(manifest, "name")
            yield UsageError(problem.message, advice=problem.advice, place=place, code="name")


def missing_paths(loaded: LoadedSpec) -> Iterator[TazunaError]:
    """What each manifest builds from is there, and is what its type builds."""
    for manifest in flat(loaded.manifests):
        error = source_problem(manifest, loaded.place_in(manifest, "path"))
        if error:
            yield error


def source_problem(manifest: Manifest, place: Place | None = None) -> TazunaError | None:
    """Why a manifest's `path` cannot be built from, None if it can; `place` is where to report it."""
    if manifest.type in (ManifestType.ORAS, ManifestType.PARALLEL):
        return None
    source = manifest.source
    try:
        found = _source_problem(manifest)
    except (OSError, ValueError) as error:
        found = f"can't be read: {error}", "Check its name and rights."
    if found is None:
        return None
    message, advice = found
    return UsageError(
        f"{manifest.label}: '{source}' {message}", advice=advice, place=place or manifest.place, code="path"
    )


def _source_problem(manifest: Manifest) -> tuple[str, str] | None:
    source, kind = manifest.source, manifest.type
    if not source.exists():
        return "does not exist", f"Paths start from the folder of the file that declares them, '{manifest.base}'."
    if kind is ManifestType.GENESIS_SECRET and not source.is_file():
        return "is not a file", "Name the YAML file of the secret."
    if kind is ManifestType.KUSTOMIZE:
        if not source.is_dir():
            return "is not a folder", "Name the folder that holds the kustomization.yaml."
        return _needs(manifest, KUSTOMIZATIONS)
    if kind is ManifestType.HELMFILE and source.is_dir():
        return _needs(manifest, HELMFILES)
    return None


def _needs(manifest: Manifest, names: Iterable[str]) -> tuple[str, str] | None:
    if any((manifest.source / name).is_file() for name in names):
        return None
    first, *others = names
    return f"holds no {first}", f"Add one (or {', '.join(others)}), or correct the path."


CHECKS: tuple[Callable[[LoadedSpec], Iterable[TazunaError]], ...] = (
    undeclared_environment,
    missing_names,
    duplicates,
    unstorable_names,
    missing_paths,
)
"""The checks of the specification itself. Lints, which look at what manifests build, belong to their own table."""
