"""`snapshot`: the live objects that state names, state and record, in one file."""

from __future__ import annotations

from tazuna_core.cluster.reader import Kinds, Unavailable
from tazuna_core.cluster.snapshot import ListRef, Snapshot, snapshot_of
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.operations.autoscaling import AUTOSCALERS
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.operations.tracked import tracked_objects
from tazuna_core.state.model import NAMESPACE


def take_snapshot(options: Options) -> Snapshot:
    """Reads everything that a later comparison may ask of the cluster. Raises ClusterError or StateError."""
    session = Session(options)
    kinds = session.cluster.kinds()
    names = [manifest.name for manifest in session.manifests if manifest.name]
    stored = session.store.load(names)
    refs = [obj.ref for objects in tracked_objects(stored, kinds).values() for obj in objects]
    lists = []
    if options.state == "configmap":
        lists.append(ListRef("v1", "ConfigMap", NAMESPACE))
        if isinstance(session.cluster.list_kind(*lists[0]), Unavailable):  # then what can be read by name
            refs += [ObjectRef("v1", "ConfigMap", NAMESPACE, name) for name in session.store.names(names)]
    namespaces = sorted({ref.namespace for ref in refs if ref.namespace})
    return snapshot_of(session.cluster, refs, [*lists, *_autoscalers(kinds, namespaces)])


def _autoscalers(kinds: Kinds, namespaces: list[str]) -> list[ListRef]:
    served = [(version, kind) for version, kind in AUTOSCALERS if kinds.get(version, kind) is not None]
    return [ListRef(version, kind, namespace) for version, kind in served for namespace in namespaces]
