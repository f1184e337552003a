"""The guide is held to the program: options, codes, verdicts, statuses, emptiness, links, and its Japanese pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import yaml

from tazuna_core import errors
from tazuna_core.cli.app import app
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.verdicts import ObjectClass, Status, Verdict
from tazuna_core.errors import TazunaError
from tazuna_core.objects.schema import ANY_OBJECT
from tazuna_core.report.exit_code import DEFAULT_FAILING
from tazuna_core.spec.drift_file import load_drift_file
from tests.unit.diff.factories import config_map, entry, f, live, plan, recorded, shown

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TRANSLATED = ("apply.md", "manifests.md", "plan.md", "rbac.md", "state-record.md", "workflows.md")
"""Pages whose Japanese says all that the English says; the others are shorter in Japanese."""


def section(page: Path, heading: str) -> str:
    return page.read_text().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[list[str]]:
    """The rows of the first table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))
    else:
        yield " ".join(path), command


def options(command: click.Command) -> list[str]:
    return [name for one in command.params if isinstance(one, click.Option) for name in one.opts if name[:2] == "--"]


@pytest.mark.parametrize("page", ["cli.md", "ja/cli.md"])
def test_commands_and_their_options_are_the_programs(page: str) -> None:
    heading = "コマンド" if page.startswith("ja/") else "Commands"
    table = {row[0].strip("`"): re.findall(r"`(--[\w-]+)`", row[1]) for row in rows(section(DOCS / page, heading))}
    assert table == {name: options(command) for name, command in commands(app)}


def test_global_options_are_the_programs() -> None:
    table = [re.findall(r"`(--?[\w-]+)`", row[0]) for row in rows(section(DOCS / "cli.md", "Global options"))]
    assert table == [list(one.opts) for one in app.params]


@pytest.mark.parametrize("page", ["cli.md", "action.md", "ja/action.md"])
def test_exit_codes_are_the_programs(page: str) -> None:
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, TazunaError)]
    known = {0, 1, *(one.exit_code for one in classes)} | ({errors.INTERRUPTED} if page == "cli.md" else set())
    heading = "終了コード" if page.startswith("ja/") else "Exit codes"
    assert {int(row[0]) for row in rows(section(DOCS / page, heading))} == known


def test_what_a_bare_fail_on_drift_means() -> None:
    text = section(DOCS / "cli.md", "Exit codes").replace("\n", " ")
    for command, classes in DEFAULT_FAILING.items():
        (named,) = re.findall(rf"`{command}` `([\w,-]+)`", text)
        assert frozenset(named.split(",")) == classes


def test_statuses_and_classes_are_the_programs() -> None:
    text = section(DOCS / "concepts.md", "Statuses and classes of an object")
    one, two = text.split("**classes**")
    assert re.findall(r"`([\w-]+)`", one) == list(get_args(Status))
    assert set(re.findall(r"`([a-z][\w-]+)`", two)) == set(get_args(ObjectClass))


def side(cell: str) -> dict[str, Any]:
    """An object that has the cell's value in a field, or no such field."""
    return config_map({"other": "o"} | ({} if cell == "–" else {"k": cell}))


@pytest.mark.parametrize("page", ["concepts.md", "ja/concepts.md"])
def test_the_table_of_three_sides(page: str) -> None:
    heading = "フィールドの判定" if page.startswith("ja/") else "Verdicts of a field"
    said = set()
    for before, want, now, verdict, _ in rows(section(DOCS / page, heading)):
        hand = [entry("kubectl-edit", f("data", "k"))] if now != before else []
        found = shown(plan(side(want), live(side(now), *hand), recorded(side(before))))
        words = re.findall(r"`([\w-]+)`", verdict)
        assert list(found.values()) == words[:1], (before, want, now)
        said |= set(words)
    assert said | {"normalised"} == set(get_args(Verdict))


