"""No value of a Secret is anywhere: add-ons' and planted ones, in each form, in all that is printed or written."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.github.fake_github import FakeGitHub
from tests.harness.cluster import LocalCluster
from tests.harness.corpus import CORPUS, ROOT, bundles, repository
from tests.harness.needles import lines_of, needles_of, secrets_of, unpacked
from tests.harness.otlp import Received, receiver
from tests.harness.tazuna import Tazuna

PLANTED = {
    "plain": "planted-plain-7f3a91c2",
    "base64": "planted-base64-51d0e8b7",
    "twice": "planted-twice-c9e2240d",
    "changed": "planted-changed-3b6d7a10",
    "by-hand": "planted-by-hand-e4c80f5a",
    "last-applied": "planted-last-applied-88a1d3f6",
    "refused": "planted-refused-0a5be7c4",
    "number": "918273645546372819",
}
B64 = {name: base64.b64encode(value.encode()).decode() for name, value in PLANTED.items()}
TWICE = base64.b64encode(B64["twice"].encode()).decode()
SECRETS = f"""
apiVersion: v1
kind: Namespace
metadata: {{name: vault}}
---
apiVersion: v1
kind: Secret
metadata: {{name: first, namespace: vault}}
stringData: {{plain: {PLANTED["plain"]}, kept: "{PLANTED["plain"]}-kept"}}
data: {{base64: {B64["base64"]}, twice: {TWICE}}}
---
apiVersion: v1
kind: Secret
metadata: {{name: second, namespace: vault}}
stringData: {{a: {PLANTED["by-hand"]}-before}}
---
apiVersion: v1
kind: Secret
metadata: {{name: last, namespace: vault}}
stringData: {{a: {PLANTED["last-applied"]}}}
"""
REFUSED = {
    "not base64": f"data: {{k: '!{PLANTED['refused']}'}}",
    "a number": f"stringData: {{k: {PLANTED['number']}}}",
    "a list": f"data: {{k: [{B64['refused']}]}}",
    "a field that is none": f"stringDatum: {{k: {PLANTED['refused']}}}",
    "not the type's form": f"type: kubernetes.io/dockerconfigjson\nstringData: {{.dockerconfigjson: {PLANTED['refused']}}}",  # noqa: E501
    "too big": f'stringData: {{k: "{PLANTED["refused"] * 60_000}"}}',
    "a key that is none": f"stringData: {{k/x: {PLANTED['refused']}}}",
}


@dataclass
class Place:
    """A repository that was applied, and everything that was ever printed or written about it."""

    folder: Path
    cluster: LocalCluster
    tazuna: Tazuna
    traces: Received
    seen: dict[str, bytes] = field(default_factory=dict)

    def run(self, *arguments: str, tazuna: Tazuna | None = None) -> int:
        """Runs a command and keeps what it gave."""
        ran = (tazuna or self.tazuna)(*arguments)
        self.seen[f"{len(self.seen)}: {' '.join(arguments)}"] = (ran.stdout + ran.stderr).encode()
        return ran.code

    def report(self, *arguments: str) -> None:
        """Runs a command, and shows its report in every form."""
        path = str(self.folder / f"{arguments[-1]}.json")
        self.run(*arguments, "-o", "text", "--all", "--report-file", path)
        for form in ("markdown", "html"):
            self.run("report", "render", "--from", path, "-o", form, "--all")

    def keep(self) -> None:
        """Takes in all files outside of the repository, all that is in the cluster under our names, and all traces."""
        self.seen["traces"] = b"".join(self.traces.raw)
        for path in self.folder.rglob("*"):
            if path.is_file() and not path.is_relative_to(self.tazuna.folder):
                self.seen[str(path)] = unpacked(path.read_bytes())
        for kind in ("configmaps", "events"):
            answer = self.cluster.request("GET", f"/api/v1/namespaces/tazuna/{kind}").body
            self.seen[f"{kind} of the namespace"] = unpacked(json.dumps(answer).encode())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Applied, changed in the repository, changed by hand, shown in every way."""
    folder = tmp_path_factory.mktemp("leaks")
    names = tuple(name for name in bundles() if any(secrets_of(CORPUS / name)))
    repo = repository(folder / "repo", names)
    (repo / "vault").mkdir()
    (repo / "vault" / "all.yaml").write_text(SECRETS)
    root = json.loads((repo / "tazuna.yaml").read_text())
    root["spec"]["manifests"].append({"name": "vault", "type": "directory", "path": "vault"})
    (repo / "tazuna.yaml").write_text(json.dumps(root))
    with LocalCluster() as cluster, receiver() as traces:
        environment = {
            "XDG_CACHE_HOME": str(folder / "cache"),
            "TMPDIR": str(folder / "tmp"),
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{traces.endpoint}",
        }
        (folder / "tmp").mkdir()
        found = Place(folder, cluster, Tazuna(repo, cluster.kubeconfig, environment), traces)
        assert found.run("apply", "-o", "json", "--report-file", str(folder / "apply.json")) == 0, found.seen
        _by_hand(cluster)
        changed = SECRETS.replace(
            f"plain: {PLANTED['plain']},", f"plain: {PLANTED['changed']}, new: {PLANTED['changed']},"
        )
        (repo / "vault" / "all.yaml").write_text(changed)
        for arguments in (("plan",), ("state", "drift"), ("state", "diff")):
            found.report(*arguments)
        for more in (
            ("build",),
            ("state", "list"),
            ("status",),
            ("state", "drift", "--compare", "hash"),
            ("-l", "debug", "plan"),
        ):
            found.run(*more)
        assert found.run("snapshot", "--to", str(folder / "snapshot.json")) == 0
        found.run("plan", "--cluster", f"snapshot:{folder / 'snapshot.json'}", "-o", "json")
        _refused(found)
        _action(found)
        assert found.run("-l", "debug", "apply", "--sync", "-o", "html") == 0
        found.keep()
        yield found


