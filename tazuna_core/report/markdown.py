"""Renders a report as markdown for pull request comments, step summaries and issues: counts, conflicts, then the rest.

Nothing in it pings, every fence and element is closed, and a limit cuts by importance: conflicts, deletions, drift and
changes stay longest, counts and names longer than contents (B01-B12, B27-B34).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tazuna_core.report.adoption_words import adoption_sentence, diff_lines, left_alone
from tazuna_core.report.blast_radius import blast_radius
from tazuna_core.report.budget import Block, clip, fit, tidy
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.markdown_alike import Alike, grouped
from tazuna_core.report.markdown_escape import code, fence, link, paragraph, plain
from tazuna_core.report.markdown_objects import object_text
from tazuna_core.report.markdown_tables import counts_table, targets_table
from tazuna_core.report.model import Adoption, ErrorLine, ManifestReport, ObjectReport, Report, Reports
from tazuna_core.report.seal import prepared
from tazuna_core.report.values import clean
from tazuna_core.report.views import hidden_of, is_clean, reason_of, shown
from tazuna_core.report.words import (
    applied_sentence,
    checked_sentence,
    clean_sentence,
    headline,
    headline_of_all,
    hidden_key,
    hidden_sentences,
    left_out_sentences,
    message_of,
    partial_sentence,
    risk_sentences,
    short_target,
    target_place,
)

COMMENT_LIMIT = 65_000
"""Bytes of a comment (contract, section 5)."""
_HEADER_SHARE = 4
_FEW = 12
"""So many objects, and what somebody changed by hand is open to be read without a click."""
_RANKS = {
    "conflict": 10,
    "removed": 11,
    "live-missing": 11,
    "deleting": 11,
    "live-drifted": 12,
    "modified": 13,
    "added": 14,
}
_TITLE, _HEADER, _TARGET, _ERRORS, _TABLE, _RISKS, _HIDDEN, _WARNINGS = 0, 1, 2, 3, 4, 5, 20, 21


@dataclass(frozen=True, slots=True)
class Options:
    """How a markdown report is made: language, limit in UTF-8 bytes, words to put above everything.

    ``full_report`` (an http address) and ``artifact`` (a name) say where the whole report is when a part was left out.
    """

    lang: Lang = "en"
    limit: int | None = None
    header: str = ""
    full_report: str = ""
    artifact: str = ""
    show_all: bool = False
    show_secret_hashes: bool = False


@dataclass
class _Page:
    """The blocks of a document in reading order."""

    blocks: list[Block] = field(default_factory=list)

    def add(self, block: Block) -> int:
        self.blocks.append(block)
        return len(self.blocks) - 1


def markdown(report: Report | Reports, options: Options | None = None) -> str:
    """Returns the report as markdown, in at most ``options.limit`` UTF-8 bytes where a limit is given."""
    options = options or Options()
    return fit_page(page(report, options), options)


def page(report: Report | Reports, options: Options) -> list[Block]:
    """Returns the document's blocks, so that one report can be fitted into several limits."""
    sealed = prepared(report, options.lang, show_secret_hashes=options.show_secret_hashes)
    reports = sealed.reports if isinstance(sealed, Reports) else (sealed,)
    result = _Page()
    result.add(Block(_TITLE, (f"## {_title(reports, options.lang)}\n\n",), "title"))
    result.add(Block(_TITLE, ("",), "notice"))
    if options.header.strip():
        # Words, not markup: whatever stands in it can neither close nor open anything (B64).
        share = (options.limit or COMMENT_LIMIT) // _HEADER_SHARE
        header = _clipped_header(options.header, share)
        result.add(Block(_HEADER, ("", f"{header}\n\n")))
    if len(reports) > 1:
        result.add(Block(_TABLE, ("", targets_table(reports, options.lang))))
    for one in reports:
        _add_report(result, one, options, several=len(reports) > 1)
    result.add(Block(_TITLE, ("",), "more"))
    for one in reports:
        _add_small_print(result, one, options.lang)
    return result.blocks


def fit_page(blocks: list[Block], options: Options) -> str:
    """Returns the blocks as one text within the limit of ``options``."""
    lang = options.lang
    if options.limit is None:
        return tidy("".join(block.forms[-1] for block in blocks))
    where = _full_report(options)

    def notice(shown_in_full: int, total: int) -> str:
        return f"**{say(lang, 'cut', shown=shown_in_full, n=total, where=where)}**\n\n"

    def more(number: int) -> str:
        return f"\n{say(lang, 'more.objects', n=number)}\n\n"

    return fit(blocks, options.limit, notice, more)