@pytest.mark.parametrize("row", rows(section(DOCS / "concepts.md", "Empty and missing")), ids=str)
def test_b41_empty_and_missing(row: list[str]) -> None:
    want, now = (
        {"kind": "X", "spec": {} if cell == "nothing" else {"f": json.loads(cell.strip("`"))}} for cell in row[:2]
    )
    for built_in, said in ((True, row[2]), (False, row[3])):
        differs = any(Meaning(built_in).differences(ANY_OBJECT, want, now))
        assert said == ("differs" if differs else "same")


def test_the_ignore_file_of_the_guide_is_one(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(ignore:.*?)```", (DOCS / "concepts.md").read_text(), re.DOTALL)
    (tmp_path / "tazuna.drift.yaml").write_text(text)
    given = yaml.safe_load(text)
    loaded = load_drift_file(tmp_path).content
    assert (len(loaded.ignore), len(loaded.unreadable)) == (len(given["ignore"]), len(given["unreadable"]))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("folder", [DOCS, DOCS / "ja"], ids=["en", "ja"])
def test_every_page_is_in_the_index_in_both_languages(folder: Path) -> None:
    index = (folder / "README.md").read_text()
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} == set(re.findall(r"\(([\w-]+\.md)\)", index))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_hashes_are_shown_as_the_program_prints_them(page: Path) -> None:
    assert not re.findall(r"\b[0-9a-f]{4,}(?:…|\.\.\.)", page.read_text())


def outline(page: Path) -> dict[str, list[Any]]:
    """What a page has in every language: levels of headings, code, shape of tables, words in code, where links lead."""
    text = page.read_text()
    code = re.findall(r"^```.*?^```", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    links = [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s]+)", prose) if "://" not in link]
    return {
        "headings": re.findall(r"^#+", prose, re.MULTILINE),
        "code": [re.sub(r" +# .*", "", one) for one in code],
        "tables": [len(re.findall(r"(?<!\\)\|", line)) for line in prose.splitlines() if line.startswith("|")],
        "items": re.findall(r"^(?:-|\d+\.)(?= )", prose, re.MULTILINE),
        "words": sorted({" ".join(one.split()) for one in re.findall(r"`([^`]+)`", prose)}),
        "links": sorted(link.relative_to(ROOT).as_posix().replace("docs/ja/", "docs/") for link in links),
    }


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_translated_page_has_what_the_english_one_has(name: str) -> None:
    assert outline(DOCS / "ja" / name) == outline(DOCS / name)


@pytest.mark.parametrize("page", sorted((DOCS / "ja").glob("*.md")), ids=lambda page: page.name)
def test_japanese_pages_lead_to_japanese_pages(page: Path) -> None:
    assert not set(re.findall(r"\]\(\.\./([\w-]+\.md)", page.read_text())) & set(TRANSLATED)


@pytest.mark.parametrize(("english", "japanese"), [("Inputs", "入力"), ("Outputs", "出力")])
def test_the_japanese_page_has_the_same_inputs_and_outputs(english: str, japanese: str) -> None:
    width = 2 if english == "Inputs" else 1
    ours = [row[:width] for row in rows(section(DOCS / "action.md", english))]
    assert ours == [row[:width] for row in rows(section(DOCS / "ja" / "action.md", japanese))]


@pytest.mark.parametrize("page", ["concepts.md", "ja/concepts.md"])
def test_a_changed_default_is_extra_as_the_guide_says(page: str) -> None:
    (before, now) = re.findall(r"`spec\.type: (\w+) -> (\w+)`", (DOCS / page).read_text())[0]

    def service(**spec: str) -> dict[str, Any]:
        return config_map({"k": "v"}) | {"kind": "Service", "spec": spec}

    hand = entry("kubectl-edit", f("spec", "type"))
    found = shown(plan(service(), live(service(type=now), hand), recorded(service(), service(type=before))))
    assert list(found.values()) == ["extra"]
