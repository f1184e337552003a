"""Everything a finished report is told to: the pull request's comment, the drift issue, the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from entrypoints.events import Decision, HeadBranch
from entrypoints.identity import Marker, content_digest, target_identity
from entrypoints.inputs import Inputs
from entrypoints.publish import annotations as log
from entrypoints.publish.chat import send
from entrypoints.publish.comment import CommentWish, publish_comment
from entrypoints.publish.drift_issue import Finding, IssueOutcome, IssueWish, keep_issue
from entrypoints.publish.github_api import GitHubApi, GitHubError
from entrypoints.runner import Runner
from entrypoints.texts import Texts
from entrypoints.totals import reports_of, totals
from tazuna_core.report.chat import chat_event
from tazuna_core.report.digest import digest, drift_fingerprint
from tazuna_core.report.exit_code import DEFAULT_FAILING, failing_classes
from tazuna_core.report.model import Report, Reports

DRIFT = "state drift"
_LONGEST_TITLE = 240


@dataclass(frozen=True, slots=True)
class Published:
    """What was told to whom, as outputs have it. ``failed``: somebody should have been told and was not."""

    comment_posted: bool = False
    comment_url: str = ""
    issue_number: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publishes the report of one step."""

    inputs: Inputs
    runner: Runner
    texts: Texts
    api: GitHubApi

    def publish(self, report: Report | Reports, decision: Decision) -> Published:
        """Tells everybody who is to be told; what can't be told is a notice or a warning in the log."""
        for text in decision.notices:
            log.notice(text)
        comment = self._comment(report, decision)
        checks = [one for one in reports_of(report) if one.command == DRIFT]
        issue = self._issue(report, checks) if checks and self.inputs.drift_issue else IssueOutcome("none")
        chatted = not self.inputs.slack_webhook_url or self._chat(report, checks, issue.previous)
        return replace(
            comment,
            issue_number=str(issue.number or ""),
            failed=comment.failed or issue.action == "failed" or not chatted,
        )

    @property
    def identity(self) -> str:
        """Whose comment and issue it is."""
        inputs = self.inputs
        return inputs.comment_id or target_identity(
            workflow=self.runner.workflow,
            job=self.runner.job,
            matrix=self.runner.matrix,
            files=[str(file) for file in inputs.file],
            environment=inputs.environment,
            tags=inputs.tags,
            context=inputs.context or "",
        )

    def _comment(self, report: Report | Reports, decision: Decision) -> Published:
        if self.inputs.comment == "never":
            return Published()
        number = decision.pull_request
        if decision.head_branch is not None:
            number = self._pull_request_of(decision.head_branch, number)
        if number is None:
            return Published()
        outcome = publish_comment(self.api, self._wish(number, report, decision))
        if outcome.action == "failed":
            log.warning(outcome.note)
        elif outcome.note:
            log.notice(outcome.note)
        return Published(outcome.posted, outcome.url, failed=outcome.action in ("failed", "forbidden"))

    def _issue(self, report: Report | Reports, checks: Sequence[Report]) -> IssueOutcome:
        outcome = keep_issue(
            self.api,
            IssueWish(
                marker=self._marker(drift_fingerprint(Reports(reports=tuple(checks)))),
                finding=self._finding(checks),
                title=_title(checks[0]),
                today=datetime.fromtimestamp(self.api.clock.now(), UTC).date(),
                labels=self.inputs.drift_issue_labels,
                assignees=self.inputs.drift_issue_assignees,
                render=lambda limit: self.texts.markdown(report, limit=limit, full_report=self.runner.run_url),
                language=self.inputs.language,
                link=self.runner.run_url,
            ),
        )
        if outcome.action == "failed":
            log.warning(outcome.note)
        elif outcome.note:
            log.notice(outcome.note)
        return outcome

    def _finding(self, checks: Sequence[Report]) -> Finding:
        wished = failing_classes(DRIFT, self.inputs.fail_on_drift) or DEFAULT_FAILING[DRIFT]
        if any(wished.intersection(obj.classes) for one in checks for _, obj in one.objects()):
            return "drift"
        return "unknown" if any(one.result in ("error", "incomplete") for one in checks) else "clean"

    def _chat(self, report: Report | Reports, checks: Sequence[Report], previous: str | None) -> bool:
        """Sends what there is to say. Of other commands than drift only errors: their changes are nobody's drift."""
        subject = Reports(reports=tuple(checks)) if checks else report
        event = chat_event(subject, previous)
        if event is None or (not checks and event != "error"):
            return True
        message = self.texts.chat(report, event, self.runner.run_url)
        problem = send(self.inputs.slack_webhook_url, message, self.api.clock.sleep)
        if problem:
            log.warning(f"The chat message was not sent: {problem}.")
        return not problem

    def _marker(self, digest_of_content: str) -> Marker:
        return Marker(
            id=self.identity,
            sha=self.runner.sha,
            run=self.runner.run_id,
            attempt=self.runner.run_attempt,
            digest=digest_of_content,
        )

    def _wish(self, number: int, report: Report | Reports, decision: Decision) -> CommentWish:
        header = self.inputs.comment_header
        content = content_digest("\n".join([digest(report), self.inputs.language, header]))
        marker = self._marker(content)
        if decision.head_sha:
            marker = replace(marker, sha=decision.head_sha)
        return CommentWish(
            number=number,
            marker=marker,
            render=lambda limit: self.texts.markdown(
                report, limit=limit, header=header, full_report=self.runner.run_url
            ),
            head_sha=decision.head_sha,
            create=self.inputs.comment == "always" or totals(report).result != "clean",
        )

    def _pull_request_of(self, head: HeadBranch, wished: int | None) -> int | None:
        """The pull request whose head is the commit that the first workflow ran on: a number alone proves nothing."""
        try:
            if wished is not None:
                found = [self.api.pull_request(wished)]
            else:
                found = list(self.api.open_pull_requests_of(head.owner, head.branch))
        except GitHubError as error:
            log.warning(f"The pull request of {head.sha[:12]} could not be found. {error}")
            return None
        numbers = [int(one["number"]) for one in found if (one.get("head") or {}).get("sha") == head.sha]
        if len(numbers) != 1:
            log.notice(f"{len(numbers)} open pull requests have {head.sha[:12]} as their head: no comment.")
            return None
        return numbers[0]


def _title(report: Report) -> str:
    target = report.target
    place = " · ".join(filter(None, [target.file, target.environment, target.context or ""]))
    # A title is no markdown, yet a mention or a reference in it would still be one (B30).
    quiet = "".join(f"{one}\u200b" if one in "@#" else one for one in f"Drift: {place}" if one.isprintable())
    return quiet[:_LONGEST_TITLE]
