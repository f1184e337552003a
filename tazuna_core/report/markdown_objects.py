"""Renders one object as markdown: a line with its name, or all its fields, or as many of them as fit."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tazuna_core.objects.paths import ABSENT
from tazuna_core.report.budget import size
from tazuna_core.report.catalogue import Lang, said, say
from tazuna_core.report.line_diff import LineDiff, line_diff, needs_lines
from tazuna_core.report.markdown_escape import code, fence, fence_ticks, html_code, plain
from tazuna_core.report.model import FieldChange, Hidden, ObjectReport, Owner
from tazuna_core.report.values import clean
from tazuna_core.report.views import FieldView, Sided, display_name, view
from tazuna_core.report.words import found_by, has_owner_words, left_out, note_of, values_in_words

WIDTH = 160
"""Characters of a value in a code span."""
_LONG = 90
"""Values of more characters than this together stand one below the other."""


@dataclass(frozen=True)
class FieldText:
    """A field as markdown: a list item, and the lines of each fence beneath it."""

    item: str
    fences: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def full(self) -> str:
        """The whole field, every fence closed."""
        return self.item + "".join(f"\n{fence(lines, 'diff')}\n\n" for lines in self.fences)

    @cached_property
    def full_size(self) -> int:
        """Bytes of the whole field."""
        return size(self.full)

    def part(self, room: int, lang: Lang) -> str:
        """As many lines of the first fence as fit into ``room`` bytes, or "" where not even one does."""
        if not self.fences:
            return ""
        lines, (ticks, ends) = self.fences[0], self._first_fence
        rest = "@@ " + say(lang, "lines.more", n=len(lines)) + " @@"
        room -= size(f"{self.item}\n{ticks}diff\n{rest}\n{ticks}\n\n")
        number = min(bisect_right(ends, room), len(lines) - 1)
        if number < 1:
            return ""
        rest = "@@ " + say(lang, "lines.more", n=len(lines) - number) + " @@"
        return "\n".join([self.item, f"{ticks}diff", *lines[:number], rest, ticks, "", ""])

    @cached_property
    def _first_fence(self) -> tuple[str, list[int]]:
        """The fence of the first block, and the bytes up to the end of each of its lines."""
        lines = self.fences[0]
        return fence_ticks(lines), list(accumulate(size(line) + 1 for line in lines))


@dataclass(frozen=True, slots=True)
class ObjectText:
    """An object as markdown in all its lengths."""

    name: str
    head: str
    fields: tuple[FieldText, ...]
    foot: str
    lang: Lang

    def forms(self) -> tuple[str, ...]:
        """Nothing, the line with the name, everything."""
        if not self.head:
            return ("", self.name)
        return ("", self.name, self.head + "".join(field.full for field in self.fields) + self.foot)

    def cut(self, room: int) -> str:
        """As many fields as fit into ``room`` bytes, the last perhaps in part; "" where none does."""
        if not self.head:
            return ""
        rest = size(f"\n{say(self.lang, 'more.fields', n=len(self.fields))}\n")
        room -= size(self.head) + size(self.foot) + rest
        shown: list[str] = []
        number = 0
        for field in self.fields:
            if field.full_size > room:
                part = field.part(room, self.lang)
                if part:
                    shown.append(part)
                    number += 1
                break
            shown.append(field.full)
            room -= field.full_size
            number += 1
        if not shown:
            return ""
        missing = len(self.fields) - number
        more = f"\n{say(self.lang, 'more.fields', n=missing)}\n" if missing else ""
        return self.head + "".join(shown) + more + self.foot


def object_text(
    obj: ObjectReport,
    hidden: list[Hidden],
    lang: Lang,
    *,
    sides: int,
    opened: bool = False,
    manifest: str = "",
    reason: str = "",
) -> ObjectText:
    """Returns an object as markdown.

    With three ``sides`` values say which one they are from. ``manifest`` is named where the object stands apart from
    it; ``reason``, safe already, says why it could not be checked.
    """
    status = say(lang, f"status.{obj.status}")
    where = f"{code(manifest)}: " if manifest else ""
    count = say(lang, "field.count", n=len(obj.fields)) if obj.fields else ""
    notes = [reason] if reason else []
    notes += [plain(note) for note in obj.notes]
    notes += [found_by(obj, lang)] if obj.confidence != "exact" else []
    notes += [f"{code(one.path)}: {say(lang, 'hidden.here', rule=code(said(one.rule, lang)))}" for one in hidden]
    name = f"- **{status}** {where}{code(display_name(obj))}" + (f" ({count})" if count else "")
    fields = tuple(_field(view(field, obj), lang, sides) for field in obj.fields)
    if not fields:
        return ObjectText(f"{name}{' · ' if notes else ''}{' · '.join(notes)}\n", "", (), "", lang)
    where = f"{html_code(manifest)}: " if manifest else ""
    summary = f"<b>{status}</b> {where}{html_code(display_name(obj))} · {count}"
    head = f"\n<details{' open' if opened else ''}><summary>{summary}</summary>\n\n"
    foot = "".join(f"- {note}\n" for note in notes) + "\n</details>\n\n"
    return ObjectText(f"{name}\n", head, fields, foot, lang)


def _field(seen: FieldView, lang: Lang, sides: int) -> FieldText:
    field = seen.change
    tail = "".join(f" · {word}" for word in _tail(seen, lang, sides))
    path = code(field.path or say(lang, "field.whole"))
    if seen.secret:
        return FieldText(f"- {path}: {say(lang, f'secret.{seen.secret}')}{tail}\n")
    pairs = [(seen.before, seen.after)] + ([(seen.before, seen.other)] if seen.other else [])
    if any(needs_lines(one.value, other.value) for one, other in pairs):
        return _long_field(path, tail, pairs, lang, sides)
    shown = values_in_words([side.value for side in seen.sides()], WIDTH, lang, seen.absent)
    labels = [say(lang, f"side.{side.side}") for side in seen.sides()]
    values = [
        plain(text) if side.value is ABSENT else code(text) for side, text in zip(seen.sides(), shown, strict=True)
    ]
    if seen.other or sum(map(len, shown)) > _LONG:
        lines = "".join(f"  - {label}: {value}\n" for label, value in zip(labels, values, strict=True))
        return FieldText(f"- {path}{tail}\n{lines}")
    if sides > 2:
        values = [f"{label} {value}" for label, value in zip(labels, values, strict=True)]
    return FieldText(f"- {path}: {' → '.join(values)}{tail}\n")


def _long_field(path: str, tail: str, pairs: list[tuple[Sided, Sided]], lang: Lang, sides: int) -> FieldText:
    remarks: list[str] = []
    fences = []
    for before, after in pairs:
        diff = line_diff(before.value, after.value, say(lang, "value.unit"))
        if diff.remark:
            remarks.append(say(lang, f"remark.{diff.remark}"))
        if diff.lines:
            labels = [f"--- {say(lang, f'side.{before.side}')}", f"+++ {say(lang, f'side.{after.side}')}"]
            fences.append((*(labels if sides > 2 or len(pairs) > 1 else []), *diff_lines(diff, lang)))
    remark = "".join(f" · {one}" for one in dict.fromkeys(remarks))
    return FieldText(f"- {path}{remark}{tail}\n", tuple(fences))


def diff_lines(diff: LineDiff, lang: Lang) -> list[str]:
    """Returns the lines of a ``diff`` fence."""
    return [f"@@ {left_out(one, lang)} @@" if one.mark == "@" else one.mark + one.text for one in diff.lines]


def _tail(seen: FieldView, lang: Lang, sides: int) -> list[str]:
    field: FieldChange = seen.change
    usual = "planned" if sides > 2 else ""
    words = []
    if field.verdict != usual and field.verdict not in ("planned", "drifted"):
        words.append(f"**{say(lang, f'verdict.{field.verdict}')}**")
    if has_owner_words(seen):
        words.append(_owner(field.owner, lang))
    if seen.fate:
        words.append(say(lang, f"fate.{seen.fate}"))
    note = note_of(seen)
    if note:
        words.append(plain(note))
    return words


def _owner(owner: Owner | None, lang: Lang) -> str:
    if owner is None:
        return say(lang, "owner.unknown")
    manager = f"{owner.manager}/{owner.subresource}" if owner.subresource else owner.manager
    time = clean(owner.time) if owner.time else say(lang, "owner.no-time")
    return say(lang, "owner.by", manager=code(manager), time=plain(time) if owner.time else time)
