"""Looks sentences up in the catalogue: the one place where a language is chosen."""

from __future__ import annotations

from typing import Literal

from tazuna_core.report.sentences import SENTENCES

Lang = Literal["en", "ja"]
LANGUAGES: tuple[Lang, ...] = ("en", "ja")


class Count(int):
    """A number that inflects: ``{n:object|objects}`` gives ``1 object``, ``1,204 objects``; ``{n}`` gives ``1,204``."""

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return int.__format__(self, spec or ",")
        one, _, many = spec.partition("|")
        return f"{int(self):,} {one if self == 1 else many}"


def said(text: str, lang: Lang) -> str:
    """Returns a report's own word (a rule, a reason, a note: English in the JSON) in ``lang``; other text stays."""
    if lang == "en":
        return text
    from tazuna_core.report.phrases import in_japanese

    return in_japanese(text)


def say(lang: Lang, key: str, **values: str | int) -> str:
    """Returns the sentence ``key`` in ``lang`` with its placeholders filled in.

    Values are put in as they are: a renderer escapes them for its form first. Numbers inflect (``Count``).
    """
    template = SENTENCES[key][LANGUAGES.index(lang)]
    return template.format(
        **{name: Count(value) if isinstance(value, int) else value for name, value in values.items()}
    )
