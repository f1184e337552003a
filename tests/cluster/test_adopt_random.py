"""`adopt --write` on 200 random edits of directory and kustomize manifests, made by the tools that people use.

After each round: the server makes of the build exactly what is live, no line is touched that holds nothing of what
changed, and after a commit and `apply --sync` there is no drift.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tazuna_core.operations.adopt import AdoptOptions, adopt
from tazuna_core.operations.apply import apply
from tazuna_core.operations.apply_options import ApplyOptions
from tazuna_core.operations.drift import state_drift
from tazuna_core.operations.options import Options
from tazuna_core.report.model import Report
from tests.bench.mutations import edits, repository
from tests.bench.mutations.edits import Edit
from tests.bench.mutations.schema import Json
from tests.bench.mutations.tools import Tools
from tests.bench.mutations.truth import changes, content
from tests.bench.mutations.view import Ref, View
from tests.harness.cluster import LocalCluster
from tests.harness.git_repository import git, start
from tests.harness.go_tools import go_tool
from tests.harness.yaml_styles import changed_lines, commented, documents, flow, json_file, json_list, mixed, touched

COUNT, ROUND = 200, 34
LEFT_OUT = {
    "delete", "delete definition", "delete, held", "re-create", "other version", "normalised", "secret key",
    "secret text", "cleared managedFields",
}  # fmt: skip
"""Edits that are nothing to adopt, or whose author nobody knows until the next apply."""
OVERLAY = """\
# what this cluster has of its own
resources:
  - ../base
  - namespace.yaml   # first
namespace: bench-k
namePrefix: k-
images:
  # pinned
  - name: example.invalid/side
    newTag: "7"   # release
labels:
  - pairs: {from: overlay}
"""


class Repository:
    """A git repository with the bench's objects twice: a directory in many styles, and an overlay of kustomize."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        start(folder)
        written = repository.OWN.read_text()
        objects = documents(written)
        plain, base, overlay = folder / "plain", folder / "base", folder / "overlay"
        for one in (plain, base, overlay):
            one.mkdir()
        texts = written.split("\n---\n")
        (plain / "00-as-written.yaml").write_text("\n---\n".join(texts[0::5]))
        for number, (text, obj) in enumerate(zip(texts, objects, strict=True)):
            assert documents(text) == [obj]
            name = f"{number:02}-{obj['kind'].lower()}"
            match number % 5:
                case 1:
                    (plain / f"{name}.yaml").write_text(commented(obj))
                case 2:
                    (plain / f"{name}.yaml").write_text(flow(obj))
                case 3:
                    (plain / f"{name}.yaml").write_bytes(mixed(obj).encode())
                case 4 if number % 2:
                    (plain / f"{name}.json").write_text(json_file(obj))
        rest = [obj for number, obj in enumerate(objects) if number % 5 == 4 and not number % 2]
        (plain / "99-list.json").write_text(json_list(rest))
        namespaced = [obj for obj in objects if obj["metadata"].get("namespace") and obj["kind"] != "Secret"]
        for obj in namespaced:
            del obj["metadata"]["namespace"]
        (base / "all.yaml").write_text("---\n".join(commented(obj) for obj in namespaced))
        (base / "kustomization.yaml").write_text("resources: [all.yaml]\n")
        (overlay / "kustomization.yaml").write_text(OVERLAY)
        (overlay / "namespace.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: bench-k}\n")
        manifests = [
            {"name": "plain", "type": "directory", "path": "plain"},
            {"name": "overlay", "type": "kustomize", "path": "overlay"},
        ]
        (folder / "tazuna.yaml").write_text(yaml.safe_dump({"spec": {"manifests": manifests}}))
        self.commit("begin")

    def commit(self, message: str) -> None:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", message)

    def texts(self) -> dict[str, str]:
        """The files of the repository."""
        paths = [path for path in self.folder.rglob("*") if path.is_file() and ".git" not in path.parts]
        return {str(path.relative_to(self.folder)): path.read_bytes().decode() for path in paths}

    def built(self) -> list[Json]:
        """What it builds to, by kustomize itself and by PyYAML."""
        out = []
        for path in sorted((self.folder / "plain").iterdir()):
            for document in documents(path.read_text()):
                out += document["items"] if document["kind"] == "List" else [document]
        rendered = subprocess.run(
            [go_tool("kustomize"), "build", self.folder / "overlay"], capture_output=True, check=True, text=True
        )
        return [*out, *documents(rendered.stdout)]


