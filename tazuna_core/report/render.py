"""One function from a report to any of its forms: what the CLI prints and ``report render`` prints again."""

from __future__ import annotations

from typing import Literal

from tazuna_core.report.catalogue import Lang
from tazuna_core.report.model import Report, Reports, dump_report
from tazuna_core.report.seal import seal

Form = Literal["text", "json", "markdown", "html"]


def render(
    report: Report | Reports,
    form: Form = "text",
    lang: Lang = "en",
    *,
    colour: bool = False,
    show_all: bool = False,
    show_secret_hashes: bool = False,
) -> str:
    """Returns the report in ``form``; equal reports give equal text. ``colour`` is for text only."""
    if form == "json":
        return dump_report(seal(report, show_secret_hashes=show_secret_hashes)).decode()
    if form == "markdown":
        from tazuna_core.report.markdown import Options, markdown

        return markdown(report, Options(lang, show_all=show_all, show_secret_hashes=show_secret_hashes))
    if form == "html":
        from tazuna_core.report.html import html

        return html(report, lang=lang, show_all=show_all, show_secret_hashes=show_secret_hashes)
    from tazuna_core.report.text import text

    return text(report, lang=lang, colour=colour, show_all=show_all, show_secret_hashes=show_secret_hashes)
