"""`tazuna adopt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tazuna_core.cli.context import Globals, report_of

if TYPE_CHECKING:
    from tazuna_core.operations.adopt_tries import Form
    from tazuna_core.operations.options import Options
    from tazuna_core.report.model import Report


@click.command("adopt")
@click.option(
    "--as",
    "form",
    type=click.Choice(["kustomize-patch", "yaml"]),
    help="How to write it. Default: a patch for kustomize manifests, the YAML itself for directories.",
)
@click.option("--write", is_flag=True, help="Put the change in place; without it, it is shown.")
@click.option("--allow-dirty", is_flag=True, help="With --write: though a file has changes that are not committed.")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.pass_obj
def adopt_command(given: Globals, form: Form | None, write: bool, allow_dirty: bool, keys: tuple[str, ...]) -> None:
    """Turn drift into the smallest change of the repository by which the build says what is live.

    KEY is a state key, or Kind/namespace/name; without any, all that persons changed is adopted.
    """

    def work(options: Options) -> Report:
        from tazuna_core.operations.adopt import AdoptOptions, adopt

        return adopt(options, AdoptOptions(keys, form, write, allow_dirty))

    report_of(given, "adopt", work)
