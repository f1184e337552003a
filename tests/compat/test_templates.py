"""Our subset of Go's templates against Go's own engine: what we render, Go renders to the same bytes."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tazuna_core.errors import UsageError
from tazuna_core.spec.templating import render
from tests.harness.build_cache import cached_folder
from tests.harness.go_tools import run_go

MODULE = Path(__file__).parent / "gotemplate"

Go = Callable[[str, str], str | None]


@pytest.fixture(scope="session")
def go() -> Iterator[Go]:
    """Renders (template, environment) with Go's text/template; None where Go reports an error."""
    digest = hashlib.sha256(b"".join((MODULE / name).read_bytes() for name in ("go.mod", "main.go"))).hexdigest()[:12]
    folder = cached_folder(
        f"gotemplate/{digest}",
        lambda target: run_go(["build", "-trimpath", "-o", str(target / "gotemplate"), "."], cwd=MODULE),
    )
    with subprocess.Popen(
        [folder / "gotemplate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin
        assert process.stdout
        requests, answers = process.stdin, process.stdout

        def ask(template: str, environment: str) -> str | None:
            requests.write(json.dumps({"Template": template, "Environment": environment}) + "\n")
            requests.flush()
            answer = json.loads(answers.readline())
            return None if answer["Error"] else answer["Output"]

        yield ask
        requests.close()


def ours(template: str, environment: str) -> str | None:
    try:
        return render("tazuna.yaml", template, environment).text
    except UsageError:
        return None


SAME = [
    "a: {{ .Environment }}",
    "{{.Environment}}",
    "a\n  {{- .Environment -}}  \n b",
    "a {{- /* gone */ -}} b",
    "a {{/* {{ .Nope }} */}} b",
    '{{ "{{" }}x{{ "}}" }}',
    '{{ `a "b" \\n }} {{` }}',
    "{{ `two\nlines` }}",
    r'{{ "\t\"\\\a\b\f\v\r\n\x41\u00e9\U0001F600" }}',
    '{{ if eq .Environment "prod" }}yes{{ else }}no{{ end }}',
    '{{ if eq .Environment "a" "b" "prod" }}yes{{ end }}',
    '{{ if ne .Environment "prod" }}yes{{ else if .Environment }}set{{ else }}unset{{ end }}',
    "{{ if .Environment }}{{ if true }}x{{ end }}{{ else }}y{{ end }}",
    '{{ and .Environment "x" }}|{{ or .Environment "x" }}|{{ not .Environment }}',
    '{{ and true (or false (eq "a" .Environment)) }}',
    '{{ eq .Environment "prod" }}|{{ ne "a" "b" }}|{{ true }}|{{ false }}',
    '{{ or (eq .Environment "x") (not (ne .Environment "prod")) }}',
    "{{ (.Environment) }}|{{ ((`x`)) }}",
    "{{- \n .Environment \n -}}",
    "a } }} b {{ .Environment }} }}",
    "{ {{ .Environment }} }",
    "{{\t.Environment\t}}\r\n",
    '{{ eq ( "a" ) ( .Environment ) }}',
    '{{ eq (true) (eq .Environment "prod") }}',
    "{{if true}}a{{else}}b{{end}}",
    '{{ or "" false }}',
    '{{ and false (eq "a" true) }}',
    "é{{ .Environment }}\u2028日本",
    "",
    "{",
    "}}",
]
"""What the subset holds."""

REFUSED = [
    "{{",
    "{{ }}",
    "{{ . }",
    "{{ .Environment",
    '{{ "a }}',
    "{{ `a }}",
    "{{/* a }}",
    "{{ /* a */ }}",
    "{{/* a */ b }}",
    "{{ end }}",
    "{{ else }}",
    "{{ if }}a{{ end }}",
    "{{ if true }}",
    "{{ if true }}{{ else }}{{ else }}{{ end }}",
    "{{ if true }}{{ else foo }}{{ end }}",
    "{{ if true }}{{ end x }}",
    "{{ .Nope }}",
    "{{ .Environment.Nope }}",
    "{{ .Environment | printf }}x{{ foo }}",
    "{{ eq }}",
    "{{ eq .Environment }}",
    '{{ ne "a" }}',
    '{{ ne "a" "b" "c" }}',
    "{{ not }}",
    '{{ not "a" "b" }}',
    "{{ and }}",
    "{{ or }}",
    '{{ "a" "b" }}',
    '{{ .Environment "a" }}',
    '{{ eq "a" true }}',
    "{{ eq 'a' }}",
    "{{ () }}",
    "{{ (true }}",
    "{{ true) }}",
    '{{ eq "a"(true) }}',
    '{{ eq "a""b" }}',
    '{{ eq .Environment"a" }}',
    r'{{ "\q" }}',
    r'{{ "\ud800" }}',
    "{{ not not true }}",
    "{{ 'ab' }}",
    "{{ foo }}",
    "{{ & }}",
    "{{ true = false }}",
    "{{ if true }}{{ else if }}{{ end }}",
    "{{ -}}",
    "{{--}}",
    "{{ $x }}",
    '{{ "a\nb" }}',
    "{{ break }}",
    "{{ nil }}",
    "{{ if (true }}{{ end }}",
    "{{ eq.Environment }}",
]
"""What Go refuses as well."""

BEYOND = [
    ("{{ if false }}{{ range .Environment }}{{ end }}{{ end }}", "'range' is not"),
    ("{{ with .Environment }}a{{ end }}", "'with' is not"),
    ('{{ define "a" }}{{ end }}', "'define' is not"),
    ('{{ .Environment | printf "%s" }}', "a pipeline (|) is not"),
    ("{{ $x := .Environment }}", "a variable ($) is not"),
    ("{{ 1 }}", "a number is not"),
    ("{{ 'a' }}", "a character constant is not"),
    ('{{ printf "%s" .Environment }}', "'printf' is not"),
    ("{{ len .Environment }}", "'len' is not"),
    ("{{ . }}", "a bare '.' has no use here"),
]
"""What Go renders and the subset does not hold: each is named."""


@pytest.mark.parametrize("environment", ["", "prod", "a b\n{{"])
@pytest.mark.parametrize("template", SAME)
def test_subset_renders_as_go(go: Go, template: str, environment: str) -> None:
    expected = go(template, environment)
    assert expected is not None
    assert ours(template, environment) == expected


@pytest.mark.parametrize("template", REFUSED)
def test_what_go_refuses_is_refused(go: Go, template: str) -> None:
    assert go(template, "prod") is None
    assert ours(template, "prod") is None


@pytest.mark.parametrize(("template", "named"), BEYOND)
def test_beyond_the_subset_is_named(go: Go, template: str, named: str) -> None:
    assert go(template, "prod") is not None
    with pytest.raises(UsageError, match="template: ") as raised:
        render("tazuna.yaml", template, "prod")
    assert named in raised.value.message


BLANK = st.sampled_from(["", " ", "\n", "\t ", "  \r\n"])
SPACE = st.sampled_from([" ", "\n", "\t", "  "])
TEXT = st.text(st.sampled_from('ab{}- \n"`*/.é'), max_size=8).map(lambda text: text.replace("{{", "{ {"))
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
LITERAL = (
    PLAIN.map(lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f"))
    | PLAIN.map(lambda text: "`" + text.replace("`", "").replace("\r", "") + "`")
    | st.sampled_from(["true", "false", ".Environment"])
)


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def joined(parts: tuple[str, str, list[str]]) -> str:
        function, space, arguments = parts
        return space.join([function, *arguments])

    many = st.tuples(st.sampled_from(["eq", "and", "or"]), SPACE, st.lists(inner, min_size=2, max_size=3)).map(joined)
    two = st.tuples(st.just("ne"), SPACE, st.lists(inner, min_size=2, max_size=2)).map(joined)
    one = st.tuples(st.just("not"), SPACE, st.lists(inner, min_size=1, max_size=1)).map(joined)
    return (many | two | one).map(lambda call: f"({call})")


VALUE = st.recursive(LITERAL, calls, max_leaves=6)
LEFT = st.sampled_from(["{{", "{{- ", "{{ "])
RIGHT = st.sampled_from(["}}", " -}}", " }}"])
OUTPUT = st.tuples(LEFT, VALUE, RIGHT).map("".join)
COMMENT = st.tuples(
    st.sampled_from(["{{/*", "{{- /*"]),
    TEXT.map(lambda text: text.replace("*/", "")),
    st.sampled_from(["x*/}}", "x*/ -}}"]),
).map("".join)


def ifs(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    condition = st.tuples(LEFT, st.just("if"), SPACE, VALUE, RIGHT).map("".join)
    chained = st.tuples(LEFT, st.just("else"), SPACE, st.just("if"), SPACE, VALUE, RIGHT, inner).map("".join)
    otherwise = st.tuples(LEFT, st.just("else"), RIGHT, inner).map("".join)
    end = st.tuples(LEFT, st.just("end"), RIGHT).map("".join)
    return st.tuples(condition, inner, chained | st.just(""), otherwise | st.just(""), end).map("".join)


TEMPLATE = st.recursive(
    st.lists(TEXT | OUTPUT | COMMENT, max_size=4).map("".join),
    lambda inner: st.lists(inner | ifs(inner), max_size=3).map("".join),
    max_leaves=8,
)
WORDS = st.lists(
    st.sampled_from(
        [
            *("{{", "}}", "{{-", "-}}", "if", "else", "end", "eq", "not", "and", ".Environment", ".", '"a"', "range"),
            *("`", '"', "(", ")", "|", "/*", "*/", "true", "x", "1", "$", "\\", "-", ",", " ", "\n"),
        ]
    ),
    max_size=24,
).map("".join)
COMMON = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


@COMMON
@given(TEMPLATE, PLAIN)
@example("{{/*x*/ -}} \n{{- `a` }}", "")
def test_any_template_of_the_subset_renders_as_go(go: Go, template: str, environment: str) -> None:
    expected, got = go(template, environment), ours(template, environment)
    # Only a comparison of a text with true or false may be refused, and by both.
    assert got == expected


@COMMON
@given(WORDS, st.sampled_from(["", "prod"]))
def test_whatever_we_render_go_renders_alike(go: Go, template: str, environment: str) -> None:
    got = ours(template, environment)
    if got is not None:
        assert got == go(template, environment)


@COMMON
@given(TEMPLATE, PLAIN)
def test_text_keeps_its_place(template: str, environment: str) -> None:
    """Each rendered character that was written as text is found at its place in the file."""
    try:
        source = render("tazuna.yaml", template, environment)
    except UsageError:
        return
    at, lines = 0, template.split("\n")
    for piece in source.pieces:
        for number, character in enumerate(piece.text):
            place = source.place(at + number)
            written = (lines[place.line - 1] + "\n")[place.column - 1]
            assert written == (character if piece.literal else "{")
        at += len(piece.text)
