"""What holds for every report: limits, agreement of text and exit code, purity, nothing harmful, nothing secret."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.diff.verdicts import ObjectClass
from tazuna_core.report.chat import chat
from tazuna_core.report.exit_code import exit_code
from tazuna_core.report.markdown import Options, markdown
from tazuna_core.report.model import Report, Reports, dump_report, load_report
from tazuna_core.report.render import Form, render
from tazuna_core.report.text import text
from tazuna_core.report.values import HARMFUL
from tests.unit.report.strategies import SECRET_VALUES, any_report, reports
from tests.unit.report.test_markdown import assert_closed

FORMS: tuple[Form, ...] = get_args(Form)
QUICK = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
CLEAN = ("No changes detected.", "No drift detected.")


@given(any_report, st.integers(100, 5_000), st.sampled_from(["en", "ja"]))
@QUICK
def test_b09_any_report_fits_any_limit(found: Report | Reports, limit: int, lang: str) -> None:
    shown = markdown(found, Options(lang=lang, limit=limit))  # type: ignore[arg-type]
    assert len(shown.encode()) <= limit
    assert shown.strip()
    assert_closed(shown if limit > 400 else "")


@given(reports())
@QUICK
def test_b67_exit_code_and_text_agree(found: Report) -> None:
    failing = frozenset(get_args(ObjectClass))
    only = found.model_copy(update={"errors": (), "coverage": found.coverage.model_copy(update={"complete": True})})
    differs = exit_code(only, failing) == 1
    listed = any(obj.classes for _, obj in only.objects())
    assert differs == listed
    shown = text(only)
    if differs:
        assert not any(sentence in shown for sentence in CLEAN)
        assert not re.search("no changes|no drift", markdown(only).splitlines()[0])
    for _, obj in only.objects():
        if obj.classes and found.command != "plan":
            assert f"  {obj.status:<14} " in shown


@given(reports())
@QUICK
def test_clean_is_said_only_when_everything_was_checked(found: Report) -> None:
    shown = text(found)
    if not found.coverage.complete or found.errors:
        assert not any(sentence in shown for sentence in CLEAN)


@given(any_report)
@QUICK
def test_rendering_is_pure_and_survives_json(found: Report | Reports) -> None:
    before = dump_report(found)
    again = load_report(before)
    for form in FORMS:
        assert render(found, form) == render(again, form)
    assert dump_report(found) == before


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@given(found=any_report)
@settings(QUICK, max_examples=10)
def test_no_control_characters_come_through(form: Form, found: Report | Reports) -> None:
    shown = render(found, form).replace("\u200b", "")  # the zero-width break is our own
    assert not HARMFUL.search(shown)


@given(any_report)
@QUICK
def test_b42_masked_stays_masked(found: Report | Reports) -> None:
    everything = [render(found, form, show_all=True) for form in FORMS] + [str(chat(found, "drift"))]
    for shown in everything:
        assert not any(value in shown for value in SECRET_VALUES)


@given(any_report)
@settings(QUICK, max_examples=10)
def test_colours_strip_to_the_plain_text(found: Report | Reports) -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", text(found, colour=True)) == text(found)


@given(reports())
@settings(QUICK, max_examples=10)
def test_counts_are_those_of_the_objects(found: Report) -> None:
    title = markdown(found).splitlines()[0]
    for name, word in (("modified", "changed"), ("added", "added"), ("removed", "removed"), ("missing", "missing")):
        number = sum(name in obj.classes for _, obj in found.objects())
        assert (f"{number} {word}" in title) == (number > 0)
