"""The action as a runner runs it: from the event to comment, summary, outputs and exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.action.run_act import ActRun, WorkTree, copy_action, run_act
from tests.github.fake_github import FakeGitHub

WORKFLOW = """
name: plan
on: [pull_request, schedule]
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./
        id: tazuna
"""
KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: nobody
clusters: [{name: nobody, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: nobody, user: {}}]
contexts: [{name: nobody, context: {cluster: nobody, user: nobody}}]
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
FILES = {
    "tazuna.yaml": "spec:\n  manifests:\n    - name: a\n      type: directory\n      path: a\n",
    "a/configmap.yaml": CONFIG_MAP,
    "kubeconfig": KUBECONFIG,
}
BROKEN = FILES | {"tazuna.yaml": FILES["tazuna.yaml"].replace("type", "tpye")}


def pull_request(tree: WorkTree, number: int = 7) -> dict[str, Any]:
    """The parts of a payload that the action reads, about the tree's commit."""
    repository = {"full_name": "octo-org/gitops"}
    return {
        "action": "synchronize",
        "number": number,
        "pull_request": {
            "number": number,
            "head": {"sha": tree.head, "ref": "feature", "repo": repository},
            "base": {"sha": "0" * 40, "ref": "main", "repo": repository},
        },
        "repository": repository,
    }


def on_pull_request(tree: WorkTree, github: FakeGitHub, scratch: Path, workflow: str = WORKFLOW, **more: Any) -> ActRun:
    """Runs the workflow on pull request 7 of a repository whose cluster nobody can reach."""
    github.pulls.pop(7, None)
    github.add_pull(7, tree.head)
    more.setdefault("environment", {"KUBECONFIG": str(tree.folder / "kubeconfig")})
    return run_act(tree, workflow, "pull_request", pull_request(tree), github, scratch, **more)


def test_b56_a_wrong_tazuna_yaml_is_told_everywhere_before_the_step_fails(github: FakeGitHub, tmp_path: Path) -> None:
    run = on_pull_request(WorkTree(tmp_path / "tree", BROKEN), github, tmp_path / "run")
    job = run.job()
    step = job.step()
    assert step.exit_code == 2, run.text
    assert (step.result, job.result) == ("failure", "failure")
    assert (step.outputs["result"], step.outputs["exit-code"], step.outputs["changed"]) == ("error", "2", "false")
    assert step.outputs["comment-posted"] == "true"
    assert job.report["result"] == "error"
    error = [command for command in step.commands if command.name == "error"][-1]
    assert (error.properties["file"], error.properties["line"]) == ("tazuna.yaml", "4")
    (comment,) = github.comments[7]
    assert comment["html_url"] == step.outputs["comment-url"]
    assert comment["body"].startswith("<!-- tazuna-action ")
    assert "tpye" in comment["body"]
    assert "tpye" in job.summary
    assert github.token not in run.text + job.summary + comment["body"]
    assert (job.folder / "tazuna-report.html").stat().st_size > 1000


MATRIX = """
name: plan
on: pull_request
jobs:
  tazuna:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        cluster: [a, a1]
    steps:
      - uses: actions/checkout@v4
      - uses: ./
        id: tazuna
        with:
          context: ${{ matrix.cluster }}
"""


