"""The part of helmfile's format that is understood here; whatever of the rest would change what is built is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tazuna_core.errors import BuildError, Place
from tazuna_core.objects.yaml_documents import Documents

OCI = "oci://"
_REPOSITORY = frozenset({"name", "url", "username", "password", "oci", "plainHttp", "skipTLSVerify"})
_RELEASE = frozenset({"name", "namespace", "chart", "version", "values"})

# They decide how helm installs, which nobody does here, or are for people: the objects are the same without them.
_SETTINGS = frozenset(
    {"atomic", "cascade", "cleanupOnFail", "createNamespace", "deleteTimeout", "deleteWait", "diffArgs"}
)
_NEUTRAL_DEFAULTS = _SETTINGS | {
    *("disableValidation", "force", "historyMax", "recreatePods", "skipDeps", "suppressDiff", "syncArgs"),
    *("syncReleaseLabels", "takeOwnership", "tillerless", "timeout", "wait", "waitForJobs", "waitRetries"),
}
_NEUTRAL_RELEASE = _NEUTRAL_DEFAULTS | {
    *("description", "disableOpenAPIValidation", "disableValidationOnInstall", "kubeContext", "labels", "needs"),
    "suppressOutputLineRegex",
}
_NEUTRAL_TOP = frozenset({"commonLabels", "lockFilePath"})


@dataclass(frozen=True, slots=True)
class Repository:
    """A chart repository: its name in this file, its address, and how to log in."""

    name: str
    url: str
    oci: bool = False
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    plain_http: bool = False
    skip_verify: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """A chart to render. ``values`` holds paths of files and inline maps, the later winning."""

    name: str
    chart: str
    namespace: str = ""
    version: str = ""
    values: tuple[str | Mapping[str, Any], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Helmfile:
    """What is understood of a helmfile. ``beyond`` names what is not and would change what is built."""

    repositories: Mapping[str, Repository]
    releases: tuple[Release, ...]
    beyond: tuple[str, ...]


def parse(rendered: Documents, shown: str) -> Helmfile:
    """Reads a rendered helmfile; raises BuildError for what is wrong in the subset. ``shown`` is the file's name."""
    documents = rendered.documents
    if len(documents) > 1:
        return Helmfile({}, (), ("several documents",))
    data = documents[0].data if documents else {}
    beyond = tuple(_beyond(data))
    if beyond:
        return Helmfile({}, (), beyond)
    return understood(data, shown)


def understood(data: Mapping[str, Any], shown: str) -> Helmfile:
    """What is understood of a document, whatever else it holds; raises BuildError for what is wrong in that."""
    place = Place(shown)
    repositories = [_repository(one, place, number) for number, one in _entries(data, "repositories", place)]
    releases = [_release(one, place, number) for number, one in _entries(data, "releases", place)]
    return Helmfile({one.name: one for one in repositories}, tuple(releases), ())


def passwords_of(repositories: Iterable[Repository]) -> tuple[str, ...]:
    """The passwords of repositories, those in their addresses too: they must not show in messages."""
    found = [text for one in repositories for text in (one.password, urlsplit(one.url).password or "")]
    return tuple(text for text in found if text)


def _beyond(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if key in ("repositories", "releases") or key in _NEUTRAL_TOP or value is None:
            continue
        # Environments without values are only declared, so that -e may name them.
        if key == "environments" and isinstance(value, dict) and not any(value.values()):
            continue
        if key == "helmDefaults" and isinstance(value, dict):
            yield from (f"helmDefaults.{inner}" for inner in value if inner not in _NEUTRAL_DEFAULTS)
        else:
            yield key
    for list_name, known in (("repositories", _REPOSITORY), ("releases", _RELEASE | _NEUTRAL_RELEASE)):
        items = data.get(list_name)
        for number, item in enumerate(items if isinstance(items, list) else ()):
            for key, value in item.items() if isinstance(item, dict) else ():
                if key not in known and value is not None and (key, value) != ("installed", True):
                    yield f"{list_name}[{number}].{key}"
            yield from _templated_values(list_name, number, item)


def _templated_values(list_name: str, number: int, item: Any) -> Iterator[str]:
    values = item.get("values") if isinstance(item, dict) else None
    for value in values if isinstance(values, list) else ():
        if isinstance(value, str) and value.endswith(".gotmpl"):
            yield f"{list_name}[{number}].values: {value}"


def _entries(data: Mapping[str, Any], name: str, place: Place) -> Iterator[tuple[int, Mapping[str, Any]]]:
    entries = data.get(name)
    if entries is not None and not isinstance(entries, list):
        raise BuildError(f"'{name}' of the helmfile is not a list", place=place, code="helmfile")
    for number, entry in enumerate(entries or (), 1):
        if not isinstance(entry, dict):
            raise BuildError(f"entry {number} of '{name}' is not a mapping", place=place, code="helmfile")
        yield number, entry


def _repository(data: Mapping[str, Any], place: Place, number: int) -> Repository:
    who = f"repository number {number}"
    name, url = _text(data, "name", who, place), _text(data, "url", who, place)
    if not name or not url or name.startswith("-") or "/" in name:
        raise BuildError(f"{who} needs a name (without '/', no '-' in front) and a url", place=place, code="helmfile")
    return Repository(
        name,
        url.removeprefix(OCI).rstrip("/"),
        data.get("oci") is True or url.startswith(OCI),
        _text(data, "username", who, place),
        _text(data, "password", who, place),
        data.get("plainHttp") is True,
        data.get("skipTLSVerify") is True,
    )


def _release(data: Mapping[str, Any], place: Place, number: int) -> Release:
    name = _text(data, "name", f"release number {number}", place)
    who = f"release '{name}'" if name else f"release number {number}"
    chart = _text(data, "chart", who, place)
    if not name or not chart or name.startswith("-"):
        raise BuildError(f"{who} needs a name and a chart", place=place, code="helmfile")
    values = data.get("values")
    if values is not None and not isinstance(values, list):
        raise BuildError(
            f"'values' of {who} is not a list",
            advice="Write '- ' before each file or map.",
            place=place,
            code="helmfile",
        )
    for entry in values or ():
        if entry is not None and not isinstance(entry, str | dict):
            raise BuildError(f"'values' of {who} holds what is no file and no map", place=place, code="helmfile")
    return Release(
        name,
        chart,
        _text(data, "namespace", who, place),
        _text(data, "version", who, place),
        tuple(entry for entry in values or () if entry is not None),
    )


def _text(data: Mapping[str, Any], key: str, who: str, place: Place) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BuildError(f"'{key}' of {who} is not a text", advice="Quote it.", place=place, code="helmfile")
    return value
