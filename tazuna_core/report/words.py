"""The sentences that every form says: counts, coverage, what rules hide, who changed a field, what merging does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tazuna_core.lint.model import SWITCHABLE
from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.blast_radius import RISK_CODES, Risk
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.line_diff import DiffLine
from tazuna_core.report.model import ErrorLine, Hidden, ObjectReport, Owner, Report, Target
from tazuna_core.report.sentences import SENTENCES
from tazuna_core.report.values import clean, one_line_each
from tazuna_core.report.views import DRIFT_COMMANDS, FieldView, differs, is_clean, unlisted_unchecked

Quote = Callable[[str], str]
"""Makes a name safe for a form: a code span in markdown, an element in HTML."""

NAMES_IN_A_SENTENCE = 3
_COMMIT = 12
_COUNTED = ("conflict", "removed", "missing", "drifted", "modified", "added", "unknown_extra")


def counted(reports: Sequence[Report], lang: Lang) -> list[str]:
    """Returns ``1 conflict``, ``5 changed`` ... for every class that has objects, worst first, then what went wrong."""
    numbers = {name: sum(getattr(report.counts, name) for report in reports) for name in _COUNTED}
    numbers["unchecked"] = sum(report.counts.unchecked or len(report.coverage.unchecked) for report in reports)
    numbers["errors"] = sum(len(report.errors) for report in reports)
    return [say(lang, f"count.{name}", n=number) for name, number in numbers.items() if number]


def headline(report: Report, lang: Lang) -> str:
    """Returns the counts in words; "no changes" or "no drift" only where that is the whole truth."""
    return headline_of_all((report,), lang)


def headline_of_all(reports: Sequence[Report], lang: Lang) -> str:
    """Returns the counts of several reports together in words."""
    words = counted(reports, lang)
    if not reports:
        words = [say(lang, "html.nothing")]
    elif all(is_clean(report) for report in reports):
        words = [say(lang, f"headline.clean.{_noun(reports[0])}")]
    elif not words:
        words = [say(lang, "headline.differs" if any(map(differs, reports)) else "headline.incomplete")]
    return say(lang, "list.comma").join(words)


def clean_sentence(report: Report, lang: Lang = "en") -> str:
    """Returns the sentence that says that nothing differs (in English the one that people grep for)."""
    return applied_sentence(report, lang) or say(lang, f"clean.{_noun(report)}")


def applied_sentence(report: Report, lang: Lang) -> str:
    """Returns how many objects are as declared after an apply, and how many of them it changed; "" for others."""
    if report.applied is None:
        return ""
    if report.written is None:
        return say(lang, "applied", n=report.applied)
    if not report.written:
        return say(lang, "applied.none", n=report.applied)
    return say(lang, "applied.some", n=report.applied, written=report.written, rest=report.applied - report.written)


def partial_sentence(report: Report, lang: Lang, quote: Quote) -> str:
    """Returns the sentence of an incomplete check: how much was checked, and what was not (contract, section 4)."""
    noun = "drift" if report.command in DRIFT_COMMANDS else "changes"
    key = "partial.differs" if differs(report) else f"partial.{noun}"
    coverage = report.coverage
    names = [f"{quote(one.key)} ({quote(one.reason)})" for one in coverage.unchecked]
    what = some(names, lang) if names else say(lang, "partial.unnamed")
    return say(lang, key, checked=coverage.checked, expected=coverage.expected, what=what)


def checked_sentence(report: Report, lang: Lang) -> str:
    """Returns how many objects were checked."""
    return say(lang, "checked", checked=report.coverage.checked, expected=report.coverage.expected)


def left_out_sentences(report: Report, lang: Lang, quote: Quote) -> list[str]:
    """Returns what was left out by rule: manifests without state and the like, excluded kinds."""
    by_reason: dict[str, list[str]] = {}
    for one in report.coverage.skipped:
        by_reason.setdefault(one.reason, []).append(one.manifest or say(lang, "skipped.nameless"))
    lines = []
    for reason, names in by_reason.items():
        key = f"skipped.{reason}" if reason in ("no-state", "genesissecret", "unnamed") else "skipped.other"
        lines.append(
            say(lang, key, reason=quote(said(reason, lang)), names=say(lang, "list.comma").join(map(quote, names)))
        )
    lines.extend(
        say(lang, "excluded", kind=quote(one.kind), n=one.objects, reason=quote(one.reason))
        for one in report.coverage.excluded
    )
    return lines


def hidden_sentences(report: Report, lang: Lang, quote: Quote) -> list[str]:
    """Returns one sentence for each rule that hid differences (B39), or each lint that was switched off in place."""
    rules = Counter(said(one.rule, lang) for one in report.hidden)
    key = hidden_key(report, "hidden", "switched-off")
    return [say(lang, key, n=number, rule=quote(rule)) for rule, number in rules.items()]


def hidden_key(report: Report, of_differences: str, of_lints: str) -> str:
    """Returns which of two sentences is about what a report hides: `check` hides no differences, but lints."""
    return of_lints if report.command == "check" else of_differences


def message_of(report: Report, line: ErrorLine) -> str:
    """Returns a message for people: that of a lint ends with its id, for a comment can switch it off."""
    return f"{line.message} [{line.code}]" if report.command == "check" and line.code in SWITCHABLE else line.message


def hidden_line(report: Report, hidden: Iterable[Hidden], lang: Lang, quote: Quote) -> str:
    """Returns one sentence for all that rules hide, the rule with the most first; "" where nothing is hidden."""
    rules = Counter(said(one.rule, lang) for one in hidden)
    if len(rules) <= 1:
        return "".join(
            say(lang, hidden_key(report, "hidden", "switched-off"), n=number, rule=quote(rule))
            for rule, number in rules.items()
        )
    names = say(lang, "list.comma").join(f"{quote(rule)} ({number:,})" for rule, number in rules.most_common())
    key = hidden_key(report, "hidden.many", "switched-off.many")
    return say(lang, key, n=rules.total(), rules=len(rules), names=names)


def risk_sentences(risks: Iterable[Risk], lang: Lang, quote: Quote, limit: int = 5) -> list[str]:
    """Returns one sentence for each kind of risk, worst first, naming at most ``limit`` objects."""
    by_code: dict[str, list[str]] = {}
    for risk in risks:
        where = (
            f"{quote(risk.name)} ({quote(risk.path)})" if risk.path and risk.code == "immutable" else quote(risk.name)
        )
        by_code.setdefault(risk.code, []).append(where)
    return [
        say(lang, f"risk.{code}", n=len(by_code[code]), names=some(by_code[code], lang, limit))
        for code in RISK_CODES
        if code in by_code
    ]


def some(names: list[str], lang: Lang, limit: int = NAMES_IN_A_SENTENCE) -> str:
    """Returns the first ``limit`` names and how many more there are."""
    text = say(lang, "list.comma").join(names[:limit])
    return say(lang, "list.more", names=text, n=len(names) - limit) if len(names) > limit else text


def owner_words(owner: Owner | None, lang: Lang) -> str:
    """Returns ``kubectl-edit, 2026-11-30T03:12:44Z``: the manager's claim and the server's time, plain text."""
    if owner is None:
        return say(lang, "owner.unknown")
    manager = clean(owner.manager)
    if owner.subresource:
        manager = f"{manager}/{clean(owner.subresource)}"
    return f"{manager}, {clean(owner.time) if owner.time else say(lang, 'owner.no-time')}"


def has_owner_words(seen: FieldView) -> bool:
    """Tells whether to say who: where somebody changed the cluster, known or not.

    Of what the repository changes, only somebody else than us: that we hold the field is what everybody expects.
    """
    owner = seen.change.owner
    if seen.change.verdict in ("drifted", "conflict", "extra"):
        return True
    return owner is not None and owner.origin != "tazuna"


def note_of(seen: FieldView) -> str:
    """Returns the field's note; "" where it says no more than what is said of its secret value."""
    said_already = SENTENCES[f"secret.{seen.secret}"] if seen.secret else ()
    return "" if seen.change.note in said_already else seen.change.note


