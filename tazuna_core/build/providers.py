"""Where the values of genesissecret manifests come from: 1Password, or a dotenv file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tazuna_core.build.genesis_models import Fetched
from tazuna_core.build.model import BuildSettings
from tazuna_core.build.onepassword import OnePassword, refuse_untrusted
from tazuna_core.errors import BuildError, Place
from tazuna_core.spec.models import Provider, ProviderType
from tazuna_core.spec.problems import did_you_mean

DEFAULT = "default-op"
"""The built-in provider, 1Password; also where none is named."""

Fetch = Callable[[Fetched], Mapping[str, str]]
"""The fields of an item by name; their values are secrets."""


def provider(name: str, settings: BuildSettings, needed_by: str) -> Fetch:
    """The provider of that name; raises BuildError for one that tazuna.yaml does not declare."""
    if name in ("", DEFAULT):
        return _from_onepassword(settings, needed_by)
    declared = next((one for one in settings.providers if one.name == name), None)
    if declared is None:
        known = [DEFAULT, *(one.name for one in settings.providers)]
        raise BuildError(f"there is no provider '{name}'", advice=did_you_mean(name, known), code="provider")
    if declared.type is ProviderType.ENVFILE:
        return _from_file(declared, settings)
    return _from_onepassword(settings, needed_by)


def fetch(wanted: Fetched, ask: Fetch) -> dict[str, str]:
    """The values that become keys of the Secret; raises BuildError for a field that the provider does not have."""
    found = ask(wanted)
    values = {}
    for name, item in wanted.items.items():
        if name not in found:
            raise BuildError(
                f"the provider has no field '{name}'{f' in {wanted.uri}' if wanted.uri else ''}",
                advice="Fields of 1Password are named by id, or by label with `preferLabel: true`.",
                code="provider",
            )
        values[item.map_to] = found[name]
    return values


def _from_onepassword(settings: BuildSettings, needed_by: str) -> Fetch:
    vault = OnePassword(settings, needed_by)

    def fields(wanted: Fetched) -> Mapping[str, str]:
        found = vault.fields(*vault_and_item(wanted.uri))
        return {one.label if wanted.prefer_label else one.id: one.value for one in found}

    return fields


def vault_and_item(uri: str) -> tuple[str, str]:
    """Vault and item that `op://host/vault/item` names; raises BuildError where it names none."""
    path = [unquote(part) for part in urlsplit(uri).path.split("/")[1:]]
    if len(path) < 2 or not path[0] or not path[1]:
        raise BuildError(
            f"'{uri}' names no vault and item", advice="Write op://<host>/<vault>/<item>.", code="provider"
        )
    return path[0], path[1]


def _from_file(declared: Provider, settings: BuildSettings) -> Fetch:
    def values(_: Fetched) -> Mapping[str, str]:
        refuse_untrusted(settings, f"values of provider '{declared.name}'")
        path = settings.directory / (declared.envfile.path if declared.envfile else "")
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            raise BuildError(f"provider '{declared.name}': {path} is not UTF-8", code="provider") from None
        except OSError as error:
            message = f"provider '{declared.name}': {path} cannot be read: {error.strerror}"
            raise BuildError(message, advice="It is seen from the folder of tazuna.yaml.", code="provider") from None
        return parse_envfile(text, path)

    return values


def parse_envfile(text: str, path: Path) -> dict[str, str]:
    """The values of a dotenv file as the Go CLI reads it: KEY=VALUE lines, `#` lines, one pair of quotes taken off.

    Nothing is expanded. Raises BuildError with the line's number, never its text.
    """
    values = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key:
            raise BuildError(
                "this line is not KEY=VALUE",
                advice="Values of several lines do not work.",
                place=Place(str(path), number),
            )
        quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
        values[key] = value[1:-1] if quoted else value
    return values
