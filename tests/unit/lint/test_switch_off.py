"""Comments that switch lints off: where they count, when they are dead, and what is no such comment."""

from __future__ import annotations

import pytest

from tazuna_core.errors import Place
from tazuna_core.lint.model import Finding
from tazuna_core.lint.places import SourceLines, release_way
from tazuna_core.lint.switch_off import SwitchOff, sift, switch_offs
from tazuna_core.objects.manifest_objects import load_objects
from tazuna_core.spec.source import SourceText
from tazuna_core.spec.templating import render

FILE = "f.yaml"


def given(text: str) -> list[SwitchOff]:
    return list(switch_offs(SourceText.plain(FILE, text)))


def short(text: str) -> list[tuple[int, str, str, str]]:
    """Line it counts for, lint, object and reason of each."""
    return [(one.line, one.lint, one.subject, one.reason) for one in given(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1 # tazuna: ignore[replicas] why\n", [(1, "replicas", "", "why")]),
        ("a: 1\n# tazuna: ignore[replicas] why\nb: 2\n", [(3, "replicas", "", "why")]),
        ("# tazuna: ignore[replicas] why\n# more\n---\n# yes\na: 1\n", [(5, "replicas", "", "why")]),
        ("  # tazuna: ignore[replicas] why\n\na: 1\n", [(2, "replicas", "", "why")]),
        ("a: 1\r\n# tazuna: ignore[replicas] why\r\nb: 2\r\n", [(3, "replicas", "", "why")]),
        ("a: 1 #tazuna:ignore[replicas]why", [(1, "replicas", "", "why")]),
        (
            "a: 1 # tazuna: ignore[ replicas X/*/y , image-tag ] why",
            [(1, "replicas", "X/*/y", "why"), (1, "image-tag", "", "why")],
        ),
        ("a: 1 # tazuna: ignore replicas", [(1, "", "", "replicas")]),
        ("# tazuna: ignore[replicas] at the end\n", [(2, "replicas", "", "at the end")]),
        ("a: |\n  # tazuna: ignore[replicas] in a text\nb: 1\n", []),
        ("a: '# tazuna: ignore[replicas] in a text'\n", []),
        ("a: x# tazuna: ignore[replicas] in a word\n", []),
        ("# tazuna: ignored are none\n", []),
    ],
)  # fmt: skip
def test_what_a_comment_says(text: str, expected: list[tuple[int, str, str, str]]) -> None:
    assert short(text) == expected


def test_a_template_that_leaves_it_out() -> None:
    prod = '{{ if eq .Environment "prod" }}\na: 1 # tazuna: ignore[replicas] why\n{{ end }}\n'
    text = f"{prod}# é\nb: 1 # tazuna: ignore[image-tag] why\n"
    assert [(one.place, one.line) for one in switch_offs(render(FILE, text, ""))] == [(Place(FILE, 5, 6), 5)]
    assert [one.line for one in switch_offs(render(FILE, text, "prod"))] == [2, 5]


def finding(lint: str, *lines: int, subject: str = "") -> Finding:
    return Finding(lint, "m", Place(FILE, lines[-1]), frozenset((FILE, line) for line in lines), subject)


def test_what_is_left() -> None:
    off = given(
        "a: # tazuna: ignore[replicas] all of it\n"
        "  b: 1 # tazuna: ignore[image-tag Pod/n/*] one\n"
        "  c: 1 # tazuna: ignore[image-tag]\n"
        "  d: 1 # tazuna: ignore[image-tags] misspelt\n"
        "  e: 1 # tazuna: ignore[crd-order] dead\n"
        "  f: 1 # tazuna: ignore[switch-off] never\n"
    )
    findings = [
        finding("replicas", 1, 2),
        finding("replicas", 2),
        finding("image-tag", 1, 2, subject="Pod/n/x"),
        finding("image-tag", 1, 2, subject="Pod/o/x"),
        finding("image-tag", 3),
    ]
    sifted = sift(findings, off, lambda _: True)
    assert list(sifted.left) == [findings[1], findings[3], findings[4]]
    assert [(one, by.reason) for one, by in sifted.switched_off] == [(findings[0], "all of it"), (findings[2], "one")]
    assert [(one.lint, one.place.line, one.message) for one in sifted.wrong] == [
        ("switch-off", 3, "this switch-off of image-tag gives no reason, and does not count without one"),
        ("switch-off", 4, "there is no lint 'image-tags' to switch off. Did you mean 'image-tag'?"),
        ("switch-off", 5, "this switch-off of crd-order switches nothing off"),
        ("switch-off", 6, "there is no lint 'switch-off' to switch off. " + sifted.wrong[3].message.split(". ", 1)[1]),
    ]
    unsure = sift(findings, off, lambda one: one.lint != "crd-order")
    assert [one.place.line for one in unsure.wrong] == [3, 4, 6], "what could not be looked at kills no switch-off"


TEXT = """\
# the first
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  template: &t
    spec:
      containers:
        - name: x
          image: app
        - image: app
          name: y
---

apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: other}
  - kind: Pod
    apiVersion: v1
    metadata:
      name: p
    spec: {containers: [{name: z, image: app}]}
"""
IMAGE = ("spec", "template", "spec", "containers")


@pytest.mark.parametrize(
    ("number", "path", "lines"),
    [
        (0, (), [2]),
        (0, ("spec",), [2, 5]),
        (0, (*IMAGE, 0, "image"), [2, 5, 6, 7, 8, 9, 10]),
        (0, (*IMAGE, 1, "image"), [2, 5, 6, 7, 8, 11, 11]),
        (0, (*IMAGE, 7, "image"), [2, 5, 6, 7, 8]),
        (0, ("nothing", 3), [2]),
        (2, ("spec", "containers", 0, "image"), [15, 21, 25, 25, 25, 25]),
    ],
)
def test_where_a_field_stands(number: int, path: tuple[str | int, ...], lines: list[int]) -> None:
    objects = load_objects(TEXT, FILE, "m").objects
    assert SourceLines({FILE: TEXT}).way(objects[number], path) == lines
    assert SourceLines({}).way(objects[number], path) == []


def test_where_a_field_of_json_stands() -> None:
    one = '{"apiVersion": "v1",\n"kind": "Pod", "metadata": {"name": "p"}}\n'
    text = one + one.replace('"p"', '"q"')
    objects = load_objects(text, FILE, "m").objects
    assert [SourceLines({FILE: text}).way(one, ("metadata",)) for one in objects] == [[1], [3]]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("releases:\n  - name: a\n  - chart: r/c\n    version: ^1\n    name: b\n", [3, 4]),
        ("releases:\n  - name: b\n    chart: r/c\n", [2, 3]),
        ("releases: [{name: b, chart: '{{ .Values.chart }}'}]\n", []),
        ("releases: {name: b}\n", []),
        ("- a\n", []),
        ("", []),
        ("a: [", []),
    ],
)
def test_where_a_release_stands(text: str, lines: list[int]) -> None:
    assert release_way(text, "b") == lines
