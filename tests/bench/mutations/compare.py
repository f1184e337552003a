"""What a report says next to what it must say, one verdict an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tazuna_core.report.model import FieldChange, ObjectReport, Report, dump_report
from tests.bench.mutations.expect import Expected
from tests.bench.mutations.truth import Holder
from tests.bench.mutations.view import Ref, View

SECRETS = (b"bench-secret", b"YmVuY2gtc2VjcmV0", b"hunter2", b"lonely-secret", b"tok-abcdefghij")
"""What no report may hold: parts of the values in the bench's Secrets, plain and encoded."""


@dataclass
class Mismatch:
    """Where report and truth differ for one object."""

    missed: list[str] = field(default_factory=list)
    wrong_path: list[str] = field(default_factory=list)
    wrong_manager: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.missed or self.wrong_path or self.wrong_manager or self.extra or self.other)

    def lines(self) -> Iterable[str]:
        for name in ("missed", "wrong_path", "wrong_manager", "extra", "other"):
            yield from (f"{name.replace('_', ' ')}: {line}" for line in getattr(self, name))


@dataclass(frozen=True)
class Said:
    """What a report says, by object."""

    objects: Mapping[Ref, ObjectReport]
    hidden: Mapping[Ref, frozenset[str]]
    unchecked: Mapping[Ref, str]
    leaks: bool


def said(report: Report, view: View) -> Said:
    """Sorts a report by object. Objects in sync and superseded ones are left out."""
    refs = {obj.key: _ref(obj.key, view) for _, obj in report.objects()}
    hidden: dict[Ref, set[str]] = {}
    for line in report.hidden:
        hidden.setdefault(_ref(line.key, view), set()).add(line.path)
    listed = {refs[obj.key]: obj for _, obj in report.objects() if obj.status not in ("unchanged", "superseded")}
    text = dump_report(report)
    return Said(
        listed,
        {ref: frozenset(paths) for ref, paths in hidden.items()},
        {_ref(one.key, view): one.reason for one in report.coverage.unchecked},
        any(secret in text for secret in SECRETS),
    )


def _ref(key: str, view: View) -> Ref:
    parts = key.split("/")
    # manifest / group (empty for the core API) / version / kind / namespace / name
    name = parts[-1]
    kind_at = next(index for index in range(2, len(parts)) if parts[index][:1].isupper())
    api_version = "/".join(part for part in parts[1:kind_at] if part)
    namespace = "/".join(parts[kind_at + 1 : -1])
    return view.ref(
        {
            "apiVersion": api_version,
            "kind": parts[kind_at],
            "metadata": {"name": name, "namespace": namespace},
        }
    )


def compare(ref: Ref, what: Said, expected: Iterable[Expected], state: str, *, ledger_too: bool = True) -> Mismatch:
    """Compares one object. ``state`` is ``there``, ``gone``, ``expired`` or ``deleting``."""
    out = Mismatch()
    obj = what.objects.get(ref)
    status = obj.status if obj else "unchanged"
    wanted_status = {"gone": "live-missing", "expired": "unchanged", "deleting": "deleting"}.get(state)
    if wanted_status:
        if status != wanted_status:
            out.missed.append(f"the object is {state}; status {status}, {what.unchecked.get(ref, '')}")
        return out
    wanted = list(expected)
    reported = {f.path: f for f in (obj.fields if obj else ())}
    visible = {one.path: one for one in wanted if one.verdict != "hidden"}
    _paths(out, visible, reported)
    for path in visible.keys() & reported.keys():
        _field(out, visible[path], reported[path])
    ledger = what.hidden.get(ref, frozenset())
    for one in wanted:
        # What a controller wrote since the apply may be in the ledger as a whole: the bench knows it from before.
        listed = any(one.path.startswith(path) or path.startswith(one.path) for path in ledger)
        if ledger_too and one.verdict == "hidden" and not listed and one.path not in reported:
            out.other.append(f"not in the ledger: {one.path} ({one.rule})")
    if obj is not None and status != ("live-drifted" if visible else status):
        out.other.append(f"status {status}")
    if what.unchecked.get(ref):
        out.other.append(f"unchecked: {what.unchecked[ref]}")
    return out


def _paths(out: Mismatch, visible: Mapping[str, Expected], reported: Mapping[str, FieldChange]) -> None:
    missing = [path for path in visible if path not in reported]
    surplus = [path for path in reported if path not in visible]
    for path in missing:
        near = [other for other in surplus if other.startswith(path) or path.startswith(other)]
        if near:
            out.wrong_path.append(f"{near[0]} instead of {path}")
            surplus.remove(near[0])
        else:
            out.missed.append(f"{path} (by {_names(visible[path].holders)})")
    out.extra += [f"{path} ({reported[path].verdict}, owner {reported[path].owner})" for path in surplus]


def _field(out: Mismatch, wanted: Expected, got: FieldChange) -> None:
    owner = got.owner
    named = Holder(owner.manager, owner.operation, owner.subresource, owner.time) if owner else None
    if named not in wanted.holders:
        out.wrong_manager.append(f"{wanted.path}: {_names((named,))} instead of {_names(wanted.holders)}")
    if got.verdict != wanted.verdict:
        out.other.append(f"{wanted.path}: {got.verdict} instead of {wanted.verdict}")


def _names(holders: Iterable[Holder | None]) -> str:
    return " or ".join(
        f"{one.manager} {one.operation} {one.subresource} {one.time}" if one else "nobody" for one in holders
    )
