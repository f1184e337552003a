"""What tracing costs a command that is not traced: one small module, which does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tazuna_core import tracing
from tazuna_core.cli.arguments import arranged

ROOT = Path(__file__).resolve().parents[3]
LOADED = """
import sys
from tazuna_core.cli.main import run
code = run(sys.argv[1:])
print([name for name in sys.modules if name.partition(".")[0] in ("opentelemetry", "grpc") or "otlp" in name])
sys.exit(code)
"""


@pytest.mark.parametrize("command", [["version"], ["state", "drift"], ["plan"]], ids=" ".join)
def test_a_command_that_is_not_traced_loads_nothing_of_it(command: list[str]) -> None:
    offline = ["--state", "dir:state", "--cluster", "snapshot:cluster.json"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *command, *offline],
        cwd=ROOT / "examples/gitops-lab",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_steps_that_nobody_asked_for_do_nothing() -> None:
    described = []

    @tracing.traced(lambda value: (described.append(value) or "never", {}))
    def double(value: int) -> int:
        """Doubles."""
        tracing.note({"value": value})
        tracing.fail("no-error")
        return 2 * value

    assert not tracing.is_on()
    with tracing.span("step"), tracing.span("within"):
        assert double(2) == 4
    assert described == []
    assert double.__doc__ == "Doubles."
    with pytest.raises(ValueError, match="as it was"), tracing.span("step"):
        raise ValueError("as it was")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plan --otlp-endpoint h:1 --tags a", "--otlp-endpoint h:1 plan --tags a"),
        ("plan --otlp-endpoint=h:1", "--otlp-endpoint=h:1 plan"),
        ("state --otlp-insecure drift", "--otlp-insecure=true state drift"),
        ("state drift --otlp-insecure=false", "--otlp-insecure=false state drift"),
    ],
)
def test_the_options_stand_on_either_side_of_the_command(given: str, expected: str) -> None:
    assert arranged(given.split()) == expected.split()
