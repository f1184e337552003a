"""Makes the action's own Python environment, or finds it warm, and becomes the program in it. Standard library only.

Runs under the runner's python3, whatever its version, so that an old one gets a sentence and not a syntax error.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NoReturn

OLDEST = (3, 11)
EXIT_USAGE = 2
ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements" / "action.txt"
# Where pip looks is the runner's business (PIP_INDEX_URL, PIP_CERT, PIP_PROXY, ...); where it installs is ours.
NOT_HONOURED = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIREMENT", "PIP_PYTHON", "PIP_DRY_RUN")


def main() -> NoReturn:
    """Replaces this process by the action's program; exits with 2 when there can be no environment for it."""
    if sys.version_info < OLDEST:
        fail(
            "python3 of this runner is {}.{}; tazuna needs {}.{} or newer. Put actions/setup-python before this step.",
            *sys.version_info[:2],
            *OLDEST,
        )
    home = environment_folder(Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()))
    python = home / "bin" / "python"
    complete = home / "complete"
    if not complete.is_file():
        make_environment(home, python)
        complete.touch()
    # -X pycache_prefix: nothing is written into the action's folder, which with `uses: ./` is the user's work tree.
    command = [str(python), "-I", "-X", f"pycache_prefix={home / 'pycache'}", str(ROOT / "entrypoints" / "main.py")]
    sys.stdout.flush()
    os.execv(python, command)  # noqa: S606 -- no shell is wanted


def environment_folder(temp: Path) -> Path:
    """Returns the folder of the environment: equal requirements on an equal Python share one."""
    pins = hashlib.sha256(REQUIREMENTS.read_bytes())
    pins.update(f"{sys.version} {sysconfig.get_platform()} {sys.base_prefix}".encode())
    return temp / f"tazuna-{pins.hexdigest()[:16]}"


def make_environment(home: Path, python: Path) -> None:
    """Fills ``home`` with a virtual environment of exactly the pinned files."""
    shutil.rmtree(home, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if keeps(name)}
    steps = [
        ([sys.executable, "-I", "-m", "venv", str(home)], "No virtual environment can be made (python3-venv missing?)"),
        (
            [
                *(str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"),
                *("--no-compile", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(REQUIREMENTS)),
            ],
            "The pinned packages can't be installed; pip says why above. PIP_INDEX_URL and its kin are honoured",
        ),
    ]
    for command, failure in steps:
        if subprocess.run(command, env=environment, check=False).returncode:
            shutil.rmtree(home, ignore_errors=True)
            fail(failure + ".")


def keeps(name: str) -> bool:
    """Tells whether an environment variable is passed on to pip: nothing secret, nothing that moves the target."""
    return name not in NOT_HONOURED and not name.startswith("TAZUNA_INPUT_")


def fail(message: str, *values: object) -> NoReturn:
    """Ends the step with an annotation. ``message`` is a text of this file: nothing of it needs escaping."""
    print("::error title=tazuna::" + message.format(*values), flush=True)  # noqa: T201 -- no package is there yet
    raise SystemExit(EXIT_USAGE)


if __name__ == "__main__":
    main()
