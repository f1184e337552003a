"""One apply at a time: the Lease ``tazuna/tazuna-apply``, taken before the first write, renewed, given back."""

from __future__ import annotations

import contextlib
import getpass
import platform
import threading
import uuid
from datetime import UTC, datetime
from types import TracebackType

from tazuna_core import tracing
from tazuna_core.cluster.api_server import ApiServer, ServerAnswer
from tazuna_core.errors import ApplyError, ClusterError, RefusedError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.state.model import NAMESPACE

SECONDS = 60
"""How long a holder that no longer renews keeps others out."""
_REF = ObjectRef("coordination.k8s.io/v1", "Lease", NAMESPACE, "tazuna-apply")


class ApplyLease:
    """A context manager that holds the Lease. Entering raises RefusedError naming the holder when another run has it.

    ``break_lock`` takes it from the holder. While held it is renewed in the background; ``lost`` tells that another run
    took it.
    """

    def __init__(self, api: ApiServer, *, break_lock: bool = False) -> None:
        self._api = api
        self._break = break_lock
        self._holder = f"{_user()}@{platform.node()}/{uuid.uuid4().hex[:8]}"
        self._done = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="lease", daemon=True)
        self._lease: JsonObject = {}
        self.lost = False

    def __enter__(self) -> ApplyLease:
        self._take()
        self._renewing.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._renewing.join()
        if not self.lost:
            version = str(self._lease["metadata"].get("resourceVersion", ""))
            # without an answer the Lease runs out by itself; what the run has to say matters more
            with contextlib.suppress(ClusterError):
                self._api.delete(_REF, uid=self._lease["metadata"].get("uid"), resource_version=version)

    def require(self) -> None:
        """Raises ApplyError when the Lease was lost: another run writes now, and this one must not."""
        if self.lost:
            raise ApplyError(
                f"the lock {NAMESPACE}/{_REF.name} was taken by another run",
                advice="Run this command again when it ended.",
            )

    @tracing.traced(lambda *_: ("take the lock", {}))
    def _take(self) -> None:
        answer = self._api.create(_REF, self._body(), field_manager=OUR_MANAGER)
        if answer.status == 404:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
            self._api.create(ObjectRef("v1", "Namespace", "", NAMESPACE), namespace, field_manager=OUR_MANAGER)
            answer = self._api.create(_REF, self._body(), field_manager=OUR_MANAGER)
        if answer.status == 409:
            answer = self._take_over()
        if not answer.ok:
            raise ClusterError(
                f"the lock {NAMESPACE}/{_REF.name} cannot be taken: {_message(answer)}",
                advice="`tazuna rbac --for apply` prints the rights that are needed.",
            )
        self._lease = answer.body

    def _take_over(self) -> ServerAnswer:
        held = self._api.get(_REF)
        if held.status == 404:
            return self._api.create(_REF, self._body(), field_manager=OUR_MANAGER)
        if not held.ok:
            return held
        spec = held.body.get("spec") or {}
        if not self._break and _alive(spec):
            raise RefusedError(
                f"{spec.get('holderIdentity') or 'another run'} is applying since {spec.get('acquireTime')}",
                code="lock",
                advice="Wait for it to end; when it is known to be dead, --break-lock takes the lock over.",
            )
        body = self._body()
        body["metadata"]["resourceVersion"] = held.body["metadata"]["resourceVersion"]
        answer = self._api.replace(_REF, body, field_manager=OUR_MANAGER)
        if answer.status == 409:
            raise RefusedError("another run took the lock first", code="lock", advice="Wait for it to end.")
        return answer

    def _renew(self) -> None:
        while not self._done.wait(SECONDS / 3):
            body = self._body(acquired=self._lease["spec"].get("acquireTime"))
            body["metadata"]["resourceVersion"] = self._lease["metadata"]["resourceVersion"]
            try:
                answer = self._api.replace(_REF, body, field_manager=OUR_MANAGER)
            except ClusterError:
                continue  # the next try may get through before the Lease runs out
            if answer.ok:
                self._lease = answer.body
            elif answer.status in (404, 409):
                self.lost = True
                return

    def _body(self, acquired: str | None = None) -> JsonObject:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": _REF.name, "namespace": NAMESPACE},
            "spec": {
                "holderIdentity": self._holder,
                "leaseDurationSeconds": SECONDS,
                "acquireTime": acquired or now,
                "renewTime": now,
            },
        }


def _alive(spec: JsonObject) -> bool:
    try:
        renewed = datetime.fromisoformat(str(spec.get("renewTime")))
    except ValueError:
        return False
    return (datetime.now(UTC) - renewed).total_seconds() < float(spec.get("leaseDurationSeconds") or SECONDS)


def _message(answer: ServerAnswer) -> str:
    return str(answer.body.get("message")) if isinstance(answer.body, dict) else f"HTTP status {answer.status}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
