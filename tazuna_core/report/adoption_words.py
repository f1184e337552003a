"""What `adopt` says in words, in every form: what was or would be adopted, and what was left alone."""

from __future__ import annotations

from collections.abc import Callable

from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.model import AdoptedFile, Adoption
from tazuna_core.report.values import escape_harmful

Quote = Callable[[str], str]


def adoption_sentence(adoption: Adoption, lang: Lang) -> str:
    """Returns how much was adopted, and what to do next."""
    if not adoption.files:
        return say(lang, "adopt.already", n=adoption.already) if adoption.already else say(lang, "adopt.nothing")
    key = "adopt.written" if adoption.written else "adopt.shown"
    return say(lang, key, n=adoption.fields, objects=adoption.objects, files=len(adoption.files))


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
