"""`tazuna tags`, and the option ``--tags`` of the commands that build."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from tazuna_core.cli.context import Globals, print_json, require_form


def _split(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    from tazuna_core.spec.tags import parse_tags

    return parse_tags(value) if value else ()


tags_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--tags", default="", show_default=False, metavar="A,B", callback=_split, help="Only manifests with any of these."
)


@click.command("tags")
@tags_option
@click.pass_obj
def tags_command(given: Globals, tags: tuple[str, ...]) -> None:
    """List the tags of tazuna.yaml, each with the manifests that have it."""
    from tazuna_core.operations.tags import tag_rows
    from tazuna_core.report.text_lists import tags_text

    require_form(given, "tags", "text", "json")
    rows = tag_rows(replace(given.options, tags=tags))
    if given.output == "json":
        print_json("tags", {"tags": rows})
    else:
        sys.stdout.write(tags_text(rows))
