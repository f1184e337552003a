"""All commands and the global options. A command's module is imported when it runs: `tazuna version` loads no other."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from tazuna_core.cli.context import Globals, cache_directory
from tazuna_core.errors import UsageError
from tazuna_core.operations.options import Options

LEVELS = ("debug", "info", "warning", "error")
OTLP_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Variables of OpenTelemetry that say where traces go: set, they switch tracing on as ``--otlp-endpoint`` does."""
COMMAND = "tazuna_core.command"
"""The key of the command's whole name, such as `state drift`, in click's ``meta``."""
GLOBAL_OPTIONS = "-f, -e, --context, -o, --lang and more go before or after the command: `tazuna --help` lists them."


class LazyGroup(click.Group):
    """A group whose commands are ``name: (module, attribute, help)``; the help is here so that it costs no import."""

    def __init__(self, *args: Any, commands_in: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._commands_in = commands_in or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._commands_in)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        found = self._commands_in.get(cmd_name)
        if found is None:
            return None
        module, attribute = found
        command: click.Command = getattr(import_module(f"tazuna_core.cli.{module}"), attribute)
        for one in (command, *getattr(command, "commands", {}).values()):
            one.epilog = GLOBAL_OPTIONS
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Notes the command's whole name, which a group above it does not know otherwise."""
        name, command, rest = super().resolve_command(ctx, args)
        within = isinstance(command, click.Group) and rest and rest[0] in command.list_commands(ctx)
        ctx.meta[COMMAND] = f"{name} {rest[0]}" if within else name
        return name, command, rest


COMMANDS = {
    "init": ("init", "init_command"),
    "check": ("check", "check_command"),
    "build": ("build", "build_command"),
    "plan": ("plan", "plan_command"),
    "apply": ("apply", "apply_command"),
    "adopt": ("adopt", "adopt_command"),
    "destroy": ("destroy", "destroy_command"),
    "rehearse": ("rehearse", "rehearse_command"),
    "state": ("state", "state_group"),
    "status": ("status", "status_command"),
    "snapshot": ("snapshot", "snapshot_command"),
    "rbac": ("rbac", "rbac_command"),
    "report": ("report", "report_group"),
    "tags": ("tags", "tags_command"),
    "chart": ("chart", "chart_group"),
    "secret-to-genesissecret": ("secret_export", "secret_export_command"),
    "schema": ("schema", "schema_command"),
    "version": ("version", "version_command"),
}


@click.group(
    cls=LazyGroup,
    commands_in=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120, "show_default": True},
)
@click.option("-f", "--file-path", default="tazuna.yaml", type=click.Path(path_type=Path), help="The tazuna.yaml.")
@click.option("-e", "--environment", default="", show_default=False, help="An environment of tazuna.yaml.")
@click.option("-l", "--log-level", default="warning", type=click.Choice(LEVELS), help="For messages on stderr.")
@click.option("--kubeconfig", type=click.Path(path_type=Path), help="Default: KUBECONFIG, ~/.kube/config, in-cluster.")
@click.option("--context", help="A context of the kubeconfig.")
@click.option("--state", default="configmap", help="configmap, or dir:PATH.")
@click.option("--cluster", default="kube", help="kube, or snapshot:PATH.")
@click.option("-o", "--output", default="text", type=click.Choice(["text", "json", "markdown", "html"]))
@click.option("--report-file", type=click.Path(path_type=Path), help="Write the report as JSON to this file as well.")
@click.option("--fail-on-drift", metavar="[CLASSES]", help="Exit 1 on differences; --fail-on-drift=CLASSES says which.")
@click.option("--all", "show_all", is_flag=True, help="List objects without differences too.")
@click.option("--no-ignore", is_flag=True, help="Do not apply tazuna.drift.yaml.")
@click.option("--show-secret-hashes", is_flag=True, help="Content hashes of Secrets are hashes of their values.")
@click.option("--no-cache", is_flag=True, help="Fetch and build everything anew.")
@click.option("--offline", is_flag=True, help="Fetch nothing; what is not cached is an error.")
@click.option("--lang", default="en", type=click.Choice(["en", "ja"]), help="Language of texts for people.")
@click.option("--no-color", is_flag=True, help="NO_COLOR in the environment does the same.")
@click.option("--otlp-endpoint", metavar="HOST:PORT", help="Send a trace of the command there, over OTLP/gRPC.")
@click.option("--otlp-insecure", type=bool, metavar="[BOOL]", help="Without TLS. Default: true for HOST:PORT.")
@click.pass_context
def app(context: click.Context, /, **given: Any) -> None:
    """Show what merging would change in a cluster, and what somebody changed by hand."""
    import logging

    level = logging.getLevelNamesMapping()[given["log_level"].upper()]
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    if given["no_cache"] and given["offline"]:
        raise UsageError("--no-cache and --offline exclude each other", advice="Give one of them.")
    options = Options(
        file=given["file_path"],
        environment=given["environment"],
        kubeconfig=given["kubeconfig"],
        context=given["context"],
        state=given["state"],
        cluster=given["cluster"],
        all=given["show_all"],
        no_ignore=given["no_ignore"],
        show_secret_hashes=given["show_secret_hashes"],
        no_cache=given["no_cache"],
        offline=given["offline"],
        cache_directory=cache_directory(),
        environ=dict(os.environ),
    )
    if given["otlp_endpoint"] is not None or any(os.environ.get(name) for name in OTLP_ENDPOINTS):
        from tazuna_core.cli.otlp import switch_on

        switch_on(context.meta[COMMAND], given["otlp_endpoint"], given["otlp_insecure"], options)
    context.obj = Globals(
        options, given["output"], given["report_file"], given["fail_on_drift"], given["lang"], given["no_color"]
    )
