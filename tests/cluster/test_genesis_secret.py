"""genesissecret in a real cluster: every output, values printed only where they may be; and back, from Secrets."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from tests.harness.applying import Place, config_map, namespace_object
from tests.harness.cluster import LocalCluster
from tests.harness.fake_op import FakeOp
from tests.harness.tazuna import Ran, Tazuna

VALUES = {"TOKEN": "hunter2-token", "API_KEY": "hunter2=key #1"}
PRINTED = "API_KEY=hunter2=key #1\nTOKEN=hunter2-token\nurl=https://hunter2.example\n"
FILE = {
    "spec": {
        "secrets": [
            {
                "uri": "op://example.1password.com/Platform/cloud",
                "preferLabel": True,
                "items": {key: {"mapTo": key} for key in VALUES},
            }
        ],
        "static": {"url": "https://hunter2.example"},
    }
}


@pytest.fixture
def op(tmp_path: Path) -> FakeOp:
    program = FakeOp(tmp_path / "op")
    program.put("cloud", **VALUES)
    return program


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster, op: FakeOp) -> Place:
    """A repository with `op` on PATH, on a laptop: no CI in the environment; temporary files are in a folder to see."""
    found = Place(tmp_path, cluster)
    (tmp_path / "temporary").mkdir()
    environment = {
        "PATH": f"{op.bin}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(tmp_path / "temporary"),
        "CI": "",
    }
    found.tazuna = replace(found.tazuna, environment={**found.tazuna.environment, **environment})
    return found


def write(place: Place, outputs: list[dict[str, Any]], more: Mapping[str, Any] | None = None) -> str:
    """Writes a genesissecret manifest after one with the namespace; returns its name."""
    name = place.name("secret")
    place.repository.write({place.name("base"): [namespace_object(place.namespace), config_map("c", place.namespace)]})
    path = place.repository.folder / "tazuna.yaml"
    spec = orjson.loads(path.read_bytes())
    spec["spec"]["manifests"].append({"name": name, "type": "genesissecret", "path": "s.yaml", **(more or {})})
    path.write_bytes(orjson.dumps(spec))
    (place.repository.folder / "s.yaml").write_text(json.dumps({"spec": {**FILE["spec"], "outputs": outputs}}))
    return name


def to(place: Place, name: str) -> dict[str, Any]:
    return {"kubernetesSecret": {"namespace": place.namespace, "name": name}}


def values_of(place: Place, name: str) -> dict[str, str] | None:
    found = place.get(f"/api/v1/namespaces/{place.namespace}/secrets/{name}")
    return {key: base64.b64decode(one).decode() for key, one in found["data"].items()} if found else None


def leaks(text: str) -> bool:
    encoded = [base64.b64encode(value.encode()).decode() for value in VALUES.values()]
    return "hunter2" in text or any(one in text for one in encoded)


def own_config_maps(place: Place) -> str:
    found = place.get("/api/v1/namespaces/tazuna/configmaps")["items"]
    return json.dumps([one for one in found if place.word in one["metadata"]["name"]])


ALL = {**VALUES, "url": "https://hunter2.example"}


def test_every_output_is_served_and_printed_once(place: Place, op: FakeOp) -> None:
    name = write(place, [to(place, "one"), {"stdout": {}}, to(place, "two")])
    ran = place.tazuna("apply", "--report-file", "report.json")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith(PRINTED)
    assert ran.stdout.count("hunter2-token") == 1
    assert values_of(place, "one") == values_of(place, "two") == ALL
    assert not leaks(ran.stderr)
    assert not leaks((place.repository.folder / "report.json").read_text())
    assert not leaks(own_config_maps(place))
    assert list(place.state("secret") or {}) == ["one"]
    assert [path for path in (place.repository.folder.parent / "temporary").iterdir() if path.is_dir()] == []
    again = place.tazuna("apply", "--sync")
    assert (again.code, again.stdout.startswith(PRINTED)) == (0, True), "always-sync: on every run"
    only = place.tazuna("apply", "--only", f"{place.name('base')}//v1/ConfigMap/{place.namespace}/c")
    assert (only.code, leaks(only.stdout)) == (0, False)
    for command in (["plan"], ["state", "diff"], ["state", "drift"], ["build"], ["check"], ["state", "list"]):
        shown = place.tazuna(*command)
        assert not leaks(shown.stdout + shown.stderr), command
    assert name in place.tazuna("state", "diff").stdout


def test_values_alone(place: Place) -> None:
    """A manifest of `stdout` alone touches nothing in the cluster and keeps no state."""
    write(place, [{"stdout": {}}])
    ran = place.tazuna("apply")
    assert (ran.code, ran.stdout.startswith(PRINTED)) == (0, True), ran.stderr
    assert place.state("secret") is None


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(("-o", "json"), {}), (("-o", "markdown"), {}), ((), {"CI": "true"}), ((), {"GITHUB_ACTIONS": "true"})],
)
def test_where_values_are_not_printed(place: Place, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    name = write(place, [to(place, "one"), {"stdout": {}}])
    tazuna = replace(place.tazuna, environment={**place.tazuna.environment, **environment})
    ran = tazuna("apply", *arguments)
    assert ran.code == 0, ran.stderr
    assert values_of(place, "one") == ALL
    assert not leaks(ran.stdout + ran.stderr)
    assert f"the values of manifest '{name}' are not printed" in ran.stdout


def test_a_provider_that_fails_stops_before_anything_is_written(place: Place, op: FakeOp) -> None:
    (op.bin.parent / "vault/cloud.json").unlink()
    name = write(place, [{"stdout": {}}, to(place, "one")])
    ran = place.tazuna("apply", "-o", "json")
    assert ran.code == 3
    (error,) = ran.json()["errors"]
    assert error["message"].startswith(f"manifest '{name}': op failed (exit code 1)")
    assert (error["file"], error["line"]) == ("tazuna.yaml", 1)
    assert place.get(f"/api/v1/namespaces/{place.namespace}") is None


def test_destroy_takes_the_secrets_of_all_outputs_and_asks_no_provider(place: Place, op: FakeOp) -> None:
    write(place, [to(place, "one"), to(place, "two"), {"stdout": {}}])
    assert place.tazuna("apply").code == 0
    asked = len(op.calls())
    name = {"TAZUNA_DESTROY_EXECUTABLE": "true"}
    ours = replace(place.tazuna, environment={**place.tazuna.environment, **name})
    ran = ours("destroy", "--force")
    assert ran.code == 0, ran.stdout
    assert values_of(place, "one") is None
    assert values_of(place, "two") is None
    assert len(op.calls()) == asked
    assert not leaks(ran.stdout + ran.stderr)


def test_destroy_leaves_a_further_secret_of_somebody_else(place: Place) -> None:
    write(place, [to(place, "one"), to(place, "two")])
    place.cluster.create_namespace(place.namespace)
    place.cluster.kubectl("-n", place.namespace, "create", "secret", "generic", "two", "--from-literal=a=b")
    ours = replace(place.tazuna, environment={**place.tazuna.environment, "TAZUNA_DESTROY_EXECUTABLE": "true"})
    assert ours("destroy", "--force").code == 0
    assert values_of(place, "two") == {"a": "b"}


EXPORT = ("secret-to-genesissecret", "--op-host", "example.1password.com", "--vault", "Platform")


@pytest.fixture
def secrets(place: Place) -> Tazuna:
    """Secrets of several kinds in the place's namespace; `tazuna` in a folder without a tazuna.yaml."""
    place.cluster.create_namespace(place.namespace)
    names = {
        "db": ({"user": "app", "password": "hunter2\nhunter2-line\n"}, "Opaque", {"app": "x"}),
        "tls": ({"tls.crt": "hunter2-crt", "tls.key": "hunter2-key"}, "kubernetes.io/tls", {}),
        "empty": ({}, "Opaque", {"app": "x"}),
        "sh.helm.release.v1.x": ({"release": "hunter2"}, "helm.sh/release.v1", {"app": "x"}),
    }
    for name, (data, kind, labels) in names.items():
        metadata = {"name": name, "namespace": place.namespace, "labels": labels}
        obj = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": kind, "stringData": data}
        place.cluster.kubectl("create", "-f", "-", stdin=orjson.dumps(obj).decode())
    return place.tazuna


