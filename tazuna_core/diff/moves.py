"""One object under another key of the state: its manifest was renamed or changed, or its apiVersion (verdicts 2)."""

from __future__ import annotations

from dataclasses import replace

from tazuna_core.diff.fields import classes_of
from tazuna_core.diff.plan import ALREADY_THERE, status_of
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict
from tazuna_core.objects.identity import StateKey


def moved_from(before: StateKey, after: StateKey) -> str:
    """Returns the note on the new key: where the object was declared before."""
    return _note(before, after, "before") or f"its key was {before}"


def moved_to(before: StateKey, after: StateKey) -> str:
    """Returns the note on the old key: where the object is declared now."""
    return _note(after, before, "now") or f"its key is {after}"


def sent_under_new_key(verdict: ObjectVerdict, before: StateKey) -> ObjectVerdict:
    """Returns the verdict of an object whose state has another key: it is not new, whatever its own key's state says.

    Apply sends it, for nothing is stored under the new key, so what was changed by hand in it is put back.
    """
    classes, fields = set(verdict.classes), tuple(map(_sent, verdict.fields))
    if "added" in classes:  # it could not be compared with what was applied under another version
        fields = tuple(map(_ours_before, fields))
        classes = set(classes_of(fields))
        classes |= {"modified"} if any(field.verdict == "planned" for field in fields) else set()
    notes = [note for note in verdict.notes if note != ALREADY_THERE]
    return replace(
        verdict,
        status=status_of(classes),
        classes=frozenset(classes),
        fields=fields,
        notes=(moved_from(before, verdict.key), *notes),
    )


def _ours_before(field: FieldVerdict) -> FieldVerdict:
    """Nothing is taken over from anybody: the object was ours all along."""
    ours = field.verdict == "conflict" and field.origin != "person"
    return replace(field, verdict="planned", on_merge=None) if ours else field


def _sent(field: FieldVerdict) -> FieldVerdict:
    return replace(field, on_merge="reverted") if field.verdict in ("drifted", "conflict") else field


def _note(there: StateKey, here: StateKey, when: str) -> str:
    if there.manifest != here.manifest:
        return f"declared by manifest '{there.manifest}' {when}"
    return f"declared as {there.api_version} {when}" if there.version != here.version else ""