def _title(reports: tuple[Report, ...], lang: Lang) -> str:
    title = command_title(reports[0], lang) if len(reports) == 1 else say(lang, "title.many")
    return f"{title}: {headline_of_all(reports, lang)}"


def command_title(report: Report, lang: Lang) -> str:
    """Returns what a report of this command is called."""
    known = report.command in ("plan", "state diff", "state drift")
    return say(lang, f"title.{report.command}" if known else "title.other", command=plain(report.command))


def _clipped_header(text: str, share: int) -> str:
    header = paragraph(text)
    # An escape or entity cut in half would be markup again, so cut the text and escape what is left.
    while len(header.encode()) > share and text:
        text = clip(text, len(text.encode()) * 3 // 4)
        header = f"{paragraph(text)} …"
    return header


def _full_report(options: Options) -> str:
    lang = options.lang
    places = []
    if options.full_report:
        places.append(link(say(lang, "cut.run"), options.full_report))
    if options.artifact:
        places.append(say(lang, "cut.artifact", name=code(options.artifact)))
    return " / ".join(places) or say(lang, "cut.fallback")


def _add_report(result: _Page, report: Report, options: Options, *, several: bool) -> None:
    lang = options.lang
    rows = shown(report, options.show_all)
    if several:
        place = target_place(report, code)
        result.add(Block(_TITLE, ("", f"\n### {place}: {command_title(report, lang)}: {headline(report, lang)}\n\n")))
    result.add(Block(_TARGET, ("", _summary(report, lang))))
    if report.errors:
        short = f"**{say(lang, 'count.errors', n=len(report.errors))}**\n\n"
        full = f"### {say(lang, 'errors')}\n\n{_messages(report, report.errors)}\n\n"
        first = f"### {say(lang, 'errors')}\n\n{_messages(report, report.errors[:1])}\n\n"
        result.add(Block(_ERRORS, ("", short, first, full)))
    if report.adoption is not None:
        result.add(Block(_RISKS, ("", _adoption(report, report.adoption, lang))))
    table = counts_table(rows, lang)
    if table:
        result.add(Block(_TABLE, ("", table)))
    risks = risk_sentences(blast_radius(report), lang, code)
    if risks:
        title = f"**{say(lang, 'risk.title')}**\n\n"
        lines = [f"- {sentence}\n" for sentence in risks]
        result.add(Block(_RISKS, ("", f"{title}{lines[0]}\n", f"{title}{''.join(lines)}\n")))
    _add_objects(result, report, rows, options)


def _add_objects(
    result: _Page, report: Report, rows: list[tuple[ManifestReport, list[ObjectReport]]], options: Options
) -> None:
    lang, hidden, sides = options.lang, hidden_of(report.hidden), len(report.sides)
    few = sum(len(objects) for _, objects in rows) <= _FEW
    conflicts = [(manifest, obj) for manifest, objects in rows for obj in objects if _is_conflict(obj)]
    if conflicts:
        title = f"### {say(lang, 'conflicts')}\n\n{say(lang, 'conflicts.why')}\n\n"
        parent = result.add(Block(_RANKS["conflict"], ("", title)))
        for manifest, obj in conflicts:
            text = object_text(
                obj, hidden.get(obj.key, []), lang, sides=sides, opened=True, manifest=clean(manifest.name) or "-"
            )
            result.add(Block(_RANKS["conflict"], text.forms(), "object", parent, text.cut))
    sections = [(manifest, [obj for obj in objects if not _is_conflict(obj)]) for manifest, objects in rows]
    # What deletes or was changed by hand is read first, wherever it stands in the order of applying.
    for manifest, rest in sorted(sections, key=lambda section: min(map(_rank, section[1]), default=0)):
        if not rest:
            continue
        rank = min(map(_rank, rest))
        parent = result.add(Block(rank, ("", f"\n### {code(manifest.name)}\n\n")))
        texts = []
        for obj in rest:
            reason = plain(reason_of(report, obj.key)) if obj.status == "unknown" else ""
            opened = few and obj.status == "live-drifted"
            text = object_text(obj, hidden.get(obj.key, []), lang, sides=sides, reason=reason, opened=opened)
            texts.append((obj, text))
        for obj, shown_as in grouped(texts, lang):
            number = len(shown_as.objects) if isinstance(shown_as, Alike) else 1
            result.add(Block(_rank(obj), shown_as.forms(), "object", parent, shown_as.cut, objects=number))


def _is_conflict(obj: ObjectReport) -> bool:
    return obj.status == "conflict" or "conflict" in obj.classes


def _rank(obj: ObjectReport) -> int:
    return min([_RANKS.get(obj.status, 15), *(12 for one in obj.classes if one in ("drifted", "missing"))])


def _summary(report: Report, lang: Lang) -> str:
    """What was checked: the target, then the sentence of the contract."""
    target = " · ".join(f"{say(lang, label)} {code(value)}" for label, value in short_target(report.target))
    if is_clean(report):
        sentence = f"{clean_sentence(report, lang)} {checked_sentence(report, lang)}"
    elif report.coverage.complete:
        sentence = applied_sentence(report, lang) or checked_sentence(report, lang)
    else:
        sentence = f"**{partial_sentence(report, lang, code)}**"
    return f"{target}\n\n{sentence}\n\n"


def _add_small_print(result: _Page, report: Report, lang: Lang) -> None:
    coverage = report.coverage
    lines = [f"{sentence}\n\n" for sentence in left_out_sentences(report, lang, code)]
    if coverage.unchecked:
        title = f"\n<details><summary>{say(lang, 'unchecked.title')}: {len(coverage.unchecked):,}</summary>\n\n"
        items = "".join(
            f"- {code(one.key)}: {code(one.reason)}{f' · {plain(one.message)}' if one.message else ''}\n"
            for one in coverage.unchecked
        )
        result.add(Block(_HIDDEN, ("", f"{title}{items}\n</details>\n\n")))
    result.add(Block(_TARGET, ("", "\n" + "".join(lines))))
    if report.hidden:
        title = hidden_key(report, "hidden.title", "switched-off.title")
        sentences = hidden_sentences(report, lang, code)
        short = "".join(f"{one}\n" for one in sentences)
        items = "".join(_hidden_items(report, lang))
        summary = f"\n<details><summary>{say(lang, title)}: {len(report.hidden):,}</summary>\n\n"
        listed = "".join(f"- {one}\n" for one in sentences)
        result.add(Block(_HIDDEN, ("", f"\n{short}\n", f"{summary}{listed}\n{items}\n</details>\n\n")))
    if report.fixed:
        text = f"\n**{say(lang, 'fixed')}: {len(report.fixed):,}**\n\n{_messages(report, report.fixed)}\n\n"
        result.add(Block(_WARNINGS, ("", text)))
    if report.warnings:
        opened = " open" if report.command == "check" else ""  # of a check they are what it has to say
        title = f"<summary>{say(lang, 'warnings')}: {len(report.warnings):,}</summary>"
        messages = _messages(report, report.warnings)
        result.add(Block(_WARNINGS, ("", f"\n<details{opened}>{title}\n\n{messages}\n\n</details>\n\n")))


def _adoption(report: Report, adoption: Adoption, lang: Lang) -> str:
    parts = [f"**{plain(adoption_sentence(report, adoption, lang))}**\n\n"]
    parts += [f"{fence(diff_lines(file), 'diff')}\n\n" for file in adoption.files]
    left = left_alone(adoption, clean)
    if left:
        items = "".join(f"- {plain(text)}<br>{plain(advice)}\n" for text, advice in left)
        parts.append(f"{say(lang, 'adopt.left')}\n\n{items}\n")
    return "".join(parts)


def _hidden_items(report: Report, lang: Lang) -> Iterator[str]:
    for one in report.hidden:
        reason = f" · {plain(one.reason)}" if one.reason else ""
        yield f"- {code(said(one.rule, lang))}: {code(one.key)} {code(one.path)}{reason}\n"


def _messages(report: Report, messages: tuple[ErrorLine, ...]) -> str:
    """Messages in a fence: raw, copied with one click, and nothing in them is read as markup."""
    lines = []
    for one in messages:
        place = f"{one.file}:{one.line}: " if one.line else f"{one.file}: " if one.file else ""
        lines.append(clean(place + message_of(report, one)))
        if one.advice:
            lines.append(f"  {clean(one.advice)}")
    return fence(lines, "text")
