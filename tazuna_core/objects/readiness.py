"""Whether a live object is ready: what `wait` asks for, by the Go CLI's rules (format reference, 4), and `status` says.

`status` is stricter: the Go CLI calls every kind that it has no rule for ready as soon as it exists, an unfinished
Job and a claim without a volume too. Waiting for those would be wrong (a claim may wait for its first Pod), and to call
them ready is wrong as well.
"""

from __future__ import annotations

from tazuna_core.objects.identity import JsonObject, split_api_version


def not_known_ready_because(obj: JsonObject) -> str:
    """Returns why `status` does not call an object ready; the empty string where it does.

    Beyond the rules of `wait`: what is being deleted, a status that its controller has not brought up to date, the
    roll-out of a workload, Jobs, claims, addresses of load balancers, and the conditions of every other kind.
    """
    if obj["metadata"].get("deletionTimestamp"):
        return "being deleted"
    return not_ready_because(obj) or not_observed(obj) or _unfinished(obj)


def not_observed(obj: JsonObject) -> str:
    """Returns a reason where the status speaks of an older spec: right after an apply it is the previous one's."""
    observed = (obj.get("status") or {}).get("observedGeneration")
    generation = obj["metadata"].get("generation")
    stale = isinstance(observed, int) and isinstance(generation, int) and observed < generation
    return "its controller has not seen the change yet" if stale else ""


def not_ready_because(obj: JsonObject) -> str:
    """Returns why `wait` goes on for an object, "" when it is ready. Kinds without a rule are ready by existing."""
    group, _ = split_api_version(str(obj.get("apiVersion", "")))
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    match group, obj.get("kind"):
        case "apps", "Deployment":
            return _replicas(spec, status, also_available=True)
        case "apps", "StatefulSet":
            return _replicas(spec, status, also_available=False)
        case "apps", "DaemonSet":
            ready, wanted = status.get("numberReady", 0), status.get("desiredNumberScheduled", 0)
            return "" if ready == wanted and wanted > 0 else f"{ready} of {wanted} ready"
        case "", "Pod":
            return _pod(status)
        case _:
            return ""


def _replicas(spec: JsonObject, status: JsonObject, *, also_available: bool) -> str:
    wanted = spec.get("replicas", 1)
    if wanted == 0:
        return ""
    ready, available = status.get("readyReplicas", 0), status.get("availableReplicas", 0)
    if also_available and available != wanted:
        return f"{available} of {wanted} available"
    return "" if ready == wanted else f"{ready} of {wanted} ready"


def _pod(status: JsonObject) -> str:
    conditions = status.get("conditions") or []
    ready = any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions if isinstance(c, dict))
    phase = status.get("phase", "Unknown")
    return "" if phase == "Running" and ready else f"phase {phase}"


def _unfinished(obj: JsonObject) -> str:
    group, _ = split_api_version(str(obj.get("apiVersion", "")))
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    match group, obj.get("kind"):
        case "apps", "Deployment" | "StatefulSet":
            return _rollout(spec, status.get("updatedReplicas", 0), spec.get("replicas", 1))
        case "apps", "DaemonSet":
            wanted = status.get("desiredNumberScheduled", 0)
            return _rollout(spec, status.get("updatedNumberScheduled", 0), wanted)
        case ("apps", "ReplicaSet") | ("", "ReplicationController"):
            return _replicas(spec, status, also_available=False)
        case "batch", "Job":
            return _job(spec, status)
        case "", "PersistentVolumeClaim" | "PersistentVolume" | "Namespace":
            phase = status.get("phase", "Unknown")
            return "" if phase in ("Bound", "Available", "Active") else f"phase {phase}"
        case "", "Service":
            waits = spec.get("type") == "LoadBalancer" and not (status.get("loadBalancer") or {}).get("ingress")
            return "no address of a load balancer yet" if waits else ""
        case _:
            return _conditions(status)


def _rollout(spec: JsonObject, updated: int, wanted: int) -> str:
    """An update in progress: enough replicas are ready, but old ones are among them, and nobody wants to keep those."""
    strategy = spec.get("updateStrategy") or {}
    kept = strategy.get("type") == "OnDelete" or bool((strategy.get("rollingUpdate") or {}).get("partition"))
    return f"{updated} of {wanted} updated" if updated < wanted and not kept else ""


def _job(spec: JsonObject, status: JsonObject) -> str:
    failed = _condition(status, "Failed")
    if failed.get("status") == "True":
        return f"failed: {failed.get('reason') or 'no reason given'}"
    if _condition(status, "Complete").get("status") == "True":
        return ""
    return "suspended" if spec.get("suspend") else f"not finished: {status.get('active', 0)} active"


def _conditions(status: JsonObject) -> str:
    """The conditions by which a kind says that it works; one that has none of them is ready by existing."""
    for name in _WORKING:
        found = _condition(status, name)
        if found and found.get("status") != "True":
            return f"{name} is {found.get('status')}: {found.get('reason') or 'no reason given'}"
    return ""


def _condition(status: JsonObject, name: str) -> JsonObject:
    conditions = status.get("conditions")
    found = [one for one in conditions if isinstance(one, dict)] if isinstance(conditions, list) else []
    return next((one for one in found if one.get("type") == name), {})


_WORKING = ("Ready", "Available", "Established")
