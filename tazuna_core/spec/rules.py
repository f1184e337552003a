"""What must hold inside one tazuna.yaml beyond the types of its fields; each rule gives its problems, in order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from tazuna_core.spec.explain import Problem
from tazuna_core.spec.models import Environment, Provider, ProviderType, Spec, TazunaFile
from tazuna_core.spec.models_manifest import (
    NAME_PATTERN,
    DeclaredManifest,
    DelegateType,
    HelmfileOptions,
    HelmfileVar,
    ManifestType,
    OrasOptions,
    VarSource,
)
from tazuna_core.spec.models_tests import ClusterTest, TestType
from tazuna_core.spec.patterns import pattern_problem
from tazuna_core.spec.positions import Loc

RESERVED_NAME = "_metadata"
RESERVED_PROVIDER = "default-op"
_NAME = re.compile(NAME_PATTERN.removesuffix("$") + r"\Z")
WITHOUT_PATH = (ManifestType.ORAS, ManifestType.PARALLEL)


def file_problems(file: TazunaFile) -> Iterator[Problem]:
    """All that is wrong with a file that fits its model."""
    spec = file.spec
    if not spec.manifests:
        yield Problem(
            ("spec", "manifests"), "'spec.manifests' is empty", "Declare at least one manifest.", "empty-field"
        )
    for index, manifest in enumerate(spec.manifests):
        yield from _manifest(manifest, ("spec", "manifests", index), inside=False)
    yield from _tests(spec.tests, ("spec", "tests"), "")
    yield from _patterns(spec, ("spec",))
    for name, environment in spec.environments.items():
        yield from _patterns(environment, ("spec", "environments", name))
    yield from _providers(spec.providers)


def subject(manifest: DeclaredManifest, loc: Loc) -> str:
    """What to call a manifest in a message."""
    if manifest.name:
        return f"manifest '{manifest.name}'"
    last = loc[-1] if loc else 0
    return f"manifest number {last + 1}" if isinstance(last, int) else "a manifest"


def _manifest(manifest: DeclaredManifest, loc: Loc, *, inside: bool) -> Iterator[Problem]:
    who = subject(manifest, loc)
    if manifest.includes:
        if inside:
            yield Problem(
                (*loc, "includes"), f"{who}: a child of 'parallel' cannot include files", "Include it one level up."
            )
        for index, include in enumerate(manifest.includes):
            yield from _relative(include.path, (*loc, "includes", index, "path"), who)
        return
    yield from _name(manifest, loc)
    yield from _type_and_path(manifest, loc, who)
    if manifest.helmfile:
        yield from _helmfile(manifest.helmfile, (*loc, "helmfile"), who)
    if manifest.oras:
        yield from _oras(manifest.oras, (*loc, "oras"), who)
    yield from _tests(manifest.tests, (*loc, "tests"), who)
    yield from _parallel(manifest, loc, who, inside=inside)


def _name(manifest: DeclaredManifest, loc: Loc) -> Iterator[Problem]:
    name = manifest.name
    if name == RESERVED_NAME:
        yield Problem((*loc, "name"), f"the name '{name}' is reserved", "Give the manifest another name.", "name")
    elif name and not _NAME.match(name):
        yield Problem(
            (*loc, "name"),
            f"the name {name!r} is not allowed for a manifest",
            "Use letters, digits, '-' and '_' only; best small letters, digits and '-'.",
            "name",
        )


def _type_and_path(manifest: DeclaredManifest, loc: Loc, who: str) -> Iterator[Problem]:
    if manifest.type is None:
        known = ", ".join(ManifestType)
        yield Problem(loc, f"field 'type' is missing in {who}", f"Known: {known}.", "missing-field")
        return
    if manifest.type not in WITHOUT_PATH:
        if not manifest.path:
            yield Problem(
                loc,
                f"field 'path' is missing in {who}",
                f"type '{manifest.type}' builds what lies there.",
                "missing-field",
            )
        else:
            yield from _relative(manifest.path, (*loc, "path"), who)
    if manifest.type is ManifestType.ORAS and manifest.oras is None:
        yield Problem(loc, f"field 'oras' is missing in {who}", "It needs 'reference' and 'delegate'.", "missing-field")


def _relative(path: str, loc: Loc, who: str) -> Iterator[Problem]:
    if posixpath.isabs(path):
        yield Problem(
            loc,
            f"{who}: the path '{path}' is absolute",
            "Write it relative to the folder of the file that declares it.",
            "path",
        )
    elif "\0" in path:
        yield Problem(loc, f"{who}: a path cannot hold a null character", "", "path")


def _helmfile(options: HelmfileOptions, loc: Loc, who: str) -> Iterator[Problem]:
    for name, variable in options.vars.items():
        yield from _variable(variable, (*loc, "vars", name), f"variable '{name}' of {who}")


def _variable(variable: HelmfileVar, loc: Loc, who: str) -> Iterator[Problem]:
    static = {"static": variable.static, "staticSlice": variable.static_slice, "staticMap": variable.static_map}
    given = {VarSource.ENV: ["env"] * bool(variable.env), VarSource.OP: ["op"] * bool(variable.op)}
    given[VarSource.STATIC] = [name for name, value in static.items() if value is not None]
    wanted = {
        VarSource.ENV: "'env'",
        VarSource.OP: "'op'",
        VarSource.STATIC: "one of 'static', 'staticSlice', 'staticMap'",
    }
    source = variable.from_
    if len(given[source]) != 1:
        has = " and ".join(f"'{name}'" for name in given[source]) or "none"
        yield Problem(loc, f"{who}: 'from: {source}' needs {wanted[source]}, found {has}", "", "variable")
    for other, names in given.items():
        if other is not source and names:
            yield Problem(
                (*loc, names[0]),
                f"{who}: '{names[0]}' does not go with 'from: {source}'",
                f"Remove it, or write 'from: {other}'.",
                "variable",
                at_key=True,
            )


def _oras(options: OrasOptions, loc: Loc, who: str) -> Iterator[Problem]:
    target = posixpath.normpath(options.target.replace("\\", "/")) if options.target else "."
    if posixpath.isabs(target) or target.split("/")[0] == "..":
        yield Problem(
            (*loc, "target"),
            f"{who}: the target '{options.target}' leads out of the artifact",
            "Name a folder inside it.",
            "path",
        )
    delegate = options.delegate
    if delegate.helmfile:
        yield from _helmfile(delegate.helmfile, (*loc, "delegate", "helmfile"), who)
    unused = "kustomize" if delegate.type is DelegateType.HELMFILE else "helmfile"
    if getattr(delegate, unused) is not None:
        yield Problem(
            (*loc, "delegate", unused),
            f"{who}: '{unused}' does not go with the delegate's type '{delegate.type}'",
            f"Remove it, or write 'type: {unused}'.",
            at_key=True,
        )


def _parallel(manifest: DeclaredManifest, loc: Loc, who: str, *, inside: bool) -> Iterator[Problem]:
    if inside and manifest.type is ManifestType.PARALLEL:
        yield Problem((*loc, "type"), f"{who}: a child of 'parallel' cannot be one", "List its children one level up.")
        return
    if inside and manifest.depends_on:
        yield Problem(
            (*loc, "dependsOn"),
            f"{who}: a child of 'parallel' cannot depend on others",
            "Put 'dependsOn' on the manifest around it.",
            at_key=True,
        )
    if manifest.type is not ManifestType.PARALLEL:
        return
    children = manifest.parallel.children if manifest.parallel else ()
    if not children:
        yield Problem(
            (*loc, "parallel"), f"{who} has no children", "List them under 'parallel.children'.", "missing-field"
        )
    for index, child in enumerate(children):
        yield from _manifest(child, (*loc, "parallel", "children", index), inside=True)


def _tests(tests: Sequence[ClusterTest], loc: Loc, who: str) -> Iterator[Problem]:
    of = f" of {who}" if who else ""
    for index, test in enumerate(tests):
        own, other = ("waitUntil", "existNonExist")
        has_own, has_other = test.wait_until is not None, test.exist_non_exist is not None
        if test.type is TestType.EXIST_NON_EXIST:
            own, other, has_own, has_other = other, own, has_other, has_own
        name = f"test number {index + 1}{of}"
        if not has_own:
            yield Problem((*loc, index), f"{name}: 'type: {test.type}' needs '{own}'", "", "missing-field")
        if has_other:
            yield Problem(
                (*loc, index, other),
                f"{name}: '{other}' does not go with 'type: {test.type}'",
                f"Write '{own}', or correct the type.",
                at_key=True,
            )


def _patterns(owner: Spec | Environment, loc: Loc) -> Iterator[Problem]:
    for index, pattern in enumerate(owner.context_matches):
        wrong = pattern_problem(pattern)
        if wrong:
            yield Problem(
                (*loc, "context_matches", index),
                f"the pattern '{pattern}' is not a regular expression: {wrong}",
                "The syntax is RE2: https://github.com/google/re2/wiki/Syntax",
                "pattern",
            )


def _providers(providers: Sequence[Provider]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, provider in enumerate(providers):
        loc: Loc = ("spec", "providers", index)
        if provider.name == RESERVED_PROVIDER:
            yield Problem(
                (*loc, "name"),
                f"the provider name '{provider.name}' is reserved",
                "It is built in; choose another.",
                "name",
            )
        elif provider.name in seen:
            message = f"the provider name '{provider.name}' is given twice"
            yield Problem((*loc, "name"), message, f"Provider number {seen[provider.name] + 1} has it too.", "name")
        seen.setdefault(provider.name, index)
        yield from _provider_config(provider, loc)


def _provider_config(provider: Provider, loc: Loc) -> Iterator[Problem]:
    who = f"provider '{provider.name}'"
    if provider.type is ProviderType.ENVFILE and provider.envfile is None:
        yield Problem(loc, f"field 'envfile' is missing in {who}", "Write 'envfile: {path: ...}'.", "missing-field")
    other = "onepassword" if provider.type is ProviderType.ENVFILE else "envfile"
    if getattr(provider, other) is not None:
        yield Problem(
            (*loc, other), f"{who}: '{other}' does not go with 'type: {provider.type}'", "Remove it.", at_key=True
        )
