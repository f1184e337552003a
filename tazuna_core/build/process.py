"""Runs other programs: the only place that does. A command is a value; what went wrong names it and keeps its words."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from tazuna_core import tracing
from tazuna_core.build.secrecy import hide
from tazuna_core.errors import BuildError

DEFAULT_SECONDS = 300.0
_SHOWN_LINES = 20
_BLOCK = 1 << 20
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class MissingProgramError(BuildError):
    """A program that a manifest needs is not on PATH."""

    default_code = "missing-program"


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run: ``environment`` is added to the caller's, ``input`` is what it reads, ``seconds`` its limit.

    ``hidden`` are texts that never show, should the program name one in what it says of its failure.
    """

    arguments: tuple[str, ...]
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    input: bytes = field(default=b"", repr=False)
    seconds: float = DEFAULT_SECONDS
    allowed: frozenset[int] = frozenset({0})
    hidden: tuple[str, ...] = field(default=(), repr=False)

    @property
    def program(self) -> str:
        return Path(self.arguments[0]).name


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed."""

    code: int
    stdout: bytes
    stderr: str


def _step(command: Command, *_: object) -> tracing.Described:
    return f"run {command.program}", {"process.executable.name": command.program}


@tracing.traced(_step)
def run(command: Command) -> Output:
    """Runs a command to its end.

    Raises BuildError with the last lines of its stderr when it fails or takes too long (its children are ended too),
    MissingProgramError when it cannot be started.
    """
    with _started(command) as process:
        try:
            stdout, stderr = process.communicate(command.input, timeout=command.seconds)
        except subprocess.TimeoutExpired:
            _kill(process)  # with the children: one that outlives the program would hold the pipes open
            raise _too_slow(command) from None
        except BaseException:
            _kill(process)
            raise
    return Output(process.returncode, stdout, _checked(command, process.returncode, stderr))


@tracing.traced(_step)
def run_to_file(command: Command, target: Path, most: int) -> None:
    """Runs a command, its standard output into the new file ``target`` as it comes, at most ``most`` bytes.

    Raises BuildError as `run` does, and when it prints more (code ``too-large``); then the program is ended. ``input``
    is not used.
    """
    words: list[bytes] = []
    timed_out = threading.Event()
    with _started(command) as process, target.open("xb") as file:
        stdin, stdout, stderr = cast("tuple[IO[bytes], ...]", (process.stdin, process.stdout, process.stderr))
        stdin.close()
        listener = threading.Thread(target=lambda: words.append(stderr.read()))
        listener.start()

        def stop() -> None:
            timed_out.set()
            _kill(process)

        timer = threading.Timer(command.seconds, stop)
        timer.start()
        try:
            written = 0
            while block := stdout.read(_BLOCK):
                written += len(block)
                if written > most:
                    raise BuildError(f"{command.program} sent more than {most} bytes", code="too-large")
                file.write(block)
            process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                _kill(process)
            listener.join()
    if timed_out.is_set():
        raise _too_slow(command)
    _checked(command, process.returncode, b"".join(words))


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


def _started(command: Command) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
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


def _checked(command: Command, code: int, stderr: bytes) -> str:
    """The program's words; raises BuildError with them unless the code is an allowed one."""
    tracing.note({"process.exit.code": code})
    text = hide(readable(stderr), command.hidden)
    if code not in command.allowed:
        raise BuildError(f"{command.program} failed ({_code(code)}):\n{_indented(text)}")
    return text


def _too_slow(command: Command) -> BuildError:
    return BuildError(f"{command.program} did not end within {command.seconds:g} s", code="build-timeout")


def _indented(text: str) -> str:
    lines = text.splitlines() or ["(it printed no error)"]
    left_out = [f"... {len(lines) - _SHOWN_LINES} lines before"] if len(lines) > _SHOWN_LINES else []
    return "\n".join(f"    {line}" for line in [*left_out, *lines[-_SHOWN_LINES:]])


def _code(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
