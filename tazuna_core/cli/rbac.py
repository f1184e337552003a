"""`tazuna rbac`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals

if TYPE_CHECKING:
    from tazuna_core.operations.rbac import Purpose


@click.command("rbac")
@click.option("--for", "purpose", default="drift", type=click.Choice(["drift", "plan", "record", "apply"]))
@click.option("--prune", is_flag=True, help="With the right to delete what is no longer declared.")
@click.option("--dry-run", is_flag=True, help="With the rights that `plan --dry-run=server` needs.")
@click.pass_obj
def rbac_command(given: Globals, purpose: Purpose, prune: bool, dry_run: bool) -> None:
    """Print the least ClusterRole, and Role for the state, for the kinds in use."""
    from tazuna_core.operations.rbac import rbac

    rights = rbac(given.options, purpose, prune=prune, dry_run=dry_run)
    for notice in rights.notices:
        sys.stderr.write(f"warning: {notice}\n")
    sys.stdout.write(rights.text)
