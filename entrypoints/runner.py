"""What the runner says of this run: its environment variables, read once into a frozen value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from entrypoints.inputs import PREFIX
from tazuna_core.errors import UsageError

_PUBLIC_SERVER = "https://github.com"  # a runner that names no server is GitHub's own: its documented defaults
_PUBLIC_API = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class Runner:
    """Facts of one run. Addresses have no slash at the end; ``repository`` is ``owner/name``."""

    event_name: str
    event_path: Path | None
    repository: str
    sha: str
    workflow: str
    job: str
    run_id: int
    run_number: int
    run_attempt: int
    server_url: str
    api_url: str
    graphql_url: str
    temp: Path
    workspace: Path
    summary_path: Path | None
    output_path: Path | None
    matrix: str
    cluster_configured: bool
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The job's own variables, for builds that read them; the action's inputs, tokens among them, are left out."""

    @property
    def run_url(self) -> str:
        """Address of this run's page, where summary and artefacts are; empty outside a run."""
        if not self.repository or not self.run_id:
            return ""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.run_attempt}"


def read_runner(environment: Mapping[str, str], home: Path) -> Runner:
    """Returns the facts in ``environment``. ``home`` is where a default kubeconfig would be."""

    def path(name: str) -> Path | None:
        value = environment.get(name, "")
        return Path(value) if value else None

    api_url = (environment.get("GITHUB_API_URL") or _PUBLIC_API).rstrip("/")
    return Runner(
        event_name=environment.get("GITHUB_EVENT_NAME", ""),
        event_path=path("GITHUB_EVENT_PATH"),
        repository=environment.get("GITHUB_REPOSITORY", ""),
        sha=environment.get("GITHUB_SHA", ""),
        workflow=environment.get("GITHUB_WORKFLOW", ""),
        job=environment.get("GITHUB_JOB", ""),
        run_id=_integer(environment.get("GITHUB_RUN_ID", "")),
        run_number=_integer(environment.get("GITHUB_RUN_NUMBER", "")),
        run_attempt=_integer(environment.get("GITHUB_RUN_ATTEMPT", "")) or 1,
        server_url=(environment.get("GITHUB_SERVER_URL") or _PUBLIC_SERVER).rstrip("/"),
        api_url=api_url,
        graphql_url=environment.get("GITHUB_GRAPHQL_URL") or f"{api_url.removesuffix('/v3')}/graphql",
        temp=path("RUNNER_TEMP") or Path("/tmp"),  # noqa: S108 -- never so on a runner
        workspace=path("GITHUB_WORKSPACE") or Path(),
        summary_path=path("GITHUB_STEP_SUMMARY"),
        output_path=path("GITHUB_OUTPUT"),
        matrix=environment.get("TAZUNA_MATRIX", ""),
        cluster_configured=_cluster_configured(environment, home),
        environ={name: value for name, value in environment.items() if not name.startswith(PREFIX)},
    )


def read_event(path: Path | None) -> dict[str, Any]:
    """Returns the event's payload, empty when the runner gave none. Raises UsageError for a file that is no object."""
    if path is None:
        return {}
    try:
        payload = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"GITHUB_EVENT_PATH can't be read: {error}") from None
    if not isinstance(payload, dict):
        raise UsageError("GITHUB_EVENT_PATH holds no JSON object")
    return payload


def _cluster_configured(environment: Mapping[str, str], home: Path) -> bool:
    # The places where Kubernetes clients look, in their order: KUBECONFIG, the home folder, the pod itself.
    if environment.get("KUBECONFIG") or environment.get("KUBERNETES_SERVICE_HOST"):
        return True
    return (home / ".kube" / "config").is_file()


def _integer(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
