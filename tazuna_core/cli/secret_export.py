"""`tazuna secret-to-genesissecret`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, print_json, require_form
from tazuna_core.errors import worst_exit_code

if TYPE_CHECKING:
    from tazuna_core.operations.secret_export import ExportRow


@click.command("secret-to-genesissecret")
@click.option("--op-host", required=True, help="The host of the uri in the files, such as example.1password.com.")
@click.option("--vault", required=True, help="The 1Password vault to write to.")
@click.option("--namespace", default="default", help="Where the Secrets are.")
@click.option("--label-selector", default="", show_default=False, metavar="K=V,...", help="Only Secrets with these.")
@click.option("--name-regex", default="", show_default=False, help="Only Secrets whose name matches (RE2).")
@click.option("--note", default="", show_default=False, help="A note for the items.")
@click.option("--dump-dir", default=".", type=click.Path(path_type=Path), help="Where to write the files.")
@click.option("--dry-run", is_flag=True, help="Only say which Secrets and files it would be.")
@click.pass_obj
def secret_export_command(
    given: Globals, op_host: str, vault: str, namespace: str, label_selector: str, name_regex: str, note: str,
    dump_dir: Path, dry_run: bool,
) -> int:  # fmt: skip
    """Move Secrets of a cluster into 1Password, and write a genesissecret file for each. tazuna.yaml is not read."""
    from tazuna_core.operations.secret_export import ExportOptions, export_secrets

    require_form(given, "secret-to-genesissecret", "text", "json")
    how = ExportOptions(op_host, vault, namespace, label_selector, name_regex, note, dump_dir, dry_run)
    rows, errors = export_secrets(given.options, how)
    if given.output == "json":
        print_json("secret-to-genesissecret", {"secrets": rows}, errors)
    else:
        sys.stdout.write("".join(_line(row) for row in rows))
    for error in errors:
        sys.stderr.write(f"tazuna: {error}\n")
    return worst_exit_code(error.exit_code for error in errors)


def _line(row: ExportRow) -> str:
    if row.status == "dry run":
        return f"DRYRUN: generate GenesisSecret into {row.file}\n"
    if row.file:
        return f"{row.status}: {row.item}  {row.file}\n"
    return f"left out: {row.namespace}/{row.name} ({row.reason})\n" if row.status == "left out" else ""
