"""Fields of 1Password items, by the user's `op` program: the only place that asks for them or makes some."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Command, Output, find_program, run
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

    def titles(self, vault: str) -> frozenset[str]:
        """The titles of the items in a vault; raises as `fields`."""
        answer = self._run(("item", "list"), vault)
        try:
            return frozenset(str(one["title"]) for one in json.loads(answer.stdout or b"[]"))
        except (ValueError, KeyError, TypeError):
            raise BuildError(f"op gave no readable list of the items in vault '{vault}'") from None

    def create(self, vault: str, title: str, values: Mapping[str, str], note: str) -> None:
        """Makes an item with a concealed field for each value; raises as `fields`.

        The values reach the program through its standard input alone.
        """
        require_names(vault, title)
        notes = {"id": "notesPlain", "type": "STRING", "purpose": "NOTES", "label": "notesPlain", "value": note}
        fields = [{"type": "CONCEALED", "label": label, "value": value} for label, value in values.items()]
        template = json.dumps({"title": title, "category": "API_CREDENTIAL", "fields": [*fields, notes]}).encode()
        arguments = ("item", "create", "--title", title, "--category", "API Credential", "-")
        self._run(arguments, vault, template, tuple(values.values()))
        self._items.pop((vault, title), None)

    def _ask(self, vault: str, item: str) -> tuple[Field, ...]:
        require_names(vault, item)
        output = self._run(("item", "get", item), vault)
        try:
            answer = json.loads(output.stdout)
            return tuple(_field(one) for one in answer.get("fields") or ())
        except (ValueError, AttributeError, TypeError):
            # Neither the answer nor the parser's words about it: they cite it.
            raise BuildError(f"op gave no readable answer for item '{item}' of vault '{vault}'") from None

    def _run(
        self, arguments: tuple[str, ...], vault: str, template: bytes = b"", hidden: tuple[str, ...] = ()
    ) -> Output:
        refuse_untrusted(self._settings, "secrets of 1Password")
        _, program = find_program("op", needed_by=self._needed_by, advice=INSTALL)
        command = (program, *arguments, "--vault", vault, "--format", "json")
        seconds = min(_SECONDS, self._settings.seconds)
        return run(Command(command, input=template, seconds=seconds, hidden=hidden))


def require_names(vault: str, item: str = "x") -> None:
    """Raises BuildError for what cannot be the name of a vault or an item, and could be an option of the program."""
    for what, name in (("vault", vault), ("item", item)):
        if not _IDENTIFIER.fullmatch(name):
            raise BuildError(
                f"{name!r} cannot be the name of a 1Password {what}",
                advice="Letters, digits, '_', '.', '-' and blanks are understood, '-' and blanks not in front.",
            )


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
