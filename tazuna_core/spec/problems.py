"""The errors of a file together, and the words that help a person to mend them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.spec.misspelt import folded


class SpecError(UsageError):
    """Everything that is wrong with tazuna.yaml and the files it includes, in the order of the text.

    ``errors`` holds one error each, with its place and advice; the text is theirs, one below the other.
    """

    default_code = "spec"

    def __init__(self, errors: Iterable[TazunaError]) -> None:
        self.errors = in_order(errors)
        first = self.errors[0]
        if len(self.errors) == 1:
            super().__init__(first.message, advice=first.advice, place=first.place, code=first.code)
        else:
            super().__init__(f"{len(self.errors)} errors", place=first.place)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


def in_order(errors: Iterable[TazunaError]) -> tuple[TazunaError, ...]:
    """The errors by file (files in the order in which they first occur), line and column, each once."""
    unique = {(str(error), error.code): error for error in errors}
    files: dict[str, int] = {}
    for error in unique.values():
        files.setdefault(error.place.file if error.place else "", len(files))

    def position(error: TazunaError) -> tuple[int, int, int]:
        place = error.place
        return (files[place.file], place.line, place.column) if place else (files[""], 0, 0)

    return tuple(sorted(unique.values(), key=position))


def raise_if_any(errors: Sequence[TazunaError]) -> None:
    """Raises SpecError when there are errors."""
    if errors:
        raise SpecError(errors)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?` for the known word nearest to `word`, else the list of the known ones, else nothing."""
    known = list(known)
    names = {folded(name): name for name in known}
    near = difflib.get_close_matches(folded(word), names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{names[near[0]]}'?"
    return f"Known: {', '.join(known)}." if known else ""
