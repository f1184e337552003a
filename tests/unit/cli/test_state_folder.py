"""A slip in `--state dir:PATH` is an error of every command that reads: it must never look like an empty state."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command

LAB = Path(__file__).resolve().parents[3] / "examples" / "gitops-lab"
CLUSTER = ("--cluster", f"snapshot:{LAB / 'cluster.json'}", "-f", str(LAB / "tazuna.yaml"))


@pytest.mark.parametrize(
    "command",
    [
        ("state", "list"),
        ("state", "diff"),
        ("state", "drift"),
        ("state", "drift", "--all-state"),
        ("plan",),
        ("status",),
        ("snapshot", "--to", "out.json"),
    ],
)
@pytest.mark.parametrize(("made", "reason"), [(False, "does not exist"), (True, "is no folder")])
def test_commands_that_read(tazuna: Command, command: tuple[str, ...], made: bool, reason: str) -> None:
    if made:
        Path("typo").touch()
    ran = tazuna(*command, *CLUSTER, "--state", "dir:typo")
    assert ran.code == 4
    said = ran.stdout + ran.stderr
    assert f"the folder of the state, 'typo', {reason}" in said
    assert "Correct --state, or make it where nothing was applied yet" in said
    assert "No drift" not in said
    assert [path.name for path in Path().iterdir()] == (["typo"] if made else [])


def test_as_json_it_is_a_report(tazuna: Command) -> None:
    ran = tazuna("state", "drift", *CLUSTER, "--state", "dir:typo", "-o", "json")
    (error,) = ran.json()["errors"]
    assert (ran.code, error["code"], error["exitCode"]) == (4, "no-state-folder", 4)


def test_an_empty_folder_is_an_empty_state(tazuna: Command) -> None:
    Path("state").mkdir()
    ran = tazuna("state", "list", *CLUSTER, "--state", "dir:state")
    assert (ran.code, "No state found" in ran.stdout) == (0, True)


def test_least_rights_do_without(tazuna: Command) -> None:
    ran = tazuna("rbac", "--for", "drift", *CLUSTER, "--state", "dir:typo")
    assert ran.code == 0
    assert "the state is not read" in ran.stderr + ran.stdout


def test_the_lab_itself_is_read(tazuna: Command) -> None:
    ran = tazuna("state", "list", *CLUSTER, "--state", f"dir:{LAB / 'state'}", "--show-secret-hashes")
    assert ran.code == 0
    assert "web/apps/v1/Deployment/" in ran.stdout
