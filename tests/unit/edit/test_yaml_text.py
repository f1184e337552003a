"""Text is edited where values change: comments, order, quotes, line ends and every other line stay."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from difflib import ndiff
from typing import Any

import pytest
import yaml

from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.edit.yaml_text import edited
from tazuna_core.objects.comparable import same
from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.operations.render import to_yaml

WEB = """\
# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # the name
  labels: {app: web, "x/y": '1'}
  annotations: {}  # none yet
spec:
  replicas: 3  # three
  port: 8080
  template:
    spec:
      containers:
        # main one
        - name: main
          image: "nginx:1.27"
          args: ["-a", "-b"]
          env:
            - name: A
              value: 'x'  # comment
            # about B
            - name: B
              value: "2"
        - image: side:1
          name: side
      nodeSelector:
        a: b
data:
  conf: |
    a=1
    b=2

  other: >-
    folded
    text
"""


def data_of(text: str) -> Any:
    return load_documents(text, "text").documents[0].data


def changed(text: str, change: Callable[[Any], Any], *, is_json: bool = False) -> list[str]:
    """The lines that a change takes out and puts in."""
    data = copy.deepcopy(data_of(text))
    change(data)
    out = edited(text, data, is_json=is_json)
    assert same(data_of(out), data)
    return [line for line in ndiff(text.split("\n"), out.split("\n")) if line[0] in "+-"]


def containers(data: Any) -> Any:
    return data["spec"]["template"]["spec"]["containers"]


def put(*path: Any) -> Callable[[Any], None]:
    """A change that sets the value at a path: the last argument."""

    def change(data: Any) -> None:
        here = data
        for step in path[:-2]:
            here = here[step]
        here[path[-2]] = path[-1]

    return change


def drop(*path: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        here = data
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]

    return change


C = ("spec", "template", "spec", "containers")


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (put("spec", "replicas", 5), ["-   replicas: 3  # three", "+   replicas: 5  # three"]),
        (put("spec", "port", "8080"), ["-   port: 8080", '+   port: "8080"']),
        (put("spec", "port", "http"), ["-   port: 8080", "+   port: http"]),
        (put("spec", "paused", True), ["+   paused: true"]),
        (put(*C, 0, "image", "nginx:2"), ['-           image: "nginx:1.27"', '+           image: "nginx:2"']),
        (put(*C, 0, "env", 0, "value", "it's"), ["-               value: 'x'  # comment",
                                                 "+               value: 'it''s'  # comment"]),
        (drop(*C, 0, "env", 0), ["-             - name: A", "-               value: 'x'  # comment"]),
        (drop(*C, 1, "image"), ["-         - image: side:1", "-           name: side", "+         - name: side"]),
        (drop("spec", "template", "spec", "nodeSelector"), ["-       nodeSelector:", "-         a: b"]),
        (put("metadata", "labels", "new", "yes"), ["-   labels: {app: web, \"x/y\": '1'}",
                                                   "+   labels: {app: web, \"x/y\": '1', new: \"yes\"}"]),
        (drop("metadata", "labels", "app"), ["-   labels: {app: web, \"x/y\": '1'}", "+   labels: {\"x/y\": '1'}"]),
        (put("metadata", "annotations", {"a.b/c": "5"}), ["-   annotations: {}  # none yet",
                                                          "+   annotations:  # none yet", '+     a.b/c: "5"']),
        (lambda d: containers(d)[0]["args"].insert(1, "-c: x"), ['-           args: ["-a", "-b"]',
                                                                 '+           args: ["-a", "-c: x", "-b"]']),
        (put("data", "conf", "a=1\nb=3\n"), ["-     b=2", "+     b=3"]),
        (put("data", "conf", "a=1\nb=2\nc=3"), ["-   conf: |", "+   conf: |-", "+     c=3"]),
        (put("data", "new", "x\ny\n"), ["+   new: |", "+     x", "+     y"]),
        (put("data", "n", "no"), ['+   "n": "no"']),
        (put("data", "day", "2024-01-01"), ['+   day: "2024-01-01"']),
        (put("data", "other", "now"), ["-   other: >-", "-     folded", "-     text", "+   other: |-", "+     now"]),
    ],
)  # fmt: skip
def test_no_other_line_changes(change: Callable[[Any], Any], lines: list[str]) -> None:
    found = changed(WEB, change)
    assert sorted(found) == sorted(lines)
    crlf = changed(WEB.replace("\n", "\r\n"), change)
    assert sorted(line.rstrip("\r") for line in crlf) == sorted(lines)
    assert all(line.endswith("\r") for line in crlf)


def test_a_list_item_that_moves_keeps_its_comments_and_quotes() -> None:
    def swap(data: Any) -> None:
        containers(data)[0]["env"].reverse()

    found = changed(WEB, swap)
    assert [line[2:].strip() for line in found if line[0] == "+"] in (
        ["- name: A", "value: 'x'  # comment"],
        ["- name: B", 'value: "2"'],
    )


def test_a_renamed_item_is_changed_in_its_place() -> None:
    assert changed(WEB, put(*C, 1, "name", "other")) == ["-           name: side", "+           name: other"]


def test_what_becomes_empty() -> None:
    def empty(data: Any) -> None:
        data["metadata"]["labels"] = {}
        containers(data)[0]["env"] = []

    found = changed(WEB, empty)
    assert "+   labels: {}" in found and "+           env: []" in found


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_end_of_the_file_stays_as_it_is(ending: str) -> None:
    text = f"kind: X\nspec:\n  a: 1{ending}"
    assert edited(text, {"kind": "X", "spec": {"a": 2}}) == f"kind: X\nspec:\n  a: 2{ending}"
    newline = "\r\n" if ending == "\r\n" else "\n"
    assert edited(text, {"kind": "X", "spec": {"a": 1, "b": 2}}).endswith(f"a: 1{newline}  b: 2{ending}")


JSON = json.dumps(data_of(WEB), indent=2)


def test_json_stays_json() -> None:
    found = changed(JSON, put("spec", "replicas", 5), is_json=True)
    assert found == ['-     "replicas": 3,', '+     "replicas": 5,']
    found = changed(JSON, put("metadata", "labels", "new", "5"), is_json=True)
    assert found[-1] == '+       "new": "5"'
    data = {**data_of(JSON), "more": [{"a": "é\U0001f600"}, None]}
    assert json.loads(edited(JSON, data, is_json=True)) == data
    compact = json.dumps(data, separators=(",", ":"))  # with a character written as a pair of escapes
    assert "\\ud83d\\ude00" in compact
    assert edited(compact, {**data, "n": 1}, is_json=True) == compact[:-1] + ',"n":1}'


SHARED = """\
kind: X
base: &base
  a: 1
  b: {c: 2}
