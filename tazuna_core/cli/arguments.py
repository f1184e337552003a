"""The command line as users write it: global options on either side of the command, a flag with an optional value."""

from __future__ import annotations

from collections.abc import Sequence

WITH_VALUE = frozenset(
    {
        "-f", "--file-path", "-e", "--environment", "-l", "--log-level", "--kubeconfig", "--context", "--state",
        "--cluster", "-o", "--output", "--report-file", "--lang",
    }
)  # fmt: skip
WITHOUT_VALUE = frozenset({"--all", "--no-ignore", "--show-secret-hashes", "--no-cache", "--offline", "--no-color"})
FAIL_ON_DRIFT = "--fail-on-drift"


def arranged(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments with the global options in front of the command.

    ``--fail-on-drift`` takes a value only after ``=``: without one it means the command's default, so that a word
    behind it stays a word of the command.
    """
    first: list[str] = []
    rest: list[str] = []
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        if argument == "--":
            rest += [argument, *arguments[position:]]
            break
        name, equals, _ = argument.partition("=")
        if argument == FAIL_ON_DRIFT:
            first.append(f"{FAIL_ON_DRIFT}=true")
        elif name == FAIL_ON_DRIFT or argument in WITHOUT_VALUE or (equals and name in WITH_VALUE):
            first.append(argument)
        elif argument in WITH_VALUE and position < len(arguments):
            first += [argument, arguments[position]]
            position += 1
        elif argument[:2] in WITH_VALUE and not argument.startswith("--") and len(argument) > 2:
            first.append(argument)  # -fFILE
        else:
            rest.append(argument)
    return first + rest