def _by_hand(cluster: LocalCluster) -> None:
    patch = {"stringData": {"a": PLANTED["by-hand"], "extra": PLANTED["by-hand"]}}
    cluster.kubectl("-n", "vault", "patch", "secret/second", "--type=merge", "-p", json.dumps(patch))
    # kubectl keeps the whole Secret in an annotation
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "last", "namespace": "vault"}}
    values = {"stringData": {"a": f"{PLANTED['last-applied']}-new", "b": PLANTED["last-applied"]}}
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(secret | values))
    live = cluster.request("GET", "/api/v1/namespaces/vault/secrets/last").body
    assert (
        PLANTED["last-applied"] in live["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]
    )


def _refused(place: Place) -> None:
    """Secrets that we or the server refuse, each with a message of its own."""
    for number, (why, content) in enumerate(REFUSED.items()):
        folder = place.folder / "refused" / str(number)
        (folder / "m").mkdir(parents=True)
        head = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: refused-{number}, namespace: vault}}\n"
        (folder / "m" / "secret.yaml").write_text(head + content + "\n")
        manifest = {"name": f"refused-{number}", "type": "directory", "path": "m"}
        (folder / "tazuna.yaml").write_text(json.dumps({"spec": {"manifests": [manifest]}}))
        tazuna = Tazuna(folder, place.tazuna.kubeconfig, place.tazuna.environment)
        for command in ("plan", "apply"):
            place.run("-l", "debug", command, "-o", "json", tazuna=tazuna)
        if why != "a number":  # which we write as the text that it stands for
            assert any(b'"errors": []' not in text for text in list(place.seen.values())[-2:]), why
        (folder / "m" / "secret.yaml").unlink()


