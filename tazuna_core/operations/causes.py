"""Why an object was refused, where the order of the repository is the reason: what it needs comes later, or never."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from tazuna_core.errors import TazunaError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.operations.desired import Desired

Cause = Callable[[TazunaError, Desired], str]
"""From an error and its object to what to do about it; the empty string where the order is not the reason."""

_NAMESPACE = re.compile(r'namespaces "([^"]+)" not found')
_WEBHOOK = re.compile(r'failed calling webhook "([^"]+)"')
_NOT_SERVED = re.compile(r"no kind \S+ in \S+ is served")


def cause_in(desired: Mapping[str, Sequence[Desired]]) -> Cause:
    """Returns a function that looks for causes among what all manifests build."""

    def cause(error: TazunaError, obj: Desired) -> str:
        own = obj.built.key.manifest
        if _NOT_SERVED.search(error.message):
            group, kind = obj.built.key.group, obj.built.key.kind
            what = f"the definition of {kind}"
            return _order(what, own, _builders(desired, lambda one: _defines(one, group, kind)))
        namespace = _NAMESPACE.search(error.message)
        if namespace:
            name = namespace[1]
            return _order(f"namespace {name}", own, _builders(desired, lambda one: _is_namespace(one, name)))
        webhook = _WEBHOOK.search(error.message)
        if webhook:
            owners = _builders(desired, lambda one: _has_webhook(one, webhook[1]))
            who = f" of manifest '{owners[0]}'" if owners else ""
            wait = "wait for it (`wait: true`, or a test), and name its manifest in dependsOn"
            return f"The webhook {webhook[1]}{who} does not answer yet: {wait}."
        return ""

    return cause


def _order(what: str, own: str, owners: Sequence[str]) -> str:
    if not owners:
        return f"No manifest builds {what}: add it, or see that it is in the cluster before."
    if own in owners:
        return f"This manifest builds {what} itself: see the error about that."
    return f"Manifest '{owners[0]}' builds {what}: it must come before '{own}', in the file or by dependsOn."


def _builders(desired: Mapping[str, Sequence[Desired]], wanted: Callable[[JsonObject], bool]) -> list[str]:
    return [name for name, objects in desired.items() if any(wanted(one.built.data) for one in objects)]


def _defines(obj: JsonObject, group: str, kind: str) -> bool:
    spec = obj.get("spec")
    if obj.get("kind") != "CustomResourceDefinition" or not isinstance(spec, dict):
        return False
    return bool(spec.get("group") == group and (spec.get("names") or {}).get("kind") == kind)


def _is_namespace(obj: JsonObject, name: str) -> bool:
    return obj.get("kind") == "Namespace" and bool(obj["metadata"].get("name") == name)


def _has_webhook(obj: JsonObject, name: str) -> bool:
    return str(obj.get("kind", "")).endswith("WebhookConfiguration") and name in _names(obj)


def _names(obj: JsonObject) -> Iterator[object]:
    yield from (one.get("name") for one in obj.get("webhooks") or () if isinstance(one, dict))
