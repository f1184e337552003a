"""Without a record: what persons hold is the only thing that is certainly somebody's (verdicts 2)."""

from __future__ import annotations

from tazuna_core.diff.fields import hiding_rule, pointer_of
from tazuna_core.diff.secrets import masked, value_path
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict, Verdict
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.managed_fields import leaf_paths
from tazuna_core.objects.managers import OUR_MANAGER
from tazuna_core.objects.paths import ABSENT, Path, lookup, schema_at
from tazuna_core.objects.sendable import is_secret
from tazuna_core.objects.times import later

MESSAGE = "run `tazuna state record` once"


def without_record(subject: Subject, stored_hash: str, hashes: dict[str, str], synced_at: str) -> ObjectVerdict:
    """Says what can be said of an object that has a hash and no record.

    Equal hashes are in sync, to the last field. Else persons' fields are drift, and the rest could not be checked: a
    differing hash alone is wrong for half of all objects.
    """
    if hashes["live"] == stored_hash:
        return ObjectVerdict(subject.key, "unchanged", hashes=hashes, method="hash")
    fields = persons_fields(subject, synced_at)
    return ObjectVerdict(
        subject.key,
        "live-drifted" if fields else "unknown",
        frozenset({"drifted"}) if fields else frozenset(),
        hashes,
        method="managed-fields" if fields else "hash",
        confidence="high" if fields else "exact",
        fields=fields,
        unchecked="no-record",
        message=MESSAGE,
    )


def persons_fields(
    subject: Subject, synced_at: str = "", declared: JsonObject | None = None
) -> tuple[FieldVerdict, ...]:
    """Returns the fields that persons hold.

    Entries older than ``synced_at`` are left out (an object that was applied by hand before it came under our care);
    with ``declared``, what it declares is left out too and the rest is ``extra``.
    """
    live = masked(subject.comparable_live) if is_secret(subject.live) else subject.comparable_live
    found: dict[object, FieldVerdict] = {}
    for entry in subject.entries:
        if subject.origin(entry) != "person" or (entry.time and synced_at and not later(entry.time, synced_at)):
            continue
        for listed in leaf_paths(entry, subject.schema):
            path = value_path(listed) if is_secret(subject.live) else listed
            value = lookup(live, path, subject.schema)
            if value is ABSENT or subject.owner(path) is not entry or _ours_too(subject, listed):
                continue
            if declared is not None and lookup(declared, path, subject.schema) is not ABSENT:
                continue
            difference = Difference(path, ABSENT, value, schema_at(subject.schema, path))
            sent = ABSENT if declared is None else lookup(declared, path, subject.schema)
            if hiding_rule(subject, difference, entry, sent) is None:
                verdict: Verdict = "drifted" if declared is None else "extra"
                pointer = pointer_of(subject, path)
                found[path] = FieldVerdict(path, pointer, verdict, live=value, owner=entry, origin="person")
    return tuple(found.values())


def _ours_too(subject: Subject, path: Path) -> bool:
    """Whether we hold the path as well: two hold one value only while nobody has changed it since our apply.

    Of a Secret that tells nothing: what was applied as ``stringData`` we hold under another name than its value has.
    """
    return not is_secret(subject.live) and any(
        entry.manager == OUR_MANAGER and not entry.subresource and entry.lists(path) for entry in subject.entries
    )
