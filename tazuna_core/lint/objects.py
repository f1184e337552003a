"""Lints of single objects: images that move, replicas that nobody set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tazuna_core.objects.identity import Identity
from tazuna_core.objects.model import BuiltObject

Step = str | int

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_SCALED = frozenset(
    {
        ("apps", "Deployment"),
        ("apps", "StatefulSet"),
        ("apps", "ReplicaSet"),
        ("", "ReplicationController"),
        ("argoproj.io", "Rollout"),
    }
)


@dataclass(frozen=True, slots=True)
class Remark:
    """What a lint has to say of a field of an object."""

    lint: str
    path: tuple[Step, ...]
    message: str


def remarks(obj: BuiltObject, identity: Identity, autoscaled: frozenset[Identity]) -> Iterator[Remark]:
    """Yields what is to be said of one object; ``identity`` has its effective namespace, as those in ``autoscaled``."""
    yield from _images(obj)
    if _has_no_replicas(obj) and identity not in autoscaled:
        message = f"{obj.ref} sets no replicas and no autoscaler targets it: a rebuild starts with one"
        yield Remark("replicas", ("spec",), message)


def _has_no_replicas(obj: BuiltObject) -> bool:
    spec = obj.data.get("spec")
    return (obj.key.group, obj.key.kind) in _SCALED and isinstance(spec, dict) and spec.get("replicas") is None


def _images(obj: BuiltObject) -> Iterator[Remark]:
    """The images of all pods that an object describes, wherever in its spec: kinds of operators hold pods too."""
    if obj.key.kind == "CustomResourceDefinition":
        return  # it describes fields, and has none of them
    for field in ("spec", "template"):
        yield from _below(obj, obj.data.get(field), (field,))


def _below(obj: BuiltObject, value: Any, path: tuple[Step, ...]) -> Iterator[Remark]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _below(obj, item, (*path, number))
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in _CONTAINERS and isinstance(inner, list):
                for number, container in enumerate(inner):
                    yield from _image(obj, container, (*path, name, number))
            elif name == "volumes" and isinstance(inner, list):
                for number, volume in enumerate(inner):
                    yield from _image_volume(obj, volume, (*path, name, number))
            else:
                yield from _below(obj, inner, (*path, name))


def _image(obj: BuiltObject, container: Any, path: tuple[Step, ...]) -> Iterator[Remark]:
    if isinstance(container, dict) and isinstance(container.get("image"), str):
        what = f"container '{container.get('name', '')}'"
        yield from _reference(obj, container["image"], what, (*path, "image"))


def _image_volume(obj: BuiltObject, volume: Any, path: tuple[Step, ...]) -> Iterator[Remark]:
    image = volume.get("image") if isinstance(volume, dict) else None
    if isinstance(image, dict) and isinstance(image.get("reference"), str):
        yield from _reference(
            obj, image["reference"], f"volume '{volume.get('name', '')}'", (*path, "image", "reference")
        )


def _reference(obj: BuiltObject, image: str, what: str, path: tuple[Step, ...]) -> Iterator[Remark]:
    problem = moves(image)
    if problem:
        yield Remark("image-tag", path, f"{obj.ref}: the image '{image}' of {what} {problem}")


def moves(reference: str) -> str:
    """Returns why the name of an image or artifact may mean another one tomorrow, "" where it has a tag or digest."""
    if not reference or "@" in reference:
        return ""
    # a colon before the last slash is that of a port
    _, colon, tag = reference.rpartition("/")[2].partition(":")
    if not colon or not tag:
        return "has no tag, which means 'latest'"
    return "has the tag 'latest', which moves" if tag == "latest" else ""
