"""A GitHub on localhost: comments, issues, pull requests with pages, limits and faults, strict about each request."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.github.openapi import ENTERPRISE, PUBLIC, description

REPOSITORY = "octo-org/gitops"
TOKEN = "ghs_testtoken"
BOT = "github-actions[bot]"


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    time: float


@dataclass
class Fault:
    """An answer in place of the right one, `times` times. With `done` the request is carried out all the same."""

    method: str
    path: re.Pattern[str]
    status: int
    message: str = "Server Error"
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int = 1
    done: bool = False
    seconds: float = 0.0


class FakeGitHub:
    """Use as a context manager; leaving it fails the test when any request was none of GitHub's."""

    def __init__(self, *, base_path: str = "", login: str = BOT, token: str = TOKEN) -> None:
        self.base_path = base_path
        self.login = login
        self.token = token
        self.user_allowed = False
        self.graphql_allowed = True
        self.comments: dict[int, list[dict[str, Any]]] = {}
        self.issues: dict[int, dict[str, Any]] = {}
        self.pulls: dict[int, dict[str, Any]] = {}
        self.locked: set[int] = set()
        self.requests: list[Seen] = []
        self.violations: list[str] = []
        self._faults: list[Fault] = []
        self._next_id = 1000
        self._lock = threading.Lock()
        self._description = description(ENTERPRISE if base_path else PUBLIC)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> FakeGitHub:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        if error is None:
            assert not self.violations, self.violations

    @property
    def server_url(self) -> str:
        """What GITHUB_SERVER_URL would be."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def api_url(self) -> str:
        """What GITHUB_API_URL would be."""
        return self.server_url + self.base_path

    @property
    def graphql_url(self) -> str:
        """What GITHUB_GRAPHQL_URL would be."""
        return self.server_url + self._graphql_path

    @property
    def _graphql_path(self) -> str:
        return "/api/graphql" if self.base_path else "/graphql"

    def environment(self) -> dict[str, str]:
        """The variables that tell a runner where GitHub is."""
        return {
            "GITHUB_API_URL": self.api_url,
            "GITHUB_SERVER_URL": self.server_url,
            "GITHUB_GRAPHQL_URL": self.graphql_url,
            "GITHUB_REPOSITORY": REPOSITORY,
        }

    def add_comment(
        self, number: int, body: str, *, login: str | None = None, kind: str = "", association: str = ""
    ) -> dict[str, Any]:
        """Puts a comment there; by default the token's own."""
        login = login or self.login
        comment = {
            "id": self._new_id(),
            "body": body,
            "user": {"login": login, "id": 41, "type": kind or ("Bot" if login.endswith("[bot]") else "User")},
            "author_association": association or ("NONE" if login.endswith("[bot]") else "MEMBER"),
            "issue_url": f"{self.api_url}/repos/{REPOSITORY}/issues/{number}",
        }
        comment["html_url"] = f"{self.server_url}/{REPOSITORY}/pull/{number}#issuecomment-{comment['id']}"
        self.comments.setdefault(number, []).append(comment)
        return comment

    def add_pull(self, number: int, sha: str, *, head: str = "octo-org:feature", state: str = "open") -> None:
        """Puts a pull request there; `head` is owner:branch."""
        owner, branch = head.split(":")
        self.pulls[number] = {
            "number": number,
            "state": state,
            "head": {"sha": sha, "ref": branch, "label": head, "user": {"login": owner}},
        }
        self.comments.setdefault(number, [])

    def add_issue(
        self,
        title: str,
        body: str,
        *,
        labels: tuple[str, ...] = (),
        state: str = "open",
        login: str | None = None,
        pull: bool = False,
    ) -> dict[str, Any]:
        """Puts an issue there; by default the token's own."""
        number = 1 + max([0, *self.issues, *self.pulls])
        issue: dict[str, Any] = {
            "id": self._new_id(),
            "number": number,
            "title": title,
            "body": body,
            "state": state,
            "labels": [{"name": label} for label in labels],
            "assignees": [],
            "user": {
                "login": login or self.login,
                "type": "Bot" if (login or self.login).endswith("[bot]") else "User",
            },
            "author_association": "NONE" if (login or self.login).endswith("[bot]") else "MEMBER",
            "html_url": f"{self.server_url}/{REPOSITORY}/issues/{number}",
        }
        if pull:
            issue["pull_request"] = {"url": f"{self.api_url}/repos/{REPOSITORY}/pulls/{number}"}
        self.issues[number] = issue
        self.comments.setdefault(number, [])
        return issue

    def fail(self, method: str, path: str, status: int, message: str = "Server Error", **more: Any) -> None:
        """Has the next requests whose path matches `path` (a pattern) answered with an error."""
        self._faults.append(Fault(method, re.compile(path), status, message, **more))

    def writes(self) -> list[Seen]:
        """All requests that change something."""
        return [one for one in self.requests if one.method != "GET" and "graphql" not in one.path]

    def answer(self, method: str, target: str, authorization: str, raw: bytes) -> tuple[int, dict[str, str], Any]:
        """Judges one request and returns status, headers and body."""
        split = urlsplit(target)
        query = dict(parse_qsl(split.query, keep_blank_values=True))
        body = json.loads(raw) if raw else None
        with self._lock:
            self.requests.append(Seen(method, split.path, query, body, time.monotonic()))
            graphql = split.path == self._graphql_path
            if not graphql:
                self._judge(method, split.path, query, body)
            if authorization.rsplit(" ", maxsplit=1)[-1] != self.token:
                return 401, {}, {"message": "Bad credentials"}
            fault = self._fault(method, split.path)
        if fault is not None:
            time.sleep(fault.seconds)
            if fault.done:
                self._carry_out(method, split.path.removeprefix(self.base_path), query, body)
            if fault.status:
                return fault.status, dict(fault.headers), {"message": fault.message}
        with self._lock:
            return (
                self._graphql(body)
                if graphql
                else self._carry_out(method, split.path.removeprefix(self.base_path), query, body)
            )

    def _judge(self, method: str, path: str, query: Mapping[str, str], body: Any) -> None:
        if not path.startswith(self.base_path + "/"):
            self.violations.append(f"{method} {path} lies outside {self.base_path}")
            return
        self.violations += self._description.violations(method, path.removeprefix(self.base_path), query, body)

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self._faults:
            if fault.times and fault.method == method and fault.path.search(path):
                fault.times -= 1
                return fault
        return None

    def _graphql(self, body: Any) -> tuple[int, dict[str, str], Any]:
        if "viewer" not in body["query"] or set(body) - {"query", "variables"}:
            self.violations.append(f"unknown GraphQL query {body}")
        if not self.graphql_allowed:
            return 403, {}, {"message": "Resource not accessible by integration"}
        return 200, {}, {"data": {"viewer": {"login": self.login}}}

    def _carry_out(
        self, method: str, path: str, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        if path == "/user":
            if self.user_allowed:
                return 200, {}, {"login": self.login}
            return 403, {}, {"message": "Resource not accessible by integration"}
        prefix = f"/repos/{REPOSITORY}"
        for pattern, handle in (
            (r"/issues/(\d+)/comments", self._issue_comments),
            (r"/issues/comments/(\d+)", self._one_comment),
            (r"/pulls/(\d+)", self._one_pull),
            (r"/issues/(\d+)", self._one_issue),
        ):
            match = re.fullmatch(re.escape(prefix) + pattern, path)
            if match:
                return handle(method, int(match.group(1)), query, body)
        if path == f"{prefix}/pulls":
            return self._list_pulls(path, query)
        if path == f"{prefix}/issues":
            return self._all_issues(method, path, query, body)
        return 404, {}, {"message": "Not Found"}

    def _issue_comments(
        self, method: str, number: int, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        if number not in self.comments:
            return 404, {}, {"message": "Not Found"}
        if method == "GET":
            return self._page(f"/repos/{REPOSITORY}/issues/{number}/comments", self.comments[number], query)
        if number in self.locked:
            return 403, {}, {"message": "Unable to create comment because issue is locked."}
        if len(body["body"]) > 65536:
            return 422, {}, {"message": "Validation Failed"}
        return 201, {}, self.add_comment(number, body["body"])

    def _one_comment(
        self, method: str, number: int, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        for comment in (one for comments in self.comments.values() for one in comments):
            if comment["id"] == number:
                comment["body"] = body["body"]
                return 200, {}, comment
        return 404, {}, {"message": "Not Found"}

    def _one_pull(
        self, method: str, number: int, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        return (200, {}, self.pulls[number]) if number in self.pulls else (404, {}, {"message": "Not Found"})

    def _list_pulls(self, path: str, query: Mapping[str, str]) -> tuple[int, dict[str, str], Any]:
        found = [one for one in self.pulls.values() if one["state"] == query.get("state", "open")]
        return self._page(path, [one for one in found if query.get("head") in (None, one["head"]["label"])], query)

    def _one_issue(
        self, method: str, number: int, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        if number not in self.issues:
            return 404, {}, {"message": "Not Found"}
        if method == "PATCH":
            self.issues[number].update(body)
        return 200, {}, self.issues[number]

    def _all_issues(
        self, method: str, path: str, query: Mapping[str, str], body: Any
    ) -> tuple[int, dict[str, str], Any]:
        if method == "POST":
            issue = self.add_issue(body["title"], body.get("body", ""), labels=tuple(body.get("labels", ())))
            issue["assignees"] = [{"login": one} for one in body.get("assignees", ())]
            return 201, {}, issue
        wanted = set(filter(None, query.get("labels", "").split(",")))
        state = query.get("state", "open")
        found = [
            issue
            for issue in reversed(self.issues.values())
            if state in ("all", issue["state"]) and wanted <= {label["name"] for label in issue["labels"]}
        ]
        return self._page(path, found, query)

    def _page(self, path: str, items: list[Any], query: Mapping[str, str]) -> tuple[int, dict[str, str], Any]:
        size = min(int(query.get("per_page", "30")), 100)
        page = int(query.get("page", "1"))
        last = max(1, -(-len(items) // size))
        links = []
        if page < last:
            for name, number in (("next", page + 1), ("last", last)):
                target = f"{self.api_url}{path}?{urlencode({**query, 'page': number})}"
                links.append(f'<{target}>; rel="{name}"')
        headers = {"Link": ", ".join(links)} if links else {}
        return 200, headers, items[(page - 1) * size : page * size]

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id


def _handler(github: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: two would each wait for the other side's delayed acknowledgement

        def _serve(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            authorization = self.headers.get("Authorization", "")
            status, headers, body = github.answer(self.command, self.path, authorization, raw)
            text = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 -- the names that http.server calls

        def log_message(self, *args: object) -> None:
            """Says nothing."""

    return Handler
