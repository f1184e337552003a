"""The seam to the renderers: the same report as comment, summary, page and file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from entrypoints.inputs import Language
from entrypoints.totals import reports_of
from tazuna_core.report.chat import Event
from tazuna_core.report.model import Report, Reports


class Texts(Protocol):
    """A report in every form that the action shows. Equal reports give equal texts."""

    def markdown(
        self, report: Report | Reports, *, limit: int | None = None, header: str = "", full_report: str = ""
    ) -> str:
        """For comment, summary and file, in at most ``limit`` bytes; ``full_report`` is where the whole of it is."""

    def html(self, report: Report | Reports) -> str:
        """One self-contained page."""

    def json(self, report: Report | Reports) -> str:
        """The report itself."""

    def headline(self, report: Report | Reports) -> str:
        """The counts in a line, for the list of checks."""

    def chat(self, report: Report | Reports, event: Event, link: str) -> dict[str, Any]:
        """A message for an incoming webhook."""


@dataclass(frozen=True, slots=True)
class CoreTexts:
    """The library's renderers."""

    language: Language = "en"

    def markdown(
        self, report: Report | Reports, *, limit: int | None = None, header: str = "", full_report: str = ""
    ) -> str:
        """Returns markdown of at most ``limit`` UTF-8 bytes."""
        from tazuna_core.report import markdown

        options = markdown.Options(lang=self.language, limit=limit, header=header, full_report=full_report)
        return markdown.markdown(report, options)

    def html(self, report: Report | Reports) -> str:
        """Returns a page."""
        from tazuna_core.report.render import render

        return render(report, "html", self.language)

    def json(self, report: Report | Reports) -> str:
        """Returns the JSON."""
        from tazuna_core.report.render import render

        return render(report, "json")

    def headline(self, report: Report | Reports) -> str:
        """Returns the counts in words."""
        from tazuna_core.report.words import headline_of_all

        return headline_of_all(reports_of(report), self.language)

    def chat(self, report: Report | Reports, event: Event, link: str) -> dict[str, Any]:
        """Returns the JSON of a message."""
        from tazuna_core.report.chat import chat

        return chat(report, event, lang=self.language, link=link)
