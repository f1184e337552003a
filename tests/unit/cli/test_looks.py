"""What a terminal gets: colour where it is wanted, help that knows of the global options."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tazuna_core.cli.app import GLOBAL_OPTIONS, app

LAB = Path(__file__).resolve().parents[3] / "examples" / "gitops-lab"
DRIFT = [sys.executable, "-m", "tazuna_core.cli.main", "state", "drift", "--state", "dir:state"]
DRIFT += ["--cluster", "snapshot:cluster.json"]


def on_a_terminal(*options: str, **variables: str) -> str:
    """Runs the lab's drift on a pseudo-terminal and returns what it shows."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [*DRIFT, *options], cwd=LAB, env={**environment, **variables}, stdout=theirs, stdin=theirs, check=False
        )
        assert done.returncode == 0
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # Linux: everybody on the other side has closed it
                break
            if not piece:
                break
            shown += piece
        return shown.decode()
    finally:
        os.close(ours)


@pytest.mark.parametrize(
    ("variables", "options", "coloured"),
    [
        ({"TERM": "xterm-256color"}, [], True),
        ({"TERM": "xterm", "NO_COLOR": ""}, [], True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, [], False),
        ({"TERM": "dumb"}, [], False),
        ({"TERM": "xterm"}, ["--no-color"], False),
    ],
)
def test_colour_is_for_terminals_that_want_it(variables: dict[str, str], options: list[str], coloured: bool) -> None:
    shown = on_a_terminal(*options, **variables)
    assert "live-drifted" in shown
    assert ("\x1b[" in shown) is coloured


def test_a_pipe_gets_no_colour() -> None:
    environment = {**os.environ, "TERM": "xterm"}
    done = subprocess.run(DRIFT, cwd=LAB, env=environment, capture_output=True, text=True, check=True)
    assert "live-drifted" in done.stdout
    assert "\x1b[" not in done.stdout


@pytest.mark.parametrize("words", [["plan"], ["apply"], ["state", "drift"], ["report", "merge"]])
def test_the_help_of_a_command_says_where_the_global_options_are(words: list[str]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"]).output
    assert " ".join(GLOBAL_OPTIONS.split()) in " ".join(shown.split())


@pytest.mark.parametrize("words", [["plan", "--nothing"], ["state", "drift", "--compare", "x"], ["plan", "extra"]])
def test_a_usage_error_shows_the_usage_of_its_command(words: list[str]) -> None:
    with pytest.raises(click.UsageError) as caught:
        app.main(words, prog_name="tazuna", standalone_mode=False)
    assert caught.value.ctx is not None
    command = " ".join(word for word in words[:2] if word in ("plan", "state", "drift"))
    assert caught.value.ctx.get_usage().startswith(f"Usage: tazuna {command} [OPTIONS]")
