"""What many objects have in common is said once; several targets have a table; nothing is said twice."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tazuna_core.report.html import html
from tazuna_core.report.markdown import Options, markdown
from tazuna_core.report.model import MASKED, ObjectReport, Owner, Report, Reports, Target
from tests.unit.report.examples import field, obj, owner, report
from tests.unit.report.test_markdown import assert_closed

VERSION = 'metadata.annotations["controller-gen.kubebuilder.io/version"]'
US = Owner(manager="tazuna", operation="Apply", time="2026-11-30T03:12:44Z", origin="tazuna")


def definition(number: int, after: str = "v2") -> ObjectReport:
    change = field(VERSION, recorded="v1", desired=after, owner=US)
    key = f"m/apiextensions.k8s.io/v1/CustomResourceDefinition/thing{number}.example.com"
    return obj(key, "modified", "modified", fields=(change,))


def upgrade(number: int) -> Report:
    return report("plan", *(definition(one) for one in range(number)), definition(number, "v3"))


def test_objects_that_change_alike_are_one_entry_with_all_names() -> None:
    text = markdown(upgrade(20))
    assert text.splitlines()[0].endswith("21 changed")
    assert text.count("v1") == 2
    assert "20 objects alike" in text
    assert all(f"`CustomResourceDefinition/thing{number}.example.com`" in text for number in range(20))
    assert_closed(text)


def test_two_are_shown_one_by_one() -> None:
    assert "alike" not in markdown(upgrade(2))


@pytest.mark.parametrize("limit", range(300, 3_000, 100))
def test_b05_names_of_a_group_are_cut_and_counted(limit: int) -> None:
    text = markdown(upgrade(60), Options(limit=limit))
    assert len(text.encode()) <= limit
    assert "61 changed" in text
    assert_closed(text)
    shown = re.search(r"Shown (\d+) of 61 objects", text)
    if shown is None:
        assert text == markdown(upgrade(60))


def test_a_page_has_one_card_for_what_changes_alike() -> None:
    page = html(upgrade(20))
    assert page.count('<details class="object ') == 2
    assert page.count("v1</code>") == 2
    assert "20 objects alike" in page
    assert all(f"<code>CustomResourceDefinition/thing{number}.example.com</code>" in page for number in range(20))
    assert all(f"thing{number}.example.com" in page.split('data-text="', 1)[1].split('"', 1)[0] for number in range(20))
    assert html(upgrade(2)).count('<details class="object ') == 3


def test_our_own_hand_on_a_planned_field_is_no_news() -> None:
    assert "by manager" not in markdown(upgrade(3))
    person = field("spec.x", recorded=1, desired=2, owner=owner())
    assert "by manager" in markdown(
        report("plan", obj("m//v1/ConfigMap/ns/a", "modified", "modified", fields=(person,)))
    )


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
def test_b43_what_happened_to_a_secret_value_is_said_once(form: Any) -> None:
    from tazuna_core.report.render import render

    change = field("data.k", "drifted", recorded=MASKED, live=MASKED, owner=owner(), note="value changed")
    found = report("state drift", obj("m//v1/Secret/ns/s", "live-drifted", "drifted", fields=(change,)))
    assert render(found, form).count("value changed") == 1


def test_several_targets_have_a_table() -> None:
    targets = [
        upgrade(number).model_copy(update={"target": Target(file="tazuna.yaml", context=name)})
        for number, name in ((3, "tokyo"), (5, "osaka"))
    ]
    text = markdown(Reports(reports=tuple(targets)))
    rows = [line for line in text.splitlines() if line.startswith("| `tazuna.yaml`")]
    assert [re.findall(r"`(\w+)`|(\d+ changed)", row) for row in rows] == [
        [("tokyo", ""), ("", "4 changed")],
        [("osaka", ""), ("", "6 changed")],
    ]


def test_what_deletes_or_was_changed_by_hand_comes_before_mere_changes() -> None:
    found = report(
        "plan",
        obj("a//v1/ConfigMap/ns/changed", "modified", "modified", fields=(field("data.k", recorded="1", desired="2"),)),
        obj(
            "b//v1/Service/ns/scaled",
            "live-drifted",
            "drifted",
            fields=(field("spec.x", "drifted", recorded=1, live=2),),
        ),
        obj("c//v1/PersistentVolumeClaim/ns/gone", "removed", "removed"),
    )
    text = markdown(found)
    assert re.findall(r"^### `(\w)`", text, re.MULTILINE) == ["c", "b", "a"]
    assert re.findall(r"^\| `(\w)`", text, re.MULTILINE) == ["a", "b", "c"]
