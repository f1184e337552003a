"""The command line as users write it: global options on either side of the command, a flag with an optional value."""

from __future__ import annotations

from collections.abc import Sequence

WITH_VALUE = frozenset(
    {
        "-f", "--file-path", "-e", "--environment", "-l", "--log-level", "--kubeconfig", "--context", "--state",
        "--cluster", "-o", "--output", "--report-file", "--lang", "--otlp-endpoint",
    }
)  # fmt: skip
WITHOUT_VALUE = frozenset({"--all", "--no-ignore", "--show-secret-hashes", "--no-cache", "--offline", "--no-color"})
VALUE_AFTER_EQUALS = frozenset({"--fail-on-drift", "--otlp-insecure"})


def arranged(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments with the global options in front of the command.

    Some take a value only after ``=``, so that a word behind them stays a word of the command; without one they mean
    ``true``, which for ``--fail-on-drift`` is the command's default.
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
        if argument in VALUE_AFTER_EQUALS:
            first.append(f"{argument}=true")
        elif name in VALUE_AFTER_EQUALS or argument in WITHOUT_VALUE or (equals and name in WITH_VALUE):
            first.append(argument)
        elif argument in WITH_VALUE and position < len(arguments):
            first += [argument, arguments[position]]
            position += 1
        elif argument[:2] in WITH_VALUE and not argument.startswith("--") and len(argument) > 2:
            first.append(argument)  # -fFILE
        else:
            rest.append(argument)
    return first + rest