def export(place: Place, *more: str) -> Ran:
    return place.tazuna(*EXPORT, "--namespace", place.namespace, "--dump-dir", "out", *more)


def test_secrets_become_items_and_files_that_make_them_again(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    ran = export(place, "--note", "moved")
    assert ran.code == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "created: op://example.1password.com/Platform/db  out/db.yaml",
        f"left out: {place.namespace}/empty (it holds nothing)",
        f"left out: {place.namespace}/sh.helm.release.v1.x (it is helm's record of a release)",
        "created: op://example.1password.com/Platform/tls  out/tls.yaml",
    ]
    assert not leaks(ran.stdout + ran.stderr + json.dumps(op.calls()))
    db = op.item("db")
    fields = {one["label"]: (one["type"], one["value"]) for one in db["fields"]}
    assert fields["password"] == ("CONCEALED", "hunter2\nhunter2-line\n")
    assert fields["notesPlain"][1] == f"From Secret {place.namespace}/db, by tazuna.\nmoved"
    out = place.repository.folder / "out"
    assert not leaks((out / "db.yaml").read_text() + (out / "tls.yaml").read_text())
    (output,) = yaml.safe_load((out / "tls.yaml").read_text())["spec"]["outputs"]
    assert output["kubernetesSecret"]["type"] == "kubernetes.io/tls"
    before = {name: values_of(place, name) for name in ("db", "tls")}
    place.cluster.kubectl("-n", place.namespace, "delete", "secret", "db", "tls")
    manifests = [{"name": place.name(n), "type": "genesissecret", "path": f"out/{n}.yaml"} for n in ("db", "tls")]
    (place.repository.folder / "tazuna.yaml").write_bytes(orjson.dumps({"spec": {"manifests": manifests}}))
    assert place.tazuna("apply").code == 0
    assert {name: values_of(place, name) for name in ("db", "tls")} == before


