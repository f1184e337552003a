"""The recipes as a runner runs them on a real API server: plans, nights with and without drift, merges, clusters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tazuna_core.operations.apply import apply
from tazuna_core.operations.options import Options
from tests.action.recipes import ROOT, recipe
from tests.action.run_act import ActRun, Job, WorkTree
from tests.action.test_act import pull_request
from tests.action.test_recipes import run_recipe
from tests.github.fake_github import FakeGitHub
from tests.github.fake_webhook import FakeWebhook
from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Tazuna

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
CHANGED = DEPLOYMENT.replace("nginx:1.27", "nginx:1.28")
CRONJOB = ROOT / "examples" / "cronjob"
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
        self.tree = WorkTree(folder / "tree", FILES, with_action=False)
        self.runs = 0
        apply(Options(file=self.tree.folder / "tazuna.yaml", kubeconfig=cluster.kubeconfig))

    def run(self, name: str, event: str, payload: dict[str, Any], **more: Any) -> ActRun:
        """Runs a recipe; nothing of it holds a secret."""
        self.runs += 1
        environment = {"KUBECONFIG": str(self.cluster.kubeconfig), "GITHUB_RUN_ID": str(500 + self.runs)}
        environment |= more.pop("environment", {})
        text = recipe(name)
        run = run_recipe(self.tree, text, event, payload, self.github, self.folder, environment=environment, **more)
        seen = run.text + "".join(
            job.summary + "".join(path.read_text() for path in job.folder.glob("*")) for job in run.jobs.values()
        )
        assert self.github.token not in seen
        assert "hunter2" not in seen
        return run

    def on_pull_request(self, name: str = "pr-plan", **more: Any) -> ActRun:
        """The plan of the checked-out commit."""
        self.github.pulls.pop(7, None)
        self.github.add_pull(7, self.tree.head)
        return self.run(name, "pull_request", pull_request(self.tree), **more)

    def plan(self) -> Job:
        """The only job of the plan."""
        return self.on_pull_request().job("plan")

    def night(self, name: str = "drift-issue", **more: Any) -> Job:
        """A nightly check."""
        return self.run(name, "schedule", {"schedule": "0 3 * * *"}, **more).job("drift")

    def merged(self) -> Job:
        """What happens on a push to main."""
        return self.run("sync-on-merge", "push", {"ref": "refs/heads/main", "after": self.tree.head}).job("sync")

    def image(self) -> str:
        """What is live."""
        path = "jsonpath={.spec.template.spec.containers[0].image}"
        return self.cluster.kubectl("get", "deployment", "web", "--namespace", "shop", "-o", path).stdout

    def scale(self, replicas: int) -> None:
        """Somebody's hand at night."""
        self.cluster.kubectl("scale", "deployment", "web", "--namespace", "shop", f"--replicas={replicas}")


@pytest.fixture
def lab(tmp_path: Path, github: FakeGitHub, cluster: LocalCluster) -> Lab:
    return Lab(tmp_path, github, cluster)


def test_pull_request_shows_its_plan_and_the_drift_it_meets(lab: Lab, github: FakeGitHub) -> None:
    clean = lab.plan().step()
    assert (clean.exit_code, clean.outputs["result"], clean.outputs["comment-posted"]) == (0, "clean", "false")
    assert github.comments[7] == []

    lab.tree.commit({"shop/deployment.yaml": CHANGED})
    lab.scale(5)
    job = lab.plan()
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

    lab.scale(3)
    lab.tree.commit(FILES)
    after = lab.plan().step()
    assert (after.outputs["result"], after.outputs["comment-posted"]) == ("clean", "true")
    assert "No changes detected." in comment["body"]
    assert len(github.comments[7]) == 1


def test_nights_with_drift_and_after_it(lab: Lab, github: FakeGitHub) -> None:
    quiet = lab.night().step()
    assert (quiet.exit_code, quiet.outputs["result"], github.issues) == (0, "clean", {})

    lab.scale(5)
    job = lab.night()
    step = job.step()
    assert (step.exit_code, step.outputs["result"], step.outputs["drifted"]) == (0, "drifted", "1")
    (issue,) = github.issues.values()
    assert step.outputs["issue-number"] == str(issue["number"])
    assert [label["name"] for label in issue["labels"]] == ["drift", "night"]
    assert "spec.replicas" in issue["body"]
    assert "spec.replicas" in job.summary

    with FakeWebhook() as webhook:
        told = lab.night("nightly-drift", secrets={"DRIFT_WEBHOOK": webhook.url})
        assert (told.step().exit_code, told.result) == (1, "failure")
        assert "1 drifted" in str(webhook.messages)

    lab.scale(3)
    assert lab.night().step().exit_code == 0
    assert issue["state"] == "closed"


def test_a_merge_is_applied_and_stops_where_it_would_undo_somebodys_change(lab: Lab) -> None:
    lab.tree.commit({"shop/deployment.yaml": CHANGED})
    step = lab.merged().step()
    assert (step.exit_code, step.outputs["applied"], step.outputs["repo-commit"]) == (0, "3", lab.tree.head)
    assert lab.image() == "nginx:1.28"

    lab.cluster.kubectl("set", "image", "deployment/web", "--namespace", "shop", "web=nginx:1.29")
    lab.tree.commit({"shop/deployment.yaml": DEPLOYMENT})
    refused = lab.merged().step()
    assert (refused.exit_code, refused.result) == (5, "failure")
    assert lab.image() == "nginx:1.29"


def test_two_clusters_are_one_comment(lab: Lab, github: FakeGitHub) -> None:
    config = json.loads(lab.cluster.kubeconfig.read_text())
    (context,) = config["contexts"]
    config["contexts"] = [{**context, "name": name} for name in ("tokyo", "osaka")]
    kubeconfig = lab.folder / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    lab.tree.commit({"shop/deployment.yaml": CHANGED})
    run = lab.on_pull_request("clusters", environment={"KUBECONFIG": str(kubeconfig)})
    step = run.job("report").step()
    assert (step.exit_code, step.outputs["modified"], step.outputs["comment-posted"]) == (0, "2", "true")
    (comment,) = github.comments[7]
    for name in ("tokyo", "osaka"):
        assert f"`{name}`" in comment["body"]
    lab.tree.commit(FILES)


@pytest.mark.parametrize("manifest", ["rbac.yaml", "cronjob.yaml"])
def test_the_cronjob_example_is_valid(cluster: LocalCluster, manifest: str) -> None:
    cluster.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", str(CRONJOB / manifest))


def test_the_cronjobs_account_can_do_its_work_and_nothing_more(lab: Lab, tmp_path: Path) -> None:
    lab.cluster.kubectl("apply", "-f", str(CRONJOB / "rbac.yaml"))
    cronjob = yaml.safe_load((CRONJOB / "cronjob.yaml").read_text())
    (container,) = cronjob["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    account = lab.cluster.kubeconfig_for("system:serviceaccount:tazuna:tazuna-drift")
    tazuna = Tazuna(tmp_path, account)
    assert tazuna(*container["args"]).code == 0
    lab.scale(5)
    found = tazuna(*container["args"])
    assert (found.code, "spec.replicas" in found.stdout) == (1, True)
    lab.scale(3)
    for verb in ("create", "update", "patch", "delete"):
        may = lab.cluster.kubectl("auth", "can-i", verb, "configmaps", "-A", kubeconfig=account, check=False)
        assert may.stdout.strip() == "no"
