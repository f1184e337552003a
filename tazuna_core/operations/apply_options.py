"""What `apply` may be told beside the global options, and which of it goes together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tazuna_core.errors import UsageError

OnDrift = Literal["overwrite", "refuse"]
Progress = Callable[[str], None]
PrintValues = Callable[[str], None]
"""Prints the secret values of `stdout` outputs (KEY=VALUE lines); the one way by which a value leaves the program."""


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """The flags of `tazuna apply` (contract, section 2)."""

    recreate: bool = False
    take_over: bool = False
    break_lock: bool = False
    context_name: str | None = None
    """The context's name inside a cluster (TAZUNA_CONTEXT)."""
    no_wait: bool = False
    on_drift: OnDrift = "overwrite"
    sync: bool = False
    """Send only what is built otherwise than it was applied."""
    prune: bool = False
    atomic: bool = False
    only: tuple[str, ...] = ()
    """Objects to put back, by state key or ``Kind[/namespace]/name``."""
    prune_with_content: tuple[str, ...] = ()
    """``Kind/name`` of namespaces and definitions that may go with what is not ours."""
    sync_report: Path | None = None
    allow_dirty: bool = False


DEFAULTS = ApplyOptions()


def require_consistent(how: ApplyOptions) -> None:
    """Raises UsageError for flags that do not go together."""
    needs_sync = {"--prune": how.prune, "--atomic": how.atomic, "--sync-report": how.sync_report is not None}
    for flag, given in needs_sync.items():
        if given and not how.sync:
            raise UsageError(f"{flag} goes with --sync alone", advice=f"Give `apply --sync {flag}`.")
    if how.only and how.sync:
        raise UsageError("--only and --sync exclude each other", advice="--only sends objects whatever state says.")
    if how.prune_with_content and not how.prune:
        raise UsageError("--prune-with-content goes with --prune alone")
    if how.allow_dirty and how.sync_report is None:
        raise UsageError("--allow-dirty goes with --sync-report alone")
