"""Objects of a manifest that change in the same way, as one: an upgrade of 25 definitions is one change to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tazuna_core.report.budget import size
from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.markdown_escape import code
from tazuna_core.report.markdown_objects import ObjectText
from tazuna_core.report.model import ObjectReport
from tazuna_core.report.views import display_name

FEWEST = 3
"""Fewer objects than this are shown one by one."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Objects with the same status, fields and notes."""

    objects: tuple[ObjectReport, ...]
    text: ObjectText
    lang: Lang

    def forms(self) -> tuple[str, ...]:
        """Nothing, the names, the names and what changes."""
        return ("", f"- {self._title}: {self._names(len(self.objects))}\n", self._full)

    def cut(self, room: int) -> str:
        """As many names as fit into ``room`` bytes, or "" where not even one does."""
        low, high = 0, len(self.objects)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if size(self._some(middle)) <= room else (low, middle - 1)
        return self._some(low) if low else ""

    @property
    def _title(self) -> str:
        status = say(self.lang, f"status.{self.objects[0].status}")
        return f"**{status}** {say(self.lang, 'alike', n=len(self.objects))}"

    @property
    def _full(self) -> str:
        title = self._title.replace("**", "<b>", 1).replace("**", "</b>", 1)
        count = say(self.lang, "field.count", n=len(self.text.fields))
        fields = "".join(field.full for field in self.text.fields)
        foot = self.text.foot.removesuffix("\n</details>\n\n")
        names = "".join(f"- {code(display_name(obj))}\n" for obj in self.objects)
        of = say(self.lang, "alike.of")
        return f"\n<details><summary>{title} · {count}</summary>\n\n{fields}{foot}\n{of}\n\n{names}\n</details>\n\n"

    def _some(self, number: int) -> str:
        rest = say(self.lang, "more.items", n=len(self.objects) - number)
        return f"- {self._title}: {self._names(number)} {rest if number < len(self.objects) else ''}".rstrip() + "\n"

    def _names(self, number: int) -> str:
        return ", ".join(code(display_name(obj)) for obj in self.objects[:number])


def grouped(
    shown: Sequence[tuple[ObjectReport, ObjectText]], lang: Lang
) -> list[tuple[ObjectReport, ObjectText | Alike]]:
    """Returns objects and groups in the order in which they come, a group where its first object stood."""
    alike: dict[tuple[str, str, str], list[int]] = {}
    for index, (obj, text) in enumerate(shown):
        if text.fields:
            alike.setdefault((obj.status, "".join(field.full for field in text.fields), text.foot), []).append(index)
    first = {places[0]: places for places in alike.values() if len(places) >= FEWEST}
    inside = {index for places in first.values() for index in places}
    result: list[tuple[ObjectReport, ObjectText | Alike]] = []
    for index, (obj, text) in enumerate(shown):
        if index in first:
            result.append((obj, Alike(tuple(shown[place][0] for place in first[index]), text, lang)))
        elif index not in inside:
            result.append((obj, text))
    return result
