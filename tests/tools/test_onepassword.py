"""1Password through `op`: a stand-in answers what the real program was recorded to, and notes how it was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tazuna_core.build.model import BuildSettings
from tests.tools.building import build, files_below, hashes, write_files
from tests.tools.charts import web_chart
from tests.tools.conftest import OnPath

ITEM = {
    "id": "yhdg6ovhkjcfhn3u25cp2bnl6e",
    "title": "cloud credentials",
    "version": 3,
    "vault": {"id": "ftz4pm2xxwmwrsd7rjqn7grzfz", "name": "Platform"},
    "category": "LOGIN",
    "fields": [
        {"id": "username", "type": "STRING", "purpose": "USERNAME", "label": "username", "value": "robot"},
        {
            "id": "password",
            "type": "CONCEALED",
            "purpose": "PASSWORD",
            "label": "password",
            "value": "hunter2\nhunter2-line",
        },
        {"id": "notesPlain", "type": "STRING", "purpose": "NOTES", "label": "notesPlain"},
        {"id": "r2dg5bxqa", "type": "CONCEALED", "label": "api token", "value": "hunter2-token"},
    ],
}
OP = """#!/bin/sh
echo "$@" >> {log}
case "$3" in
  "cloud credentials") cat {answer} ;;
  garbled) echo "hunter2 is not JSON" ;;
  *) echo "[ERROR] 2026/11/30 00:00:00 \\"$3\\" isn't an item in the \\"Platform\\" vault." >&2; exit 1 ;;
esac
"""
GENESIS: dict[str, object] = {"type": "genesissecret", "path": "s.yaml"}


def genesis(uri: str, items: str, *, labels: bool = False) -> str:
    secret = f"{{uri: {uri!r}, preferLabel: {str(labels).lower()}, items: {items}}}"
    return f"spec: {{secrets: [{secret}], outputs: [{{kubernetesSecret: {{namespace: ns, name: s}}}}]}}\n"


@pytest.fixture
def log(tmp_path: Path, on_path: OnPath) -> Path:
    """Puts the stand-in on PATH beside helm; returns the file that notes its arguments."""
    folder = tmp_path / "op"
    log, answer = folder / "log", folder / "answer.json"
    write_files(folder, {"answer.json": json.dumps(ITEM), "bin/op": OP.format(log=log, answer=answer), "log": ""})
    (folder / "bin/op").chmod(0o755)
    on_path(folder / "bin", "helm")
    return log


@pytest.mark.parametrize(("labels", "name"), [(False, "r2dg5bxqa"), (True, "api token")])
def test_fields_by_id_and_by_label(labels: bool, name: str, log: Path, tmp_path: Path, home: Path) -> None:
    items = f"{{'{name}': {{mapTo: TOKEN}}, password: {{mapTo: PW}}, notesPlain: {{mapTo: EMPTY}}}}"
    text = genesis("op://example.1password.com/Platform/cloud%20credentials", items, labels=labels)
    write_files(tmp_path, {"s.yaml": text})
    built = build(tmp_path, GENESIS, BuildSettings(cache_directory=tmp_path / "cache"))
    assert built.error is None
    values = {"TOKEN": "hunter2-token", "PW": "hunter2\nhunter2-line", "EMPTY": ""}
    assert built.objects[0].data["stringData"] == values
    assert log.read_text() == "item get cloud credentials --vault Platform --format json\n"
    assert files_below(home) == []
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("op://h/Platform/none", 'op failed (exit code 1):\n    [ERROR] 2026/11/30 00:00:00 "none" isn\'t an item'),
        ("op://h/Platform/garbled", "op gave no readable answer for item 'garbled' of vault 'Platform'"),
        ("op://h/Platform", "'op://h/Platform' names no vault and item"),
        ("", "'' names no vault and item"),
        ("op://h/--help/x", "'--help' cannot be the name of a 1Password vault"),
        ("op://h/Platform/a%3Bid", "'a;id' cannot be the name of a 1Password item"),
    ],
)
def test_errors_say_what_was_asked_and_no_value(uri: str, message: str, log: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"s.yaml": genesis(uri, "{a: {mapTo: b}}")})
    error = build(tmp_path, GENESIS).error
    assert error is not None
    assert error.exit_code == 3
    assert message in error.message
    assert "hunter2" not in str(error)


def test_without_op(tmp_path: Path, on_path: OnPath) -> None:
    on_path()
    write_files(tmp_path, {"s.yaml": genesis("op://h/v/i", "{a: {mapTo: b}}")})
    error = build(tmp_path, GENESIS).error
    assert error is not None
    assert error.code == "missing-program"
    assert error.message == "manifest 'm' needs op, and it is not on PATH"
    assert "1Password" in error.advice


def helmfile(field: str, key: str = "id", **more: object) -> dict[str, object]:
    source = {"key": key, "vault": "Platform", "item": "cloud credentials", "field": field}
    variables = {"token": {"from": "op", "op": source}, "user": {"from": "op", "op": {**source, "field": "username"}}}
    return {"type": "helmfile", "path": "hf", "helmfile": {"vars": variables, **more}}


HELMFILE = (
    'releases: [{name: r, chart: web, namespace: ns, values: [{image: "{{ .Values.user }}:{{ .Values.token }}"}]}]\n'
)


def test_variables_of_a_helmfile(log: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml.gotmpl": HELMFILE})
    settings = BuildSettings(cache_directory=tmp_path / "cache")
    built = build(tmp_path, helmfile("r2dg5bxqa"), settings)
    assert built.error is None
    [deployment] = [one for one in built.objects if one.key.kind == "Deployment"]
    assert deployment.data["spec"]["template"]["spec"]["containers"][0]["image"] == "robot:hunter2-token"
    assert log.read_text().count("item get") == 1  # one question an item
    assert not (tmp_path / "cache").exists()
    assert hashes(build(tmp_path, helmfile("api token", "label"), settings)) != []


def test_a_field_that_is_not_there(log: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml.gotmpl": HELMFILE})
    error = build(tmp_path, helmfile("api token")).error
    assert error is not None
    message = "variable 'token': item 'cloud credentials' of vault 'Platform' has no field of id 'api token'"
    assert error.message == f"manifest 'm': {message}"


def test_helms_words_are_cleared_of_it(log: Path, tmp_path: Path) -> None:
    """The chart fails and cites the value, whole and by line."""
    values = '{image: i, title: "{{`{{ fail .Values.secret }}`}}", secret: {{ .Values.token | toJson }}}'
    write_files(
        tmp_path,
        {**web_chart("hf/web"), "hf/helmfile.yaml": f"releases:\n- {{name: r, chart: web, values: [{values}]}}"},
    )
    error = build(tmp_path, helmfile("password")).error
    assert error is not None
    assert "helm failed" in error.message
    assert "***" in error.message
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("manifest", [GENESIS, helmfile("r2dg5bxqa")])
def test_files_from_a_fork_get_nothing(manifest: dict[str, object], log: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {**web_chart("hf/web"), "hf/helmfile.yaml": HELMFILE})
    write_files(tmp_path, {"s.yaml": genesis("op://h/Platform/x", "{a: {mapTo: b}}")})
    error = build(tmp_path, manifest, BuildSettings(trusted=False)).error
    assert error is not None
    assert (error.exit_code, error.code) == (5, "untrusted-build")
    assert log.read_text() == ""
