"""A whole step in one process: commands stand in, texts, files, GitHub and the runner's files are real."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from entrypoints.commands import Call
from entrypoints.events import Checkout
from entrypoints.publish.github_api import GitHubApi
from entrypoints.runner import read_runner
from entrypoints.step import Collaborators, run_step
from entrypoints.texts import CoreTexts
from tazuna_core.build.process import MissingProgramError
from tazuna_core.errors import BuildError, ClusterError, RefusedError, TazunaError, UsageError
from tazuna_core.operations.check import check
from tazuna_core.operations.options import Options
from tazuna_core.report.model import ErrorLine, Report, load_report
from tests.github.fake_github import FakeGitHub
from tests.github.fake_webhook import FakeWebhook
from tests.github.reports import failed, partial, report

HEAD, MERGE = "b" * 40, "c" * 40
Answer = Report | Exception


@dataclass
class Commands:
    """Answers by command; keeps the calls."""

    answers: dict[str, Answer]
    said: str = ""
    calls: list[Call] = field(default_factory=list)

    def run(self, call: Call) -> Report:
        self.calls.append(call)
        print(self.said, end="")
        answer = self.answers[call.command]
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Done:
    """What the runner sees after the step."""

    code: int
    outputs: dict[str, str]
    summary: str
    commands: Commands
    folder: Path
    log: str

    def json(self) -> dict[str, Any]:
        """The JSON report."""
        loaded: dict[str, Any] = json.loads((self.folder / "tazuna-report.json").read_text())
        return loaded


Step = Callable[..., Done]


@pytest.fixture
def step(
    tmp_path: Path,
    github: FakeGitHub,
    client: Callable[[FakeGitHub], GitHubApi],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Step]:
    output, summary, temp = tmp_path / "output", tmp_path / "summary", tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))  # the toolkit looks it up itself

    def run(
        answers: Answer | dict[str, Answer] | None = None,
        *,
        event: str = "pull_request",
        payload: dict[str, Any] | None = None,
        said: str = "",
        environment: dict[str, str] | None = None,
        before: str = "",
        **inputs: str,
    ) -> Done:
        output.write_text("")
        summary.write_text(before)
        event_file = tmp_path / "event.json"
        event_file.write_text(json.dumps(pull_request() if payload is None else payload))
        commands = Commands(
            answers if isinstance(answers, dict) else dict.fromkeys(("plan", "drift", "diff", "check"), answers),  # type: ignore[arg-type]
            said,
        )
        variables = {
            **github.environment(),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(event_file),
            "GITHUB_SHA": MERGE,
            "GITHUB_RUN_ID": "200",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKFLOW": "plan",
            "GITHUB_JOB": "plan",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "RUNNER_TEMP": str(temp),
            "GITHUB_WORKSPACE": str(tmp_path),
            "KUBECONFIG": "some",
            "TAZUNA_INPUT_GITHUB_TOKEN": github.token,
            **{f"TAZUNA_INPUT_{name.upper()}": value for name, value in inputs.items()},
            **(environment or {}),
        }
        code = run_step(
            variables,
            read_runner(variables, tmp_path),
            Collaborators(commands, CoreTexts, lambda: Checkout(MERGE, ("a" * 40, HEAD)), lambda _: client(github)),
        )
        return Done(code, outputs_of(output), summary.read_text(), commands, temp, capsys.readouterr().out)

    yield run


def pull_request(number: int = 7) -> dict[str, Any]:
    repository = {"full_name": "octo-org/gitops"}
    head = {"sha": HEAD, "ref": "feature", "repo": repository}
    base = {"sha": "a" * 40, "ref": "main", "repo": repository}
    return {"number": number, "pull_request": {"number": number, "head": head, "base": base}}


def outputs_of(path: Path) -> dict[str, str]:
    """Reads GITHUB_OUTPUT as the runner does: name<<delimiter, lines, delimiter."""
    values: dict[str, str] = {}
    lines = iter(path.read_text().splitlines())
    for line in lines:
        name, delimiter = line.split("<<", 1)
        value = []
        for inner in lines:
            if inner == delimiter:
                break
            value.append(inner)
        values[name] = "\n".join(value)
    return values


def test_pull_request_with_changes(step: Step, github: FakeGitHub) -> None:
    done = step(report("plan", "modified", "added", "drifted"))
    assert done.code == 0
    expected = {"result": "drifted", "exit-code": "0", "changed": "true", "added": "1", "modified": "1"}
    expected |= {"removed": "0", "drifted": "1", "missing": "0", "conflicts": "0", "unchecked": "0"}
    expected |= {"comment-posted": "true", "comment-url": github.comments[7][0]["html_url"], "repo-commit": "b" * 40}
    assert expected.items() <= done.outputs.items()
    assert Path(done.outputs["html-path"]).is_file()
    body = github.comments[7][0]["body"]
    assert "spec.replicas" in body
    assert "spec.replicas" in done.summary
    (call,) = done.commands.calls
    assert (call.command, call.against, str(call.options.file)) == ("plan", "live", "tazuna.yaml")


def test_b14_the_report_is_whole_and_equal_for_equal_input(step: Step) -> None:
    first = (step(report("plan", "modified")).folder / "tazuna-report.json").read_bytes()
    second = (step(report("plan", "modified")).folder / "tazuna-report.json").read_bytes()
    assert first == second
    assert load_report(first) == report("plan", "modified")


def test_b23_b25_one_comment_follows_the_pull_request(step: Step, github: FakeGitHub) -> None:
    assert step(report("plan")).outputs["comment-posted"] == "false"
    assert github.comments[7] == []
    step(report("plan", "modified", seconds=1.0))
    assert step(report("plan", "modified", seconds=9.9)).outputs["comment-posted"] == "true"
    assert [one.method for one in github.writes()] == ["POST"]
    done = step(report("plan"))
    assert [one.method for one in github.writes()] == ["POST", "PATCH"]
    assert done.outputs["comment-posted"] == "true"
    assert "No changes detected." in github.comments[7][0]["body"]


def test_b40_other_warnings_are_no_other_content(step: Step, github: FakeGitHub) -> None:
    step(report("plan", "modified", warnings=(ErrorLine(code="w", message="one"),)))
    step(report("plan", "modified", warnings=(ErrorLine(code="w", message="two"),)))
    assert [one.method for one in github.writes()] == ["POST"]


def test_comment_always_and_never(step: Step, github: FakeGitHub) -> None:
    step(report("plan", "modified"), comment="never")
    assert github.requests == []
    step(report("plan"), comment="always")
    assert [one.method for one in github.writes()] == ["POST"]


@pytest.mark.parametrize("fail_on_drift", ["true", "false"])
@pytest.mark.parametrize(
    ("answer", "failing", "code"),
    [
        (report("plan"), False, 0),
        (report("plan", "added"), False, 0),
        (report("plan", "drifted"), True, 1),
        (report("plan", "missing"), True, 1),
        (BuildError("kustomize failed"), False, 3),
        (ClusterError("no route to host"), False, 4),
        (partial("plan"), False, 4),
        (partial("plan", "drifted"), False, 4),
        (failed("plan", 4), False, 4),
        (UsageError("bad tazuna.yaml"), False, 2),
        (RefusedError("locked"), False, 5),
        (KeyError("a defect"), False, 70),
    ],
)
def test_b55_b67_drift_and_errors_never_share_a_code(
    step: Step, answer: Answer, failing: bool, code: int, fail_on_drift: str
) -> None:
    done = step(answer, fail_on_drift=fail_on_drift)
    assert done.code == (0 if failing and fail_on_drift == "false" else code)
    assert done.outputs["exit-code"] == str(done.code)
    assert (done.outputs["result"] == "error") == (
        (code not in (0, 1) and not isinstance(answer, Report)) or answer == failed("plan", 4)
    )
    if done.code == 1:
        assert done.outputs["changed"] == "true"
        assert sum(len(one["classes"]) for manifest in done.json()["manifests"] for one in manifest["objects"])


def test_b56_outputs_are_there_when_drift_fails_the_step(step: Step) -> None:
    done = step(report("state drift", "drifted"), event="schedule", payload={}, fail_on_drift="true", command="drift")
    assert done.code == 1
    assert (done.outputs["result"], done.outputs["changed"], done.outputs["drifted"]) == ("drifted", "true", "1")
    assert Path(done.outputs["report-path"]).is_file()


@pytest.mark.parametrize("classes", ["added", "added, drifted", "conflict missing"])
def test_fail_on_named_classes(step: Step, classes: str) -> None:
    assert step(report("plan", "added", "conflict"), fail_on_drift=classes).code == 1
    assert step(report("plan", "modified"), fail_on_drift=classes).code == 0


def test_schedule_runs_drift_then_diff(step: Step, github: FakeGitHub) -> None:
    answers: dict[str, Answer] = {"drift": report("state drift", "drifted"), "diff": report("state diff", "added")}
    done = step(answers, event="schedule", payload={})
    assert [one["command"] for one in done.json()["reports"]] == ["state drift", "state diff"]
    assert (done.outputs["drifted"], done.outputs["added"], done.outputs["result"]) == ("1", "1", "drifted")
    assert github.requests == []


def test_schedule_without_the_programs_of_a_build_is_drift_alone(step: Step) -> None:
    answers: dict[str, Answer] = {"drift": report("state drift"), "diff": MissingProgramError("web needs kustomize")}
    done = step(answers, event="schedule", payload={})
    assert (done.code, done.json()["command"]) == (0, "state drift")
    assert step(answers, event="push", payload={}).code == 3  # here diff is what was asked for


def test_several_files_are_one_report(step: Step) -> None:
    done = step(report("plan", "added"), file="a.yaml\nb.yaml", tags="net, dns", context="prod", environment="")
    assert [str(call.options.file) for call in done.commands.calls] == ["a.yaml", "b.yaml"]
    assert done.commands.calls[0].options.tags == ("net", "dns")
    assert done.outputs["added"] == "2"


def test_b12_the_summary_stays_below_its_limit(step: Step) -> None:
    big = report("plan", "modified", "added", value="\n".join(f"line {number}" for number in range(25_000)))
    done = step(big, before="y" * 900_000)
    assert done.summary.startswith("y" * 900_000)
    assert 1_000_000 < len(done.summary.encode()) < 1_048_576
    assert "/actions/runs/200" in done.summary
    full = step(big, before="y" * 1_048_500)
    assert full.summary == "y" * 1_048_500


def test_b01_b07_a_large_diff_is_one_small_comment(step: Step, github: FakeGitHub) -> None:
    done = step(report("plan", "modified", value="é\n" * 150_000), comment_header="Read me")
    assert done.code == 0
    (write,) = github.writes()
    assert 58_500 < len(write.body["body"].encode()) <= 65_000
    assert f"{github.server_url}/octo-org/gitops/actions/runs/200" in write.body["body"]
    assert all(len(value) < 1000 for value in done.outputs.values())


def test_b45_outputs_hold_exactly_what_is_meant(step: Step) -> None:
    evil = "EOF\nx=1\nresult<<EOF\nclean\nEOF"
    done = step(report("plan", "modified", value=evil), report_path="out/a=b.json")
    assert set(done.outputs) <= {
        *("result", "exit-code", "changed", "added", "modified", "removed", "drifted", "missing", "conflicts"),
        *("unchecked", "report-path", "html-path", "comment-posted", "comment-url", "issue-number", "repo-commit"),
        "applied",
    }
    assert done.outputs["result"] == "changed"


def test_what_commands_print_is_not_obeyed(step: Step) -> None:
    done = step(report("plan"), said="::error::fooled\n::add-mask::x\nunfinished ::warning::")
    token = re.search(r"::stop-commands::(\w+)\n", done.log)
    assert token is not None
    fenced = done.log.split(token[0], 1)[1].split(f"\n::{token[1]}::\n", 1)
    assert "::error::fooled" in fenced[0]
    assert "fooled" not in fenced[1]


def test_lints_are_annotations_of_the_lines_in_their_own_files(
    step: Step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n    - {name: c, image: app}\n"
    (tmp_path / "infra/apps").mkdir(parents=True)
    (tmp_path / "infra/apps/pod.yaml").write_text(pod)
    (tmp_path / "infra/tazuna.yaml").write_text("spec: {manifests: [{name: a, type: directory, path: apps}]}\n")
    monkeypatch.chdir(tmp_path)
    done = step(check(Options(file=Path("infra/tazuna.yaml"))), command="check", file="infra/tazuna.yaml")
    assert done.code == 0
    title = "title=tazuna%3A image-tag,"
    assert re.findall(r"^::warning (.*?)::Pod/p: the image 'app'", done.log, re.MULTILINE) == [
        f"{title}file=infra/apps/pod.yaml,line=6,endLine=,col=,endColumn="
    ]


def test_what_somebody_changed_in_the_cluster_is_annotated_where_it_is_declared(step: Step) -> None:
    secret = "hunter2"
    found = report("plan", "drifted", "conflict", value=secret)
    (manifest,) = found.manifests
    placed = tuple(
        obj.model_copy(update={"file": "web/all.yaml", "line": 10 * (number + 1)})
        for number, obj in enumerate(manifest.objects)
    )
    found = found.model_copy(update={"manifests": (manifest.model_copy(update={"objects": placed}),)})
    done = step(found)
    lines = [line for line in done.log.splitlines() if line.startswith("::warning")]
    assert [re.findall(r"file=([^,]*),line=(\d+)", line) for line in lines] == [
        [("web/all.yaml", "10")],
        [("web/all.yaml", "20")],
    ]
    assert "Deployment/shop/drifted: changed in the cluster at spec.replicas (manager unknown)" in lines[0]
    assert secret not in "".join(lines)
    assert "::warning" not in step(found, annotations="false").log
    assert "クラスターで spec.replicas" in step(found, language="ja").log


def test_an_error_of_a_manifest_is_one_annotation_of_its_place(step: Step) -> None:
    line = ErrorLine(code="spec", message="bad\n::error::fooled%0A", file="a,b.yaml", line=3, exit_code=2)
    done = step(report("plan", result="error", errors=(line,)))
    assert "file=a%2Cb.yaml,line=3" in done.log
    assert [one for one in done.log.splitlines() if one.startswith("::error")] == [
        one for one in done.log.splitlines() if "bad%0A" in one
    ]
    plain = step(report("plan", result="error", errors=(line,)), annotations="false")
    assert "file=a" not in plain.log
    assert "a,b.yaml:3: bad" in plain.log


def test_b42_a_defect_shows_no_value(step: Step, github: FakeGitHub) -> None:
    done = step(ValueError("password=hunter2"))
    everything = done.log + done.summary + github.comments[7][0]["body"] + json.dumps(done.json())
    assert done.code == TazunaError.exit_code
    assert "ValueError at test_step.py" in done.log
    assert "hunter2" not in everything


def test_b48_read_only_token(step: Step, github: FakeGitHub) -> None:
    github.fail("POST", r"/comments$", 403, "Resource not accessible by integration", times=9)
    done = step(report("plan", "drifted"))
    assert (done.code, done.outputs["comment-posted"]) == (0, "false")
    assert done.log.count("::notice") == 2  # the reason, and the counts
    assert "spec.replicas" in done.summary
    assert step(report("plan", "drifted"), fail_on_drift="true").code == 1


def test_github_out_of_reach_is_a_warning(step: Step, github: FakeGitHub) -> None:
    github.fail("GET", r"/comments$", 502, times=99)
    done = step(report("plan", "drifted"))
    assert (done.code, done.outputs["comment-posted"]) == (0, "false")
    assert "::warning" in done.log


def test_b52_merge_group(step: Step, github: FakeGitHub) -> None:
    payload = {"merge_group": {"head_sha": MERGE, "base_sha": "a" * 40, "head_ref": "refs/heads/gh-readonly-queue/x"}}
    done = step(report("plan", "drifted"), event="merge_group", payload=payload, fail_on_drift="true")
    assert (done.code, done.outputs["comment-posted"], github.requests) == (1, "false", [])
    assert "spec.replicas" in done.summary


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule", "push", "repository_dispatch", "workflow_call"])
def test_b53_events_without_a_pull_request(step: Step, github: FakeGitHub, event: str) -> None:
    done = step(report("plan", "added"), event=event, payload={})
    assert (done.code, github.requests) == (0, [])
    assert "No pull request" in done.log
    step(report("plan", "added"), event=event, payload={}, pr_number="7")
    assert [one.method for one in github.writes()] == ["POST"]


def test_b63_the_last_line_has_the_counts(step: Step) -> None:
    last = step(report("plan", "modified", "drifted")).log.strip().splitlines()[-1]
    assert last.startswith("::notice")
    assert "1 drifted" in last


def test_b64_header_is_above_and_cannot_break_out(step: Step, github: FakeGitHub) -> None:
    evil = "Owners <!-- x --> </details> ``` @org/team"
    step(report("plan", "modified"), comment_header=evil)
    step(report("plan", "modified"), comment_header=evil)
    (comment,) = github.comments[7]
    assert comment["body"].index("Owners") < comment["body"].index("spec.replicas")
    assert len(github.writes()) == 1
    step(report("plan", "modified"), comment_header="Other")
    assert [one.method for one in github.writes()] == ["POST", "PATCH"]


def test_b69_one_write_at_the_end_and_none_before(step: Step, github: FakeGitHub) -> None:
    step(KeyError("crash"))
    assert len(github.writes()) == 1
    assert "running" not in github.comments[7][0]["body"].lower()


def test_a_wrong_input_is_exit_2_with_outputs(step: Step, github: FakeGitHub) -> None:
    done = step(report("plan"), comment="sometimes")
    assert (done.code, done.outputs["result"], done.commands.calls) == (2, "error", [])
    assert "Input 'comment'" in done.summary
    assert github.requests == []


def test_a_refusal_runs_nothing_and_comments_nothing(step: Step, github: FakeGitHub) -> None:
    payload = pull_request()
    payload["pull_request"]["head"]["repo"] = {"full_name": "mallory/gitops"}
    done = step(report("plan"), event="pull_request_target", payload=payload)
    assert (done.code, done.commands.calls, github.requests) == (5, [], [])
    assert "workflow_run" in done.summary


def test_a_forks_build_is_not_trusted_and_sees_no_token(step: Step) -> None:
    payload = pull_request()
    payload["pull_request"]["head"]["repo"] = {"full_name": "mallory/gitops"}
    (call,) = step(report("plan"), payload=payload).commands.calls
    assert not call.options.trusted
    (own,) = step(report("plan")).commands.calls
    assert own.options.trusted
    assert own.options.environ["KUBECONFIG"] == "some"
    assert not [name for name in own.options.environ if name.startswith("TAZUNA_INPUT_")]


def workflow_run(sha: str = HEAD) -> dict[str, Any]:
    return {
        "workflow_run": {
            "event": "pull_request",
            "head_sha": sha,
            "head_branch": "feature",
            "head_repository": {"full_name": "mallory/gitops", "owner": {"login": "mallory"}},
            "pull_requests": [],
        }
    }


def test_b48_publish_comments_for_a_fork_from_data(step: Step, github: FakeGitHub, tmp_path: Path) -> None:
    github.add_pull(8, HEAD, head="mallory:feature")
    text = step(report("plan", "drifted"), comment="never").folder / "tazuna-report.json"
    before = text.read_bytes()
    done = step(event="workflow_run", payload=workflow_run())
    assert (done.code, done.commands.calls) == (0, [])
    assert "spec.replicas" in github.comments[8][0]["body"]
    assert github.comments[7] == []
    assert text.read_bytes() == before


@pytest.mark.parametrize("number", ["", "7"])
def test_publish_believes_no_number_whose_head_is_another(step: Step, github: FakeGitHub, number: str) -> None:
    github.pulls[7]["head"]["sha"] = "e" * 40
    step(report("plan", "drifted"), comment="never")
    done = step(event="workflow_run", payload=workflow_run(), pr_number=number)
    assert github.writes() == []
    assert "0 open pull requests" in done.log


def test_publish_without_a_report_or_with_none_is_exit_2(step: Step, tmp_path: Path) -> None:
    assert step(event="workflow_run", payload=workflow_run()).code == 2
    (tmp_path / "x.json").write_text('{"schemaVersion": 1, "command": "plan"}')
    done = step(event="workflow_run", payload=workflow_run(), report_path="x.json")
    assert done.code == 2
    assert (tmp_path / "x.json").read_text() == '{"schemaVersion": 1, "command": "plan"}'


def test_publish_that_cannot_publish_is_exit_8(step: Step, github: FakeGitHub) -> None:
    github.add_pull(8, HEAD, head="mallory:feature")
    step(report("plan"), comment="never")
    github.fail("GET", r"/comments$", 502, times=99)
    done = step(event="workflow_run", payload=workflow_run())
    assert (done.code, done.outputs["exit-code"]) == (8, "8")


def test_no_secret_of_the_step_is_in_what_it_prints_or_writes(step: Step, github: FakeGitHub) -> None:
    done = step(report("plan", "modified"), slack_webhook_url="https://hooks.example/T0/secret")
    texts = [path.read_text() for path in done.folder.rglob("*.*") if path.is_file()]
    masked = done.log.replace("::add-mask::https://hooks.example/T0/secret\n", "")
    for text in (masked, done.summary, github.comments[7][0]["body"], *texts):
        assert github.token not in text
        assert "T0/secret" not in text


def test_b58_b60_nights_with_issue_and_chat(step: Step, github: FakeGitHub) -> None:
    with FakeWebhook() as webhook:
        inputs = {"drift_issue": "true", "slack_webhook_url": webhook.url}
        run = iter(range(300, 400))

        def night(answer: Answer) -> Done:
            variables = {"GITHUB_RUN_ID": str(next(run))}
            answers: dict[str, Answer] = {"drift": answer, "diff": report("state diff")}
            return step(answers, event="schedule", payload={}, environment=variables, **inputs)

        drift = report("state drift", "drifted")
        first = night(drift)
        (issue,) = github.issues.values()
        assert first.outputs["issue-number"] == str(issue["number"])
        assert issue["title"] == "Drift: tazuna.yaml · prod"
        assert "spec.replicas" in issue["body"]
        night(drift)
        night(report("state drift", "drifted", "missing"))
        night(ClusterError("no route to host"))
        assert issue["state"] == "open"
        night(report("state drift"))
        assert issue["state"] == "closed"
        night(report("state drift"))
        assert [one["blocks"][0]["text"]["text"] for one in webhook.messages] == [
            one["text"].split(":")[0] for one in webhook.messages
        ]
        assert len(webhook.messages) == 4  # drift, changed drift, error, all clear


def test_a_failing_webhook_is_a_warning_that_does_not_name_it(step: Step) -> None:
    with FakeWebhook(status=500) as webhook:
        answers: dict[str, Answer] = {"drift": report("state drift", "drifted")}
        done = step(answers, event="schedule", payload={}, command="drift", slack_webhook_url=webhook.url)
    assert done.code == 0
    assert "the webhook answered 500" in done.log
    assert webhook.url not in done.log.replace(f"::add-mask::{webhook.url}\n", "")


def test_chat_says_nothing_of_a_plans_changes(step: Step) -> None:
    with FakeWebhook() as webhook:
        step(report("plan", "added"), slack_webhook_url=webhook.url)
        assert webhook.messages == []
        step(ClusterError("no route"), slack_webhook_url=webhook.url)
        assert len(webhook.messages) == 1


def test_b10_one_comment_always_however_big_the_report_was_before(step: Step, github: FakeGitHub) -> None:
    step(report("plan", "modified", value="line\n" * 40_000))
    step(report("plan", "modified"))
    (comment,) = github.comments[7]
    assert len(comment["body"]) < 2_000
    assert [one.method for one in github.writes()] == ["POST", "PATCH"]
