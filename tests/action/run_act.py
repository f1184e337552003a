"""Runs a workflow with the action in it as a runner does: act in host mode, a work tree of its own, a fake GitHub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from entrypoints import bootstrap
from tests.github.fake_github import REPOSITORY, FakeGitHub
from tests.harness.build_cache import cached_folder

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("action.yml", "entrypoints", "requirements", "tazuna_core")
_COLLECT = "TAZUNA_TEST_COLLECT"
_SECONDS = 300
_COMMIT_TIME = "2026-01-02T03:04:05Z"


@dataclass(frozen=True)
class Command:
    """A workflow command that a step printed and the runner took for one."""

    name: str
    properties: Mapping[str, str]
    message: str


@dataclass
class Step:
    """What became of one step with an id."""

    result: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    exit_code: int = 0


@dataclass
class Job:
    """What became of one job, or one leg of its matrix."""

    matrix: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    steps: dict[str, Step] = field(default_factory=dict)
    log: str = ""
    summary: str = ""
    folder: Path = Path()

    def step(self, name: str = "tazuna") -> Step:
        """The step with this id."""
        return self.steps.setdefault(name, Step())

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report."""
        loaded: dict[str, Any] = json.loads((self.folder / "tazuna-report.json").read_text())
        return loaded


@dataclass
class ActRun:
    """One run of a workflow: its jobs by `id`, or `id-1`, `id-2` for a matrix."""

    exit_code: int
    jobs: dict[str, Job]
    text: str

    def job(self, name: str = "tazuna") -> Job:
        """One job."""
        return self.jobs[name]


def copy_action(folder: Path) -> None:
    """Puts the action's own files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PRODUCT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)


class WorkTree:
    """A user's repository; with the action's own files in it `uses: ./` works."""

    def __init__(self, folder: Path, files: Mapping[str, str], *, with_action: bool = True) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        if with_action:
            copy_action(folder)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
        self.commit(files)

    def commit(self, files: Mapping[str, str]) -> str:
        """Writes files, commits all, returns the commit."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change")
        return self.head

    @property
    def head(self) -> str:
        """The checked-out commit."""
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str) -> str:
        """Runs git in it, as nobody in particular."""
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=os.environ | who | alone,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout


_WHO = {"NAME": "tester", "EMAIL": "tester@example.com", "DATE": _COMMIT_TIME}


def run_act(
    tree: WorkTree,
    workflow: str,
    event: str,
    payload: Mapping[str, Any],
    github: FakeGitHub,
    scratch: Path,
    *,
    environment: Mapping[str, str] | None = None,
    warm: bool = True,
    remote: Mapping[str, Path] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> ActRun:
    """Runs the workflow's text on an event. `scratch` is an empty folder of this run's.

    With `warm` the action finds its packages installed, as a second use in a job does; without, it installs them.
    `remote` says where an action of another repository lies: `owner/name@ref` to folder.
    """
    scratch.mkdir(parents=True)
    collected = scratch / "collected"
    file = scratch / "workflow.yml"  # not in the tree: that has the commit the event is about
    file.write_text(_instrumented(workflow, warm=warm))
    event_file = scratch / "event.json"
    event_file.write_text(json.dumps(payload))
    command = [
        *(str(Path(sys.executable).with_name("act")), "-P", "ubuntu-latest=-self-hosted", event),
        *("-W", str(file), "-e", str(event_file), "--json", "--no-cache-server"),
        *("-s", f"GITHUB_TOKEN={github.token}"),
    ]
    for name, value in {**github.environment(), _COLLECT: str(collected), **(environment or {})}.items():
        command += ["--env", f"{name}={value}"]
    for name, value in (secrets or {}).items():
        command += ["-s", f"{name}={value}"]
    for name, folder in (remote or {}).items():
        command += ["--local-repository", f"{name}={folder}"]
    home = scratch / "home"
    home.mkdir()
    # Its own home: act keeps its cache there, and no kubeconfig or git setting of the developer's is seen.
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("PIP_")}
    done = subprocess.run(
        command,
        cwd=tree.folder,
        env={**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return ActRun(done.returncode, _jobs(done.stdout, collected), done.stdout + done.stderr)


_KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "TMPDIR",
)


def warm_environment() -> Path:
    """The action's environment for this Python and these requirements, installed once per user by its own bootstrap."""
    name = bootstrap.environment_folder(Path()).name

    def build(folder: Path) -> None:
        code = f"from entrypoints import bootstrap as b; from pathlib import Path; h = Path({str(folder / 'env')!r}); "
        code += "b.make_environment(h, h / 'bin' / 'python'); (h / 'complete').touch()"
        subprocess.run([_runner_python(), "-c", code], cwd=ROOT, check=True)

    return cached_folder(name, build) / "env"


def _runner_python() -> str:
    python = shutil.which("python3")
    assert python, "python3 is needed on PATH"
    return python


def _instrumented(workflow: str, *, warm: bool) -> str:
    """The workflow with a last step in each job that keeps its files and a first one that warms it up."""
    document = yaml.safe_load(workflow)
    document["on"] = document.pop(True)  # YAML 1.1 reads the key `on` as a boolean
    for job in document["jobs"].values():
        first = []
        if warm:
            environment = warm_environment()
            target = bootstrap.environment_folder(Path()).name
            # Its parts and not the whole: what Python compiles depends on this run's paths, and is this run's.
            script = f'mkdir "$RUNNER_TEMP/{target}" && ln -s "{environment}"/* "$RUNNER_TEMP/{target}/"'
            first = [{"name": "warm", "shell": "sh", "run": script}]
        legs = job.get("strategy", {}).get("matrix", {})
        keep = {
            "name": "keep for the test",
            "if": "always()",
            "shell": "sh",
            "env": {"LEG": "-".join(["${{ github.job }}", *(f"${{{{ matrix.{name} }}}}" for name in legs)])},
            "run": f'mkdir -p "${_COLLECT}/$LEG"; cp "$RUNNER_TEMP"/tazuna-report.* "${_COLLECT}/$LEG/" || true',
        }
        job["steps"] = [*first, *job["steps"], keep]
    return yaml.safe_dump(document, sort_keys=False)


def _jobs(stdout: str, collected: Path) -> dict[str, Job]:
    jobs: dict[str, Job] = {}
    for line in stdout.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "job" not in entry or "jobID" not in entry:
            continue
        job = jobs.setdefault(entry["job"].split("/", 1)[1], Job(matrix=entry.get("matrix") or {}))
        job.log += entry.get("msg", "").rstrip("\n") + "\n"
        job.result = entry.get("jobResult", job.result)
        job.folder = collected / "-".join([entry["jobID"], *map(str, job.matrix.values())])
        _read(entry, job)
    return jobs


def _read(entry: Mapping[str, Any], job: Job) -> None:
    ids = entry.get("stepID") or []
    if not ids:
        return
    step = job.step(ids[0])
    if entry.get("stage") == "Main":
        step.result = entry.get("stepResult", step.result)
    message = entry.get("msg", "")
    if entry.get("command") == "summary":
        job.summary = entry["content"]
    elif entry.get("command") == "set-output":
        step.outputs[entry["name"]] = entry["arg"]
    elif "command" in entry:
        step.commands.append(Command(entry["command"], entry.get("kvPairs", {}), entry.get("arg", "")))
    elif message.startswith("exit status "):
        step.exit_code = int(message.removeprefix("exit status "))