one:
  <<: *base
  d: 3
two: *base
three: &alone 4
"""


def test_what_is_shared_by_an_anchor_is_changed_for_nobody_else() -> None:
    assert changed(SHARED, put("one", "a", 5)) == ["+   a: 5"], "a key of its own overrides what '<<' brings"
    found = changed(SHARED, put("two", {"a": 9, "b": {"c": 2}}))
    assert found[0] == "- two: *base" and found[1] == "+ two:", "only this use of the alias is written out"
    assert changed(SHARED, put("three", 5)) == ["- three: &alone 4", "+ three: 5"]
    data = copy.deepcopy(data_of(SHARED))
    data["base"]["a"] = 7
    with pytest.raises(CannotEditError, match="anchored as '&base' and used again in line") as error:
        edited(SHARED, data)
    assert error.value.line == 2


def test_what_comes_by_a_merge_cannot_be_taken_out() -> None:
    data = copy.deepcopy(data_of(SHARED))
    del data["one"]["a"]
    with pytest.raises(CannotEditError, match="comes by '<<' from elsewhere"):
        edited(SHARED, data)


def test_a_key_that_is_there_twice_is_left_to_people() -> None:
    with pytest.raises(CannotEditError, match="twice"):
        edited("kind: X\nspec:\n  a: 1\n  a: 2\n", {"kind": "X", "spec": {"a": 3}})


WORDS = [
    "a", "name", "x/y", "true", "5", "# c", "a: b", "- x", "é😀", "multi\nline\n", "t\n\n", " lead", "it's", 'q"q', "",
    "null", "1e3", "2024-01-01", "{x}", "a,b", "line\n  ind\nx", "tab\there", "12:30:45", "*a", "!t", "%", "@", "`",
    "|", ">", "\u2028", "\x07",
]  # fmt: skip


class Maker:
    """Random documents, in random styles, and random changes of them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        rng, kind = self._random, self._random.random()
        if depth < 4 and kind < 0.3:
            return {
                rng.choice([*WORDS[:8], f"k{rng.randrange(9)}"]): self.value(depth + 1) for _ in range(rng.randrange(4))
            }
        if depth < 4 and kind < 0.5:
            named = rng.random() < 0.5
            items = [self.value(depth + 1 + named) for _ in range(rng.randrange(4))]
            return [{"name": f"n{n}", "v": item} for n, item in enumerate(items)] if named else items
        return rng.choice([rng.choice(WORDS), rng.randrange(100), True, False, None, 1.5, -3])

    def mutated(self, value: Any, depth: int = 0) -> Any:
        rng, what = self._random, self._random.random()
        if not value or not isinstance(value, (dict, list)) or rng.random() < 0.2:
            return self.value(depth + 1)
        at = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        if what < 0.2:
            del value[at]
        elif what < 0.4 and isinstance(value, dict):
            value[f"new{rng.randrange(99)}"] = self.value(depth + 2)
        elif what < 0.4:
            value.insert(at, self.value(depth + 2))
        elif what < 0.5 and isinstance(value, list):
            rng.shuffle(value)
        else:
            value[at] = self.mutated(value[at], depth + 1)
        return value

    def document(self) -> tuple[str, bool]:
        """A document's text, and whether it is JSON."""
        rng = self._random
        data = {"kind": "X", "metadata": {"name": "n"}, **{f"s{n}": self.value() for n in range(5)}}
        style = rng.randrange(6)
        if style >= 4:
            layout: dict[str, Any] = {"separators": (",", ":")} if style == 4 else {"indent": rng.choice([2, 4, "\t"])}
            return json.dumps(data, ensure_ascii=rng.random() < 0.5, **layout), True
        if style == 0:
            return to_yaml(data), False
        if style == 1:
            return yaml.safe_dump(data, default_style=rng.choice("'\"|>"), allow_unicode=True), False
        text = yaml.safe_dump(data, default_flow_style=style == 2 or None, allow_unicode=True, width=50)
        return text.replace("\n", "\r\n") if rng.random() < 0.3 and "\r" not in text else text, False


@pytest.mark.parametrize("seed", range(6))
def test_any_change_of_any_document_can_be_written(seed: int) -> None:
    maker, written = Maker(seed), 0
    for _ in range(150):
        text, is_json = maker.document()
        text = text.rstrip("\r\n") if written % 3 == 0 else text
        data = copy.deepcopy(data_of(text))
        for _ in range(1 + written % 3):
            data = maker.mutated(data)
        if isinstance(data, dict) and set(data) & set(data_of(text)):
            written += 1
            assert same(data_of(edited(text, data, is_json=is_json)), data), f"seed {seed}"
    assert written > 60
