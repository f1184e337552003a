"""Short messages for Slack-compatible incoming webhooks: drift, changed drift, all clear, a check that failed."""

from __future__ import annotations

import re
from typing import Any, Literal

from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.digest import drift_fingerprint
from tazuna_core.report.model import ManifestReport, ObjectReport, Report, Reports
from tazuna_core.report.seal import prepared
from tazuna_core.report.values import clean
from tazuna_core.report.views import display_name, shown
from tazuna_core.report.words import headline, some, target_words

Event = Literal["drift", "changed", "clear", "error"]

_BREAK = "\u200b"
_MANIFESTS = 15
_OBJECTS = 5
_SECTION = 2_900  # Slack refuses a section of more than 3,000 characters
_HEADER = 150


def chat_event(report: Report | Reports, previous: str | None) -> Event | None:
    """Tells what to say, or None for silence.

    ``previous`` is the ``drift_fingerprint`` of the last report that had drift, None after a clean one. Equal drift is
    said once (B60); a failed check is never taken for the end of drift (B58).
    """
    reports = report.reports if isinstance(report, Reports) else (report,)
    if any(one.result in ("error", "incomplete") for one in reports):
        return "error"
    if any(obj.classes for one in reports for _, obj in one.objects()):
        if previous is None:
            return "drift"
        return None if previous == drift_fingerprint(report) else "changed"
    return "clear" if previous is not None else None


def chat(report: Report | Reports, event: Event, *, lang: Lang = "en", link: str = "") -> dict[str, Any]:
    """Returns the JSON of a message, grouped by manifest. ``link`` is the address of the full report."""
    sealed = prepared(report, lang)
    reports = sealed.reports if isinstance(sealed, Reports) else (sealed,)
    title = say(lang, f"chat.{event}")
    blocks: list[dict[str, Any]] = [{"type": "header", "text": {"type": "plain_text", "text": title[:_HEADER]}}]
    fallback = []
    for one in reports:
        summary = f"{_target(one)}: {headline(one, lang)}"
        fallback.append(summary)
        # The end of drift needs no list, a failed check needs its errors.
        lines = [] if event == "clear" else [*_errors(one), *_manifests(one, lang)]
        blocks.append(_section("\n".join([f"*{summary}*", *lines])))
    if re.fullmatch(r"https?://[^\s<>|]+", link):
        blocks.append(_section(f"<{link}|{say(lang, 'chat.link')}>"))
    text = f"{title}: {'; '.join(fallback)}"
    return {"text": text[:_SECTION], "blocks": blocks[:50], "link_names": False, "unfurl_links": False}


def escape(text: str) -> str:
    """Returns text as Slack shows it literally: ``<!here>``, ``@channel`` and markup do nothing."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([@#*_~])", rf"\1{_BREAK}", text).replace("`", "'")


def _code(text: str) -> str:
    shown = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "'")
    return "`" + shown.replace("@", f"@{_BREAK}") + "`"


def _target(report: Report) -> str:
    return ", ".join(_code(value) for label, value in target_words(report.target) if label != "target.commit")


def _errors(report: Report) -> list[str]:
    lines = [f"• {escape(error.message)[:300]}" for error in report.errors[:3]]
    return [*lines, f"• … +{len(report.errors) - 3}"] if len(report.errors) > 3 else lines


def _manifests(report: Report, lang: Lang) -> list[str]:
    groups = shown(report)
    lines = [_manifest(manifest, objects, lang) for manifest, objects in groups[:_MANIFESTS]]
    if len(groups) > _MANIFESTS:
        lines.append(say(lang, "more.items", n=len(groups) - _MANIFESTS))
    return lines


def _manifest(manifest: ManifestReport, objects: list[ObjectReport], lang: Lang) -> str:
    names = [f"{say(lang, f'status.{obj.status}')} {_code(display_name(obj))}" for obj in objects]
    return f"• {_code(manifest.name)}: {some(names, lang, _OBJECTS)}"


def _section(text: str) -> dict[str, Any]:
    lines, size = [], 0
    for line in text.split("\n"):  # whole lines only: half a code span would swallow the rest
        size += len(line) + 1
        if size > _SECTION:
            lines.append("…")
            break
        lines.append(line)
    return {"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(lines) or "…"}}
