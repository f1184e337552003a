"""genesissecret manifests: values from static and dotenv files, and no value in any message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.build.genesis_secret import further_names, further_outputs, names_only
from tests.unit.build.conftest import Build, load

MANIFEST: dict[str, object] = {"type": "genesissecret", "path": "s.yaml"}
PROVIDERS = [{"name": "file", "type": "envfile", "envfile": {"path": "in/secrets.env"}}]
OUTPUT = "  outputs: [{kubernetesSecret: {namespace: ns, name: app}}]\n"
STATIC = f"spec:\n  secrets: []\n  static: {{url: https://x, port: 5432, on: yes, off: 1.50}}\n{OUTPUT}"
FETCHED = f"""
spec:
  provider: file
  secrets:
    - {{uri: "env://ignored", items: {{A: {{mapTo: a}}, B: {{mapTo: b}}}}}}
    - {{items: {{C: {{mapTo: b}}, D: {{mapTo: d}}}}}}
  static: {{d: static wins}}
{OUTPUT}"""
ENV = "# comment\n\nA=hunter2-aaaa\n B = 'hunter2 bbbb' \nC=\"quoted\"\nD=x=y\nE='half\"\n"


def test_static_values_are_read_as_go_reads_them(build: Build) -> None:
    [secret] = build(MANIFEST, {"s.yaml": STATIC}).objects
    assert secret.data == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"creationTimestamp": None, "name": "app", "namespace": "ns"},
        "type": "Opaque",
        "stringData": {"url": "https://x", "port": "5432", "true": "true", "false": "1.5"},
    }
    assert str(secret.key) == "m//v1/Secret/ns/app"


def test_a_later_item_wins_and_static_over_all(build: Build) -> None:
    built = build(MANIFEST, {"s.yaml": FETCHED, "in/secrets.env": ENV}, providers=PROVIDERS)
    assert built.error is None
    assert built.objects[0].data["stringData"] == {"a": "hunter2-aaaa", "b": "quoted", "d": "static wins"}


def test_the_secret_is_dressed_as_declared(build: Build) -> None:
    output = "{namespace: ns, name: app, type: kubernetes.io/tls, labels: {a: 1}, annotations: {b: c}, context: any}"
    text = f"apiVersion: any/v9\nkind: Any\nspec: {{secrets: [], outputs: [{{kubernetesSecret: {output}}}]}}"
    [secret] = build(MANIFEST, {"s.yaml": text}).objects
    assert secret.data["type"] == "kubernetes.io/tls"
    assert secret.data["metadata"]["labels"] == {"a": "1"}
    assert secret.data["metadata"]["annotations"] == {"b": "c"}
    assert "stringData" not in secret.data


def test_stdout_first_builds_to_nothing_and_asks_nobody(build: Build, tmp_path: Path) -> None:
    text = FETCHED.replace("outputs: [", "outputs: [{stdout: {}}, ")
    built = build(MANIFEST, {"s.yaml": text}, providers=PROVIDERS)  # there is no secrets.env
    assert (built.error, built.objects) == (None, ())
    assert names_only(built.manifest) == ()


def test_names_are_known_without_a_provider(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(FETCHED)
    manifest, _ = load(tmp_path, MANIFEST)
    assert [str(key) for key in names_only(manifest)] == ["m//v1/Secret/ns/app"]


def test_apply_gets_every_further_output(build: Build, tmp_path: Path) -> None:
    second = "outputs: [{kubernetesSecret: {namespace: other, name: first}}, {stdout: {}}, "
    built = build(MANIFEST, {"s.yaml": STATIC.replace("outputs: [", second)})
    further = further_outputs(built.manifest, load(tmp_path, MANIFEST)[1])
    assert [secret["metadata"]["name"] for secret in further.secrets] == ["app"]
    lines = further.printed.splitlines()
    assert lines == sorted(f"{key}={value}" for key, value in built.objects[0].data["stringData"].items())
    assert [str(key) for key in further_names(built.manifest)] == ["m//v1/Secret/ns/app"]
    assert "hunter2" not in repr(further)


def test_one_output_asks_nobody_a_second_time(build: Build, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(FETCHED)
    manifest, settings = load(tmp_path, MANIFEST, providers=PROVIDERS)  # there is no secrets.env
    assert further_outputs(manifest, settings).secrets == ()
    assert further_names(manifest) == ()


@pytest.mark.parametrize(
    ("text", "message", "place", "code"),
    [
        ("spec: {secrets: []}", "field 'outputs' is missing in 'spec'", ":1:7", 2),
        ("spec: {secrets: [], outputs: []}", "'spec.outputs' is empty", ":1:30", 2),
        (
            "spec:\n  outputs:\n  - {}",
            "output number 1 needs one of 'kubernetesSecret' and 'stdout', and has neither",
            ":3:5",
            2,
        ),
        ("spec:\n  outputs: [{stdout: {}, kubernetesSecret: {name: a, namespace: b}}]", "and has both", ":2:13", 2),
        ("spec:\n  outputs: [{kubernetesSecret: {name: a}}]", "field 'namespace' is missing", ":2:32", 2),
        ("spec:\n  sekrets: []\n  outputs: [{stdout: {}}]", "unknown field 'sekrets' in 'spec'", ":2:3", 2),
        ("- a\n", "expected a mapping at the top of the file", "", 2),
        (FETCHED.replace("provider: file", "provider: fil"), "there is no provider 'fil'", "tazuna.yaml:3:5", 3),
        (FETCHED.replace("D: {", "Z: {"), "the provider has no field 'Z'", "tazuna.yaml:3:5", 3),
    ],
)
def test_errors_have_places(build: Build, text: str, message: str, place: str, code: int) -> None:
    error = build(MANIFEST, {"s.yaml": text, "in/secrets.env": ENV}, providers=PROVIDERS).error
    assert error is not None
    assert message in error.message
    assert place in str(error.place)
    assert error.exit_code == code
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("line", ["hunter2", "=hunter2", "-----BEGIN hunter2-----"])
def test_a_wrong_line_is_named_by_number_not_by_text(build: Build, line: str) -> None:
    error = build(MANIFEST, {"s.yaml": FETCHED, "in/secrets.env": f"A=1\n{line}\n"}, providers=PROVIDERS).error
    assert error is not None
    assert "this line is not KEY=VALUE" in error.message
    assert str(error.place).endswith("in/secrets.env:2")
    assert "hunter2" not in str(error) + repr(error)


def test_a_missing_file_says_where_it_was_looked_for(build: Build) -> None:
    error = build(MANIFEST, {"s.yaml": FETCHED}, providers=PROVIDERS).error
    assert error is not None
    assert "provider 'file':" in error.message
    assert "secrets.env cannot be read: No such file or directory" in error.message


def test_nothing_is_fetched_for_files_from_a_fork(build: Build) -> None:
    files = {"s.yaml": FETCHED, "in/secrets.env": ENV}
    error = build(MANIFEST, files, {"trusted": False}, providers=PROVIDERS).error
    assert error is not None
    assert (error.exit_code, error.code) == (5, "untrusted-build")


def test_a_value_is_in_no_representation(build: Build, tmp_path: Path) -> None:
    manifest, settings = load(tmp_path, MANIFEST, providers=PROVIDERS)
    assert "hunter2" not in repr(manifest) + repr(settings)
