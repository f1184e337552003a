"""Holds the variables of a helmfile against tazuna.hint.yaml, and fills in what it knows better."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tazuna_core.build.files import modelled, raise_together
from tazuna_core.build.hint_formats import fits
from tazuna_core.build.hint_models import HINT_FILE, HintFile, HintType, HintVar
from tazuna_core.errors import BuildError
from tazuna_core.spec.explain import Problem
from tazuna_core.spec.models_manifest import HelmfileVar, VarSource
from tazuna_core.spec.positions import Document, Loc, read_document
from tazuna_core.spec.problems import did_you_mean
from tazuna_core.spec.reading import read_text
from tazuna_core.spec.scalars import Scalar
from tazuna_core.spec.source import SourceText

_SHAPES: Mapping[HintType, tuple[type, str]] = {
    HintType.STRING: (str, "a text"),
    HintType.SLICE: (list, "a list"),
    HintType.MAP: (dict, "a map"),
}


@dataclass(frozen=True, slots=True)
class Hints:
    """A hint file that is right in itself, with the places of what it says."""

    content: HintFile
    document: Document


def load_hints(folder: Path) -> Hints | None:
    """The hint file of a folder, None where there is none; raises UsageError for all that is wrong in it."""
    path = folder / HINT_FILE
    if not path.exists():
        return None
    document = read_document(SourceText.plain(str(path), read_text(path)), may_be_empty=True)
    content = modelled(HintFile, document)
    raise_together([problem.error(document) for problem in _problems(content)])
    return Hints(content, document)


def apply_hints(hints: Hints, declared: Mapping[str, HelmfileVar], values: Mapping[str, object]) -> dict[str, object]:
    """The values with defaults and zero values for what was not given; raises BuildError at the hint that is broken.

    "Given" always means by the user in tazuna.yaml. Variables without a hint pass through. No message holds a value.
    """
    merged = dict(values)
    for name, hint in hints.content.vars.items():
        _check_shape(hints, name, hint, declared.get(name))
        if name not in values:
            merged[name] = _not_given(hints, name, hint, values)
        text = merged[name]
        if hint.format and isinstance(text, str) and not fits(text, hint.format):
            raise _broken(hints, name, "format", f"the value of variable '{name}' is no {hint.format}")
    for index, rule in enumerate(hints.content.rules):
        if not any(name in values for name in rule.vars):
            place = hints.document.at_value(("rules", index))
            message = rule.message or f"at least one of the variables {_list(rule.vars)} must be given"
            raise BuildError(message, advice=_ADVICE, place=place, code="hint")
    return merged


_ADVICE = "Give it in tazuna.yaml under `helmfile.vars`."


def _not_given(hints: Hints, name: str, hint: HintVar, values: Mapping[str, object]) -> object:
    if hint.required:
        raise _broken(hints, name, "required", f"variable '{name}' is required and not given")
    for other in hint.required_with:
        if other in values:
            raise _broken(hints, name, "required_with", f"variable '{name}' is required because '{other}' is given")
    if hint.required_without and not any(other in values for other in hint.required_without):
        missing = _list(hint.required_without)
        raise _broken(
            hints, name, "required_without", f"variable '{name}' is required because none of {missing} is given"
        )
    if hint.default is not None:
        return _plain(hint.default)
    return _SHAPES[hint.type][0]()


def _broken(hints: Hints, name: str, key: str, message: str) -> BuildError:
    return BuildError(message, advice=_ADVICE, place=hints.document.at_key(("vars", name, key)), code="hint")


def _check_shape(hints: Hints, name: str, hint: HintVar, given: HelmfileVar | None) -> None:
    """A static value has the hinted type; texts of the other sources have the type string, as in the Go CLI.

    A text from the environment or 1Password passes for a slice or map too: a template can split it.
    """
    if given is None or given.from_ is not VarSource.STATIC:
        return
    shapes = {HintType.SLICE: given.static_slice, HintType.MAP: given.static_map}
    actual = next((shape for shape, value in shapes.items() if value is not None), HintType.STRING)
    if actual is not hint.type:
        message = f"variable '{name}' must be {_SHAPES[hint.type][1]}, and {_SHAPES[actual][1]} is given"
        raise _broken(hints, name, "type", message)


def _plain(default: object) -> object:
    """A default as JSON, its numbers and booleans as such: a template may ask whether they are zero or false."""
    if isinstance(default, dict):
        return {key: _plain(value) for key, value in default.items()}
    if isinstance(default, list):
        return [_plain(value) for value in default]
    if not isinstance(default, Scalar):
        return default
    if default.kind == "true or false":
        return default.text.casefold() == "true"
    for number in (int, float) if default.kind.startswith("a number") else ():
        with contextlib.suppress(ValueError):
            return number(default.text)
    return default.text


def _problems(content: HintFile) -> Iterator[Problem]:
    for name, hint in content.vars.items():
        yield from _variable(name, hint, content)
    for index, rule in enumerate(content.rules):
        loc: Loc = ("rules", index, "vars")
        if len(rule.vars) < 2:
            yield Problem(loc, f"rule number {index + 1} names fewer than two variables", "Name two or more.", "hint")
        yield from _unknown(rule.vars, loc, f"rule number {index + 1}", content)


def _variable(name: str, hint: HintVar, content: HintFile) -> Iterator[Problem]:
    loc: Loc = ("vars", name)
    if hint.format and hint.type is not HintType.STRING:
        message = f"variable '{name}': 'format' goes with 'type: string' only, not with '{hint.type}'"
        yield Problem((*loc, "format"), message, "Remove one of the two.", "hint", at_key=True)
    conditional = {"required_with": hint.required_with, "required_without": hint.required_without}
    against = {"default": hint.default is not None} | {key: bool(names) for key, names in conditional.items()}
    for key, there in against.items():
        if hint.required and there:
            message = f"variable '{name}': '{key}' does not go with 'required: true'"
            yield Problem((*loc, key), message, "What is always required needs neither.", "hint", at_key=True)
    for key, names in conditional.items():
        yield from _unknown(names, (*loc, key), f"variable '{name}'", content)


def _unknown(names: tuple[str, ...], loc: Loc, who: str, content: HintFile) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name not in content.vars:
            yield Problem(
                (*loc, index), f"{who} names '{name}', which has no hint", did_you_mean(name, content.vars), "hint"
            )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)
