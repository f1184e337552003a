"""The frames of ``status`` and ``state list`` (format reference 4.2), over simple rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tazuna_core.objects.identity import StateKey
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.colour import Line, Span, Tone, line, paint
from tazuna_core.report.values import SECRET, clean

Readiness = Literal["Ready", "NotReady", "Missing", "Error"]

_TONES: dict[Readiness, Tone] = {"Ready": "new", "NotReady": "changed", "Missing": "bad", "Error": "alarm"}


@dataclass(frozen=True, slots=True)
class StatusRow:
    """One object of ``status``; ``reason`` says why it is not ready, or could not be read."""

    manifest: str
    status: Readiness
    kind: str
    namespace: str
    name: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StateTable:
    """The state of one manifest: content hashes by state key, and when and from which commit it was written."""

    manifest: str
    entries: Sequence[tuple[StateKey, str]] = ()
    last_synced: str = ""
    git_commit: str = ""


def status_text(
    rows: Iterable[StatusRow], manifests: Iterable[str] = (), *, lang: Lang = "en", colour: bool = False
) -> str:
    """Returns the text of ``status``: rows in the order given, under their manifest.

    ``manifests`` gives the order of the manifests and names those without state.
    """
    by_manifest: dict[str, list[StatusRow]] = {name: [] for name in manifests}
    for row in rows:
        by_manifest.setdefault(row.manifest, []).append(row)
    lines: list[Line] = []
    for name, members in by_manifest.items():
        lines.append(line("Manifest: ", Span(clean(name), "title")))
        if not members:
            lines += [line(f"  {say(lang, 'table.no-state')}"), line()]
            continue
        lines.append(line(f"  {'STATUS':<9} {'KIND':<20} NAMESPACE/NAME"))
        for row in members:
            place = "/".join(clean(part) for part in (row.namespace, row.name) if part)
            reason = f"   ({clean(said(row.reason, lang))})" if row.reason else ""
            status = Span(row.status, _TONES[row.status])
            lines.append(
                line("  ", status, f"{'':<{9 - len(row.status)}} {clean(row.kind):<20} {place}", Span(reason, "quiet"))
            )
        lines.append(line())
    return paint(lines, colour)


def state_list_text(
    tables: Iterable[StateTable], *, show_secret_hashes: bool = False, lang: Lang = "en", colour: bool = False
) -> str:
    """Returns the text of ``state list``: full state keys, sorted, with hashes that are never cut."""
    lines: list[Line] = []
    for table in tables:
        lines.append(line("Manifest: ", Span(clean(table.manifest), "title")))
        if not table.entries:
            lines += [line(f"  {say(lang, 'table.none')}"), line()]
            continue
        if table.last_synced:
            lines.append(line(f"  {say(lang, 'table.synced')}: {clean(table.last_synced)}"))
        if table.git_commit:
            lines.append(line(f"  {say(lang, 'table.commit')}: {clean(table.git_commit)}"))
        lines.append(line(f"  {'RESOURCE':<60} HASH"))
        for key, content_hash in sorted(table.entries, key=lambda entry: str(entry[0])):
            secret = key.kind == "Secret" and not key.group and not show_secret_hashes
            lines.append(line(f"  {clean(str(key)):<60} {SECRET if secret else clean(content_hash)}"))
        lines.append(line())
    return paint(lines, colour)
