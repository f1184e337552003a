"""The seam to the renderers: the same report as comment, summary, page and file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tazuna_core.report.model import Report, Reports


class Texts(Protocol):
    """A report in every form that the action shows. Equal reports give equal texts."""

    def markdown(self, report: Report | Reports, *, limit_bytes: int | None, header: str = "", link: str = "") -> str:
        """For comment, summary (``limit_bytes``) and file (None). ``link`` is where the whole report is."""

    def html(self, report: Report | Reports) -> str:
        """One self-contained page."""


@dataclass(frozen=True, slots=True)
class CoreTexts:
    """The library's renderers."""

    language: str = "en"

    def markdown(self, report: Report | Reports, *, limit_bytes: int | None, header: str = "", link: str = "") -> str:
        """Returns markdown of at most ``limit_bytes`` UTF-8 bytes."""
        from tazuna_core.report.markdown import markdown

        return markdown(report, limit_bytes=limit_bytes, header=header, link=link, lang=self.language)

    def html(self, report: Report | Reports) -> str:
        """Returns a page."""
        from tazuna_core.report.render import render

        return render(report, "html", self.language)
