"""One step from its facts to its exit code: decide, run, write the files, tell GitHub; collaborators come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from entrypoints.commands import Call, Commands
from entrypoints.events import AUTO, Checkout, Decision, Facts, Wishes, decide
from entrypoints.inputs import Inputs, Language, parse_inputs
from entrypoints.publish import annotations as log
from entrypoints.publish.github_api import GitHubApi
from entrypoints.publish.outputs import write_outputs
from entrypoints.publish.publisher import Published, Publisher
from entrypoints.publish.summary import append_summary
from entrypoints.runner import Runner, read_event
from entrypoints.texts import Texts
from entrypoints.totals import reports_of, step_exit_code, totals
from tazuna_core.build.process import MissingProgramError
from tazuna_core.errors import PublishError, RefusedError, TazunaError, UsageError, worst_exit_code
from tazuna_core.operations.options import Options
from tazuna_core.report.collisions import collisions
from tazuna_core.report.failed import defect_line, failure_report
from tazuna_core.report.model import Report, Reports, Target, load_report

REPORT_NAME = "tazuna-report.json"
_BIGGEST_REPORT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What a step works with; tests bring their own."""

    commands: Commands
    texts: Callable[[Language], Texts]
    checkout: Callable[[], Checkout | None]
    github: Callable[[str], GitHubApi]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the commands came to."""

    report: Report | Reports
    decision: Decision | None = None
    publish_only: bool = False


def run_step(environment: Mapping[str, str], runner: Runner, collaborators: Collaborators) -> int:
    """Runs the whole step and returns its exit code. Nothing is raised: a defect is exit 70 and one line."""
    inputs = Inputs()
    try:
        inputs = parse_inputs(environment)
        log.mask(inputs.slack_webhook_url)
        outcome = _work(inputs, runner, collaborators)
    except Exception as error:
        report = failure_report(inputs.command, _target(inputs.file[0], inputs), error)
        commands = AUTO.get(runner.event_name, ()) if inputs.command == "auto" else (inputs.command,)
        outcome = _Outcome(report, publish_only=commands == ("publish",))
    try:
        return _tell(outcome, inputs, runner, collaborators)
    except Exception as error:
        log.error(defect_line(error).message)
        _outputs(runner, {"exit-code": TazunaError.exit_code})
        return TazunaError.exit_code


def _work(inputs: Inputs, runner: Runner, collaborators: Collaborators) -> _Outcome:
    checkout = collaborators.checkout()
    decision = decide(
        runner.event_name,
        read_event(runner.event_path),
        Facts(
            repository=runner.repository,
            sha=runner.sha,
            checkout=checkout,
            cluster_configured=bool(runner.cluster_configured or inputs.kubeconfig or inputs.context),
        ),
        Wishes(inputs.command, inputs.against, inputs.comment, inputs.pr_number, inputs.allow_untrusted_build),
    )
    if decision.refusal:
        raise RefusedError(decision.refusal)
    if decision.usage_error:
        raise UsageError(decision.usage_error)
    if decision.commands == ("publish",):
        return _Outcome(_read_report(_report_path(inputs, runner)), decision, publish_only=True)
    with log.foreign_output():
        reports = _run_all(inputs, runner, decision, collaborators.commands)
    return _Outcome(reports[0] if len(reports) == 1 else Reports(reports=tuple(reports)), decision)


def _run_all(inputs: Inputs, runner: Runner, decision: Decision, commands: Commands) -> list[Report]:
    reports = []
    for file in inputs.file:
        for command in decision.commands:
            call = Call(
                command=command,
                options=_options(file, inputs, runner, trusted=not decision.untrusted),
                against=decision.against,
                on_drift=inputs.on_drift,
            )
            report = _run(call, inputs, commands)
            if decision.diff_if_buildable and command == "diff" and _is_program_missing(report):
                continue  # a nightly job needs no helm or kustomize: drift alone is its answer
            reports.append(report)
    return reports


def _options(file: Path, inputs: Inputs, runner: Runner, *, trusted: bool) -> Options:
    return Options(
        file=file,
        environment=inputs.environment,
        tags=inputs.tags,
        kubeconfig=inputs.kubeconfig,
        context=inputs.context,
        cache_directory=runner.temp / "tazuna-cache",
        environ=runner.environ,
        trusted=trusted,
    )


def _run(call: Call, inputs: Inputs, commands: Commands) -> Report:
    """One report; an error report where there came none."""
    try:
        return commands.run(call)
    except Exception as error:
        return failure_report(call.command, _target(call.options.file, inputs), error)


def _is_program_missing(report: Report) -> bool:
    missing = MissingProgramError.default_code
    return bool(report.errors) and all(line.code == missing for line in report.errors)


def _read_report(path: Path) -> Report | Reports:
    """Reads another run's report: data of whoever made it, so only its shape is trusted."""
    try:
        if path.stat().st_size > _BIGGEST_REPORT:
            raise UsageError(f"{path} is too big for a report")
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"No report at {path}: {error.strerror}", advice="Set `report-path` to the downloaded report."
        ) from None
    return load_report(text, str(path))


