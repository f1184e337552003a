"""Servers a test starts: they end with the test run, leave a log, and keep the port they were given."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

_DIE_WITH_PARENT = Path(__file__).with_name("die_with_parent.py")
_ROOMY = 2 * 1024**3  # etcd preallocates 64 MB, the rest is for a test run's several clusters


class Server:
    """A program running in the background, its output in a log file."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        self.name = Path(command[0]).name
        self._log = log
        with log.open("ab") as output:
            # A session of its own: the terminal's Ctrl-C reaches only pytest, which stops servers in order.
            # The kernel counts the *thread* that starts it as the parent: start servers from one that lives on.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", _DIE_WITH_PARENT, str(os.getpid()), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Sends SIGTERM; `wait` comes next."""
        self._process.terminate()

    def wait(self, grace_seconds: float) -> None:
        """Returns when it has ended; kills it when it lingers longer than this."""
        try:
            self._process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log_tail(self, lines: int = 20) -> str:
        """The end of its log, for an error message."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])


class ReservedPort:
    """A loopback port that nobody else gets, also while its server is down.

    The socket is bound but doesn't listen; the server binds beside it with SO_REUSEPORT.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number: int = self._socket.getsockname()[1]

    def release(self) -> None:
        """Gives the port back."""
        self._socket.close()


class ScratchFolder:
    """A private temporary folder, in memory where there is room; removed in the end, at the latest by the next run."""

    _PREFIX = "tazuna-cluster-"
    _OWNER = "owner.lock"

    def __init__(self) -> None:
        parent = _memory_folder() or Path(tempfile.gettempdir())
        self._remove_abandoned(parent)
        self.path = Path(tempfile.mkdtemp(prefix=self._PREFIX, dir=parent))
        # Locked before it gets its name, so nobody finds it unlocked while its owner lives.
        unnamed = self.path / ".owner"
        self._lock = unnamed.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unnamed.rename(self.path / self._OWNER)

    def __enter__(self) -> ScratchFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Deletes it with all it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def _remove_abandoned(self, parent: Path) -> None:
        """Deletes the folders of runs that were killed."""
        for lock in parent.glob(f"{self._PREFIX}*/{self._OWNER}"):
            try:
                with lock.open("r+") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(lock.parent, ignore_errors=True)
            except OSError:
                continue  # its owner lives, or it is another user's, or gone


def _memory_folder() -> Path | None:
    folder = Path("/dev/shm")
    if os.access(folder, os.W_OK | os.X_OK) and shutil.disk_usage(folder).free >= _ROOMY:
        return folder
    return None
