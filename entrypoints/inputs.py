"""Reads the action's inputs, once and completely: environment variables in, a frozen value or a UsageError out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, get_args

from tazuna_core.errors import UsageError
from tazuna_core.report.exit_code import failing_classes

PREFIX = "TAZUNA_INPUT_"
"""What action.yml puts before an input's name; the rest is the name in capitals with ``_`` for ``-``."""

CommandInput = Literal["auto", "plan", "diff", "drift", "check", "sync", "rehearse", "publish"]
Against = Literal["auto", "live", "base"]
OnDrift = Literal["overwrite", "refuse"]
CommentMode = Literal["always", "on-change", "never"]
Language = Literal["en", "ja"]

_Value = TypeVar("_Value")
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one step (contract, section 5). Secrets never appear in its ``repr``."""

    command: CommandInput = "auto"
    file: tuple[Path, ...] = (Path("tazuna.yaml"),)
    environment: str = ""
    tags: tuple[str, ...] = ()
    kubeconfig: Path | None = None
    context: str | None = None
    against: Against = "auto"
    fail_on_drift: str = "false"
    on_drift: OnDrift = "overwrite"
    comment: CommentMode = "on-change"
    comment_id: str = ""
    comment_header: str = ""
    pr_number: int | None = None
    drift_issue: bool = False
    drift_issue_labels: tuple[str, ...] = ("drift",)
    drift_issue_assignees: tuple[str, ...] = ()
    annotations: bool = True
    slack_webhook_url: str = field(default="", repr=False)
    report_path: Path | None = None
    allow_untrusted_build: bool = False
    language: Language = "en"
    github_token: str = field(default="", repr=False)


def parse_inputs(environment: Mapping[str, str]) -> Inputs:
    """Returns the inputs held by the ``TAZUNA_INPUT_*`` variables; an absent or empty one means its default.

    Raises UsageError that begins with the input's name for a value it does not take, and for a variable of an
    input that does not exist.
    """
    given = {
        name.removeprefix(PREFIX): value.strip()
        for name, value in environment.items()
        if name.startswith(PREFIX) and value.strip()
    }
    values = {}
    for name, parse in _PARSERS.items():
        text = given.pop(name.upper(), None)
        if text is not None:
            values[name] = _parsed(name.replace("_", "-"), text, parse)
    if given:
        raise UsageError(f"{PREFIX}{min(given)} is no input of this action", advice="See docs/action.md.")
    return Inputs(**values)  # type: ignore[arg-type]  # each parser returns its field's type


def input_names() -> list[str]:
    """The names that the parser knows, as action.yml writes them."""
    return [name.replace("_", "-") for name in _PARSERS]


def _parsed(name: str, text: str, parse: Callable[[str], object]) -> object:
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"Input '{name}': {error.message}", advice=error.advice) from None


def _word(words: tuple[str, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise UsageError(f"{text!r} is not known", advice=f"Use one of: {', '.join(words)}.")
        return text

    return parse


def _boolean(text: str) -> bool:
    # The words of YAML 1.2's core schema, as GitHub's own toolkit reads booleans.
    if text.lower() not in ("true", "false") or text not in (text.lower(), text.upper(), text.capitalize()):
        raise UsageError(f"{text!r} is neither true nor false", advice="Write true or false.")
    return text.lower() == "true"


def _list(text: str) -> tuple[str, ...]:
    words = (word.strip() for word in text.replace(",", "\n").splitlines())
    return tuple(dict.fromkeys(word for word in words if word))


def _labels(text: str) -> tuple[str, ...]:
    labels = _list(text)
    if not labels:
        raise UsageError("it names no label", advice="Name at least one: the issue is found again by the first.")
    return labels


def _files(text: str) -> tuple[Path, ...]:
    lines = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    return tuple(Path(line) for line in lines)


def _failing(text: str) -> str:
    failing_classes("plan", text)  # refuses what is no class; which classes are meant depends on the command
    return text


def _comment_id(text: str) -> str:
    if len(text) > _LONGEST_ID or not text.isprintable():
        raise UsageError("it is no identity", advice=f"Use at most {_LONGEST_ID} printable characters in one line.")
    return text


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:12]) < 10**10:
        raise UsageError(f"{text[:40]!r} is no pull request number", advice="Give its number alone, such as 12.")
    return int(text)


def _webhook(text: str) -> str:
    # The address is a secret: an error must not repeat it.
    if not text.startswith(("https://", "http://")) or any(character.isspace() for character in text):
        raise UsageError("it is no http(s) address", advice="Give the webhook's address, from a secret.")
    return text


_PARSERS: dict[str, Callable[[str], object]] = {
    "command": _word(get_args(CommandInput)),
    "file": _files,
    "environment": str,
    "tags": _list,
    "kubeconfig": Path,
    "context": str,
    "against": _word(get_args(Against)),
    "fail_on_drift": _failing,
    "on_drift": _word(get_args(OnDrift)),
    "comment": _word(get_args(CommentMode)),
    "comment_id": _comment_id,
    "comment_header": str,
    "pr_number": _number,
    "drift_issue": _boolean,
    "drift_issue_labels": _labels,
    "drift_issue_assignees": _list,
    "annotations": _boolean,
    "slack_webhook_url": _webhook,
    "report_path": Path,
    "allow_untrusted_build": _boolean,
    "language": _word(get_args(Language)),
    "github_token": str,
}
