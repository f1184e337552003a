"""tazuna.drift.yaml: what it becomes, and each of its errors."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.errors import Place
from tazuna_core.spec.drift_file import DRIFT_FILE, DriftFile, load_drift_file
from tazuna_core.spec.problems import SpecError
from tests.unit.spec.cases import marked_cases


def test_the_whole_format(tmp_path: Path) -> None:
    (tmp_path / DRIFT_FILE).write_text("""\
ignore:
  - group: apps
    kind: Deployment
    namespace: x
    name: y
    fields: [spec.replicas, 'spec.template.spec.containers[*].image', 'metadata.annotations["a.b/c[d]"]']
    managers: [vpa]
    reason: "{{ scaled }} by hand"
    until: 2026-11-30
  - {group: "", reason: core}
unreadable:
  - {kind: Secret, reason: not ours}
managers: [my-operator]
""")
    loaded = load_drift_file(tmp_path)
    first, second = loaded.content.ignore
    assert first.fields[0] == "spec.replicas"
    assert (first.until, second.until) == (date(2026, 11, 30), None)
    assert first.reason == "{{ scaled }} by hand"
    assert (second.group, second.kind) == ("", None)
    assert loaded.content.unreadable[0].kind == "Secret"
    assert loaded.content.managers == ("my-operator",)
    assert loaded.place("ignore", 1) == Place(str(tmp_path / DRIFT_FILE), 10, 5)


@pytest.mark.parametrize("content", [None, "", "# nothing\n", "ignore:\n"])
def test_nothing_in_it(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / DRIFT_FILE).write_text(content)
    assert load_drift_file(tmp_path).content == DriftFile()


@pytest.mark.parametrize(("content", "line", "column", "expected"), marked_cases("drift_file_errors.txt"))
def test_error(tmp_path: Path, content: str, line: int, column: int, expected: str) -> None:
    (tmp_path / DRIFT_FILE).write_text(content)
    with pytest.raises(SpecError) as raised:
        load_drift_file(tmp_path)
    assert raised.value.exit_code == 2
    assert str(raised.value) == f"{tmp_path / DRIFT_FILE}:{line}:{column}: {expected}"


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / DRIFT_FILE).mkdir()
    with pytest.raises(SpecError, match="this is a directory"):
        load_drift_file(tmp_path)


def test_a_link_that_leads_nowhere_is_not_no_file(tmp_path: Path) -> None:
    (tmp_path / DRIFT_FILE).symlink_to(tmp_path / "gone")
    with pytest.raises(SpecError, match="no such file"):
        load_drift_file(tmp_path)


def with_path(path: str) -> bytes:
    return f"ignore: [{{reason: x, fields: ['{path}']}}]".encode()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | st.text('[]"\\.ab* =', max_size=12).map(with_path))
def test_any_bytes_load_or_are_a_spec_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / DRIFT_FILE).write_bytes(content)
    try:
        load_drift_file(tmp_path)
    except SpecError as error:
        assert error.errors
