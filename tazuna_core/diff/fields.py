"""From differences to what is said of each field: who holds it, whether a rule hides it, what class it counts in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tazuna_core.diff.by_design import hidden_by_design, sent_at
from tazuna_core.diff.elsewhere import ENCODED_PREFIX
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.undeclared import hidden_extra
from tazuna_core.diff.verdicts import FieldVerdict, HiddenDifference, ObjectClass
from tazuna_core.diff.walk import ORDER_CHANGED, Difference, parts_of
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.paths import ABSENT, Key, Path, lookup, path_pointer
from tazuna_core.objects.schema import ANY

ENCODED = "encodes fields of another version"


def field_verdicts(
    subject: Subject, found: Iterable[Difference]
) -> tuple[tuple[FieldVerdict, ...], tuple[HiddenDifference, ...]]:
    """Sorts differences between record and live into verdicts and the ledger of what rules hide."""
    fields, hidden = [], []
    for difference in (part for one in found for part in by_holder(subject, one)):
        owner = owner_at(subject, difference)
        rule = hiding_rule(subject, difference, owner)
        if rule is not None:
            hidden.append(rule)
            continue
        declared = sent_at(subject, difference) is not ABSENT
        fields.append(
            FieldVerdict(
                path=difference.path,
                pointer=pointer_of(subject, difference.path),
                verdict="drifted" if declared else "extra",
                recorded=difference.left,
                live=difference.right,
                owner=owner,
                origin=subject.origin(owner),
                note=difference.note,
            )
        )
    return tuple(fields), tuple(hidden)


def unseen_verdicts(
    subject: Subject, fields: Iterable[FieldVerdict]
) -> tuple[tuple[FieldVerdict, ...], tuple[HiddenDifference, ...]]:
    """Adds to ``fields`` what was written at other versions and is not seen at ours.

    Annotations that encode just that are the same change once more, and go to the ledger.
    """
    unseen, hidden = [], []
    for other in subject.elsewhere:
        for path, pointer, value in other.unseen:
            rule = hiding_rule(subject, Difference(path, ABSENT, value, ANY), other.entry, ABSENT)
            if rule is not None:
                hidden.append(rule)
                continue
            note = f"seen at {other.entry.api_version}"
            origin = subject.origin(other.entry)
            unseen.append(FieldVerdict(path, pointer, "extra", live=value, owner=other.entry, origin=origin, note=note))
    kept = []
    for field in fields:
        last = field.path[-1] if field.path else None
        if unseen and isinstance(last, Key) and last.name.startswith(ENCODED_PREFIX):
            hidden.append(HiddenDifference(ENCODED, field.path))
        else:
            kept.append(field)
    return (*kept, *unseen), tuple(hidden)


def owner_at(subject: Subject, difference: Difference) -> FieldsEntry | None:
    """Returns who made a difference, None where the server does not know.

    What is gone has no entry, nor has the order of a keyed list (verdicts 5): whoever holds the items need not be who
    moved them.
    """
    if difference.right is ABSENT or (difference.note == ORDER_CHANGED and difference.atomic is None):
        return None
    return subject.owner(difference.path, difference.atomic)


def by_holder(subject: Subject, difference: Difference) -> Iterator[Difference]:
    """Splits what was added or removed as one where its parts are different people's, or a rule names one part.

    Without this, a controller's field would hide the one that a person put beside it. What a person made is one
    change, whatever a controller wrote into it later.
    """
    named = any(rule.names_part(subject.ref, difference.path) for rule in subject.context.ignore)
    parts = list(parts_of(difference)) if named or _shared(subject, difference) else []
    if not parts:
        yield difference
    for part in parts:
        yield from by_holder(subject, part)


def _shared(subject: Subject, difference: Difference) -> bool:
    """Whether what was added has several holders and no person made it whole."""
    if difference.left is not ABSENT:
        return False
    owner = owner_at(subject, difference)
    origins = [subject.origin(entry) for entry in subject.entries if entry.holds(difference.path) is not None]
    if owner is None:
        return len(origins) > 1
    return subject.origin(owner) == "controller" and any(origin != "controller" for origin in origins)


def hiding_rule(
    subject: Subject, difference: Difference, owner: FieldsEntry | None, sent: Any = None
) -> HiddenDifference | None:
    """Returns the ledger's line for a difference that a rule hides, None for one that is reported.

    ``sent`` is what we declare at the path; without it, what the record says was sent.
    """
    sent = sent_at(subject, difference) if sent is None else sent
    manager = owner.manager if owner else ""
    by_design = hidden_by_design(subject, difference, owner, sent)
    if by_design:
        return HiddenDifference(by_design, difference.path, manager)
    if sent is ABSENT:
        undeclared = hidden_extra(subject, difference, owner)
        if undeclared:
            return HiddenDifference(undeclared, difference.path, manager)
    for rule in subject.context.ignore:
        if rule.hides(subject.ref, difference.path, manager, subject.context.today):
            return HiddenDifference(rule.name, difference.path, rule.reason)
    return None


def classes_of(fields: Iterable[FieldVerdict]) -> frozenset[ObjectClass]:
    """Returns the classes that an object counts in: an extra by a person counts as drifted (contract, section 4)."""
    classes: set[ObjectClass] = set()
    for field in fields:
        if field.verdict == "conflict":
            classes.add("conflict")
        elif field.verdict == "drifted":
            classes.add("drifted")
        elif field.verdict == "extra":
            unknown = field.owner is not None and field.origin == "unknown"
            classes.add("unknown-extra" if unknown else "drifted")
    return frozenset(classes)


def pointer_of(subject: Subject, path: Path) -> str:
    """Returns the pointer into the live object, into the recorded one where live has not got the path."""
    recorded = subject.recorded
    in_live = lookup(subject.live, path, subject.schema) is not ABSENT
    document = subject.live if in_live or recorded is None else recorded.answer
    return path_pointer(path, document, subject.schema)
