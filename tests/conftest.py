"""What all tests stand on."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Lets Ctrl-C be tested where the tests run in the background: a shell starts jobs there with SIGINT ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
