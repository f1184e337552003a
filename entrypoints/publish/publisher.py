"""Everything a finished report is told to: the pull request's comment, the drift issue, the chat."""

from __future__ import annotations

from dataclasses import dataclass

from entrypoints.events import Decision, HeadBranch
from entrypoints.identity import Marker, content_digest, target_identity
from entrypoints.inputs import Inputs
from entrypoints.publish import annotations as log
from entrypoints.publish.comment import CommentWish, publish_comment
from entrypoints.publish.github_api import GitHubApi, GitHubError
from entrypoints.runner import Runner
from entrypoints.texts import Texts
from entrypoints.totals import totals
from tazuna_core.report.digest import digest
from tazuna_core.report.model import Report, Reports


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
        return self._comment(report, decision)

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

    def _wish(self, number: int, report: Report | Reports, decision: Decision) -> CommentWish:
        header = self.inputs.comment_header
        marker = Marker(
            id=self.identity,
            sha=decision.head_sha or self.runner.sha,
            run=self.runner.run_id,
            attempt=self.runner.run_attempt,
            digest=content_digest("\n".join([digest(report), self.inputs.language, header])),
        )
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
