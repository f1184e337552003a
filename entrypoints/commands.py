"""The seam to the library: one call of a command in, its report out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Protocol

from entrypoints.events import CoreCommand
from entrypoints.inputs import OnDrift
from tazuna_core.errors import UsageError
from tazuna_core.operations.options import Options
from tazuna_core.report.model import Report

_BASE = "base:"


@dataclass(frozen=True, slots=True)
class Call:
    """One command over one file. ``against`` is ``live`` or ``base:COMMIT``."""

    command: CoreCommand
    options: Options
    against: str = "live"
    on_drift: OnDrift = "overwrite"


class Commands(Protocol):
    """Runs calls."""

    def run(self, call: Call) -> Report:
        """Returns the call's report; raises TazunaError for what never came to one."""


class CoreCommands:
    """Runs calls by the library. Imports are late: a nightly drift check loads no builder."""

    def run(self, call: Call) -> Report:
        """Returns the call's report; raises TazunaError."""
        name = call.options.environ.get("TAZUNA_CONTEXT")
        if call.command == "plan":
            if call.against != "live":
                from tazuna_core.operations.base_plan import base_plan

                return base_plan(call.options, call.against.removeprefix("base:"), fetch=True)
            from tazuna_core.operations.plan import plan

            return plan(call.options)
        if call.command == "diff":
            from tazuna_core.operations.diff import state_diff

            return state_diff(call.options)
        if call.command == "drift":
            from tazuna_core.operations.drift import state_drift

            return state_drift(call.options)
        if call.command == "check":
            from tazuna_core.operations.check import check

            return check(call.options)
        if call.command == "sync":
            from tazuna_core.operations.apply import ApplyOptions, apply

            how = ApplyOptions(sync=True, on_drift=call.on_drift, context_name=name)
            return apply(call.options, how, _progress)
        if call.command == "rehearse":
            from tazuna_core.operations.rehearse import rehearse

            return rehearse(call.options, context_name=name, progress=_progress)
        raise UsageError(f"`command: {call.command}` is not in this version", advice="See docs/action.md.")


def _progress(line: str) -> None:
    """Shows in the step's log how far it is; what it prints is fenced there (`log.foreign_output`)."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