class Rounds:
    """The cluster, edited round by round."""

    def __init__(self, cluster: LocalCluster, folder: Path, seed: int) -> None:
        self.repository, self.seed, self._number = Repository(folder / "repo"), seed, 0
        self._view = View(cluster)
        self._tools = Tools(self._view)
        self.options = Options(
            file=self.repository.folder / "tazuna.yaml", kubeconfig=cluster.kubeconfig, cache_directory=folder / "cache"
        )
        report = apply(self.options, ApplyOptions(no_wait=True))
        assert not report.errors, report.errors[:3]
        self.refs = [self._view.ref(obj) for obj in self.repository.built()]
        self.kinds: Counter[str] = Counter()

    def edit(self) -> list[Ref]:
        """Edits up to ROUND objects and returns those that were."""
        self._view.settled(self.refs)
        live = self._view.read(self.refs)
        chosen: dict[Ref, tuple[Edit, str]] = {}
        catalogue = [entry for entry in edits.EDITS if entry[1] not in LEFT_OUT]
        for _ in range(ROUND * 3):
            if len(chosen) == ROUND:
                break
            self._number += 1
            rng = random.Random(f"{self.seed}/{self._number}")
            _, _, make, fits = rng.choices(catalogue, [entry[0] for entry in catalogue])[0]
            free = [ref for ref in self.refs if ref not in chosen and ref.kind != "Secret" and fits(live[ref])]
            if not free:
                continue
            ref = rng.choice(free)
            edit = make(ref, live[ref], self._view.node(ref), rng)
            if edit is not None and self._tools.acceptable(edit):
                chosen[ref] = edit, self._tools.choose(edit, rng)

        def perform(entry: tuple[Edit, str]) -> tuple[Edit, bool]:
            done = self._tools.perform(entry[0], entry[1], random.Random(f"{self.seed}/{entry[0].ref}"))
            return entry[0], done.ok

        with ThreadPoolExecutor(3) as pool:
            done = list(pool.map(perform, chosen.values()))
        self._view.settled(self.refs)
        self.kinds.update(edit.kind for edit, ok in done if ok)
        return [edit.ref for edit, ok in done if ok]

    def drifted(self) -> dict[str, list[str]]:
        """All that drifted: the fields of each object."""
        report = state_drift(self.options)
        assert report.coverage.complete, report.coverage.unchecked
        return {obj.key: [f"{f.path}: {f!r}" for f in obj.fields] for _, obj in report.objects() if obj.fields}

    def same_to_the_server(self) -> Iterator[str]:
        """Yields what the server would change, were the build applied."""
        built = self.repository.built()
        scaled = {
            (obj["spec"]["scaleTargetRef"]["kind"], obj["metadata"]["namespace"], obj["spec"]["scaleTargetRef"]["name"])
            for obj in built
            if obj["kind"] == "HorizontalPodAutoscaler"
        }
        for obj in built:
            ref = self._view.ref(obj)
            if obj["kind"] == "Secret" or ref.name == "bench-all":  # whose rules the aggregation controller writes
                continue
            path = f"{self._view.path(ref)}?dryRun=All&force=true&fieldManager=tazuna"
            answer = self._view.cluster.request("PATCH", path, obj, "application/apply-patch+yaml")
            live = self._view.get(ref)
            assert live is not None
            if not answer.ok:
                yield f"{ref}: {answer.body.get('message')}"
                continue
            if (ref.kind, ref.namespace, ref.name) in scaled:  # replicas are the autoscaler's, not drift
                answer.body["spec"]["replicas"] = live["spec"]["replicas"]
            found = changes(self._view.node(ref), content(answer.body), content(live))
            yield from (f"{ref} {one.path}: build {one.before!r}, live {one.after!r}" for one in found)


def lines_kept(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """Yields lines that were touched and hold nothing of what changed."""
    for name, text in before.items():
        if "adopted-" in name or text == after[name]:
            continue
        allowed = changed_lines(text.replace("\r\n", "\n"), after[name].replace("\r\n", "\n"))
        lines = text.split("\n")
        for number in sorted(touched(text, after[name]) - allowed):
            yield f"{name}:{number + 1}: {lines[number]}"
        assert text.count("\r\n") == text.count("\n") or "\r" not in after[name]


@pytest.mark.parametrize("seed", [20261201])
def test_200_random_edits_are_adopted(
    fresh_cluster: LocalCluster, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{go_tool('kustomize').parent}{os.pathsep}{os.environ['PATH']}")
    rounds = Rounds(fresh_cluster, tmp_path, seed)
    adopted = fields = 0
    started = time.monotonic()
    while adopted < COUNT:
        rounds.edit()
        keys = rounds.drifted()
        before = rounds.repository.texts()
        report = adopt(rounds.options, AdoptOptions(keys=tuple(keys), write=True))
        assert report.adoption is not None
        # what the server had set by itself and somebody removed, no repository can say; it is put back
        undeclared = {one.key for one in report.adoption.left if one.reason == "undeclared"}
        errors = [f"{one.code} {one.message}" for one in report.errors if one.code != "undeclared"]
        assert not errors, f"seed {seed}: {errors}"
        adopted_keys = {key for file in report.adoption.files for key in file.keys}
        assert adopted_keys | undeclared == set(keys), f"seed {seed}: {_left(report)}"
        if undeclared:
            put_back = apply(rounds.options, ApplyOptions(only=tuple(undeclared), no_wait=True))
            assert not put_back.errors, f"seed {seed}: {put_back.errors}"
        after = rounds.repository.texts()
        strange = list(lines_kept(before, after))
        assert not strange, f"seed {seed}: {strange}\n{git(rounds.repository.folder, 'diff', '-U1')}"
        others = list(rounds.same_to_the_server())
        assert not others, f"seed {seed}: {others}"
        rounds.repository.commit("Adopt what was changed in the cluster")
        applied = apply(rounds.options, ApplyOptions(sync=True, no_wait=True))
        assert not applied.errors, f"seed {seed}: {applied.errors[:3]}"
        drifted = rounds.drifted()
        assert not drifted, f"seed {seed}: {drifted}"
        adopted += report.adoption.objects
        fields += report.adoption.fields
        print(f"seed {seed}: {adopted} objects adopted, {fields} fields, {time.monotonic() - started:.0f} s")
    print(f"seed {seed}: {dict(rounds.kinds)}")
    assert any("overlay/adopted-" in name for name in after) and len(rounds.kinds) > 8


def _left(report: Report) -> list[str]:
    adoption = report.adoption
    assert adoption is not None
    adopted = {key for file in adoption.files for key in file.keys}
    paths = [f"{obj.key}: {[f.path for f in obj.fields]}" for _, obj in report.objects() if obj.key not in adopted]
    return [f"{one.key} {one.path} {one.reason}: {one.message}" for one in adoption.left] + paths
