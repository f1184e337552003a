"""Which flags of apply go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.errors import UsageError
from tazuna_core.operations.apply_options import ApplyOptions, require_consistent


@pytest.mark.parametrize(
    "how",
    [
        ApplyOptions(prune=True),
        ApplyOptions(atomic=True),
        ApplyOptions(sync_report=Path("r")),
        ApplyOptions(sync=True, only=("x",)),
        ApplyOptions(sync=True, prune_with_content=("Namespace/x",)),
        ApplyOptions(sync=True, allow_dirty=True),
    ],
)
def test_flags_that_mean_nothing_together(how: ApplyOptions) -> None:
    with pytest.raises(UsageError):
        require_consistent(how)


@pytest.mark.parametrize(
    "how",
    [
        ApplyOptions(),
        ApplyOptions(sync=True, prune=True, atomic=True, prune_with_content=("Namespace/x",)),
        ApplyOptions(sync=True, sync_report=Path("r"), allow_dirty=True),
        ApplyOptions(only=("x",), on_drift="refuse"),
    ],
)
def test_flags_that_do(how: ApplyOptions) -> None:
    require_consistent(how)
