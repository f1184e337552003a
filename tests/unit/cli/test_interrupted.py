"""Ctrl-C: what is said, and the exit code."""

from __future__ import annotations

import signal

import click
import pytest

from tazuna_core.cli.main import run
from tazuna_core.errors import ApplyError
from tazuna_core.operations.run_guard import CUT_SHORT, RunGuard


@click.command()
def reading() -> None:
    signal.raise_signal(signal.SIGINT)


@click.command()
@click.argument("times", type=int)
def writing(times: int) -> None:
    guard = RunGuard()
    with guard.on_signals():
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        guard.require()


def test_one_in_a_command_that_reads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tazuna_core.cli.app.app", reading)
    assert run([]) == 130
    assert capsys.readouterr().err == "\ntazuna: interrupted\n"


def test_one_in_a_command_that_writes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tazuna_core.cli.app.app", writing)
    assert run(["1"]) == ApplyError.exit_code
    assert "what was applied until then is saved" in capsys.readouterr().err


def test_a_second_one_says_that_state_was_not_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tazuna_core.cli.app.app", writing)
    assert run(["2"]) == 130
    assert capsys.readouterr().err == f"\ntazuna: interrupted: {CUT_SHORT}\n"
    assert "state was not saved" in CUT_SHORT
    assert "next run mends it" in CUT_SHORT
