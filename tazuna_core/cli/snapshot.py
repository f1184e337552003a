"""`tazuna snapshot`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tazuna_core.cli.context import Globals, write
from tazuna_core.errors import ClusterError


@click.command("snapshot")
@click.option("--to", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.pass_obj
def snapshot_command(given: Globals, to: Path) -> int:
    """Write the live objects that state names, state and record into one file. Values of Secrets are masked."""
    from tazuna_core.operations.snapshot import take_snapshot

    snapshot = take_snapshot(given.options)
    write(to, snapshot.to_json().decode())
    unread = [item for item in snapshot.unavailable if item.reason != "not-found"]
    sys.stderr.write(f"{to}: {len(snapshot.objects)} {'object' if len(snapshot.objects) == 1 else 'objects'}\n")
    for item in unread:
        sys.stderr.write(f"not read: {item.ref} ({item.reason})\n")
    for listed in snapshot.lists:
        if listed.reason is not None:  # what needs it does without: no error
            sys.stderr.write(f"not listed: {listed.kind} in namespace {listed.namespace} ({listed.reason})\n")
    return ClusterError.exit_code if unread else 0
