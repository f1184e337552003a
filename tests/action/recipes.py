"""Workflows as texts: the recipes of the guide, and how act's tests turn one into what can run here."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "workflows"
OURS = "org/tazuna-action@v1"
GUIDE = ROOT / "docs" / "action.md"


def recipe(name: str) -> str:
    """The text of a recipe."""
    return (RECIPES / f"{name}.yaml").read_text()


def blocks_of(page: Path) -> list[str]:
    """The workflows that a page of the guide shows in full."""
    return [text for text in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL) if "\njobs:" in text]
