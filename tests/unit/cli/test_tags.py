"""`tazuna tags`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command

SPEC = """\
spec:
  manifests:
    - {name: cni, type: kustomize, path: a, tags: [net, base]}
    - {type: kustomize, path: b, tags: [net, nobody]}
    - includes: [{path: more.yaml}]
    - name: both
      type: parallel
      tags: [net]
      parallel: {children: [{name: child, type: kustomize, path: c, tags: [base]}]}
"""
MORE = "spec: {manifests: [{name: dns, type: kustomize, path: d, tags: [net, '{{ .Environment }}x']}]}\n"


@pytest.fixture(autouse=True)
def files(tazuna: Command) -> None:
    Path("tazuna.yaml").write_text(SPEC)
    Path("more.yaml").write_text(MORE)


def test_each_tag_with_its_manifests(tazuna: Command) -> None:
    ran = tazuna("tags", "-e", "dev")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == "base:\n- cni\n- child\ndevx:\n- dns\nnet:\n- cni\n- dns\n- both\nnobody:\n"


def test_some_of_them(tazuna: Command) -> None:
    assert tazuna("tags", "--tags", "base,x").stdout == "base:\n- cni\n- child\nx:\n- dns\n"
    ran = tazuna("tags", "--tags", "bse")
    assert (ran.code, ran.stdout) == (2, "")
    assert "no manifest has the tag 'bse'\n  Did you mean 'base'?" in ran.stderr


def test_as_json(tazuna: Command) -> None:
    ran = tazuna("tags", "--tags", "base", "-o", "json")
    assert ran.json() == {
        "schemaVersion": 1,
        "command": "tags",
        "tags": [{"tag": "base", "manifests": ["cni", "child"]}],
        "errors": [],
    }


def test_no_tags_and_no_file(tazuna: Command) -> None:
    Path("tazuna.yaml").write_text("spec: {manifests: [{name: a, type: kustomize, path: a}]}")
    assert (tazuna("tags").code, tazuna("tags").stdout) == (0, "")
    Path("tazuna.yaml").unlink()
    assert tazuna("tags").code == 2
    assert tazuna("tags", "-o", "markdown").code == 2
