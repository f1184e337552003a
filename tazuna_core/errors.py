"""Every way this program can fail: one class an exit code, each error with its place and a sentence of advice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where an error is: a file as the user named it, a line and a column (both from 1, 0 where unknown)."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])


class TazunaError(Exception):
    """Base of all errors that users see.

    ``message`` says what happened and to which object or file, ``advice`` what to do about it, ``place`` where.
    ``code`` is the short name used in the report's ``errors``.
    """

    exit_code = 70
    default_code = "defect"

    def __init__(self, message: str, *, advice: str = "", place: Place | None = None, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.place = place
        self.code = code or self.default_code

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  {self.advice}" if self.advice else text


class UsageError(TazunaError):
    """A flag, tazuna.yaml or a file beside it is wrong."""

    exit_code, default_code = 2, "usage"


class BuildError(TazunaError):
    """A manifest does not build."""

    exit_code, default_code = 3, "build"


class InvalidObjectError(BuildError):
    """A manifest builds, but one of its objects cannot be one of Kubernetes."""

    default_code = "invalid-object"


class ClusterError(TazunaError):
    """The cluster could not be read."""

    exit_code, default_code = 4, "cluster"


class RepositoryError(TazunaError):
    """A chart repository or registry did not say what it has."""

    exit_code, default_code = 4, "repository"


class StateError(TazunaError):
    """State or record could not be read or written."""

    exit_code, default_code = 4, "state"


class RefusedError(TazunaError):
    """A guard said no, before anything was touched."""

    exit_code, default_code = 5, "refused"


class ApplyError(TazunaError):
    """An apply, a prune or a wait failed."""

    exit_code, default_code = 6, "apply"


class TestFailedError(TazunaError):
    """A test of tazuna.yaml failed."""

    __test__ = False  # the name is the product's own; pytest must not collect it
    exit_code, default_code = 7, "test-failed"


class PublishError(TazunaError):
    """GitHub or a notification could not be reached and the user asked for that to fail."""

    exit_code, default_code = 8, "publish"


INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as a shell has it; no error of a report."""

EXIT_PRECEDENCE = (70, 6, 7, 5, 3, 4, 2, 8, 1)
"""When several exit codes hold, the first of these wins (contract, section 3)."""


def worst_exit_code(codes: Iterable[int]) -> int:
    """Returns the exit code that wins among ``codes``; 0 when there are none but 0."""
    held = set(codes)
    return next((code for code in EXIT_PRECEDENCE if code in held), 0)
