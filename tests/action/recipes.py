"""Workflows as texts: the recipes of the guide, and how act's tests turn one into what can run here."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUBS = Path(__file__).with_name("stubs")
RECIPES = ROOT / "docs" / "workflows"
OURS = "org/tazuna-action@v1"
GUIDE = ROOT / "docs" / "action.md"


def recipe(name: str) -> str:
    """The text of a recipe."""
    return (RECIPES / f"{name}.yaml").read_text()


def blocks_of(page: Path) -> list[str]:
    """The workflows that a page of the guide shows in full."""
    return [text for text in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL) if "\njobs:" in text]


@dataclass(frozen=True)
class Runnable:
    """A workflow that act can run here, and what it needs beside the action's own."""

    text: str
    remote: dict[str, Path]


def runnable(text: str, action: Path) -> Runnable:
    """The workflow with each action mapped to a folder, and the CLI that is being tested in place of a published one.

    Checkout is not mapped: act does what it does by itself.
    """
    remote = {OURS: action}
    for name, ref in re.findall(r"uses: actions/([\w-]+)@(\S+)", text):
        if name != "checkout":
            remote[f"actions/{name}@{ref}"] = STUBS / name
    python = Path(sys.executable)
    text = re.sub(
        r"python -m venv (\S+)\n", rf"mkdir -p \1/bin && ln -s {python.with_name('tazuna')} \1/bin/tazuna\n", text
    )
    text = re.sub(r"\n *\S+/pip\S* install .*", "", text)
    return Runnable(text, remote)
