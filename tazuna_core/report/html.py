"""Renders reports as one HTML file: no network, a tree of manifests, filters, values side by side, light and dark."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tazuna_core.report.adoption_words import adoption_sentence, diff_lines, left_alone
from tazuna_core.report.blast_radius import blast_radius
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.html_fields import FieldRow, field_row
from tazuna_core.report.markdown_alike import FEWEST
from tazuna_core.report.model import Adoption, ErrorLine, ObjectReport, Report, Reports
from tazuna_core.report.seal import is_secret, prepared
from tazuna_core.report.values import SECRET, clean
from tazuna_core.report.views import display_name, hidden_of, is_clean, reason_of, shown
from tazuna_core.report.words import (
    applied_sentence,
    checked_sentence,
    clean_sentence,
    counted,
    found_by,
    headline,
    headline_of_all,
    hidden_key,
    hidden_sentences,
    left_out_sentences,
    message_of,
    partial_sentence,
    risk_sentences,
    target_words,
)

_HASHES = frozenset({"stored", "live", "built"})


@dataclass(frozen=True, slots=True)
class ObjectCard:
    """One object as the page shows it."""

    anchor: str
    status: str
    word: str
    name: str
    key: str
    classes: tuple[str, ...]
    rows: tuple[FieldRow, ...]
    hashes: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    searched: str
    opened: bool
    alike: tuple[tuple[str, str], ...] = ()
    """Name and key of each of several objects that are one card."""


@dataclass(frozen=True, slots=True)
class ManifestCard:
    """A manifest and its objects."""

    anchor: str
    name: str
    type: str
    objects: tuple[ObjectCard, ...]

    @property
    def number(self) -> int:
        """How many objects that are."""
        return sum(len(card.alike) or 1 for card in self.objects)


@dataclass(frozen=True, slots=True)
class ReportCard:
    """One report as the page shows it; sentences hold no markup but their own code elements."""

    anchor: str
    title: str
    target: tuple[tuple[str, str], ...]
    counts: tuple[str, ...]
    clean: bool
    complete: bool
    sentence: Markup
    sides: tuple[tuple[str, str], ...]
    manifests: tuple[ManifestCard, ...]
    risks: tuple[Markup, ...]
    left_out: tuple[Markup, ...]
    hidden_title: str
    hidden_hint: str
    hidden: tuple[Markup, ...]
    adoption: tuple[str, list[str], list[tuple[str, str]]] | None
    report: Report


def html(
    report: Report | Reports, *, lang: Lang = "en", show_all: bool = False, show_secret_hashes: bool = False
) -> str:
    """Returns a page that stands alone. ``show_all`` lists unchanged objects too."""
    sealed = prepared(report, lang, show_secret_hashes=show_secret_hashes)
    reports = sealed.reports if isinstance(sealed, Reports) else (sealed,)
    cards = [_report(one, f"r{number}", lang, show_all) for number, one in enumerate(reports)]
    style, script = _source("report.css"), _source("report.js")
    statuses = dict.fromkeys(obj.status for card in cards for manifest in card.manifests for obj in manifest.objects)
    single = len(cards) == 1
    title = cards[0].title if single else say(lang, "title.many")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            lang=lang,
            say=lambda key, **values: say(lang, key, **values),
            said=lambda text: said(text, lang),
            title=title,
            headline=headline_of_all(reports, lang),
            cards=cards,
            single=single,
            statuses=[(status, say(lang, f"status.{status}")) for status in statuses],
            style=Markup(style),  # noqa: S704 - our own files, not data
            script=Markup(script),  # noqa: S704
            style_hash=_csp_hash(style),
            script_hash=_csp_hash(script),
            message=_message,
            clean=clean,
        )
        + "\n"
    )


def _report(report: Report, anchor: str, lang: Lang, show_all: bool) -> ReportCard:
    hidden = hidden_of(report.hidden)
    manifests = tuple(
        ManifestCard(
            f"{anchor}m{number}",
            clean(manifest.name),
            clean(manifest.type),
            _grouped(
                [_object(report, obj, f"{anchor}m{number}o{place}", lang, hidden) for place, obj in enumerate(objects)],
                lang,
            ),
        )
        for number, (manifest, objects) in enumerate(shown(report, show_all))
    )
    return ReportCard(
        anchor=anchor,
        title=_title(report, lang),
        target=tuple((say(lang, label), value) for label, value in target_words(report.target)),
        counts=tuple(counted((report,), lang)) or (headline(report, lang),),
        clean=is_clean(report),
        complete=report.coverage.complete and not report.errors,
        sentence=_sentence(report, lang),
        sides=tuple((side, say(lang, f"side.{side}")) for side in report.sides),
        manifests=manifests,
        risks=_marked(risk_sentences(blast_radius(report), lang, _code)),
        left_out=_marked(left_out_sentences(report, lang, _code)),
        hidden_title=say(lang, hidden_key(report, "hidden.title", "switched-off.title")),
        hidden_hint=say(lang, hidden_key(report, "hidden.show", "switched-off.show")),
        hidden=_marked(hidden_sentences(report, lang, _code)),
        adoption=_adoption(report, report.adoption, lang) if report.adoption is not None else None,
        report=report,
    )


def _adoption(report: Report, adoption: Adoption, lang: Lang) -> tuple[str, list[str], list[tuple[str, str]]]:
    left = [(clean(text), clean(advice)) for text, advice in left_alone(adoption, clean)]
    return adoption_sentence(report, adoption, lang), ["\n".join(diff_lines(file)) for file in adoption.files], left


def _title(report: Report, lang: Lang) -> str:
    known = report.command in ("plan", "state diff", "state drift")
    return say(lang, f"title.{report.command}" if known else "title.other", command=clean(report.command))


def _sentence(report: Report, lang: Lang) -> Markup:
    if is_clean(report):
        return Markup(f"{clean_sentence(report, lang)} {checked_sentence(report, lang)}")  # noqa: S704
    done = applied_sentence(report, lang) or checked_sentence(report, lang)
    sentence = done if report.coverage.complete else partial_sentence(report, lang, _code)
    return Markup(sentence)  # noqa: S704 - the catalogue's words and escaped names


def _object(report: Report, obj: ObjectReport, anchor: str, lang: Lang, hidden: dict[str, Any]) -> ObjectCard:
    rows = tuple(field_row(field, obj, report.sides, lang) for field in obj.fields)
    notes = [clean(note) for note in obj.notes]
    if obj.status == "unknown":
        notes.insert(0, clean(reason_of(report, obj.key)))
    notes.append(found_by(obj, lang))
    notes += [
        f"{clean(one.path)}: {say(lang, 'hidden.here', rule=clean(said(one.rule, lang)))}"
        for one in hidden.get(obj.key, ())
    ]
    return ObjectCard(
        anchor=anchor,
        status=obj.status,
        word=say(lang, f"status.{obj.status}"),
        name=clean(display_name(obj)),
        key=clean(obj.key),
        classes=obj.classes,
        rows=rows,
        hashes=_hashes(obj, lang),
        notes=tuple(note for note in notes if note),
        searched=" ".join([clean(obj.key), *(f"{row.path} {row.who}" for row in rows)]).lower(),
        opened=obj.status == "conflict" or "conflict" in obj.classes,
    )


def _grouped(cards: list[ObjectCard], lang: Lang) -> tuple[ObjectCard, ...]:
    """Makes one card of objects that change alike, where the first of them stood, as the comment does."""
    alike: dict[tuple[str, tuple[FieldRow, ...], tuple[str, ...]], list[ObjectCard]] = {}
    for card in cards:
        alike.setdefault((card.status, card.rows, card.notes), []).append(card)
    groups = {id(group[0]): group for group in alike.values() if group[0].rows and len(group) >= FEWEST}
    inside = {id(card) for group in groups.values() for card in group}
    return tuple(
        _as_one(groups[id(card)], lang) if id(card) in groups else card
        for card in cards
        if id(card) in groups or id(card) not in inside
    )


def _as_one(group: list[ObjectCard], lang: Lang) -> ObjectCard:
    return replace(
        group[0],
        name=say(lang, "alike", n=len(group)),
        searched=" ".join(card.searched for card in group),
        alike=tuple((card.name, card.key) for card in group),
    )


def _hashes(obj: ObjectReport, lang: Lang) -> tuple[tuple[str, str], ...]:
    if is_secret(obj) and SECRET in obj.hashes.values():
        return ()
    return tuple(
        (say(lang, f"hash.{name}") if name in _HASHES else clean(name), clean(value))
        for name, value in obj.hashes.items()
        if value
    )


def _marked(sentences: list[str]) -> tuple[Markup, ...]:
    return tuple(Markup(sentence) for sentence in sentences)  # noqa: S704 - the catalogue's words and escaped names


def _code(text: str) -> str:
    return str(Markup("<code>{}</code>").format(clean(text)))


def _message(report: Report, one: ErrorLine) -> str:
    place = f"{one.file}:{one.line}: " if one.line else f"{one.file}: " if one.file else ""
    return clean(place + message_of(report, one))


def _breakable(path: str) -> Markup:
    """A path that may go on in the next line after its dots."""
    return Markup(".<wbr>").join(path.split("."))


@cache
def _environment() -> Environment:
    loader = PackageLoader("tazuna_core.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = _breakable
    return environment


@cache
def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None  # noqa: S101 - set just above
    return environment.loader.get_source(environment, name)[0]


def _csp_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
