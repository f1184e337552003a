"""`tazuna version`."""

from __future__ import annotations

import click

from tazuna_core import __version__


@click.command("version")
def version_command() -> None:
    """Print the version of this program."""
    click.echo(f"tazuna {__version__}")
