"""`tazuna build`."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from tazuna_core.cli.context import Globals
from tazuna_core.cli.tags import tags_option
from tazuna_core.errors import worst_exit_code


@click.command("build")
@tags_option
@click.option("--show-secrets", is_flag=True, help="Print the values of Secrets instead of masking them.")
@click.pass_obj
def build_command(given: Globals, tags: tuple[str, ...], show_secrets: bool) -> int:
    """Print the rendered YAML in apply order. Values of Secrets are masked."""
    from tazuna_core.operations.render import rendered

    text, errors = rendered(replace(given.options, tags=tags), show_secrets=show_secrets)
    sys.stdout.write(text)
    for error in errors:
        sys.stderr.write(f"tazuna: {error}\n")
    return worst_exit_code(error.exit_code for error in errors)
