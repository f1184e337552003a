"""`plan --against base:REF`: two builds compared by git alone, with no cluster and no kubeconfig."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from entrypoints.commands import Call, CoreCommands
from tazuna_core.errors import UsageError
from tazuna_core.operations.options import Options
from tests.harness.git_repository import clone, commit, git, start
from tests.harness.tazuna import Ran, Tazuna

JsonObject = dict[str, Any]


def of(kind: str, name: str, **fields: Any) -> JsonObject:
    api_version = {"Deployment": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1"}.get(kind, "v1")
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "n"}, **fields}


def workload(**container: Any) -> JsonObject:
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "app", "image": "i:1", **container}]},
    }
    return {"selector": {"matchLabels": {"a": "b"}}, "template": template}


BEFORE = [
    of("Deployment", "web", spec=workload(resources={"requests": {"cpu": "1000m"}})),
    of("ConfigMap", "gone", data={"a": "1"}),
    of("ConfigMap", "kept", data={"a": "1"}),
    of("Secret", "keys", data={"same": "aGVsbG8=", "changed": "aGVsbG8=", "dropped": "aGVsbG8="}),
]
AFTER = [
    of("Deployment", "web", spec=workload(image="i:2", resources={"requests": {"cpu": "1"}})),
    of("ConfigMap", "kept", data={"a": "1"}),
    of("ConfigMap", "new", data={"a": "1"}),
    of("Secret", "keys", data={"same": "aGVsbG8=\n"}, stringData={"changed": "battery", "added": "staple"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    start(tmp_path / "repo")
    commit(tmp_path / "repo", {"one": BEFORE})
    return tmp_path / "repo"


def plan(folder: Path, ref: str, *options: str) -> Ran:
    nothing = {"HOME": str(folder.parent), "KUBECONFIG": str(folder / "none"), "XDG_CACHE_HOME": str(folder.parent)}
    return Tazuna(folder, environment=nothing)("plan", "--against", f"base:{ref}", *options)


def test_the_difference_of_two_builds(folder: Path) -> None:
    base = git(folder, "rev-parse", "HEAD")
    head = commit(folder, {"one": AFTER})
    ran = plan(folder, "HEAD~1", "-o", "json")
    report = ran.json()
    assert ran.code == 0, ran.stdout + ran.stderr
    assert report["sides"] == ["recorded", "desired"]
    assert (report["target"]["base"], report["target"]["commit"], report["target"]["context"]) == (base, head, None)
    assert ran.statuses() == {
        "ConfigMap/gone": "removed",
        "ConfigMap/new": "added",
        "Deployment/web": "modified",
        "Secret/keys": "modified",
    }
    image = "Deployment/web spec.template.spec.containers[name=app].image"
    cpu = "Deployment/web spec.template.spec.containers[name=app].resources.requests.cpu"
    fields = ran.fields()
    assert {path: change["verdict"] for path, change in fields.items()} == {
        image: "planned",
        cpu: "normalised",
        "Secret/keys data.changed": "planned",
        "Secret/keys data.dropped": "planned",
        "Secret/keys data.added": "planned",
    }
    assert (fields[image]["recorded"], fields[image]["desired"]) == ("i:1", "i:2")
    masked = {"masked": True}
    assert (fields["Secret/keys data.changed"]["recorded"], fields["Secret/keys data.added"]["desired"]) == (
        masked,
        masked,
    )
    everything = ran.stdout + plan(folder, "HEAD~1").stdout + plan(folder, "HEAD~1", "-o", "html").stdout
    assert not any(word in everything for word in ("battery", "staple", "aGVsbG8", "hello", "YmF0dGVyeQ"))
    assert plan(folder, "HEAD~1", "--fail-on-drift").code == 0
    assert plan(folder, "HEAD~1", "--fail-on-drift=removed").code == 1
    assert git(folder, "status", "--porcelain") == ""


def test_what_the_base_gained_since_is_no_change_of_ours(folder: Path) -> None:
    git(folder, "checkout", "-qb", "mine")
    commit(folder, {"one": [*BEFORE, of("ConfigMap", "mine")]})
    git(folder, "checkout", "-q", "main")
    commit(folder, {"one": [*BEFORE, of("ConfigMap", "theirs")]})
    git(folder, "checkout", "-q", "mine")
    assert plan(folder, "main", "-o", "json").statuses() == {"ConfigMap/mine": "added"}
    # the work tree counts as it is
    (folder / "one.json").write_text('{"apiVersion": "v1", "kind": "List", "items": []}')
    assert plan(folder, "main", "-o", "json").json()["counts"]["removed"] == len(BEFORE)


def test_an_object_that_moves_is_not_removed(folder: Path) -> None:
    moved = copy.deepcopy(BEFORE[2])
    commit(folder, {"one": [obj for obj in BEFORE if obj is not BEFORE[2]], "two": [moved]})
    ran = plan(folder, "HEAD~1", "-o", "json", "--all")
    counts = ran.json()["counts"]
    assert (counts["added"], counts["modified"], counts["removed"]) == (0, 0, 0)
    two = next(manifest for manifest in ran.json()["manifests"] if manifest["name"] == "two")
    assert [(obj["status"], obj["notes"]) for obj in two["objects"]] == [
        ("moved", ["declared by manifest 'one' before"])
    ]
    assert plan(folder, "HEAD~1").stdout.count("ConfigMap/n/kept") <= 2


def test_a_manifest_that_is_gone_is_all_removed(folder: Path) -> None:
    commit(folder, {"one": BEFORE, "two": [of("ConfigMap", "other")]})
    commit(folder, {"one": BEFORE})
    assert plan(folder, "HEAD~1", "-o", "json").statuses() == {"ConfigMap/other": "removed"}


def test_a_base_that_does_not_build_is_exit_3_and_names_the_commit(folder: Path) -> None:
    (folder / "one.json").write_text("{")
    git(folder, "commit", "-qam", "broken")
    broken = git(folder, "rev-parse", "HEAD")
    commit(folder, {"one": BEFORE})
    ran = plan(folder, "HEAD~1", "-o", "json")
    assert ran.code == 3
    assert [error["message"].startswith(f"at commit {broken[:12]}: ") for error in ran.json()["errors"]] == [True]
    assert "tazuna-" not in ran.stdout, "the temporary folder is nobody's business"
    assert {entry["reason"] for entry in ran.json()["coverage"]["unchecked"]} == {"not-built"}


def test_a_commit_that_is_not_here_is_exit_2(folder: Path, tmp_path: Path) -> None:
    base = git(folder, "rev-parse", "HEAD")
    commit(folder, {"one": AFTER})
    shallow = clone(folder, tmp_path / "shallow", "--depth=1")
    ran = plan(shallow, base)
    assert (ran.code, "fetch-depth: 0" in ran.stdout) == (2, True)
    assert plan(folder, "no-such-branch").code == 2
    assert plan(folder, "--upload-pack=x").code == 2
    assert plan(folder, "").code == 2
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tazuna.yaml").write_text("spec: {manifests: [{name: a, type: directory, path: .}]}")
    ran = plan(outside, "main")
    assert (ran.code, "no git work tree" in ran.stdout) == (2, True)


def test_the_action_fetches_what_a_shallow_clone_lacks_once(folder: Path, tmp_path: Path) -> None:
    base = git(folder, "rev-parse", "HEAD")
    commit(folder, {"one": AFTER})
    shallow = clone(folder, tmp_path / "shallow", "--depth=1")
    call = Call("plan", Options(file=shallow / "tazuna.yaml"), against=f"base:{base}")
    git(shallow, "remote", "set-url", "origin", f"file://{tmp_path}/nowhere")
    with pytest.raises(UsageError, match="shallow clone"):
        CoreCommands().run(call)
    git(shallow, "remote", "set-url", "origin", f"file://{folder}")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    report = CoreCommands().run(call)
    assert (report.counts.added, report.counts.modified, report.counts.removed) == (1, 2, 1)
    assert report.target.base == base
    assert report.warnings == (), "its parent is told by the commit itself"