def _report_path(inputs: Inputs, runner: Runner) -> Path:
    return runner.workspace / inputs.report_path if inputs.report_path else runner.temp / REPORT_NAME


def _target(file: Path, inputs: Inputs) -> Target:
    return Target(file=str(file), environment=inputs.environment, context=inputs.context)


def _tell(outcome: _Outcome, inputs: Inputs, runner: Runner, collaborators: Collaborators) -> int:
    report = outcome.report
    texts = collaborators.texts(inputs.language)
    code = step_exit_code(report, inputs.fail_on_drift)
    path = _report_path(inputs, runner)
    _outputs(runner, _facts(report, code) | {"report-path": str(path), "html-path": str(path.with_suffix(".html"))})
    _write_files(path, report, texts, keep_json=outcome.publish_only)
    append_summary(runner.summary_path, lambda limit: texts.markdown(report, limit=limit, full_report=runner.run_url))
    single = reports_of(report)
    log.annotate(
        [line for one in single for line in one.errors],
        [
            line
            for one in single
            for line in (*one.warnings, *(collisions(one, inputs.language) if inputs.annotations else ()))
        ],
        places=inputs.annotations,
    )
    published = Published()
    if outcome.decision is not None:
        publisher = Publisher(inputs, runner, texts, collaborators.github(inputs.github_token))
        published = publisher.publish(report, outcome.decision)
    _outputs(
        runner,
        {
            "comment-posted": published.comment_posted,
            "comment-url": published.comment_url,
            "issue-number": published.issue_number,
        },
    )
    if published.failed and outcome.publish_only:
        code = worst_exit_code((code, PublishError.exit_code))
    _outputs(runner, {"exit-code": code})
    log.notice(texts.headline(report))
    return code


def _facts(report: Report | Reports, code: int) -> dict[str, str | int | bool]:
    sums = totals(report)
    counts = sums.counts
    return {
        "result": sums.result,
        "exit-code": code,
        "changed": sums.changed,
        "added": counts.added,
        "modified": counts.modified,
        "removed": counts.removed,
        "drifted": counts.drifted,
        "missing": counts.missing,
        "conflicts": counts.conflict,
        "unchecked": counts.unchecked,
        "applied": "" if sums.applied is None else sums.applied,
        "repo-commit": next((one.target.commit for one in reports_of(report) if one.target.commit), ""),
    }


def _outputs(runner: Runner, values: Mapping[str, str | int | bool]) -> None:
    if runner.output_path is not None:
        write_outputs(values)


def _write_files(path: Path, report: Report | Reports, texts: Texts, *, keep_json: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not keep_json:
        path.write_text(texts.json(report), encoding="utf-8")
    path.with_suffix(".html").write_text(texts.html(report), encoding="utf-8")
    path.with_suffix(".md").write_text(texts.markdown(report), encoding="utf-8")
