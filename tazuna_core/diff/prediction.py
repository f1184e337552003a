"""What a dry run of the server predicts, next to what the comparison says: one verdict, and where the two disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tazuna_core.diff.fields import owner_at, pointer_of
from tazuna_core.diff.plan_secrets import same_bytes, without_data
from tazuna_core.diff.secrets import CHANGED, MASK, values_of
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict
from tazuna_core.diff.walk import Difference, differences
from tazuna_core.objects.comparable import comparable, same
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.paths import ABSENT, Key, Path, lookup, path_text
from tazuna_core.objects.sendable import is_secret

CLAIMS = frozenset({"planned", "conflict", "drifted"})
"""Verdicts that say: an apply would change this field."""
NOT_PREDICTED = "the server would leave it as it is: admission, or its own form of the value, makes the two the same"
NOT_COMPARED = "the server would change it: admission sets it, or a default has changed"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One path at which the dry run and the comparison do not say the same, and why that can be."""

    path: str
    reason: str


def with_prediction(
    subject: Subject, sent: JsonObject, verdict: ObjectVerdict, predicted: JsonObject
) -> tuple[ObjectVerdict, tuple[Disagreement, ...]]:
    """Returns the verdict by the dry run, whose answer is ``predicted``, and where the comparison said otherwise.

    Only declared and formerly declared paths count: what else an answer holds is the server's (verdicts 6, C30, C40).
    """
    found = list(_predicted(subject, sent, predicted))
    paths = [difference.path for difference in found]
    settled = [*(one.path for one in verdict.fields), *(one.path for one in verdict.hidden)]
    fields: list[FieldVerdict] = []
    said: list[Disagreement] = []
    for field in verdict.fields:
        # our apply removes what it no longer declares by itself, whoever else holds it
        removed = field.desired is ABSENT and field.verdict != "drifted"
        if field.verdict not in CLAIMS or removed or _related(field.path, paths):
            fields.append(field)
            continue
        said.append(Disagreement(path_text(field.path), NOT_PREDICTED))
        fields.append(replace(field, verdict="normalised", note=NOT_PREDICTED) if field.verdict == "planned" else field)
    for difference in found:
        if not _related(difference.path, settled):
            said.append(Disagreement(path_text(difference.path), NOT_COMPARED))
            fields.append(_added(subject, difference))
    return replace(verdict, fields=tuple(fields), method="dry-run", confidence="exact"), tuple(said)


def _predicted(subject: Subject, sent: JsonObject, predicted: JsonObject) -> Iterator[Difference]:
    """Yields where the predicted object differs from the live one, at paths that are or were declared."""
    declaring = [sent, *([subject.recorded.sent] if subject.recorded else ())]
    live, after = subject.comparable_live, comparable(predicted)
    if is_secret(after):
        now, then = values_of(live), values_of(after)
        for key in dict.fromkeys(key for side in declaring for key in values_of(side)):
            path: Path = (Key("data"), Key(key))
            if (key in now) != (key in then):
                sides = (MASK if key in now else ABSENT, MASK if key in then else ABSENT)
                yield Difference(path, *sides, subject.schema)
            elif key in now and not same_bytes(now[key], then[key]):
                yield Difference(path, MASK, MASK, subject.schema, None, CHANGED)
        live, after = without_data(live), without_data(after)
        declaring = [without_data(side) for side in declaring]
    if same(live, after):
        return
    for difference in differences(subject.schema, live, after):
        at = [path for path in (difference.path, difference.atomic) if path is not None]
        if any(lookup(side, path, subject.schema) is not ABSENT for side in declaring for path in at):
            yield difference


def _related(path: Path, others: Iterable[Path]) -> bool:
    """Whether one of the paths is the same question: the path itself, inside it, or around it."""
    return any(path[: len(other)] == other or other[: len(path)] == path for other in others)


def _added(subject: Subject, difference: Difference) -> FieldVerdict:
    recorded = subject.recorded.answer if subject.recorded else {}
    shown = replace(difference, right=difference.left)
    owner = owner_at(subject, shown)
    return FieldVerdict(
        difference.path,
        pointer_of(subject, difference.path),
        "planned",
        recorded=lookup(recorded, difference.path, subject.schema),
        desired=difference.right,
        live=difference.left,
        owner=owner,
        origin=subject.origin(owner),
        note=NOT_COMPARED,
    )
