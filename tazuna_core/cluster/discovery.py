"""Which kinds a cluster serves, under which URL, in namespaces or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tazuna_core.cluster.api_server import ApiServer, Response
from tazuna_core.cluster.reader import KindInfo, Reason, Unavailable
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject, ObjectRef, split_api_version

DEFAULT_NAMESPACE = "default"
_AGGREGATED = ",".join(
    [
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
    ]
)


@dataclass(frozen=True, slots=True)
class ServedKind:
    """One kind of one group-version: where it is, and what may be asked of it."""

    info: KindInfo
    verbs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ServedKinds:
    """The kinds that a cluster serves (``Kinds``), and the group-versions it could not speak for."""

    served: Mapping[tuple[str, str], ServedKind]
    failed: Mapping[str, str] = field(default_factory=dict)
    """apiVersion, or the group alone where not even its versions are known, to what the server said."""

    def get(self, api_version: str, kind: str) -> KindInfo | None:
        found = self.served.get((api_version, kind))
        return found.info if found is not None else None

    def verbs(self, api_version: str, kind: str) -> frozenset[str]:
        """Returns what may be asked: ``get``, ``list``, ... Empty for a kind that is not served."""
        found = self.served.get((api_version, kind))
        return found.verbs if found is not None else frozenset()

    def effective(self, ref: ObjectRef) -> ObjectRef:
        return effective(ref, self.get(ref.api_version, ref.kind))

    def unavailable(self, api_version: str, kind: str) -> Unavailable | None:
        """Returns why objects of a kind cannot be asked for: not served, or its part of the API is down."""
        if (api_version, kind) in self.served:
            return None
        group = split_api_version(api_version)[0]
        said = self.failed.get(api_version) or (self.failed.get(group) if group else None)
        if said:
            return Unavailable(Reason.SERVER_ERROR, f"{api_version} is down: {said}")
        return Unavailable(Reason.NOT_SERVED, f"the cluster serves no {kind} of {api_version}")


def effective(ref: ObjectRef, info: KindInfo | None) -> ObjectRef:
    """Returns ``ref`` with the namespace that its scope gives it; an unknown kind stays as written (C26)."""
    if info is None:
        return ref
    if not info.namespaced:
        return ref._replace(namespace="") if ref.namespace else ref
    return ref if ref.namespace else ref._replace(namespace=DEFAULT_NAMESPACE)


def discover(api: ApiServer, *, aggregated: bool = True) -> ServedKinds:
    """Asks for all kinds: two requests, or one a group-version where the server lacks aggregated discovery.

    Groups whose own server is down are remembered in ``failed``. Raises ClusterError when the cluster as a whole
    cannot be reached, refuses the credentials, or is no API server.
    """
    accept = _AGGREGATED if aggregated else "application/json"
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda path: api.request("GET", path, accept=accept), ("/api", "/apis")))
    served: dict[tuple[str, str], ServedKind] = {}
    failed: dict[str, str] = {}
    plain: list[str] = []
    for answer in answers:
        listing = _usable(answer, api)
        if listing["kind"] == "APIGroupDiscoveryList":
            _take_aggregated(listing, served, failed)
        else:
            plain += _group_versions(listing)
    if plain:
        _take_plain(api, plain, served, failed)
    return ServedKinds(served, failed)


def _usable(answer: Response, api: ApiServer) -> JsonObject:
    """Returns a discovery document. Raises ClusterError for everything else."""
    if answer.ok and isinstance(answer.json, dict) and "kind" in answer.json:
        return answer.json
    if answer.status == 401 or 300 <= answer.status < 400:
        raise ClusterError(
            f"{api.place} does not accept the credentials: {answer.message}",
            code=Reason.UNAUTHORIZED,
            advice="They have probably expired: log in again.",
        )
    if answer.status == 403:
        raise ClusterError(
            f"{api.place} refuses: {answer.message}",
            code=Reason.FORBIDDEN,
            advice="Log in, or bind the account to the ClusterRole system:discovery, as all accounts normally are.",
        )
    if answer.status >= 400 and answer.json is not None:
        raise ClusterError(
            f"{api.place} cannot answer: {answer.message}",
            code=Reason.SERVER_ERROR,
            advice="Try again when the API server is healthy.",
        )
    raise ClusterError(
        f"{api.place} does not answer like an API server (HTTP status {answer.status})",
        code=Reason.SERVER_ERROR,
        advice="Check the server address in the kubeconfig, and whether a proxy answers in its place.",
    )


def _take_aggregated(listing: JsonObject, served: dict[tuple[str, str], ServedKind], failed: dict[str, str]) -> None:
    for group in listing.get("items") or []:
        name = (group.get("metadata") or {}).get("name") or ""
        for version in group.get("versions") or []:
            api_version = f"{name}/{version['version']}" if name else version["version"]
            resources = version.get("resources") or []
            if version.get("freshness") == "Stale" and not resources:
                failed[api_version] = "the server behind this APIService does not answer"
            for resource in resources:
                kind = (resource.get("responseKind") or {}).get("kind")
                if kind:
                    info = KindInfo(resource["resource"], resource.get("scope") == "Namespaced")
                    served.setdefault((api_version, kind), ServedKind(info, frozenset(resource.get("verbs") or [])))


def _group_versions(listing: JsonObject) -> Iterator[str]:
    if listing["kind"] == "APIVersions":
        yield from listing.get("versions") or []
    for group in listing.get("groups") or []:
        for version in group.get("versions") or []:
            yield version["groupVersion"]


def _take_plain(
    api: ApiServer, api_versions: Iterable[str], served: dict[tuple[str, str], ServedKind], failed: dict[str, str]
) -> None:
    def ask(api_version: str) -> tuple[str, Response | ClusterError]:
        try:
            return api_version, api.request("GET", f"/{'apis' if '/' in api_version else 'api'}/{api_version}")
        except ClusterError as error:
            return api_version, error

    with ThreadPoolExecutor(8) as pool:
        for api_version, answer in pool.map(ask, api_versions):
            if isinstance(answer, ClusterError) or not answer.ok or not isinstance(answer.json, dict):
                failed[api_version] = answer.message
                continue
            for kind, found in _plain_resources(answer.json.get("resources") or []):
                served.setdefault((api_version, kind), found)


def _plain_resources(resources: list[Any]) -> Iterator[tuple[str, ServedKind]]:
    for resource in resources:
        if "/" not in resource["name"]:  # a slash names a subresource
            info = KindInfo(resource["name"], bool(resource.get("namespaced")))
            yield resource["kind"], ServedKind(info, frozenset(resource.get("verbs") or []))
