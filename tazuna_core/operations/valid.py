"""What the server would refuse of the built objects, found by the schema before anything is sent (verdicts 3.6)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tazuna_core.build.model import BuiltManifest
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.errors import InvalidObjectError
from tazuna_core.objects.model import BuiltObject
from tazuna_core.objects.sendable import sendable
from tazuna_core.operations.session import Session


def invalid_objects(
    session: Session, built: Iterable[BuiltManifest], passed: Container[str] = ()
) -> Iterator[InvalidObjectError]:
    """Yields an error for each field that the API does not know or that is there twice, and each object without a name.

    ``passed`` are state keys of objects that were applied as they are built, so that the server took them already.
    """
    for one in built:
        for obj in one.objects:
            if str(obj.key) in passed:
                continue
            for problem in _problems(session, obj):
                yield InvalidObjectError(
                    f"manifest '{one.manifest.name}': {obj.ref}: {problem}",
                    place=obj.place or one.manifest.place,
                    advice="Correct or remove it; the server would refuse the object.",
                )


def _problems(session: Session, obj: BuiltObject) -> Iterator[str]:
    if not obj.key.name:
        yield "generateName alone makes another object with each apply; give it a name"
    for problem in field_problems(session.schema(obj.ref), sendable(obj.data)):
        yield problem.message
