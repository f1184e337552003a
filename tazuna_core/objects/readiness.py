"""Whether a live object is ready, by the Go CLI's rules (format reference, 4)."""

from __future__ import annotations

from tazuna_core.objects.identity import JsonObject, split_api_version


def not_ready_because(obj: JsonObject) -> str:
    """Returns why an object is not ready, the empty string when it is. Kinds without a rule are ready by existing."""
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
