"""Programs that print too much, run too long, or say what must not be seen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tazuna_core.build.process import Command, MissingProgramError, run, run_to_file
from tazuna_core.build.secrecy import hide
from tazuna_core.errors import BuildError


def python(code: str, **more: object) -> Command:
    return Command((sys.executable, "-c", code), **more)  # type: ignore[arg-type]


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    run_to_file(python("print('x' * 99, end='')"), tmp_path / "out", 99)
    assert (tmp_path / "out").read_text() == "x" * 99


def test_a_program_that_prints_more_is_ended(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="sent more than 98 bytes") as caught:
        run_to_file(
            python("import time\nprint('x' * 99, flush=True)\nprint('x' * 2**21)\ntime.sleep(60)"), tmp_path / "out", 98
        )
    assert caught.value.code == "too-large"


@pytest.mark.parametrize("to_file", [True, False])
def test_a_program_that_takes_too_long_is_ended_with_its_children(to_file: bool, tmp_path: Path) -> None:
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    command = python(code, seconds=0.3)
    with pytest.raises(BuildError, match=r"did not end within 0\.3 s"):
        run_to_file(command, tmp_path / "out", 9) if to_file else run(command)


@pytest.mark.parametrize("to_file", [True, False])
def test_words_of_a_failed_program_are_cleared(to_file: bool, tmp_path: Path) -> None:
    command = python("import sys\nsys.exit('\\x1b[31mno hunter2 here')", hidden=("hunter2",))
    with pytest.raises(BuildError) as caught:
        run_to_file(command, tmp_path / "out", 9) if to_file else run(command)
    assert caught.value.message == f"{Path(sys.executable).name} failed (exit code 1):\n    no *** here"


def test_a_program_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(MissingProgramError):
        run_to_file(Command((str(tmp_path),)), tmp_path / "out", 9)


@pytest.mark.parametrize(
    ("text", "values", "hidden"),
    [
        ("a hunter2 b", ["hunter2", ""], "a *** b"),
        ("password1 password", ["password", "password1"], "*** ***"),
        ("at line-two: x", ["line-one\n  line-two\nx\n"], "at ***: x"),
        ("nothing", [], "nothing"),
    ],
)
def test_hiding(text: str, values: list[str], hidden: str) -> None:
    assert hide(text, values) == hidden
