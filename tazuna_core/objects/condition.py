"""Conditions of tests: a CEL expression over `object` that gives true or false (format reference, 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tazuna_core.errors import UsageError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.sendable import is_secret


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a condition holds, and why not. A ``final`` answer will not change by trying again."""

    holds: bool
    why: str = ""
    final: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition; see ``compiled``."""

    text: str
    _program: Any = field(repr=False)

    def of(self, obj: JsonObject) -> Held:
        """Evaluates the condition. A field that is not there (yet) is a condition that does not hold."""
        try:
            result = self._program.execute({"object": obj})
        except Exception as error:  # the library raises Python's own classes: KeyError, TypeError, RuntimeError, ...
            final = isinstance(error, RuntimeError) and "Undefined" in str(error)
            return Held(False, _reason(error, obj), final)
        if not isinstance(result, bool):
            return Held(False, f"the condition gives {type(result).__name__}, not true or false", final=True)
        return Held(result, "" if result else "the condition is false")


def compiled(text: str) -> Condition:
    """Returns the condition of an expression. Raises UsageError for one that is no CEL."""
    import cel

    try:
        return Condition(text, cel.compile(text))
    except ValueError as error:
        said = str(error).partition("ERROR: ")[2].splitlines()
        why = said[0].removeprefix("<input>:") if said else "it cannot be parsed"
        raise UsageError(
            f"the condition is no CEL expression: {text!r} ({why})",
            advice="See https://cel.dev; the object is called `object`, as in `object.status.readyReplicas == 3`.",
            code="condition",
        ) from None


def _reason(error: Exception, obj: JsonObject) -> str:
    if is_secret(obj):
        return f"the condition cannot be evaluated ({type(error).__name__})"  # messages quote values
    if isinstance(error, KeyError):
        return f"the object has no field {error}"
    return str(error).partition(". Check")[0].partition(". CEL")[0] or type(error).__name__
