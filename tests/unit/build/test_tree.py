"""Digests of trees: whatever a build could read differently makes another digest."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tazuna_core.build.kustomization import reach
from tazuna_core.build.tree import CannotDigestError, digest_of, tree_digest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    (root / "d/a").write_text("a")
    (root / "b").write_text("b")
    (tmp_path / "outside").write_text("o")
    (root / "link").symlink_to("../outside")
    (root / "dangling").symlink_to("nothing")
    return root


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda root: (root / "d/a").write_text("A"),
    "name": lambda root: (root / "b").rename(root / "c"),
    "place": lambda root: (root / "b").rename(root / "d/b"),
    "new file": lambda root: (root / "new").write_text(""),
    "new folder": lambda root: (root / "new").mkdir(),
    "gone": lambda root: (root / "b").unlink(),
    "mode": lambda root: (root / "b").chmod(0o755),
    "behind a link": lambda root: (root.parent / "outside").write_text("changed"),
    "where a link leads": lambda root: ((root / "dangling").unlink(), (root / "dangling").symlink_to("b")),
    "what a link missed": lambda root: (root / "nothing").write_text(""),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_shows(name: str, tree: Path) -> None:
    before = tree_digest(tree)
    assert tree_digest(tree) == before
    CHANGES[name](tree)
    assert tree_digest(tree) != before


def test_what_git_keeps_and_times_do_not_count(tree: Path) -> None:
    before = tree_digest(tree)
    (tree / ".git").mkdir()
    (tree / ".git/index").write_text("x")
    os.utime(tree / "b", (1, 1))
    assert tree_digest(tree) == before


def test_trees_that_have_no_digest(tree: Path) -> None:
    for limits in ({"most_files": 3}, {"most_bytes": 2}):
        with pytest.raises(CannotDigestError):
            tree_digest(tree, **limits)
    with pytest.raises(CannotDigestError):
        tree_digest(tree / "none")
    os.mkfifo(tree / "pipe")
    with pytest.raises(CannotDigestError):
        tree_digest(tree)
    (tree / "pipe").unlink()
    (tree / "d/up").symlink_to("..")
    with pytest.raises(CannotDigestError):
        tree_digest(tree)


def test_parts_do_not_run_together() -> None:
    assert (
        len(
            {digest_of("ab", "c"), digest_of("a", "bc"), digest_of("abc"), digest_of("abc", ""), digest_of("abc", None)}
        )
        == 5
    )


@pytest.mark.parametrize(
    ("kustomization", "remote", "unsure"),
    [
        ("resources: [a.yaml]", [], ""),
        ("resources: [../base]", [], ""),
        ("resources: [https://h/x.yaml]", ["https://h/x.yaml"], ""),
        ("components: ['github.com/o/r//c?ref=1']", ["github.com/o/r//c?ref=1"], ""),
        ("resources: [gone.yaml]", [], "gone.yaml is not there"),
        ('transformers: ["apiVersion: v1\\nkind: T\\n"]', [], ""),
        ("helmCharts: [{name: a}]", [], "it inflates charts"),
        ("configMapGenerator: [{name: a, envs: [e.env]}]", [], "e.env takes values from the environment"),
        ("secretGenerator: [{name: a, env: e.env}]", [], "e.env takes values from the environment"),
        ("configMapGenerator: [{name: a, envs: [f.env]}]", [], ""),
        ("a: [", [], "kustomization.yaml cannot be read"),
    ],
)
def test_what_a_kustomization_reaches(kustomization: str, remote: list[str], unsure: str, tmp_path: Path) -> None:
    for name, text in {
        "app/kustomization.yaml": kustomization,
        "app/a.yaml": "",
        "app/e.env": "A=1\n# c\nHOME\n",
        "app/f.env": "A=1\n\n# c\n",
        "base/kustomization.yaml": "resources: [../deep/x.yaml]",
        "deep/x.yaml": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = reach(tmp_path / "app")
    assert found.remote == remote
    assert found.unsure.endswith(unsure)
    assert bool(found.unsure) == bool(unsure)
    names = {str(path.relative_to(tmp_path)) for path in found.roots}
    assert names == ({"app", "base", "deep/x.yaml"} if "../base" in kustomization else {"app"})
    if remote or unsure:
        with pytest.raises(CannotDigestError):
            found.digest()
    else:
        assert found.digest() == reach(tmp_path / "app").digest()
