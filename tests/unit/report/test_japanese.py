"""Who asks for Japanese reads Japanese: no sentence of ours is left in English, in any form of any report."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import tazuna_core.diff
import tazuna_core.operations
from tazuna_core.cluster.reader import Reason
from tazuna_core.diff.by_design import GENERATED_SECRETS, RULES
from tazuna_core.diff.fields import ENCODED
from tazuna_core.diff.moves import moved_from, moved_to
from tazuna_core.diff.reproducible import UNSTABLE
from tazuna_core.diff.undeclared import CONTROLLER, SERVER_DEFAULT
from tazuna_core.diff.verdicts import Confidence, Method, Verdict
from tazuna_core.objects.identity import StateKey
from tazuna_core.report.chat import chat
from tazuna_core.report.model import (
    MASKED,
    Coverage,
    ErrorLine,
    Excluded,
    Hidden,
    ObjectReport,
    Report,
    Skipped,
    Unchecked,
)
from tazuna_core.report.phrases import PHRASES, in_japanese
from tazuna_core.report.render import Form, render
from tazuna_core.report.text_tables import StateTable, StatusRow, state_list_text, status_text
from tazuna_core.report.views import STATUSES
from tests.unit.report.examples import SIDES, field, obj, owner, report

# What stays: the frame that people grep for, names of kinds, fields, programs and files, and words of the field
FRAME = {"Manifest", "STATUS", "RESOURCE", "HASH", "KIND", "NAMESPACE", "NAME", "stored", "was", "secret", *STATUSES}
FRAME |= {"Ready", "NotReady", "Missing", "Error", "Running", "No", "changes", "drift", "detected", "ok"}
TERMS = {"Tazuna", "tazuna", "yaml", "JSON", "HTML", "API", "CRD", "Pod", "Namespace", "StatefulSet", "Deployment"}
TERMS |= {
    "ClusterRole",
    "ServiceAccount",
    "Secret",
    "kubectl",
    "managedFields",
    "caBundle",
    "replicas",
    "helm",
    "helmfile",
    "TTL",
}
TERMS |= {"sync", "prune", "all", "no-ignore", "ignore", "run", "dry", "Admission", "kind", "type", "include", "spec"}
TERMS |= {"generateName", "context_matches", "fetch-depth", "state", "record", "apply", "status"}
TERMS |= {"uid", "PVC", "only", "as", "directory", "strategic", "merge", "plan"}
TERMS |= {"Password", "check", "strict", "base", "ref", "latest", "sha", "dependsOn", "LINT"}
TERMS |= {"git", "add", "force", "diff", "gitignore"}
WORD = re.compile(r"[A-Za-z][A-Za-z_-]*[A-Za-z]")


def words_of(text: str) -> set[str]:
    """Returns the English words of a text without its markup, the frame, and words that are no translation's."""
    text = re.sub(r"```+(text|diff)|\\(?=[_])", "", text)
    text = re.sub(r"<style>.*?</style>|<script>.*?</script>|<!--.*?-->|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL)
    return set(WORD.findall(text)) - FRAME - TERMS


def everything(command: str) -> Report:
    """A report with every status, verdict, method, reason, rule and remark that there is; its data are x's."""
    when = "2026-11-30T03:12:44Z"
    fields = tuple(
        field(f"x.{verdict.replace('-', '')[:1]}x", verdict, recorded=1, desired=2, live=3, owner=by, on_merge=fate)
        for verdict in get_args(Verdict)
        for by in (owner("xx", when), owner("xx", None, subresource="xx"), None)
        for fate in ("reverted", "kept")
    )
    text = "".join(f"xx{number}\n" for number in range(40))
    fields += (
        field("x.xx", "drifted", recorded="xx"),
        field("", "drifted", recorded="xx", live=text),
        field("x.xxx", recorded=text, desired=text.replace("xx9\n", "XX9\n").replace("xx2\n", ""), live="xx"),
        field("x.xxxx", "conflict", recorded=text, desired=f"{text}XX\n", live=f"XX\n{text}"),
        field("x.a", recorded=text, desired=text.replace("\n", "\r\n")),
        field("x.b", recorded='{"xx": 1, "xx": [1, 2, 3, 4, 5, 6, 7, 8, 9]}' * 9, desired='{"xx": 2}'),
    )
    notes = tuple(re.sub(r"\{[xyz]\}", "xx", english) for english, _ in PHRASES)
    fields += tuple(field("x.c", "drifted", recorded=1, live=2, note=note) for note in notes)
    objects = [
        obj(f"xx//v1/XX/xx/x{place}{status[:1]}", status, fields=fields if status == "conflict" else (), notes=notes)
        for place, status in enumerate(STATUSES)
    ]
    objects += [
        obj(f"xx//v1/XX/xx/x{name[:2]}", "live-drifted", "drifted", "conflict", fields=fields, method=name)
        for name in get_args(Method)
    ]
    objects += [obj(f"xx//v1/XX/xx/y{name[:2]}", "moved", confidence=name) for name in get_args(Confidence)]
    objects += risky()
    objects.append(
        obj("xx//v1/Secret/xx/x", "modified", "modified", fields=(field("data.xx", recorded=MASKED, desired=MASKED),))
    )
    reasons = [*map(str, Reason), "no-record", "no-state", "not-built", "not-proven", "generate-name", "other-version"]
    rules = [name for name, _ in RULES] + [GENERATED_SECRETS, ENCODED, UNSTABLE, CONTROLLER, SERVER_DEFAULT]
    coverage = Coverage(
        complete=False,
        expected=311,
        checked=300,
        excluded=(Excluded(kind="XX", reason="xx", objects=3),),
        skipped=tuple(
            Skipped(manifest="xx", reason=reason)
            for reason in ("no-state", "genesissecret", "always-sync", "unnamed", "applied from xx")
        ),
        unchecked=tuple(
            Unchecked(manifest="xx", key=f"xx//v1/XX/xx/u{place}", reason=reason, message="may not xx")
            for place, reason in enumerate(reasons)
        ),
    )
    lines = tuple(ErrorLine(code="xx", message=note, advice=note, file="xx", line=2) for note in notes)
    return report(
        command,
        *objects,
        coverage=coverage,
        result="incomplete",
        hidden=tuple(Hidden(rule=rule, key="xx//v1/XX/xx/x0u", path="x.y", reason="xx") for rule in rules),
        warnings=lines,
        errors=lines,
    )


def risky() -> Iterator[ObjectReport]:
    for kind in ("PersistentVolumeClaim", "Namespace", "CustomResourceDefinition", "StatefulSet"):
        yield obj(f"xx//v1/{kind}/xx/xx", "removed", "removed")
    changes: list[tuple[str, str, Any]] = [
        ("CustomResourceDefinition", "spec.versions[name=x].served", False),
        ("Deployment", "spec.selector.xx", 1),
        ("Service", "spec.selector.xx", 1),
        ("Deployment", "spec.replicas", 0),
        ("Deployment", "spec.template.xx", 1),
    ]
    for place, (kind, path, desired) in enumerate(changes):
        change = field(path, recorded=2, desired=desired, live=2)
        yield obj(f"xx//v1/{kind}/xx/y{place}", "modified", "modified", fields=(change,))
    undone = field("x.x", "drifted", recorded=1, live=2, on_merge="reverted")
    yield obj("xx//v1/XX/xx/z", "live-drifted", "drifted", fields=(undone,))


def data_words(found: Report) -> set[str]:
    """Words of the report's own data: kinds, paths, the target, its command."""
    texts = [found.command, found.target.file, "v1", "kustomize"]
    texts += [
        text for _, one in found.objects() for text in (one.kind, one.key, *(change.path for change in one.fields))
    ]
    return {word for text in texts for word in words_of(text)} | {"xx", "XX", "false", "a" * 64, "b" * 64}


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("command", SIDES)
@pytest.mark.parametrize("show_all", [False, True])
def test_no_english_sentence_is_left(command: str, form: Form, show_all: bool) -> None:
    found = everything(command)
    left = words_of(render(found, form, "ja", show_all=show_all)) - data_words(found)
    assert not left


@pytest.mark.parametrize("command", SIDES)
def test_a_clean_report_says_it_in_both(command: str) -> None:
    lines = render(report(command), "text", "ja").splitlines()
    assert lines[0] == render(report(command), "text", "en").strip(), "the line that people grep for"
    assert lines[1:]
    assert not words_of("\n".join(lines[1:]))


@pytest.mark.parametrize("event", ["drift", "changed", "clear", "error"])
def test_no_english_sentence_is_left_in_chat(event: Any) -> None:
    found = everything("state drift")
    said = str(chat(found, event, lang="ja")["blocks"])
    plain = re.sub(r"'(type|text|header|plain_text|section|mrkdwn|blocks)'|\\\\n", "", said)
    assert not words_of(plain) - data_words(found)


def test_status_and_state_list() -> None:
    rows = [
        StatusRow("xx", "NotReady", "XX", "xx", "xx", "1 of 3 available"),
        StatusRow("xx", "NotReady", "XX", "xx", "xx", "phase Pending"),
        StatusRow("xx", "Error", "XX", "", "xx", "forbidden"),
    ]
    said = status_text(rows, ["xx", "xxx"], lang="ja")
    said += state_list_text([StateTable("xx", [], "2026", "xx"), StateTable("xxx")], lang="ja")
    assert words_of(said) <= {"xx", "xxx", "XX", "Pending"}


def trees_of(package: Any) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(Path(package.__file__).parent.glob("*.py")):
        yield path.name, ast.parse(path.read_text())


def constants() -> dict[str, ast.expr]:
    """What the constants of both packages hold, by name."""
    found = {}
    for package in (tazuna_core.diff, tazuna_core.operations):
        for _, tree in trees_of(package):
            for node in tree.body:
                match node:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper():
                        found[name] = value
                    case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                        found |= {
                            one.id: value for one, value in zip(names, values, strict=True) if isinstance(one, ast.Name)
                        }
    return found


CONSTANTS = constants()


def notes_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields (line, text) of every note that a module writes into its verdicts, by whatever constant."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="note" | "notes", value=value):
                pass
            case ast.Assign(targets=[ast.Name(id="note" | "notes")], value=value):
                pass
            case ast.AugAssign(target=ast.Name(id="note" | "notes"), value=value):
                pass
            case _:
                continue
        yield from ((value.lineno, text) for text in texts_in(value))


def texts_in(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.JoinedStr():
            yield filled(node)
        case ast.Name(id=name) if name in CONSTANTS:
            yield from texts_in(CONSTANTS[name])
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from texts_in(part)
        case ast.IfExp(body=one, orelse=other):
            yield from texts_in(one)
            yield from texts_in(other)
        case ast.ListComp(elt=one) | ast.GeneratorExp(elt=one) | ast.Starred(value=one):
            yield from texts_in(one)
        case ast.Call(func=ast.Name(id="tuple"), args=parts):
            for part in parts:
                yield from texts_in(part)


def filled(node: ast.JoinedStr) -> str:
    """A text with a word in each hole; "now" is one that the notes on moves have themselves."""
    return "".join(str(piece.value) if isinstance(piece, ast.Constant) else "now" for piece in node.values)


def sentences_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields (line, text) of every text of several words, however it reaches a verdict: all but docstrings and pieces.

    A piece continues the text before it, so it starts with a comma or a full stop.
    """
    nodes = list(ast.walk(tree))
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inner |= {id(piece) for node in nodes if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if id(node) not in inner:
                pass
            case ast.JoinedStr():
                text = filled(node)
            case _:
                continue
        if " " in text and text[0] not in ",.":
            yield node.lineno, text


def test_every_sentence_of_the_comparison_is_in_the_phrases() -> None:
    found = [(name, *one) for name, tree in trees_of(tazuna_core.diff) for one in sentences_in(tree)]
    assert len(found) > 30
    assert not [one for one in found if in_japanese(one[2]) == one[2]]


def test_every_note_that_a_command_writes_is_in_the_phrases() -> None:
    found = [(name, *one) for name, tree in trees_of(tazuna_core.operations) for one in notes_in(tree)]
    assert {"apply_report.py", "destroy.py", "drift.py", "plan.py"} <= {name for name, *_ in found}
    assert not [one for one in found if in_japanese(one[2]) == one[2]]


@pytest.mark.parametrize("after", ["two//v1/A/n/a", "one//v2/A/n/a", "one//v1/A/a"])
def test_notes_on_moves_are_in_the_phrases(after: str) -> None:
    before, now = StateKey.parse("one//v1/A/n/a"), StateKey.parse(after)
    for note in (moved_from(before, now), moved_to(before, now)):
        assert in_japanese(note) != note


def test_what_is_not_ours_stays() -> None:
    assert in_japanese('admission webhook "x" denied the request') == 'admission webhook "x" denied the request'
    assert in_japanese("no dry run (403: forbidden); compared instead").endswith("(403: 権限がありません)")
