"""Run as a script in front of a server: `PARENT_PID PROGRAM ARGUMENTS...`; the kernel ends the program with its parent.

A killed test run has no time to stop its servers. Doing this in a `preexec_fn` is not safe beside other threads. Only
Linux has it: elsewhere the program just starts.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Becomes the program."""
    parent, program, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != int(parent):  # it died before this call
            sys.exit(1)
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()
