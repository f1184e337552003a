"""Unknown managers, a kustomization's own fields, lines of errors, and files that cannot be written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tazuna_core.build.git import is_ignored
from tazuna_core.diff.adopting import Adopting
from tazuna_core.diff.desired import Meaning
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict
from tazuna_core.edit.nodes import CannotEditError
from tazuna_core.edit.stream import parts_of
from tazuna_core.errors import Place, RefusedError
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import StateKey
from tazuna_core.objects.managed_fields import FieldsEntry
from tazuna_core.objects.managers import Origin
from tazuna_core.objects.paths import ABSENT, Key
from tazuna_core.operations.adopt_choice import Choice, choose
from tazuna_core.operations.adopt_files import Overlay
from tazuna_core.operations.adopt_kustomize import PatchWay, put_change
from tazuna_core.operations.adopt_sources import Written, rewritten
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType
from tests.harness.git_repository import git, start

KEY = StateKey("m", "apps", "v1", "Deployment", "ns", "web")
MANIFEST = Manifest(name="m", type=ManifestType.DIRECTORY, path=".", base=Path(), place=Place("tazuna.yaml"), index=0)
SCHEMA = builtin_schema("apps/v1", "Deployment")
assert SCHEMA is not None


def deployment(replicas: int, image: str, label: str) -> dict[str, object]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"from": label}},
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "a", "image": image}]}}},
    }


@pytest.mark.parametrize("way", ["transformer", "transformer-alone"])
def test_only_what_a_kustomization_has_no_field_for_goes_to_the_transformer(tmp_path: Path, way: PatchWay) -> None:
    assert SCHEMA is not None
    file = tmp_path / "kustomization.yaml"
    file.write_text("images:\n  - {name: nginx, newTag: '1'}\nreplicas:\n  - {name: web, count: 2}\n")
    overlay = Overlay(tmp_path)
    before, after = deployment(2, "nginx:1", "overlay"), deployment(5, "nginx:2", "hand")
    assert put_change(overlay, tmp_path, KEY, before, after, way, schema=SCHEMA, built_in=True, ambiguous=False)
    text = overlay.after[file].decode()
    transformer = overlay.after[tmp_path / "adopted-deployment-ns-web.transformer.yaml"].decode()
    assert "/metadata/labels/from" in transformer
    own = way == "transformer"
    assert ("newTag: '2'" in text, "count: 5" in text) == (own, own)
    assert ("/spec/replicas" in transformer, "nginx:2" in transformer) == (not own, not own)


@pytest.mark.parametrize(
    ("manager", "origin", "adopted"),
    [
        ("argocd-controller", "unknown", False),
        ("kube-controller-manager", "controller", False),
        ("kubectl-edit", "person", True),
        ("", "unknown", True),  # of whom the server keeps no name
    ],
)
def test_without_a_key_only_persons_are_adopted(manager: str, origin: Origin, adopted: bool) -> None:
    owner = FieldsEntry(manager, "Update", "", "apps/v1", "", {}) if manager else None
    one = FieldVerdict((Key("spec"), Key("replicas")), "", "drifted", 2, ABSENT, 5, owner=owner, origin=origin)
    for named in (False, True):
        choice = Choice()
        choose(choice, MANIFEST, ObjectVerdict(KEY, "live-drifted", fields=(one,)), named=named)
        assert bool(choice.wishes) == (adopted or named)
        assert [left.reason for left in choice.left] == ([] if adopted or named else ["not-a-person"])


def test_a_map_without_entries_is_as_good_as_gone_and_an_empty_struct_is_not() -> None:
    assert SCHEMA is not None
    adopting = Adopting(SCHEMA, Meaning(built_in=True), {})

    def pod(**fields: object) -> dict[str, object]:
        return {"spec": {"template": {"spec": {"containers": [], **fields}}}}

    for name, empty, unmet in (("nodeSelector", {}, []), ("securityContext", {}, ["x"]), ("tolerations", [], [])):
        path = tuple(map(Key, ("spec", "template", "spec", name)))
        field = FieldVerdict(path, "", "drifted", recorded={"a": "b"})
        assert bool(list(adopting.unmet(pod(**{name: empty}), pod(), [field]))) == bool(unmet), name


TWO = "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata:\n  labels: &x {a: b}\n  annotations: *x\n"


def test_an_error_in_a_later_document_names_its_file_and_lines(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "two.yaml"
    file.parent.mkdir()
    file.write_text(TWO)
    part = parts_of(TWO)[1]
    data = {"kind": "B", "metadata": {"labels": {"a": "c"}, "annotations": {"a": "b"}}}
    with pytest.raises(CannotEditError, match="anchored as '&x' and used again in line 7") as caught:
        rewritten(Overlay(tmp_path), Written(file, part, (), part.data), data, "key")
    assert (caught.value.file, caught.value.line) == ("sub/two.yaml", 6)


@contextmanager
def nobody() -> Iterator[None]:
    """Somebody to whom permissions mean something."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_file_that_cannot_be_written_is_named_and_nothing_is_changed() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        for folder, mode in (("open", 0o777), ("shut", 0o555)):
            (root / folder).mkdir()
            (root / folder / "a.yaml").write_text("old")
            (root / folder).chmod(mode)
        root.chmod(0o755)
        overlay = Overlay(root)
        for folder in ("open", "shut"):
            assert overlay.read(root / folder / "a.yaml") == b"old"
            overlay.put(root / folder / "a.yaml", b"new", "key")
        with nobody(), pytest.raises(RefusedError) as caught:
            overlay.write()
        (root / "shut").chmod(0o755)
        assert (caught.value.exit_code, caught.value.code) == (5, "unwritable")
        assert caught.value.message == "shut/a.yaml cannot be written: Permission denied"
        assert [path.read_text() for path in sorted(root.rglob("*.yaml"))] == ["old", "old"]


def test_whether_git_ignores_a_file(tmp_path: Path) -> None:
    start(tmp_path)
    (tmp_path / ".gitignore").write_text("adopted-*\n")
    (tmp_path / "adopted-kept.yaml").write_text("a: 1\n")
    git(tmp_path, "add", "--force", "adopted-kept.yaml")
    assert is_ignored(tmp_path / "adopted-new.yaml")
    assert not is_ignored(tmp_path / "adopted-kept.yaml") and not is_ignored(tmp_path / "other.yaml")