def _action(place: Place) -> None:
    """A night and a pull request of the action: log, summary, outputs, files, issue, comment."""
    with FakeGitHub() as github:
        github.add_pull(7, "b" * 40)
        for event, payload in (
            ("schedule", {}),
            ("issue_comment", {"issue": {"number": 7, "pull_request": {}}}),
        ):
            folder = place.folder / f"action-{event}"
            folder.mkdir()
            (folder / "event.json").write_text(json.dumps(payload))
            inputs = {
                "KUBECONFIG": place.tazuna.kubeconfig,
                "DRIFT_ISSUE": "true",
                "COMMENT": "always",
                "PR_NUMBER": "7",
            }
            inputs |= {"GITHUB_TOKEN": github.token, "COMMAND": "auto" if event == "schedule" else "drift"}
            files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
            for path in files.values():
                path.touch()
            done = subprocess.run(
                [sys.executable, "-I", str(ROOT / "entrypoints" / "main.py")],
                cwd=place.tazuna.folder,
                env={
                    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                    "HOME": str(folder),
                    "RUNNER_TEMP": str(folder),
                    "GITHUB_WORKSPACE": str(place.tazuna.folder),
                    "GITHUB_EVENT_NAME": event,
                    "GITHUB_EVENT_PATH": str(folder / "event.json"),
                    **github.environment(),
                    "OTEL_EXPORTER_OTLP_ENDPOINT": place.tazuna.environment["OTEL_EXPORTER_OTLP_ENDPOINT"],
                    **{name: str(path) for name, path in files.items()},
                    **{f"TAZUNA_INPUT_{name}": str(value) for name, value in inputs.items()},
                },
                capture_output=True,
                check=False,
            )
            place.seen[f"log of {event}"] = done.stdout + done.stderr
        place.seen["requests to GitHub"] = json.dumps([str(one.body) for one in github.requests]).encode()
        assert github.issues, place.seen["log of schedule"].decode()
        assert github.comments[7], place.seen["log of issue_comment"].decode()


def _needles() -> dict[str, bytes]:
    """All that is looked for, by whose it is and its form."""
    values = dict(PLANTED)
    elsewhere = b""
    for name in bundles():
        found = [value for value in secrets_of(CORPUS / name) if len(value) > 8]
        values |= {f"{name} {number}": value for number, value in enumerate(found)}
        for path in (CORPUS / name).rglob("*.yaml"):
            if found and "kind: Secret\n" not in path.read_text():
                elsewhere += path.read_bytes()
    needles = {
        f"{whose} ({form})": needle for whose, value in values.items() for form, needle in needles_of(value).items()
    }
    lines = {
        f"{whose}: {line}": line.encode() for whose, value in values.items() for line in lines_of(value, elsewhere)
    }
    return needles | lines


def test_b42_no_value_of_a_secret_is_anywhere(place: Place) -> None:
    needles = _needles()
    assert len(needles) >= 6 * len(PLANTED)
    control = json.dumps(place.cluster.request("GET", "/api/v1/namespaces/vault/secrets").body).encode()
    assert sum(needle in control for needle in needles.values()) >= 5, "the search finds nothing at all"
    hits = [
        f"{whose} in {where}: …{text[max(0, text.index(needle) - 80) : text.index(needle) + 60]!r}…"
        for where, text in place.seen.items()
        for whose, needle in needles.items()
        if needle in text
    ]
    size = sum(map(len, place.seen.values()))
    print(f"{len(needles)} needles, {len(place.seen)} outputs, {size:,} bytes, {len(hits)} hits")
    assert hits == []


def test_every_command_sent_a_trace_and_the_action_none(place: Place) -> None:
    commands = [where for where in place.seen if where[0].isdigit()]
    traces = {span.trace_id for span in place.traces.spans}
    assert len(commands) == len(traces) > 20
    assert place.traces.of("send Secret")


def test_b43_that_they_changed_is_seen(place: Place) -> None:
    everything = b"".join(text for where, text in place.seen.items() if "plan.json" in where and "markdown" in where)
    for name in (b"data.plain", b"data.new", b"data.a", b"data.extra"):
        assert name in everything
    drift = b"".join(text for where, text in place.seen.items() if "drift.json" in where and "markdown" in where)
    assert b"Secret/vault/last" in drift
