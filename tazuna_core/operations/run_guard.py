"""What ends a run early: a signal, or the lock that another run took. Asked before each write and while waiting."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tazuna_core.errors import ApplyError
from tazuna_core.operations.lease import ApplyLease

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


CUT_SHORT = (
    "a second signal cut the run short: state was not saved for what was being applied or deleted\n"
    "  Run the command again; the next run mends it."
)


class RunGuard:
    """Whether the run may go on. Safe to ask from several threads."""

    def __init__(self, lease: ApplyLease | None = None) -> None:
        self._lease = lease
        self._stopped = threading.Event()
        self._signal = ""

    @property
    def over(self) -> bool:
        """Whether nothing more may be written to the cluster."""
        return self._stopped.is_set() or self.lock_lost

    @property
    def lock_lost(self) -> bool:
        """Whether another run took the lock: state is the other's now, too."""
        return self._lease is not None and self._lease.lost

    def require(self) -> None:
        """Raises ApplyError when the run must end."""
        if self._lease is not None:
            self._lease.require()
        if self._stopped.is_set():
            raise ApplyError(
                f"interrupted by {self._signal}: what was applied until then is saved",
                advice="Run the command again; it goes on where this one ended.",
                code="interrupted",
            )

    def pause(self, seconds: float) -> None:
        """Waits, and raises ApplyError as soon as the run must end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.require()
            self._stopped.wait(min(left, 1.0))
        self.require()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Turns SIGTERM and Ctrl-C into an orderly end; a second one ends the process as it always does.

        The KeyboardInterrupt of a second Ctrl-C says what that leaves behind (`CUT_SHORT`).
        In another thread than the main one signals stay what they are.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}

        def stop(number: int, _frame: FrameType | None) -> None:
            self._signal = signal.Signals(number).name
            self._stopped.set()
            signal.signal(number, before[signal.Signals(number)])

        try:
            for number in _SIGNALS:
                signal.signal(number, stop)
            yield
        except KeyboardInterrupt:
            raise KeyboardInterrupt(CUT_SHORT) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
