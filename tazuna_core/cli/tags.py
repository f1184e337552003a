"""The option ``--tags`` of the commands that build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def _split(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    from tazuna_core.spec.tags import parse_tags

    return parse_tags(value) if value else ()


tags_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--tags", default="", show_default=False, metavar="A,B", callback=_split, help="Only manifests with any of these."
)