def test_once_more_changes_nothing(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    assert export(place, "--name-regex", "^(db|tls)$").code == 0
    calls = len(op.calls())
    ran = export(place, "--name-regex", "^(db|tls)$", "-o", "json")
    assert ran.code == 0
    assert [one["status"] for one in ran.json()["secrets"]] == ["there already"] * 2
    assert not any("create" in call for call in op.calls()[calls:])


def test_chosen_by_label_and_name_and_only_said(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    ran = export(place, "--label-selector", "app=x", "--name-regex", "d", "--dry-run")
    assert (ran.code, ran.stdout) == (0, "DRYRUN: generate GenesisSecret into out/db.yaml\n")
    assert op.item("db") is None
    assert not (place.repository.folder / "out").exists()


def test_what_fails_hides_no_other(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    op.put("db", user="another", password="hunter2-other")
    binary = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "binary", "namespace": place.namespace}}
    place.cluster.kubectl("create", "-f", "-", stdin=orjson.dumps({**binary, "data": {"k": "/w=="}}).decode())
    ran = export(place)
    assert ran.code == 3
    assert f"tazuna: Secret {place.namespace}/binary: the value of 'k' is no text" in ran.stderr
    same = f"Secret {place.namespace}/db: item 'db' of vault 'Platform' does not hold the same under password, user"
    assert same in ran.stderr
    assert "out/tls.yaml" in ran.stdout
    assert sorted(path.name for path in (place.repository.folder / "out").iterdir()) == ["tls.yaml"]
    assert not leaks(ran.stdout + ran.stderr)
    (place.repository.folder / "out/tls.yaml").write_text("mine")
    kept = export(place, "--name-regex", "^tls$")
    assert (kept.code, "out/tls.yaml is there and says something else" in kept.stderr) == (2, True)
    assert (place.repository.folder / "out/tls.yaml").read_text() == "mine"


WRONG = [
    (["--name-regex", "("], 2, "--name-regex '(' is not a regular expression: missing ): ("),
    (["--label-selector", "app"], 2, "--label-selector 'app' is none"),
    (["--vault", "--help"], 3, "'--help' cannot be the name of a 1Password vault"),
    (["--vault", "Other"], 3, '"Other" isn\'t a vault in this account.'),
    (["-o", "html"], 2, "`secret-to-genesissecret` prints text or json alone"),
]


def test_what_is_refused(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    for arguments, code, message in WRONG:
        ran = export(place, *arguments)
        assert (ran.code, ran.stdout) == (code, ""), arguments
        assert message in ran.stderr
    assert not any("create" in call for call in op.calls())


def test_without_op(place: Place, secrets: Tazuna, op: FakeOp) -> None:
    (op.bin / "op").unlink()
    ran = export(place)
    assert ran.code == 3
    assert "secret-to-genesissecret needs op, and it is not on PATH\n  Install the 1Password" in ran.stderr
    dry = export(place, "--name-regex", "^db$", "--dry-run")
    assert (dry.code, dry.stdout, dry.stderr) == (0, "DRYRUN: generate GenesisSecret into out/db.yaml\n", "")
