"""`command: rehearse` as a runner runs it: an empty API server, proven once, refused when it is empty no more."""

from __future__ import annotations

from pathlib import Path

from tests.action.run_act import Job, WorkTree, run_act
from tests.action.test_end_to_end import FILES
from tests.github.fake_github import FakeGitHub
from tests.harness.cluster import LocalCluster

WORKFLOW = """
name: rehearse
on: [workflow_dispatch]
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./
        id: tazuna
        with:
          command: rehearse
"""


def test_an_empty_cluster_is_rehearsed_once(github: FakeGitHub, tmp_path: Path, cluster: LocalCluster) -> None:
    tree = WorkTree(tmp_path / "tree", FILES)

    def rehearse(name: str) -> Job:
        environment = {"KUBECONFIG": str(cluster.kubeconfig)}
        run = run_act(
            tree, WORKFLOW, "workflow_dispatch", {"ref": "refs/heads/main"}, github, tmp_path / name,
            environment=environment,
        )  # fmt: skip
        assert "hunter2" not in run.text
        return run.job()

    job = rehearse("first")
    step = job.step()
    assert (step.exit_code, step.outputs["result"], step.outputs["applied"]) == (0, "clean", "3"), job.summary
    assert "3 objects applied: 3 changed, 0 unchanged." in job.summary
    assert cluster.kubectl("get", "deployment", "web", "--namespace", "shop", "-o", "name").stdout.strip()

    refused = rehearse("second")
    assert (refused.step().exit_code, refused.result) == (5, "failure")
    assert "hunter2" not in refused.summary
    assert "rehears" in refused.summary
