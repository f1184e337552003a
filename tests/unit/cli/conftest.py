"""Runs commands that need no cluster in this process, in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tazuna_core.cli.main import run
from tests.harness.tazuna import Ran

Command = Callable[..., Ran]


@pytest.fixture
def tazuna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """`tazuna`, in an empty current folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ran:
        capfd.readouterr()
        code = run(arguments)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return call
