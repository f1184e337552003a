"""Our own nightly demo and the recipes that need no cloud, run as they stand: only where actions lie is told to act."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.action.recipes import ROOT, recipe, runnable
from tests.action.run_act import ActRun, WorkTree, copy_action, run_act
from tests.action.test_act import BROKEN, CONFIG_MAP, FILES, pull_request
from tests.github.fake_github import FakeGitHub


def run_recipe(
    tree: WorkTree, text: str, event: str, payload: dict[str, Any], github: FakeGitHub, folder: Path, **more: Any
) -> ActRun:
    """Runs a workflow; its artifacts lie in `folder / "artifacts"`, where a second one finds them."""
    action = folder / "action"
    if not action.exists():
        copy_action(action)
    ready = runnable(text, action)
    environment = {"ARTIFACTS": str(folder / "artifacts"), **more.pop("environment", {})}
    runs = len(list(folder.glob("run-*")))
    scratch = folder / f"run-{runs}"
    return run_act(
        tree, ready.text, event, payload, github, scratch, environment=environment, remote=ready.remote, **more
    )


def test_the_nightly_demo_finds_the_labs_drift_and_keeps_one_issue(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", {})
    shutil.copytree(ROOT / "examples" / "gitops-lab", tree.folder / "examples" / "gitops-lab")
    tree.commit({})
    text = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
    run = run_recipe(tree, text, "schedule", {"schedule": "17 3 * * *"}, github, tmp_path)
    job = run.job("drift")
    assert (job.result, job.step().exit_code) == ("success", 0), run.text
    (issue,) = github.issues.values()
    assert "spec.replicas" in issue["body"]
    assert "spec.replicas" in job.summary
    assert job.step().outputs["issue-number"] == str(issue["number"])


def test_b48_a_forks_pull_request_gets_its_comment_from_the_second_workflow(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", FILES, with_action=False)
    base = tree.head
    tree.commit({"a/configmap.yaml": CONFIG_MAP + "data: {colour: green}\n"})
    fork = {"full_name": "mallory/gitops", "owner": {"login": "mallory"}}
    payload = pull_request(tree)
    payload["pull_request"]["head"]["repo"] = fork
    payload["pull_request"]["base"]["sha"] = base
    github.add_pull(7, tree.head, head="mallory:feature")
    first = run_recipe(tree, recipe("forks-plan"), "pull_request", payload, github, tmp_path).job("plan")
    step = first.step()
    assert (step.exit_code, step.outputs["modified"], step.outputs["comment-posted"]) == (0, "1", "false")
    assert github.requests == []

    event = {"event": "pull_request", "head_sha": tree.head, "head_branch": "feature", "head_repository": fork}
    done = run_recipe(tree, recipe("forks-publish"), "workflow_run", {"workflow_run": event}, github, tmp_path)
    assert done.job("publish").step().outputs["comment-posted"] == "true", done.text
    (comment,) = github.comments[7]
    assert "green" in comment["body"]
    assert github.token not in done.text


def test_clusters_have_one_comment_and_a_missing_one_is_an_error_of_it(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN, with_action=False)
    github.add_pull(7, tree.head)
    # One leg gives no report: as if its credentials had failed.
    text = recipe("clusters").replace(
        "      - uses: org/tazuna-action@v1\n        id: tazuna\n        with:\n          context",
        '      - run: test "$LEG" != osaka\n        env: {LEG: "${{ matrix.cluster }}"}\n'
        "      - uses: org/tazuna-action@v1\n        id: tazuna\n        with:\n          context",
    )
    run = run_recipe(tree, text, "pull_request", pull_request(tree), github, tmp_path)
    job = run.job("report")
    step = job.step()
    assert (step.outputs["result"], step.outputs["comment-posted"]) == ("error", "true"), run.text
    assert step.exit_code == 4  # nobody configured the cluster tokyo
    (comment,) = github.comments[7]
    assert "tokyo" in comment["body"]
    assert "osaka.json" in comment["body"]
    assert [one["target"]["context"] for one in job.report["reports"]] == ["tokyo", None]
