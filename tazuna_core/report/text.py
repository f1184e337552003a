"""Renders a report as text for a terminal and for grep: the frames of the Go CLI, with fields beneath (format 4.1).

Rows are ``"  %-14s %-60s %s"`` and never cut. Field lines are indented six blanks; lines of long values nine, so that
their mark stands in column eight. After the frames come the sentence, what was not checked, what rules hide, warnings
and errors. What people grep for is English in every language: the
frame with its statuses and hashes, and the sentences "No changes detected." and "No drift detected.".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tazuna_core.diff.verdicts import Status
from tazuna_core.report.adoption_words import adoption_sentence, diff_lines, left_alone
from tazuna_core.report.blast_radius import blast_radius
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.colour import Line, Span, Tone, line, paint
from tazuna_core.report.model import Adoption, ErrorLine, Hidden, ManifestReport, ObjectReport, Report, Reports
from tazuna_core.report.seal import is_secret, prepared
from tazuna_core.report.text_fields import field_lines
from tazuna_core.report.values import SECRET, clean
from tazuna_core.report.views import CONSEQUENCES, DRIFT_COMMANDS, display_name, hidden_of, is_clean, reason_of, shown
from tazuna_core.report.words import (
    applied_sentence,
    checked_sentence,
    clean_sentence,
    counted,
    found_by,
    hidden_key,
    hidden_line,
    incomplete_details,
    left_out_sentences,
    message_of,
    partial_sentence,
    risk_sentences,
    target_words,
)

_ROW = "{:<14} {:<60} "
_TONES: dict[Status, Tone] = {
    "unknown": "alarm",
    "conflict": "alarm",
    "live-missing": "bad",
    "added": "new",
    "removed": "bad",
    "modified": "changed",
    "live-drifted": "changed",
    "deleting": "bad",
}
_PLAN_MARKS: dict[Status, str] = {
    "added": "+",
    "removed": "-",
    "live-missing": "!",
    "unknown": "?",
    "expired": "=",
    "superseded": "=",
    "moved": "=",
    "always-sync": "=",
    "unchanged": "=",
}
_SENTENCES = ("No changes detected.", "No drift detected.")
_SENTENCE = re.compile(r"(No (?:changes|drift)) (detected\.)")


def text(
    report: Report | Reports,
    *,
    lang: Lang = "en",
    colour: bool = False,
    show_all: bool = False,
    show_secret_hashes: bool = False,
) -> str:
    """Returns the report as text. ``show_all`` lists unchanged objects and every hidden difference too."""
    sealed = prepared(report, lang, show_secret_hashes=show_secret_hashes)
    if isinstance(sealed, Report):
        return paint(map(_ours_alone, _report(sealed, lang, show_all)), colour)
    lines: list[Line] = []
    for number, one in enumerate(sealed.reports):
        target = ", ".join(f"{say(lang, label)} {value}" for label, value in target_words(one.target))
        lines += [line()] if number else []
        lines += [line(Span(f"{say(lang, 'target')}: {target}", "title")), line()]
        lines += map(_ours_alone, _report(one, lang, show_all))
    return paint(lines, colour)


def _ours_alone(one: Line) -> Line:
    """Keeps the sentences that people grep for out of data: a value must not be able to say "No drift detected."."""
    if len(one) == 1 and one[0].text in _SENTENCES:
        return one
    return tuple(Span(_SENTENCE.sub("\\1\u00a0\\2", span.text), span.tone) for span in one)


def _report(report: Report, lang: Lang, show_all: bool) -> Iterator[Line]:
    hidden = hidden_of(report.hidden)
    for manifest, objects in shown(report, show_all):
        yield from _manifest(report, manifest, objects, hidden, lang)
        yield line()
    if report.adoption is not None:
        yield from _adoption(report, report.adoption, lang)
    else:
        yield from _sentence(report, lang)
        for risk in risk_sentences(blast_radius(report), lang, clean):
            yield line(Span("! ", "alarm"), risk)
    yield from (line(Span(sentence, "quiet")) for sentence in left_out_sentences(report, lang, clean))
    yield from _hidden(report, lang, show_all)
    for change in report.fixed:
        yield from _message(report, say(lang, "fixed"), change, "good")
    for warning in report.warnings:
        yield from _message(report, say(lang, "warning"), warning, "changed")
    for error in report.errors:
        yield from _message(report, say(lang, "error"), error, "alarm")


def _manifest(
    report: Report, manifest: ManifestReport, objects: list[ObjectReport], hidden: dict[str, list[Hidden]], lang: Lang
) -> Iterator[Line]:
    yield line("Manifest: ", Span(clean(manifest.name), "title"))
    if report.command != "plan":
        yield line("  " + _ROW.format("STATUS", "RESOURCE") + "HASH")
    for obj in objects:
        yield _plan_row(report, obj, lang) if report.command == "plan" else _row(report, obj, lang)
        for field in obj.fields:
            yield from field_lines(field, obj, report.command, lang)
        for one in hidden.get(obj.key, ()):
            note = say(lang, "hidden.here", rule=clean(said(one.rule, lang)))
            yield line(Span(f"      {clean(one.path)}: {note}", "quiet"))
        notes = [clean(note) for note in obj.notes]
        notes.append(found_by(obj, lang))
        yield from (line(Span(f"      ({note})", "quiet")) for note in notes if note)


def _row(report: Report, obj: ObjectReport, lang: Lang) -> Line:
    row = (_ROW.format(obj.status, clean(obj.key)) + _hash_column(report, obj, lang)).rstrip()
    return line("  ", Span(obj.status, _TONES.get(obj.status, "")), row[len(obj.status) :])


def _hash_column(report: Report, obj: ObjectReport, lang: Lang) -> str:
    if obj.status == "unknown":
        return f"({clean(reason_of(report, obj.key)) or say(lang, 'status.unknown')})"
    hashes = {name: clean(value) for name, value in obj.hashes.items() if value}
    if is_secret(obj) and SECRET in hashes.values():
        return SECRET
    stored, live = hashes.get("stored", ""), hashes.get("live", "")
    built = hashes.get("built", hashes.get("desired", ""))
    if report.command in DRIFT_COMMANDS:
        live = "" if obj.status == "live-missing" else live
        return " ".join(part for part in (live, f"(stored: {stored})" if stored else "") if part)
    if obj.status == "removed":
        return f"(was: {stored})" if stored else ""
    if obj.status == "modified" and stored:
        return f"{stored} -> {built}"
    return built or stored


def _plan_row(report: Report, obj: ObjectReport, lang: Lang) -> Line:
    mark = _PLAN_MARKS.get(obj.status, "~")
    note = "" if obj.status == "modified" else say(lang, f"status.{obj.status}")
    if obj.status in ("added", "removed", "conflict", "live-drifted", "live-missing", "unknown"):
        note = say(lang, f"row.{obj.status}", reason=clean(reason_of(report, obj.key)) or "?")
    if obj.status == "live-missing" and {"added", "modified", "conflict"}.intersection(obj.classes):
        note += say(lang, "list.comma") + say(lang, "row.added")
    tone = _TONES.get(obj.status, "quiet")
    return line("  ", Span(mark, tone), " ", Span(clean(display_name(obj)), tone), f" ({note})" if note else "")


def _sentence(report: Report, lang: Lang) -> Iterator[Line]:
    if is_clean(report):
        yield line(Span(clean_sentence(report, "en" if report.applied is None else lang), "good"))
        if lang != "en" and report.applied is None:
            yield line(f"{clean_sentence(report, lang)}{checked_sentence(report, lang)}")
        return
    applied = applied_sentence(report, lang)
    if applied:
        yield line(Span(applied, "title"))
    words = counted((report,), lang)
    # Without a word to count there are rows all the same (always-sync, moved), or nothing could be read at all.
    if words:
        yield line(
            Span(say(lang, "list.comma").join(words), "title"),
            f" ({say(lang, 'counted.of', n=report.counts.objects)})" if report.counts.objects else "",
        )
    elif report.coverage.complete:
        yield line(say(lang, "nothing-else"))
    if not report.coverage.complete:
        yield line(Span(partial_sentence(report, lang, clean), "alarm"))
        for key, reason, message in incomplete_details(report):
            yield line(Span(f"  {clean(key)}: {clean(reason)}" + (f" ({clean(message)})" if message else ""), "quiet"))


def _adoption(report: Report, adoption: Adoption, lang: Lang) -> Iterator[Line]:
    for file in adoption.files:
        for text in diff_lines(file):
            tone: Tone = "new" if text.startswith("+") else "bad" if text.startswith("-") else ""
            yield line(Span(text, tone))
        yield line()
    yield line(Span(adoption_sentence(report, adoption, lang), "good" if adoption.written else "title"))
    if not report.coverage.complete:
        yield line(Span(partial_sentence(report, "en", clean), "alarm"))
    left = left_alone(adoption, clean)
    if left:
        yield line(say(lang, "adopt.left"))
    for text, advice in left:
        yield line(f"  {clean(text)}")
        yield line(Span(f"    {clean(advice)}", "quiet"))


def _hidden(report: Report, lang: Lang, show_all: bool) -> Iterator[Line]:
    hidden = report.hidden if show_all else tuple(one for one in report.hidden if one.rule not in CONSEQUENCES)
    if not hidden:
        return
    hint = hidden_key(report, "hidden.show", "switched-off.show")
    sentence = hidden_line(report, hidden, lang, lambda rule: f"`{clean(rule)}`")
    yield line(Span(f"{sentence} {say(lang, hint)}", "quiet"))
    if show_all:
        for one in hidden:
            reason = f" ({clean(one.reason)})" if one.reason else ""
            yield line(Span(f"  {clean(one.key)}  {clean(one.path)}{reason}", "quiet"))


def _message(report: Report, word: str, message: ErrorLine, tone: Tone) -> Iterator[Line]:
    place = (
        f"{clean(message.file)}:{message.line}: "
        if message.line
        else f"{clean(message.file)}: "
        if message.file
        else ""
    )
    yield line(Span(f"{word}: ", tone), place + clean(message_of(report, message)))
    if message.advice:
        yield line(f"  {clean(message.advice)}")
