"""What would go with an object: the objects of a namespace, the instances of a definition (never ours to delete)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from tazuna_core.cluster.api_server import CONCURRENCY, ApiServer, resource_path
from tazuna_core.cluster.listing import METADATA, Request, pages
from tazuna_core.cluster.reader import Reason, Unavailable
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import Identity, JsonObject, ObjectRef, split_api_version

NAMED_AT_MOST = 3
_FURNITURE = frozenset(
    {
        ("", "ConfigMap", "kube-root-ca.crt"), ("", "ConfigMap", "openshift-service-ca.crt"),
        ("", "ServiceAccount", "default"),
    }
)  # fmt: skip
"""What the controllers put into every namespace."""
_TRACES = frozenset({("", "Event"), ("events.k8s.io", "Event"), ("", "Endpoints")})
"""Kinds that are written about other objects and go with them."""
_TOKEN_OF = "kubernetes.io/service-account.name"  # noqa: S105 - an annotation's name


def content_of(api: ApiServer, ref: ObjectRef, definition: JsonObject | None, going: frozenset[Identity]) -> list[str]:
    """Returns what would be deleted with a Namespace or a CustomResourceDefinition beside ``going``, by name.

    What cannot be listed is named as unknown. ``definition`` is the live CustomResourceDefinition.
    """
    if (ref.group, ref.kind) == ("", "Namespace"):
        found = _in_namespace(api, ref.name)
    elif ref.kind == "CustomResourceDefinition" and definition is not None:
        found = _instances(api, definition)
    else:
        return []
    return _foreign(list(found), going)


def named(content: list[str]) -> str:
    """Returns the first names, and how many more there are."""
    more = len(content) - NAMED_AT_MOST
    return ", ".join(content[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


Found = tuple[ObjectRef, JsonObject] | str
"""An object by its metadata, or what could not be listed."""


def _in_namespace(api: ApiServer, namespace: str) -> Iterator[Found]:
    kinds: dict[tuple[str, str], str] = {}
    served = api.kinds(refresh=True)
    for (api_version, kind), one in served.served.items():
        group = split_api_version(api_version)[0]
        # what cannot be deleted (metrics, reviews) is made up when asked for
        if one.info.namespaced and {"list", "delete"} <= one.verbs and (group, kind) not in _TRACES:
            kinds.setdefault((group, kind), api_version)
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        wanted = [(api_version, kind) for (_, kind), api_version in kinds.items()]
        for found in pool.map(lambda one: _listed(api, one[0], one[1], namespace), wanted):
            yield from found
    yield from (f"kinds of {api_version} (unknown: {why})" for api_version, why in served.failed.items())


def _instances(api: ApiServer, definition: JsonObject) -> Iterator[Found]:
    spec = definition.get("spec") or {}
    versions = [version["name"] for version in spec.get("versions") or () if version.get("served")]
    if versions:
        yield from _listed(api, f"{spec['group']}/{versions[0]}", spec["names"]["kind"], "")


def _listed(api: ApiServer, api_version: str, kind: str, namespace: str) -> list[Found]:
    info = api.kinds().get(api_version, kind)
    if info is None:
        return []
    found: list[Found] = []
    try:
        for page in pages(api, resource_path(api_version, info, namespace), METADATA, Request(info.plural, namespace)):
            if isinstance(page, Unavailable):
                return [] if page.reason is Reason.NOT_SERVED else [f"{kind} (unknown: {page.message or page.reason})"]
            if page.first:
                found.clear()
            for item in page.items:
                metadata = item["metadata"]
                found.append((ObjectRef(api_version, kind, metadata.get("namespace", ""), metadata["name"]), metadata))
    except ClusterError as error:
        return [f"{kind} (unknown: {error.message})"]
    return found


def _foreign(found: list[Found], going: frozenset[Identity]) -> list[str]:
    uids = {one[1].get("uid") for one in found if not isinstance(one, str)}
    return [
        one if isinstance(one, str) else str(one[0])
        for one in found
        if isinstance(one, str) or not (one[0].identity in going or _goes_along(*one, uids))
    ]


def _goes_along(ref: ObjectRef, metadata: JsonObject, uids: Iterable[object]) -> bool:
    """Whether the controllers made it, for the namespace or for an object beside it that is looked at by itself."""
    owners = metadata.get("ownerReferences") or ()
    return (
        (ref.group, ref.kind, ref.name) in _FURNITURE
        or any(owner.get("uid") in uids for owner in owners)
        or (ref.kind == "Secret" and _TOKEN_OF in (metadata.get("annotations") or {}))
    )
