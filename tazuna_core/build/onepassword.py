"""Fields of 1Password items, by the user's `op` program: the only place that asks for them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Command, find_program, run
from tazuna_core.errors import BuildError, RefusedError

INSTALL = "Install the 1Password command-line tool (op) and sign in, or use a provider of type envfile."
_SECONDS = 60.0
_IDENTIFIER = re.compile(r"[\w.][\w.\- ]*")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an item; ``value`` is a secret."""

    id: str
    label: str
    value: str = field(repr=False)


class OnePassword:
    """Items as `op` gives them, each asked for once. ``needed_by`` is what to name when the program is missing."""

    def __init__(self, settings: BuildSettings, needed_by: str) -> None:
        self._settings, self._needed_by = settings, needed_by
        self._items: dict[tuple[str, str], tuple[Field, ...]] = {}

    def fields(self, vault: str, item: str) -> tuple[Field, ...]:
        """The fields of an item in its order.

        Raises BuildError when `op` fails or answers something else, MissingProgramError without it, RefusedError in a
        build that is not trusted. No message holds a value.
        """
        if (vault, item) not in self._items:
            self._items[vault, item] = self._ask(vault, item)
        return self._items[vault, item]

    def _ask(self, vault: str, item: str) -> tuple[Field, ...]:
        refuse_untrusted(self._settings, "secrets of 1Password")
        for what, name in (("vault", vault), ("item", item)):
            if not _IDENTIFIER.fullmatch(name):
                raise BuildError(
                    f"{name!r} cannot be the name of a 1Password {what}",
                    advice="Letters, digits, '_', '.', '-' and blanks are understood, '-' and blanks not in front.",
                )
        _, program = find_program("op", needed_by=self._needed_by, advice=INSTALL)
        seconds = min(_SECONDS, self._settings.seconds)
        output = run(Command((program, "item", "get", item, "--vault", vault, "--format", "json"), seconds=seconds))
        try:
            answer = json.loads(output.stdout)
            return tuple(_field(one) for one in answer.get("fields") or ())
        except (ValueError, AttributeError, TypeError):
            # Neither the answer nor the parser's words about it: they cite it.
            raise BuildError(f"op gave no readable answer for item '{item}' of vault '{vault}'") from None


def refuse_untrusted(settings: BuildSettings, what: str) -> None:
    """Raises RefusedError in a build that is not trusted: ``what`` could be printed by whoever wrote its files."""
    if not settings.trusted:
        raise RefusedError(
            f"{what} are not read for files from a fork",
            advice="Build what needs them after the merge, or from a branch of this repository.",
            code="untrusted-build",
        )


def _field(data: Mapping[str, Any]) -> Field:
    texts = (data.get(key) for key in ("id", "label", "value"))
    return Field(*(text if isinstance(text, str) else "" for text in texts))