def test_b16_matrix_legs_have_a_comment_each(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    for number in ("1", "2"):
        run = on_pull_request(tree, github, tmp_path / number, MATRIX)
        assert {job.matrix["cluster"] for job in run.jobs.values()} == {"a", "a1"}
        assert {job.step().outputs["comment-posted"] for job in run.jobs.values()} == {"true"}
    assert len(github.comments[7]) == 2
    assert [one.method for one in github.writes()] == ["POST", "POST"]  # the second run says the same


ISOLATION = """
name: isolation
on: pull_request
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          python3 -m venv "$RUNNER_TEMP/mine"
          echo "$RUNNER_TEMP/mine/bin" >> "$GITHUB_PATH"
      - id: before
        run: |
          echo "seen=$(which python) $(python --version) $(pip list | sha256sum) $PATH" >> "$GITHUB_OUTPUT"
      - uses: ./
        id: tazuna
        continue-on-error: true
      - id: after
        run: |
          echo "seen=$(which python) $(python --version) $(pip list | sha256sum) $PATH" >> "$GITHUB_OUTPUT"
          echo "tree=$(git status --porcelain --ignored | tr '\\n' ' ')" >> "$GITHUB_OUTPUT"
          echo "environment=$(env | grep -c -E '^(TAZUNA_INPUT|VIRTUAL_ENV|PYTHONPATH)')" >> "$GITHUB_OUTPUT"
      - uses: ./
        id: again
        continue-on-error: true
"""


def test_b62_the_callers_python_path_and_work_tree_are_left_alone(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    run = on_pull_request(tree, github, tmp_path / "run", ISOLATION, warm=False)
    job = run.job()
    assert job.step("before").outputs["seen"].startswith(str(tmp_path))
    assert job.step("before").outputs["seen"] == job.step("after").outputs["seen"]
    assert job.step("after").outputs["tree"].strip() == ""
    assert job.step("after").outputs["environment"] == "0"
    assert (job.step().exit_code, job.step("again").exit_code) == (2, 2), run.text


NO_PYTHON = """
name: old
on: pull_request
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          mkdir "$RUNNER_TEMP/bin"
          printf '#!/bin/sh\\nexit 127\\n' > "$RUNNER_TEMP/bin/python3"
          for tool in sh env cat cp mkdir; do ln -s "$(command -v $tool)" "$RUNNER_TEMP/bin/$tool"; done
          rm "$RUNNER_TEMP/bin/python3"
      - uses: ./
        id: tazuna
        env:
          PATH: ${{ runner.temp }}/bin
"""


def test_a_runner_without_python_gets_a_sentence(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    run = on_pull_request(tree, github, tmp_path / "run", NO_PYTHON, warm=False)
    (error,) = [one for one in run.job().step().commands if one.name == "error"]
    assert "no python3" in error.message
    assert run.job().step().exit_code == 2


def test_b48_a_token_that_may_not_write_is_a_notice(github: FakeGitHub, tmp_path: Path) -> None:
    github.fail("POST", r"/comments$", 403, "Resource not accessible by integration", times=9)
    tree = WorkTree(tmp_path / "tree", BROKEN)
    job = on_pull_request(tree, github, tmp_path / "run").job()
    step = job.step()
    assert (step.outputs["comment-posted"], step.exit_code) == ("false", 2)
    assert any("Resource not accessible" in one.message for one in step.commands if one.name == "notice")
    assert "tpye" in job.summary


def test_another_commit_than_the_events_is_refused(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    payload = pull_request(tree)
    payload["pull_request"]["head"]["sha"] = "d" * 40
    tree.git("checkout", "--quiet", "--detach")
    workflow = WORKFLOW.replace("[pull_request, schedule]", "pull_request_target")
    run = run_act(tree, workflow, "pull_request_target", payload, github, tmp_path / "run")
    step = run.job().step()
    assert (step.exit_code, step.outputs["exit-code"], step.outputs["comment-posted"]) == (5, "5", "false")
    assert github.requests == []


def test_schedule_runs_drift_and_an_unreachable_cluster_is_never_clean(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", FILES)
    environment = {"KUBECONFIG": str(tree.folder / "kubeconfig")}
    run = run_act(tree, WORKFLOW, "schedule", {}, github, tmp_path / "run", environment=environment)
    job = run.job()
    assert (job.step().exit_code, job.step().outputs["result"]) == (4, "error"), run.text
    assert [one["command"] for one in job.report["reports"]] == ["state drift", "state diff"]
    assert github.requests == []


def test_used_from_another_repository(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN, with_action=False)
    copy_action(tmp_path / "action")
    workflow = WORKFLOW.replace("./", "octo-org/tazuna-action@v1")
    remote = {"octo-org/tazuna-action@v1": tmp_path / "action"}
    run = on_pull_request(tree, github, tmp_path / "run", workflow, remote=remote)
    assert run.job().step().exit_code == 2, run.text
    assert run.job().step().outputs["comment-posted"] == "true"


def test_b52_merge_queue(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    ref = "refs/heads/gh-readonly-queue/main/pr-12-" + "a" * 40
    payload = {"action": "checks_requested", "merge_group": {"head_sha": tree.head, "head_ref": ref}}
    environment = {"KUBECONFIG": str(tree.folder / "kubeconfig"), "GITHUB_REF": ref}
    workflow = WORKFLOW.replace("[pull_request, schedule]", "merge_group")
    run = run_act(tree, workflow, "merge_group", payload, github, tmp_path / "run", environment=environment)
    step = run.job().step()
    assert (step.exit_code, step.outputs["comment-posted"]) == (2, "false"), run.text
    assert "tpye" in run.job().summary
    assert github.requests == []


PUBLISH = """
name: publish
on: workflow_run
jobs:
  tazuna:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cp "$REPORT" "$RUNNER_TEMP/tazuna-report.json"
      - uses: ./
        id: tazuna
"""


def test_b48_a_forks_report_is_published_by_a_second_workflow(github: FakeGitHub, tmp_path: Path) -> None:
    tree = WorkTree(tmp_path / "tree", BROKEN)
    fork = {"full_name": "mallory/gitops", "owner": {"login": "mallory"}}
    payload = pull_request(tree)
    payload["pull_request"]["head"]["repo"] = fork
    github.add_pull(7, tree.head, head="mallory:feature")
    github.fail("POST", r"/comments$", 403, "Resource not accessible by integration")
    environment = {"KUBECONFIG": str(tree.folder / "kubeconfig")}
    first = run_act(tree, WORKFLOW, "pull_request", payload, github, tmp_path / "1", environment=environment).job()
    assert (first.step().exit_code, first.step().outputs["comment-posted"]) == (2, "false")

    run = {"event": "pull_request", "head_sha": tree.head, "head_branch": "feature", "head_repository": fork}
    environment["REPORT"] = str(first.folder / "tazuna-report.json")
    done = run_act(
        tree, PUBLISH, "workflow_run", {"workflow_run": run}, github, tmp_path / "2", environment=environment
    )
    assert done.job().step().outputs["comment-posted"] == "true", done.text
    (comment,) = github.comments[7]
    assert "tpye" in comment["body"]
