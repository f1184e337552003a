"""Reads the files beside a manifest into models, in the house's words and with all errors together."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.spec.explain import validated
from tazuna_core.spec.positions import Document
from tazuna_core.spec.problems import in_order

M = TypeVar("M", bound=BaseModel)


def modelled(model: type[M], document: Document) -> M:
    """The document as a model; raises UsageError with all that does not fit, at the place of the first."""
    found, errors = validated(model, document)
    if found is None:
        raise_together(errors)
        raise AssertionError("a document that is no model has errors")
    return found


def raise_together(errors: list[TazunaError]) -> None:
    """Raises one UsageError for several (none for none): the first, with the others below it."""
    if not errors:
        return
    first, *others = in_order(errors)
    below = "".join(f"\n  {other}" for other in others)
    raise UsageError(first.message + below, advice=first.advice, place=first.place, code=first.code)


def shown(source: Path, base: Path) -> str:
    """How to name a file in a message: from the manifest's folder on, where it lies below it."""
    return str(source.relative_to(base)) if source.is_relative_to(base) else str(source)
