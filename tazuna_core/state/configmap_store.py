"""State in the cluster: ConfigMaps of namespace ``tazuna``, read by any reader, written through the API server."""

from __future__ import annotations

from collections.abc import Iterable

from tazuna_core.cluster.api_server import ApiServer, ServerAnswer
from tazuna_core.cluster.reader import ClusterReader, Reason, Unavailable
from tazuna_core.errors import RefusedError, StateError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.state.model import NAMESPACE
from tazuna_core.state.store import ConflictError


class ClusterConfigMaps:
    """``ConfigMaps`` of a cluster. Without ``api`` (a snapshot) nothing can be written."""

    packed = True

    def __init__(self, reader: ClusterReader, api: ApiServer | None = None) -> None:
        self._reader = reader
        self._api = api

    def load(self, names: Iterable[str] | None) -> dict[str, JsonObject]:
        """Returns the ConfigMaps that exist; with None all of the namespace. Raises StateError for one unreadable."""
        if names is None:
            listed = self._reader.list_kind("v1", "ConfigMap", NAMESPACE)
            if isinstance(listed, Unavailable):
                raise _unreadable(f"the ConfigMaps of namespace {NAMESPACE}", listed)
            return {str(config_map["metadata"]["name"]): config_map for config_map in listed}
        answers = self._reader.read([_ref(name) for name in names])
        found = {}
        for ref, answer in answers.items():
            if not isinstance(answer, Unavailable):
                found[ref.name] = answer
            elif not answer.missing:
                raise _unreadable(f"ConfigMap {NAMESPACE}/{ref.name}", answer)
        return found

    def write(self, config_map: JsonObject, version: str) -> str:
        """Creates or replaces a ConfigMap, the namespace with the first one; see ``ConfigMaps.write``."""
        api = self._writable()
        name = config_map["metadata"]["name"]
        if version:
            metadata = {**config_map["metadata"], "resourceVersion": version}
            body = {**config_map, "metadata": metadata}
            answer = api.replace(_ref(name), body, field_manager=OUR_MANAGER)
        else:
            answer = api.create(_ref(name), config_map, field_manager=OUR_MANAGER)
            if answer.status == 404:
                self._create_namespace(api)
                answer = api.create(_ref(name), config_map, field_manager=OUR_MANAGER)
        if answer.status == 409 or (answer.status == 404 and version):
            raise ConflictError(
                f"ConfigMap {NAMESPACE}/{name} was written by another run meanwhile",
                advice="Nothing of that run is lost. Run this command again.",
            )
        _require(answer, f"ConfigMap {NAMESPACE}/{name} cannot be written")
        return str(answer.body["metadata"]["resourceVersion"])

    def delete(self, name: str) -> None:
        """Deletes a ConfigMap; one that is gone is no error."""
        answer = self._writable().delete(_ref(name))
        if answer.status != 404:
            _require(answer, f"ConfigMap {NAMESPACE}/{name} cannot be deleted")

    def _writable(self) -> ApiServer:
        if self._api is None:
            raise RefusedError("a snapshot cannot be written to", advice="Use --cluster kube, or --state dir:PATH.")
        return self._api

    def _create_namespace(self, api: ApiServer) -> None:
        ref = ObjectRef("v1", "Namespace", "", NAMESPACE)
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        answer = api.create(ref, body, field_manager=OUR_MANAGER)
        if answer.status != 409:  # another run was first
            _require(answer, f"namespace {NAMESPACE} for the state cannot be created")


def _ref(name: str) -> ObjectRef:
    return ObjectRef("v1", "ConfigMap", NAMESPACE, name)


def _require(answer: ServerAnswer, what: str) -> None:
    if not answer.ok:
        message = answer.body.get("message") if isinstance(answer.body, dict) else None
        raise StateError(f"{what}: {message or f'HTTP status {answer.status}'}")


def _unreadable(what: str, answer: Unavailable) -> StateError:
    advice = {
        Reason.FORBIDDEN: "`tazuna rbac` prints the rights that are needed.",
        Reason.UNAUTHORIZED: "Log in to the cluster again.",
        Reason.NOT_IN_SNAPSHOT: "Take the snapshot with `tazuna snapshot`, or give the state with --state dir:PATH.",
    }.get(answer.reason, "")
    return StateError(f"{what} cannot be read: {answer.message or answer.reason}", advice=advice)
