"""The variables of a helmfile manifest: from the environment, from tazuna.yaml, or from 1Password; then its hints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.onepassword import OnePassword, refuse_untrusted
from tazuna_core.errors import BuildError
from tazuna_core.spec.models_manifest import HelmfileVar, OpField, OpKey, VarSource

Value = object
"""A text, a list of texts or a map of texts; a hint's default can be any JSON."""

_SHORTEST_HIDDEN = 8


@dataclass(frozen=True, slots=True)
class Variables:
    """Values by name, and what of them to keep out of messages.

    ``outside`` tells whether a value came from the environment or a provider, ``secret`` whether from a provider.
    """

    values: Mapping[str, Value] = field(repr=False)
    hidden: tuple[str, ...] = field(default=(), repr=False)
    outside: bool = False
    secret: bool = False


def resolve(declared: Mapping[str, HelmfileVar], settings: BuildSettings, needed_by: str) -> Variables:
    """The values of the declared variables (format reference, 2.2).

    Raises BuildError for a variable of the environment that is not set and for a field that 1Password does not know,
    RefusedError for either source in a build that is not trusted. ``needed_by`` names the manifest.
    """
    vault = OnePassword(settings, needed_by)
    values: dict[str, Value] = {}
    hidden: list[str] = []
    for name, variable in declared.items():
        if variable.from_ is VarSource.ENV:
            text = _from_environment(name, variable.env or "", settings)
            # Short ones ("prod", "1") say little and would tear holes into every message.
            hidden += [text] if len(text) >= _SHORTEST_HIDDEN else []
            values[name] = text
        elif variable.from_ is VarSource.OP and variable.op is not None:
            text = _from_vault(name, variable.op, vault)
            hidden.append(text)
            values[name] = text
        else:
            values[name] = _static(variable)
    sources = {variable.from_ for variable in declared.values()}
    return Variables(values, tuple(hidden), bool(sources - {VarSource.STATIC}), VarSource.OP in sources)


def _static(variable: HelmfileVar) -> Value:
    if variable.static_map is not None:
        return dict(variable.static_map)
    if variable.static_slice is not None:
        return list(variable.static_slice)
    return variable.static or ""


def _from_environment(name: str, environment_name: str, settings: BuildSettings) -> str:
    refuse_untrusted(settings, f"variable '{name}': environment variables")
    value = settings.environ.get(environment_name)
    if value is None:
        raise BuildError(
            f"variable '{name}': the environment variable {environment_name} is not set",
            advice="Set it (it may be empty), or give the variable `from: static`.",
            code="variable",
        )
    return value


def _from_vault(name: str, wanted: OpField, vault: OnePassword) -> str:
    for one in vault.fields(wanted.vault, wanted.item):
        if wanted.field == (one.id if wanted.key is OpKey.ID else one.label):
            return one.value
    raise BuildError(
        f"variable '{name}': item '{wanted.item}' of vault '{wanted.vault}' has no field of {wanted.key}"
        f" '{wanted.field}'",
        advice="`key` says whether `field` is an id or a label.",
        code="variable",
    )
