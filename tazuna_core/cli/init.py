"""`tazuna init`."""

from __future__ import annotations

import sys

import click

from tazuna_core.cli.context import Globals, print_json, require_form


@click.command("init")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.pass_obj
def init_command(given: Globals, force: bool) -> None:
    """Write a first tazuna.yaml to start from (-f says where)."""
    from tazuna_core.operations.init import write_first_file
    from tazuna_core.report.first_file import first_file, next_step
    from tazuna_core.spec.version import TAZUNA_LINE

    require_form(given, "init", "text", "json")
    path = given.options.file
    write_first_file(path, first_file(given.lang, TAZUNA_LINE), force=force)
    if given.output == "json":
        print_json("init", {"created": str(path)})
    else:
        sys.stdout.write(f"created: {path}\n")
    sys.stderr.write(f"{next_step(given.lang)}\n")
