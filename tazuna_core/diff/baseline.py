"""After an apply: what becomes the baseline, and which fields we no longer declare are still there."""

from __future__ import annotations

from collections.abc import Iterator

from tazuna_core.diff.fields import by_holder, hiding_rule, owner_at
from tazuna_core.diff.secrets import masked
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.undeclared import is_controllers
from tazuna_core.diff.walk import ORDER_CHANGED, Difference, differences, parts_of
from tazuna_core.objects.comparable import comparable
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.paths import ABSENT, Path, lookup, with_value
from tazuna_core.objects.sendable import is_secret


def baseline_of(subject: Subject, sent: JsonObject) -> JsonObject:
    """Returns the answer to record: the server's, with extras as the previous baseline had them.

    ``subject.live`` is the server's answer to the apply, ``subject.recorded`` the previous record. A re-apply never
    blesses an extra: a path that neither apply declared and that is somebody's stays as it was (verdicts 2). One that
    is gone is no extra after this apply: nobody declares it, and it is not there.
    """
    answer = comparable(subject.live)
    if is_secret(answer):
        answer = masked(answer)
    previous = subject.recorded
    if previous is None:
        return answer
    found = list(differences(subject.schema, previous.answer, answer))
    for difference in (part for one in found for part in by_holder(subject, one)):
        declared = any(
            lookup(declaring, path, subject.schema) is not ABSENT
            for declaring in (previous.sent, sent)
            for path in (difference.path, difference.atomic)
            if path is not None
        )
        if declared or difference.note == ORDER_CHANGED or difference.right is ABSENT:
            continue
        if hiding_rule(subject, difference, owner_at(subject, difference)) is None:
            answer = with_value(answer, difference.path, difference.left, subject.schema)
    return answer


def no_longer_declared(subject: Subject, sent: JsonObject) -> Iterator[Path]:
    """Yields paths that the previous apply declared, this one does not, and that are still live.

    Server-side apply leaves a field that another manager set too; what a controller owns is its own (verdicts 7).
    """
    previous = subject.recorded
    if previous is None:
        return
    for difference in differences(subject.schema, previous.sent, sent):
        if difference.right is ABSENT:
            yield from _to_remove(subject, difference)


def _to_remove(subject: Subject, difference: Difference) -> Iterator[Path]:
    """Yields the path itself, or, where a controller holds something inside, what is left of our part."""
    path = difference.path
    if lookup(subject.live, path, subject.schema) is ABSENT:
        return
    inside = [entry for entry in subject.entries if entry.holds(path) is not None and not entry.lists(path)]
    if any(subject.origin(entry) == "controller" for entry in inside):
        for part in parts_of(difference):
            yield from _to_remove(subject, part)
        return
    owner = subject.owner(path, difference.atomic)
    if owner is not None and not is_controllers(subject, owner, path):
        yield path