def found_by(obj: ObjectReport, lang: Lang) -> str:
    """Returns how an object's verdict was come to and how sure it is; "" where nothing is to be said."""
    if obj.confidence == "exact":
        return ""
    method, confidence = say(lang, f"method.{obj.method}"), say(lang, f"confidence.{obj.confidence}")
    return say(lang, "note.confidence", method=method, confidence=confidence)


def values_in_words(values: Sequence[Any], width: int, lang: Lang, absent: str = "value.absent") -> list[str]:
    """Returns each value on one line (``values.one_line_each``), and the word ``absent`` for a side that has none."""
    return [
        say(lang, absent) if value is ABSENT else text
        for value, text in zip(values, one_line_each(values, width, say(lang, "value.unit")), strict=True)
    ]


def target_place(report: Report, quote: Quote) -> str:
    """Returns file, environment and context of a report, to tell one target from another."""
    places = ("target.file", "target.environment", "target.context")
    return ", ".join(quote(value) for label, value in target_words(report.target) if label in places)


def short_target(target: Target) -> list[tuple[str, str]]:
    """Returns ``target_words`` with commits as people write them."""
    commits = ("target.commit", "target.base")
    return [(label, value[:_COMMIT] if label in commits else value) for label, value in target_words(target)]


def target_words(target: Target) -> list[tuple[str, str]]:
    """Returns what a report is about as (catalogue key of the label, value), in reading order."""
    pairs = [
        ("target.file", target.file),
        ("target.environment", target.environment),
        ("target.context", target.context or ""),
        ("target.commit", target.commit or ""),
        ("target.base", target.base or ""),
    ]
    return [(label, clean(value)) for label, value in pairs if value]


def incomplete_details(report: Report) -> list[tuple[str, str, str]]:
    """Returns key, reason and message of everything unchecked that a sentence can't name and no row shows."""
    rest = unlisted_unchecked(report)
    said = {one.key for one in report.coverage.unchecked[:NAMES_IN_A_SENTENCE]}
    return [(key, reason, message) for key, reason, message in rest if message or key not in said]


def left_out(line: DiffLine, lang: Lang) -> str:
    """Returns what stands for lines that are left out of a difference."""
    return say(lang, "lines.more", n=line.rest) if line.rest else say(lang, "lines.skipped", n=line.skipped)


def _noun(report: Report) -> str:
    if report.command in DRIFT_COMMANDS:
        return "drift"
    return "check" if report.command == "check" else "changes"
