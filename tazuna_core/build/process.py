"""Runs other programs: the only place that does. A command is a value; what went wrong names it and keeps its words."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tazuna_core.errors import BuildError

DEFAULT_SECONDS = 300.0
_SHOWN_LINES = 20
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class MissingProgramError(BuildError):
    """A program that a manifest needs is not on PATH."""

    default_code = "missing-program"


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run: ``environment`` is added to the caller's, ``input`` is what it reads, ``seconds`` its limit."""

    arguments: tuple[str, ...]
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    input: bytes = b""
    seconds: float = DEFAULT_SECONDS
    allowed: frozenset[int] = frozenset({0})

    @property
    def program(self) -> str:
        return Path(self.arguments[0]).name


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed."""

    code: int
    stdout: bytes
    stderr: str


def run(command: Command) -> Output:
    """Runs a command to its end.

    Raises BuildError with the last lines of its stderr when it fails or takes too long (its children are ended too),
    MissingProgramError when it cannot be started.
    """
    try:
        process = subprocess.Popen(
            command.arguments,
            cwd=command.directory,
            env={**os.environ, **command.environment},  # passed on, not read: the programs are the user's
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise MissingProgramError(f"{command.program} cannot be started: {error.strerror}") from None
    with process:
        try:
            stdout, stderr = process.communicate(command.input, timeout=command.seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            raise BuildError(
                f"{command.program} did not end within {command.seconds:g} s", code="build-timeout"
            ) from None
        except BaseException:
            _end(process)
            raise
    text = readable(stderr)
    if process.returncode not in command.allowed:
        raise BuildError(f"{command.program} failed ({_code(process.returncode)}):\n{_indented(text)}")
    return Output(process.returncode, stdout, text)


def find_program(*names: str, needed_by: str, advice: str) -> tuple[str, str]:
    """Returns name and path of the first of ``names`` on PATH. Raises MissingProgramError naming what needs it."""
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return name, path
    raise MissingProgramError(f"{needed_by} needs {' or '.join(names)}, and it is not on PATH", advice=advice)


def readable(text: bytes) -> str:
    """Returns a program's words without control characters: they end in terminals, logs and comments."""
    return _CONTROL.sub("", text.decode(errors="replace")).strip()


def _indented(text: str) -> str:
    lines = text.splitlines() or ["(it printed no error)"]
    left_out = [f"... {len(lines) - _SHOWN_LINES} lines before"] if len(lines) > _SHOWN_LINES else []
    return "\n".join(f"    {line}" for line in [*left_out, *lines[-_SHOWN_LINES:]])


def _code(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
