"""What `adopt` says in words, in every form: what was or would be adopted, and what was left alone."""

from __future__ import annotations

from collections.abc import Callable

from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.model import AdoptedFile, Adoption, Report
from tazuna_core.report.values import escape_harmful

Quote = Callable[[str], str]


_MOST_NAMES = 5


def adoption_sentence(report: Report, adoption: Adoption, lang: Lang) -> str:
    """Returns how much was adopted, and what to do next. Where there is an error it does not say that nothing was."""
    if not adoption.files:
        if report.errors:
            return say(lang, "adopt.none")
        if not adoption.already:
            return say(lang, "adopt.nothing")
        return say(lang, "adopt.already" if adoption.git else "adopt.already.no-git", n=adoption.already)
    numbers = {"n": adoption.fields, "objects": adoption.objects, "files": len(adoption.files)}
    if not adoption.written:
        return say(lang, "adopt.shown", **numbers)
    new = [escape_harmful(file.path) for file in adoption.files if file.created]
    names = ", ".join([*new[:_MOST_NAMES], *(["…"] if len(new) > _MOST_NAMES else [])])
    next_step = "adopt.next.no-git" if not adoption.git else "adopt.next.new" if new else "adopt.next"
    blank = " " if lang == "en" else ""
    return say(lang, "adopt.written", **numbers) + blank + say(lang, next_step, names=names)


def diff_lines(file: AdoptedFile) -> list[str]:
    """Returns the lines of a file's difference, harmless and with their blanks."""
    return [escape_harmful(text) for text in file.diff.removesuffix("\n").split("\n")]


def left_alone(adoption: Adoption, quote: Quote) -> list[tuple[str, str]]:
    """Returns object, path and reason of what was left alone without being an error, and the advice for each."""
    out = []
    for one in adoption.left:
        if not one.refused:
            where = f"{quote(one.key)} {quote(one.path)}" if one.path else quote(one.key)
            out.append((f"{where}: {one.message}", one.advice))
    return out
