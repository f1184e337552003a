from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.cluster.kubeconfig import connect, redacted
from tazuna_core.errors import ClusterError

TOKEN = "s3cret-token"


def write(path: Path, **changes: Any) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://api.example:6443/"}}],
        "users": [{"name": "u", "user": {"token": TOKEN}}],
        "contexts": [
            {"name": "prod", "context": {"cluster": "c", "user": "u"}},
            {"name": "dev", "context": {"cluster": "c", "user": "u"}},
        ],
        "current-context": "prod",
        **changes,
    }
    path.write_text(json.dumps(config))
    return path


def exec_user(command: str, **more: Any) -> list[dict[str, Any]]:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": command, **more}
    return [{"name": "u", "user": {"exec": plugin}}]


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def failure(path: Path | None, context: str | None = None) -> ClusterError:
    with pytest.raises(ClusterError) as caught:
        connect(path, context)
    assert caught.value.exit_code == 4
    assert TOKEN not in str(caught.value)
    return caught.value


def token_of(connection: Any) -> str:
    return str(connection.client.configuration.auth_settings()["BearerToken"]["value"])


def test_the_current_context_or_the_one_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "k")
    assert connect(path).context == "prod"
    chosen = connect(path, "dev")
    assert chosen.context == "dev"
    assert chosen.host == "https://api.example:6443"
    assert chosen.place == "context 'dev' (https://api.example:6443)"
    assert token_of(chosen) == f"Bearer {TOKEN}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    error = failure(tmp_path / "none")
    assert error.message == f"no kubeconfig at {tmp_path / 'none'}"
    assert "--kubeconfig" in error.advice


def test_no_kubeconfig_at_all_and_no_pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert "no kubeconfig" in failure(None).message


@pytest.mark.parametrize("empty", ["", ":", "::"])
def test_an_empty_kubeconfig_variable_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: str) -> None:
    monkeypatch.setenv("KUBECONFIG", empty)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert failure(None).message == "no kubeconfig at ~/.kube/config"
    (tmp_path / ".kube").mkdir()
    write(tmp_path / ".kube" / "config")
    assert connect(None, "dev").context == "dev"


def test_several_files_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write(tmp_path / "a", contexts=[], users=[])
    second = write(tmp_path / "b", clusters=[])
    paths = os.pathsep.join(map(str, (first, tmp_path / "none", second)))
    monkeypatch.setenv("KUBECONFIG", paths)
    assert connect(None, "dev").context == "dev"


def test_an_unknown_context_names_the_known_ones(tmp_path: Path) -> None:
    error = failure(write(tmp_path / "k"), "staging")
    assert error.message == "there is no context 'staging'"
    assert error.advice == "Contexts there: dev, prod."


def test_no_current_context(tmp_path: Path) -> None:
    error = failure(write(tmp_path / "k", **{"current-context": ""}))
    assert error.message == "there is no current context"
    assert "dev, prod" in error.advice


@pytest.mark.parametrize(
    "text",
    [
        f"users: [{{name: u, user: {{token: {TOKEN}}}}}\ncontexts: [",
        f"{TOKEN}",
        f"users: {{token: {TOKEN}}}",
        f"users:\n- user: {{token: {TOKEN}}}",
        f"clusters: 5\nusers: [{{user: {TOKEN}}}]",
        "",
        "\x00\x01",
    ],
)
def test_a_broken_file_is_named_and_never_quoted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "k"
    path.write_text(text)
    error = failure(path)
    assert error.place is not None
    assert error.place.file == str(path)


def test_yaml_errors_have_a_line(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_text(f"a: 1\nusers: [\ntoken: {TOKEN}\n")
    assert str(failure(path)).startswith(f"{path}:")
    assert failure(path).place.line >= 2  # type: ignore[union-attr]


def test_a_context_whose_cluster_is_gone(tmp_path: Path) -> None:
    error = failure(write(tmp_path / "k", clusters=[]))
    assert "Expected object with name c in" in error.message


def test_a_plugin_gives_the_token(tmp_path: Path) -> None:
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}
    command = script(tmp_path / "login", f"echo '{json.dumps(credential)}'")
    assert token_of(connect(write(tmp_path / "k", users=exec_user(command)))) == "Bearer t"


def test_a_plugin_that_is_not_installed(tmp_path: Path) -> None:
    error = failure(write(tmp_path / "k", users=exec_user("cloud-login-xyz")))
    assert "'cloud-login-xyz', which is not installed" in error.message
    assert "PATH" in error.advice
    hinted = exec_user("cloud-login-xyz", installHint="See the\nhandbook.")
    assert failure(write(tmp_path / "k", users=hinted)).advice == "See the handbook."


def test_a_plugin_that_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln"
    command = script(tmp_path / "login", f"echo 'session expired for {jwt}' >&2; exit 3")
    error = failure(write(tmp_path / "k", users=exec_user(command)))
    assert "session expired for [token]" in error.message
    assert "Log in again" in error.advice
    assert not caplog.records, "what the package logs may hold tokens"
    assert logging.getLogger().filters == []


def test_a_plugin_that_prints_something_else(tmp_path: Path) -> None:
    error = failure(write(tmp_path / "k", users=exec_user(script(tmp_path / "login", "echo hello"))))
    assert "failed to decode process output" in error.message


@pytest.mark.parametrize(
    "text", ["Bearer abc.def", "token eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln", "k8s-aws-v1.aHR0cHM6"]
)
def test_tokens_are_redacted(text: str) -> None:
    assert redacted(f"refused: {text}").endswith("[token]")
