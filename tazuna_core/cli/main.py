"""`tazuna`: the one process boundary of the command line. Errors become messages and exit codes here, nowhere else."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

from tazuna_core import tracing
from tazuna_core.errors import INTERRUPTED, TazunaError, UsageError


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its code (contract, section 3)."""
    # One command lives for seconds and makes few cycles: looking for them in megabytes of JSON is wasted time
    gc.set_threshold(100_000, 20, 20)
    # Without this, pydantic searches all installed packages for plugins; this program has none
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a sign is no reason to fail
    code = run(sys.argv[1:] if arguments is None else list(arguments))
    _flush()
    tracing.finish(code)  # after all output: whoever waits for that does not wait for a collector
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code; nothing that happens inside comes out as a traceback."""
    import click

    from tazuna_core.cli.app import app
    from tazuna_core.cli.arguments import arranged

    try:
        result = app.main(arranged(arguments), prog_name="tazuna", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return UsageError.exit_code
    except TazunaError as error:
        sys.stderr.write(f"tazuna: {error}\n")
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        # click turns the one into the other; what a run that was cut short leaves behind is in the first
        said = str(error.__cause__ or error)
        sys.stderr.write(f"tazuna: interrupted{': ' if said else ''}{said}\n")
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except Exception as error:
        return _defect(error)
    return result if isinstance(result, int) else 0


def _defect(error: Exception) -> int:
    from tazuna_core.report.failed import defect_line

    line = defect_line(error)
    sys.stderr.write(f"tazuna: {line.message}\n  {line.advice}\n")
    if os.environ.get("TAZUNA_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    return TazunaError.exit_code


def _flush() -> None:
    """A reader that went away (`| head`) is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
