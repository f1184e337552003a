"""Where a plan meets what was changed in the cluster, as lines for the file that declares the object."""

from __future__ import annotations

from tazuna_core.report.catalogue import Lang, say
from tazuna_core.report.model import ErrorLine, ObjectReport, Report
from tazuna_core.report.values import clean
from tazuna_core.report.views import FieldView, display_name, view
from tazuna_core.report.words import owner_words, some

_BY_OTHERS = frozenset({"conflict", "drifted", "extra"})


def collisions(report: Report, lang: Lang) -> list[ErrorLine]:
    """Returns a line for each object whose file is known and that was changed in the cluster, conflicts first.

    It names paths and managers, never a value: whoever reads a log or an annotation may read less than the report.
    """
    found = [obj for _, obj in report.objects() if obj.file]
    lines = [line for obj in found if (line := _line(obj, lang)) is not None]
    return sorted(lines, key=lambda line: line.code != "conflict")


def _line(obj: ObjectReport, lang: Lang) -> ErrorLine | None:
    name = clean(display_name(obj))
    seen = [view(field) for field in obj.fields if field.verdict in _BY_OTHERS]
    if seen:
        conflicts = [one for one in seen if one.change.verdict == "conflict"]
        code = "conflict" if conflicts else "drift"
        shown = conflicts or seen
        paths = some([_place(one, lang) for one in shown], lang)
        fate = say(lang, f"fate.{shown[0].fate or 'kept'}")
        message = say(lang, f"collision.{code}", name=name, paths=paths, fate=fate)
    elif obj.status == "live-missing":
        code, message = "missing", say(lang, "collision.missing", name=name)
    else:
        return None
    return ErrorLine(code=code, message=message, file=obj.file, line=obj.line)


def _place(seen: FieldView, lang: Lang) -> str:
    path = clean(seen.change.path) or say(lang, "field.whole")
    return f"{path} ({owner_words(seen.change.owner, lang)})"
