"""The main job, as a runner runs it, on a real API server: a pull request's plan, and nights with and without drift."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tazuna_core.operations.apply import apply
from tazuna_core.operations.options import Options
from tests.action.run_act import Job, WorkTree, run_act
from tests.action.test_act import pull_request
from tests.github.fake_github import FakeGitHub
from tests.harness.cluster import LocalCluster

PLAN = """
name: plan
on: pull_request
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./
        id: tazuna
"""
NIGHTLY = """
name: nightly
on: schedule
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./
        id: tazuna
        with:
          fail-on-drift: "true"
          drift-issue: "true"
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "nginx:1.27"}]
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {k: hunter2}\n"
FILES = {
    "tazuna.yaml": "spec:\n  manifests:\n    - name: shop\n      type: directory\n      path: shop\n",
    "shop/0-namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
    "shop/deployment.yaml": DEPLOYMENT,
    "shop/secret.yaml": SECRET,
}


class Lab:
    """A repository that was applied to a cluster."""

    def __init__(self, folder: Path, github: FakeGitHub, cluster: LocalCluster) -> None:
        self.folder, self.github, self.cluster = folder, github, cluster
        self.tree = WorkTree(folder / "tree", FILES)
        self.runs = 0
        apply(Options(file=self.tree.folder / "tazuna.yaml", kubeconfig=cluster.kubeconfig))

    def run(self, workflow: str, event: str, payload: dict[str, Any]) -> Job:
        """Runs the workflow; nothing of it holds a secret."""
        self.runs += 1
        environment = {"KUBECONFIG": str(self.cluster.kubeconfig), "GITHUB_RUN_ID": str(500 + self.runs)}
        scratch = self.folder / f"run-{self.runs}"
        run = run_act(self.tree, workflow, event, payload, self.github, scratch, environment=environment)
        job = run.job()
        files = "".join(path.read_text() for path in job.folder.iterdir())
        assert self.github.token not in run.text + job.summary + files
        assert "hunter2" not in run.text + job.summary + files
        return job

    def on_pull_request(self) -> Job:
        """The plan of the checked-out commit."""
        self.github.pulls.pop(7, None)
        self.github.add_pull(7, self.tree.head)
        return self.run(PLAN, "pull_request", pull_request(self.tree))

    def night(self) -> Job:
        """A nightly check."""
        return self.run(NIGHTLY, "schedule", {"schedule": "0 3 * * *"})


@pytest.fixture
def lab(tmp_path: Path, github: FakeGitHub, cluster: LocalCluster) -> Lab:
    return Lab(tmp_path, github, cluster)


def test_pull_request_shows_its_plan_and_the_drift_it_meets(lab: Lab, github: FakeGitHub) -> None:
    clean = lab.on_pull_request().step()
    assert (clean.exit_code, clean.outputs["result"], clean.outputs["comment-posted"]) == (0, "clean", "false")
    assert github.comments[7] == []

    lab.tree.commit({"shop/deployment.yaml": DEPLOYMENT.replace("nginx:1.27", "nginx:1.28")})
    lab.cluster.kubectl("scale", "deployment", "web", "--namespace", "shop", "--replicas", "5")
    job = lab.on_pull_request()
    step = job.step()
    assert (step.exit_code, step.outputs["result"], step.outputs["changed"]) == (0, "drifted", "true")
    assert (step.outputs["modified"], step.outputs["drifted"], step.outputs["added"]) == ("1", "1", "0")
    (comment,) = github.comments[7]
    assert step.outputs["comment-url"] == comment["html_url"]
    for text in (comment["body"], job.summary):
        assert "nginx:1.27" in text
        assert "nginx:1.28" in text
        assert "spec.replicas" in text
        assert "by manager" in text

    lab.cluster.kubectl("scale", "deployment", "web", "--namespace", "shop", "--replicas", "3")
    lab.tree.commit(FILES)
    after = lab.on_pull_request().step()
    assert (after.outputs["result"], after.outputs["comment-posted"]) == ("clean", "true")
    assert "No changes detected." in comment["body"]
    assert len(github.comments[7]) == 1


def test_nights_with_drift_and_after_it(lab: Lab, github: FakeGitHub) -> None:
    quiet = lab.night().step()
    assert (quiet.exit_code, quiet.outputs["result"], github.issues) == (0, "clean", {})

    lab.cluster.kubectl("scale", "deployment", "web", "--namespace", "shop", "--replicas", "5")
    job = lab.night()
    step = job.step()
    assert (step.exit_code, step.outputs["result"], step.outputs["drifted"]) == (1, "drifted", "1")
    (issue,) = github.issues.values()
    assert step.outputs["issue-number"] == str(issue["number"])
    assert "spec.replicas" in issue["body"]
    assert "spec.replicas" in job.summary

    lab.cluster.kubectl("scale", "deployment", "web", "--namespace", "shop", "--replicas", "3")
    assert lab.night().step().exit_code == 0
    assert issue["state"] == "closed"
