"""Recorded, desired and live: what merging would do to this object, and whether it meets a change made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tazuna_core.diff.by_design import generated_secrets_hidden, last_applied_hidden, sent_at
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.drift import drift_differences, re_created
from tazuna_core.diff.fields import classes_of, field_verdicts, hiding_rule, owner_at, pointer_of, unseen_verdicts
from tazuna_core.diff.plan_secrets import data_fields, is_data, same_bytes, without_data
from tazuna_core.diff.plan_unrecorded import two_sided
from tazuna_core.diff.reproducible import UNSTABLE, unstable
from tazuna_core.diff.secrets import values_of
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.unknown_fields import field_problems
from tazuna_core.diff.verdicts import (
    FieldVerdict,
    HiddenDifference,
    Method,
    ObjectClass,
    ObjectVerdict,
    OnMerge,
    Verdict,
    worst_status,
)
from tazuna_core.diff.walk import CHANGED_ONLY_IN_FORM, ORDER_CHANGED, Difference, differences
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.paths import ABSENT, Key, Path, lookup, path_text, schema_at
from tazuna_core.objects.sendable import is_secret

Fields = tuple[FieldVerdict, ...]
Ledger = tuple[HiddenDifference, ...]

NEEDS_REPLACE = "is deleted and created anew: its kind cannot be changed in place"
ALREADY_THERE = "is in the cluster already, as built"
_KEPT: dict[Verdict, OnMerge] = {"extra": "kept"}
REPLACED_KINDS = frozenset({("batch", "Job"), ("", "Pod")})


@dataclass(frozen=True, slots=True)
class Wanted:
    """The desired side of one object: what would be sent, and its content hash."""

    sent: JsonObject
    content_hash: str
    meaning: Meaning


def plan_of(subject: Subject, wanted: Wanted, stored_hash: str | None, synced_at: str = "") -> ObjectVerdict:
    """Compares a live object with what the repository builds to, three-sided where there is a record."""
    unchanged = wanted.content_hash == stored_hash or _differs_by_itself(subject, wanted)
    hashes = {"built": wanted.content_hash} | ({"stored": stored_hash} if stored_hash else {})
    method: Method = "record"
    if subject.recorded is not None:
        found, ledger = _three_sided(subject, wanted, unchanged)
        fields, encoded = unseen_verdicts(subject, found)
        fields = tuple(replace(field, on_merge=field.on_merge or _KEPT.get(field.verdict)) for field in fields)
        hidden = (*ledger, *encoded)
    else:
        fields, hidden, method = (
            *two_sided(subject, wanted.sent, wanted.meaning, stored_hash, unchanged, synced_at),
            "built",
        )
    classes = set(classes_of(fields))
    if stored_hash is None:
        classes.add("added")
    elif not unchanged:
        classes.add("modified")
    incomplete = method != "record" and stored_hash and not unchanged
    return ObjectVerdict(
        subject.key,
        status_of(classes),
        frozenset(classes),
        hashes,
        method,
        "exact" if method == "record" else "high",
        fields,
        (*hidden, *generated_secrets_hidden(subject), *last_applied_hidden(subject)),
        _notes(subject, wanted, classes, fields),
        unchecked="no-record" if incomplete else "",
        message="fields that the last apply declared and the repository no longer does are not known"
        if incomplete
        else "",
    )


def status_of(classes: Iterable[ObjectClass]) -> Any:
    """Returns the object status that its classes give."""
    words: dict[str, Any] = {
        "conflict": "conflict", "missing": "live-missing", "added": "added", "removed": "removed",
        "modified": "modified", "drifted": "live-drifted", "unknown-extra": "live-drifted",
    }  # fmt: skip
    return worst_status({words[name] for name in classes})


def _notes(subject: Subject, wanted: Wanted, classes: set[ObjectClass], fields: Fields) -> tuple[str, ...]:
    """Returns what to say of the object beside its fields (C17, C21, C41)."""
    notes = list(re_created(subject))
    if "modified" in classes and (subject.ref.group, subject.ref.kind) in REPLACED_KINDS:
        notes.append(NEEDS_REPLACE)
    if classes == {"added"} and not fields:
        notes.append(ALREADY_THERE)
    if "modified" in classes or "added" in classes:
        notes += [problem.message for problem in field_problems(subject.schema, wanted.sent)]
    if "modified" in classes and subject.recorded is not None:
        recorded = subject.recorded
        dropped = [
            path_text(difference.path)
            for difference in wanted.meaning.differences(subject.schema, recorded.sent, recorded.answer)
            if difference.right is ABSENT and lookup(wanted.sent, difference.path, subject.schema) is not ABSENT
        ]
        notes += [f"ignored by the server: {path}" for path in dropped if not any(path in note for note in notes)]
    return tuple(notes)


def _differs_by_itself(subject: Subject, wanted: Wanted) -> bool:
    """Whether only fields that no two renders agree on make the build another one (verdicts 9)."""
    if not subject.unstable or subject.recorded is None:
        return False
    before, after = subject.recorded.sent, wanted.sent
    if is_secret(after):
        others = {key for key in values_of(after) if (Key("data"), Key(key)) not in subject.unstable}
        same_keys = values_of(before).keys() == values_of(after).keys()
        live = values_of(subject.live)
        if not same_keys or any(not same_bytes(values_of(after)[key], live.get(key)) for key in others):
            return False
        before, after = without_data(before), without_data(after)
    return all(unstable(subject.unstable, difference) for difference in differences(subject.schema, before, after))


def _three_sided(subject: Subject, wanted: Wanted, unchanged: bool) -> tuple[Fields, Ledger]:
    by_hand = list(drift_differences(subject))
    secret = is_secret(wanted.sent)
    ledger: list[HiddenDifference] = []
    fields: list[FieldVerdict] = []
    by_repository = [] if unchanged else list(_changed_by_repository(subject, wanted, secret, ledger))
    for path, repository, hand in _merged(by_repository, by_hand):
        if repository:
            fields.append(_decide(subject, wanted, path, repository, _counted(subject, wanted, hand, ledger)))
            continue
        found, hidden = field_verdicts(subject, hand)
        ledger.extend(hidden)
        fields.extend(_with_desired(subject, wanted, field, sent=not unchanged) for field in found)
    if secret:
        fields = [
            *data_fields(subject, wanted.sent, fields, unchanged=unchanged),
            *(field for field in fields if not is_data(field.path)),
        ]
    return tuple(fields), tuple(ledger)


def _changed_by_repository(
    subject: Subject, wanted: Wanted, secret: bool, ledger: list[HiddenDifference]
) -> Iterator[Difference]:
    """Yields what is declared otherwise than at the last apply: what was sent then against what would be sent now."""
    recorded = subject.recorded
    if recorded is None:
        return
    before, after = recorded.sent, wanted.sent
    if secret:
        before, after = without_data(before), without_data(after)
    for difference in differences(subject.schema, before, after):
        if unstable(subject.unstable, difference):
            ledger.append(HiddenDifference(UNSTABLE, difference.path))
        else:
            yield difference


def _merged(
    repository: list[Difference], hand: list[Difference]
) -> Iterator[tuple[Path, list[Difference], list[Difference]]]:
    """Groups the differences of both sides by path: a path and its ancestors are one question, the ancestor's.

    The order of a keyed list is a question of its own, beside those of its items.
    """
    both = [*repository, *hand]
    kept: list[tuple[Path, bool]] = []
    for path, order in sorted({(one.path, _is_order(one)) for one in both}, key=lambda found: len(found[0])):
        if order or not any(path[: len(other)] == other for other, other_order in kept if not other_order):
            kept.append((path, order))
    first = {(one.path, _is_order(one)): index for index, one in reversed(list(enumerate(both)))}
    for path, order in sorted(kept, key=lambda found: first[found]):
        yield path, _group(repository, path, order), _group(hand, path, order)


def _group(found: list[Difference], path: Path, order: bool) -> list[Difference]:
    inside = (one for one in found if one.path[: len(path)] == path and _is_order(one) == order)
    return [one for one in inside if not order or one.path == path]


def _is_order(difference: Difference) -> bool:
    return difference.note == ORDER_CHANGED and difference.atomic is None


def _counted(
    subject: Subject, wanted: Wanted, hand: list[Difference], ledger: list[HiddenDifference]
) -> list[Difference]:
    """Returns the changes by hand that no rule hides; what the repository now declares is no extra any more."""
    out = []
    for difference in hand:
        sent = sent_at(subject, difference)
        if sent is ABSENT:
            sent = lookup(wanted.sent, difference.path, subject.schema)
        rule = hiding_rule(subject, difference, owner_at(subject, difference), sent)
        if rule is None:
            out.append(difference)
        else:
            ledger.append(rule)
    return out


def _decide(
    subject: Subject, wanted: Wanted, path: Path, repository: list[Difference], hand: list[Difference]
) -> FieldVerdict:
    """Says what merging does at a path that the repository changed; ``hand`` are the changes there that count."""
    recorded_answer = subject.recorded.answer if subject.recorded else {}
    schema = schema_at(subject.schema, path)
    recorded = lookup(recorded_answer, path, subject.schema)
    desired = lookup(wanted.sent, path, subject.schema)
    live = lookup(subject.comparable_live, path, subject.schema)
    equals = wanted.meaning.equivalent
    in_record, in_live = equals(schema, desired, recorded, path), equals(schema, desired, live, path)
    if _is_order(repository[0]):  # equal sets of items: the names in their order say it all
        recorded, desired = repository[0].left, repository[0].right
        live = hand[0].right if hand else recorded
    verdict: Verdict
    if in_live and in_record:
        verdict = "normalised"
    elif in_live:
        verdict = "already-there"
    elif hand:
        verdict = "conflict"
    else:
        verdict = "planned"
    shown = Difference(path, recorded, live, schema, _atomic(repository), repository[0].note)
    owner = owner_at(subject, shown)
    return FieldVerdict(
        path,
        pointer_of(subject, path),
        verdict,
        recorded,
        desired,
        live,
        owner,
        subject.origin(owner),
        "reverted" if verdict == "conflict" else None,
        CHANGED_ONLY_IN_FORM if verdict == "normalised" else (repository[0].note if len(repository) == 1 else ""),
    )


def _with_desired(subject: Subject, wanted: Wanted, field: FieldVerdict, *, sent: bool) -> FieldVerdict:
    """Adds the desired side to a change made by hand, and what merging does to it.

    Server-side apply never removes what it did not declare, so an extra stays either way.
    """
    kept = field.verdict == "extra" or not sent
    on_merge: OnMerge = "kept" if kept else "reverted"
    if is_data(field.path) and is_secret(wanted.sent):
        return replace(field, on_merge=on_merge)  # its sides are masked later
    if field.note == ORDER_CHANGED and isinstance(field.recorded, list):
        return replace(field, desired=field.recorded, on_merge=on_merge)
    return replace(field, desired=lookup(wanted.sent, field.path, subject.schema), on_merge=on_merge)


def _atomic(found: list[Difference]) -> Path | None:
    return next((difference.atomic for difference in found if difference.atomic is not None), None)
