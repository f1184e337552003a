"""A folder to write specifications into, and the errors that loading them gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tazuna_core.errors import RefusedError, TazunaError
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.problems import SpecError

Write = Callable[..., Path]
ErrorsOf = Callable[..., list[str]]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes files (`path="content"`, `/` in names as `__`) into a fresh current folder; returns `tazuna.yaml`."""
    before = Path.cwd()
    os.chdir(tmp_path)

    def files(tazuna: str, **others: str) -> Path:
        Path("tazuna.yaml").write_text(tazuna, encoding="utf-8")
        for name, content in others.items():
            path = Path(name.replace("__", "/") + ".yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return Path("tazuna.yaml")

    yield files
    os.chdir(before)


@pytest.fixture
def errors_of(write: Write) -> ErrorsOf:
    """The texts of all errors of a specification."""

    def errors(tazuna: str, environment: str = "", **others: str) -> list[str]:
        path = write(tazuna, **others)
        try:
            load_spec(path, environment)
        except SpecError as error:
            assert error.exit_code == 2
            assert str(error) == "\n".join(str(one) for one in error.errors)
            return [str(one) for one in error.errors]
        except RefusedError as error:
            assert error.exit_code == 5
            return [str(error)]
        except TazunaError as error:
            pytest.fail(f"a {type(error).__name__}, not a SpecError: {error}")
        return []

    return errors
