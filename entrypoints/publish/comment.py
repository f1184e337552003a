"""Keeps one comment per target on a pull request: finds its own by marker and author, and never writes without need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from entrypoints.events import RECIPE
from entrypoints.identity import Marker
from entrypoints.publish.github_api import JSON, GitHubApi, GitHubError
from entrypoints.publish.own import own_ids

LIMIT_BYTES = 65_000
"""GitHub takes 65,536 characters; bytes are counted, so that no way of counting characters matters."""

Action = Literal["created", "updated", "unchanged", "skipped", "forbidden", "failed"]


@dataclass(frozen=True, slots=True)
class CommentWish:
    """What is to be on the pull request. ``render`` gives the text below the marker within a number of bytes."""

    number: int
    marker: Marker
    render: Callable[[int], str]
    head_sha: str = ""
    """The pull request's head that this run is about; a run about another one is late, and writes nothing."""
    create: bool = True


@dataclass(frozen=True, slots=True)
class CommentOutcome:
    """What became of it: ``note`` tells people why when the comment does not show this report."""

    action: Action
    url: str = ""
    note: str = ""

    @property
    def posted(self) -> bool:
        """Whether the comment on the pull request shows this run's report."""
        return self.action in ("created", "updated", "unchanged")


def publish_comment(api: GitHubApi, wish: CommentWish) -> CommentOutcome:
    """Creates or updates the comment, with the fewest requests; GitHub's refusals come back as an outcome."""
    try:
        return _publish(api, wish)
    except GitHubError as error:
        if error.may_not_write:
            return CommentOutcome("forbidden", note=_forbidden(wish.number, error))
        return CommentOutcome("failed", note=f"The comment on #{wish.number} could not be written. {error}")


def _publish(api: GitHubApi, wish: CommentWish) -> CommentOutcome:
    ours = _find(api, wish)
    if ours is None and not wish.create:
        return CommentOutcome("skipped", note="Nothing to say, and no comment that says otherwise.")
    if ours is not None:
        comment, marker = ours
        url = str(comment.get("html_url", ""))
        if marker.newer_than(wish.marker):
            return CommentOutcome("skipped", url, f"A newer run ({marker.run}) has commented; this one leaves it.")
        if marker.digest == wish.marker.digest:
            return CommentOutcome("unchanged", url)
    if _is_late(api, wish):
        return CommentOutcome("skipped", note="The pull request has a newer commit; its own run comments on it.")
    if ours is None:
        return _create(api, wish)
    try:
        written = api.update_comment(int(ours[0]["id"]), _body(wish))
    except GitHubError as error:
        if error.status != 404:
            raise
        return _create(api, wish)  # deleted since it was listed
    return CommentOutcome("updated", str(written.get("html_url", "")))


def _create(api: GitHubApi, wish: CommentWish) -> CommentOutcome:
    try:
        written = api.create_comment(wish.number, _body(wish))
    except GitHubError as error:
        # The answer was lost, the comment maybe not: look, and never write a second one.
        ours = _find(api, wish) if error.unsure else None
        if ours is None or ours[1] != wish.marker:
            raise
        written = ours[0]
    return CommentOutcome("created", str(written.get("html_url", "")))


def _body(wish: CommentWish) -> str:
    line = wish.marker.line()
    return f"{line}\n{wish.render(LIMIT_BYTES - len(line.encode()) - 1)}"


def _find(api: GitHubApi, wish: CommentWish) -> tuple[JSON, Marker] | None:
    """Our newest comment. Older duplicates (two first runs at once) are left as they are: they keep their own date."""
    candidates = []
    for comment in api.comments(wish.number):
        marker = Marker.read(str(comment.get("body") or ""))
        if marker is not None and marker.id == wish.marker.id:
            candidates.append((comment, marker))
    ours = own_ids([comment for comment, _ in candidates], api)
    return max(
        (pair for pair in candidates if pair[0]["id"] in ours), key=lambda pair: int(pair[0]["id"]), default=None
    )


def _is_late(api: GitHubApi, wish: CommentWish) -> bool:
    """Whether the pull request has moved on: by run number alone, a late run could undo a newer one that was silent."""
    if not wish.head_sha:
        return False
    try:
        head = api.pull_request(wish.number).get("head") or {}
    except GitHubError as error:
        if error.may_not_write:
            return False  # not allowed to know
        raise
    return head.get("sha") not in (wish.head_sha, None)


def _forbidden(number: int, error: GitHubError) -> str:
    if "locked" in error.message.lower():
        return f"#{number} is locked, so nothing was commented; the report is in the step summary."
    return (
        f"This token may not comment on #{number} ({error}); the report is in the step summary and in the files."
        " In a repository's own branch the job needs `permissions: pull-requests: write`; a fork's or Dependabot's"
        f" run never gets it. {RECIPE}"
    )
