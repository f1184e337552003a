"""The only client of GitHub: complete lists only, a retry only where it is safe, all at the host of GITHUB_API_URL."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from github import Auth, Github, GithubException

JSON = Mapping[str, Any]

_PER_PAGE = 100
_MOST_PAGES = 1000
_ATTEMPTS = 4
_SECONDS_PER_REQUEST = 30
_LONGEST_WAIT = 120.0
"""Seconds that all waits of one step may take together; a limit that lasts longer is reported and not waited for."""
_SECONDARY_WAIT = 60.0  # GitHub's documentation: wait at least a minute when a secondary limit names no time
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="next"')
_INSTALLATION_TOKEN = "ghs_"  # noqa: S105 -- the public prefix of a kind of token
_USER_TOKENS = ("ghp_", "gho_", "ghu_", "github_pat_")


class GitHubError(Exception):
    """GitHub said no, or nothing. ``status`` is 0 when there was no answer; ``message`` is GitHub's own words."""

    def __init__(self, status: int, message: str, *, unsure: bool = False) -> None:
        super().__init__(f"GitHub answered {status}: {message}" if status else f"GitHub did not answer: {message}")
        self.status = status
        self.message = message
        self.unsure = unsure
        """True when a write may have been done although the answer was lost."""

    @property
    def may_not_write(self) -> bool:
        """Whether the token, or the state of the conversation, forbids the write: no error of the run."""
        return self.status in (403, 404, 410) and "rate limit" not in self.message.lower()


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, as a collaborator: seconds since the epoch, and a sleep."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class GitHubApi:
    """Requests about one repository (``owner/name``)."""

    api_url: str
    graphql_url: str
    repository: str
    token: str = field(repr=False)
    clock: Clock = field(default_factory=Clock)
    _waited: float = 0.0
    _client: Github | None = field(default=None, repr=False)

    def comments(self, number: int) -> list[JSON]:
        """All comments of an issue or pull request, oldest first."""
        return list(self._all(f"/repos/{self.repository}/issues/{number}/comments"))

    def create_comment(self, number: int, body: str) -> JSON:
        """Writes a comment. After a lost answer (``unsure``) it may be there: look before writing again."""
        return self._write("POST", f"/repos/{self.repository}/issues/{number}/comments", {"body": body})

    def update_comment(self, comment_id: int, body: str) -> JSON:
        """Replaces the text of a comment."""
        return self._write("PATCH", f"/repos/{self.repository}/issues/comments/{comment_id}", {"body": body})

    def pull_request(self, number: int) -> JSON:
        """One pull request."""
        return self._one(f"/repos/{self.repository}/pulls/{number}")

    def open_pull_requests_of(self, owner: str, branch: str) -> list[JSON]:
        """All open pull requests from ``owner``'s branch, forks included."""
        return list(self._all(f"/repos/{self.repository}/pulls", state="open", head=f"{owner}:{branch}"))

    def issues(self, label: str) -> list[JSON]:
        """All issues with the label, open and closed, pull requests left out."""
        found = self._all(f"/repos/{self.repository}/issues", state="all", labels=label)
        return [issue for issue in found if "pull_request" not in issue]

    def create_issue(self, title: str, body: str, labels: list[str], assignees: list[str]) -> JSON:
        """Opens an issue; a label that does not exist yet is made by GitHub."""
        data: dict[str, Any] = {"title": title, "body": body, "labels": labels}
        if assignees:
            data["assignees"] = assignees
        return self._write("POST", f"/repos/{self.repository}/issues", data)

    def update_issue(self, number: int, **changes: str) -> JSON:
        """Changes fields of an issue: ``title``, ``body``, ``state``, ``state_reason``."""
        return self._write("PATCH", f"/repos/{self.repository}/issues/{number}", changes)

    def login(self) -> str | None:
        """The login that this token writes as; None when GitHub does not tell it to this kind of token."""
        # An installation's token (GITHUB_TOKEN is one) may not ask /user, but its GraphQL viewer is itself.
        asks = [self._login_by_rest, self._login_by_graphql]
        for ask in asks[1:] if self.token.startswith(_INSTALLATION_TOKEN) else asks:
            try:
                return ask()
            except GitHubError as error:
                if error.status not in (401, 403, 404):
                    raise
        return None

    @property
    def is_users_token(self) -> bool:
        """Whether the token is a person's, by its public prefix."""
        return self.token.startswith(_USER_TOKENS)

    def _login_by_rest(self) -> str:
        return str(self._one("/user")["login"])

    def _login_by_graphql(self) -> str:
        _, answer = self._send("POST", self.graphql_url, {"query": "query { viewer { login } }"}, safe=True)
        viewer = (answer.get("data") or {}).get("viewer") or {}
        if not viewer.get("login"):
            raise GitHubError(403, "GraphQL does not tell the viewer")
        return str(viewer["login"])

    def _one(self, path: str) -> JSON:
        _, answer = self._send("GET", path, None, safe=True)
        return _object(answer)

    def _all(self, path: str, **parameters: str) -> Iterator[JSON]:
        url = f"{path}?{urlencode({'per_page': str(_PER_PAGE), **parameters}, quote_via=quote)}"
        for _ in range(_MOST_PAGES):
            headers, answer = self._send("GET", url, None, safe=True)
            if not isinstance(answer, list):
                raise GitHubError(200, "a list was expected")
            yield from answer
            following = _NEXT.search(headers.get("link", ""))
            if following is None:
                return
            url = following.group(1)
        raise GitHubError(200, f"more than {_MOST_PAGES} pages")

    def _write(self, method: str, path: str, data: Any) -> JSON:
        # The same PATCH twice leaves what one leaves; a second POST would be a second comment.
        _, answer = self._send(method, path, data, safe=method == "PATCH")
        return _object(answer)

    def _send(self, method: str, url: str, data: Any, *, safe: bool) -> tuple[Mapping[str, str], Any]:
        """Sends one request, again where that is right: a refused one was not done, a lost one only if ``safe``."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                headers, answer = self._requester().requestJsonAndCheck(method, url, input=data)
                return headers, answer
            except GithubException as error:
                said = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
                message = _message(error.data)
                limit = _limit_wait(error.status, said, message, self.clock.now())
                wait = limit if limit is not None else _backoff(attempt) if error.status >= 500 and safe else None
                failure = GitHubError(error.status, message, unsure=error.status >= 500)
            except (OSError, AssertionError, RuntimeError) as error:  # no answer in time; an address of another host
                wait = _backoff(attempt) if safe and isinstance(error, OSError) else None
                failure = GitHubError(0, type(error).__name__, unsure=not safe)
            if wait is None or attempt == _ATTEMPTS or not self._wait(wait):
                raise failure
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, seconds: float) -> bool:
        if self._waited + seconds > _LONGEST_WAIT:
            return False
        self._waited += seconds
        self.clock.sleep(seconds)
        return True

    def _requester(self) -> Any:
        if self._client is None:
            # Retries are decided above: the library's own would send a lost POST again.
            self._client = Github(
                auth=Auth.Token(self.token) if self.token else None,
                base_url=self.api_url,
                timeout=_SECONDS_PER_REQUEST,
                user_agent="tazuna-action",
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
            )
        return self._client.requester


def _limit_wait(status: int, headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Seconds to wait when the answer is one of GitHub's limits (429, or 403 that says so); None when it is not."""
    if status not in (403, 429):
        return None
    retry_after = headers.get("retry-after", "")
    if retry_after.isdigit():
        return float(retry_after)
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdigit():
        return max(0.0, int(headers["x-ratelimit-reset"]) - now) + 1.0
    if status == 429 or "secondary rate limit" in message.lower():
        return _SECONDARY_WAIT
    return None


def _backoff(attempt: int) -> float:
    return float(2 ** (attempt - 1))


def _message(data: Any) -> str:
    text = data.get("message") if isinstance(data, Mapping) else data
    return " ".join(str(text or "no reason given").split())[:300]


def _object(answer: Any) -> JSON:
    if not isinstance(answer, Mapping):
        raise GitHubError(200, "an object was expected")
    return answer
