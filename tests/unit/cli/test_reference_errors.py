"""Each error that the Go CLI's format names (tazuna.yaml, hints, secret files), as a user meets it.

By one command, with its exit code, its file and line, and what it says; a mark stands on the line that is meant.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Command

MARK = "# <-"
CHECK = ("check",)
BUILD = ("state", "diff", "--state", "dir:state", "--cluster", "snapshot:cluster.json")
A = "    - {name: a, type: directory, path: a}"
HELMFILE = (
    "spec:\n  manifests:\n    - name: h # <-\n      type: helmfile\n      path: hf\n      helmfile: {vars: {VARS}}\n"
)
SECRET = "spec:\n  manifests:\n    - {name: s, type: genesissecret, path: s.yaml} # <-\n"


@dataclass(frozen=True)
class Case:
    """A repository, a command, and the one error that comes of it."""

    says: str
    tazuna: str
    command: tuple[str, ...] = CHECK
    code: int = 2
    files: dict[str, str] = field(default_factory=dict)


def spec(*lines: str) -> str:
    return (
        "\n".join(["spec:", "  manifests:", *(f"    - {line}" if line[:1] == "{" else line for line in lines)]) + "\n"
    )


def root(*lines: str) -> str:
    return "\n".join(["spec:", *(f"  {line}" for line in lines), "  manifests:", A]) + "\n"


def var(text: str) -> str:
    head = "spec:\n  manifests:\n    - name: h\n      type: helmfile\n      path: hf\n      helmfile:\n        vars:\n"
    return f"{head}          v: {text} {MARK}\n"


def hint(text: str, variables: str = "") -> dict[str, Any]:
    return {"tazuna": HELMFILE.replace("VARS", variables), "files": {"hf/tazuna.hint.yaml": text}, "command": BUILD}


CASES: dict[str, Case] = {
    # 1. Root and spec
    "apiVersion": Case("'apiVersion' must be 'tazuna.pepabo.com/v1'", f"apiVersion: v1 # <-\n{spec(A)}"),
    "kind": Case("'kind' must be 'Tazuna'", f"kind: X # <-\n{spec(A)}"),
    "spec": Case("field 'spec' is missing", "kind: Tazuna # <-\n"),
    "no manifests": Case("'spec.manifests' is empty", "spec:\n  manifests: [] # <-\n"),
    "a later Tazuna": Case(
        "this file asks for Tazuna 9.0.0 or later", root("minimumSupportedTazunaVersion: 9.0.0 # <-"), code=5
    ),
    "no version": Case("'x' is not a version", root("minimumSupportedTazunaVersion: x # <-")),
    "a pattern": Case("is not a regular expression", root("context_matches:", "  - '(' # <-")),
    "a mode": Case("unknown context_match_mode 'xor'", root("context_match_mode: xor # <-")),
    "an environment": Case(
        "the environment 'prd' is not declared", root("environments:", "  prod: {} # <-"), ("check", "-e", "prd")
    ),
    "a variable of the template": Case("the variable .X is not known", spec("    - {name: {{ .X }}} # <-")),
    # Manifests
    "no name": Case("this manifest has no name", spec("{type: directory, path: a} # <-")),
    "a name": Case("the name 'a.b' is not allowed", spec("{name: a.b, type: directory, path: a} # <-")),
    "a name twice": Case("'a' is given twice", spec(A, "{name: a, type: directory, path: b} # <-")),
    "the reserved name": Case("'_metadata' is reserved", spec("{name: _metadata, type: directory, path: a} # <-")),
    "a name for a ConfigMap": Case(
        "state can't be kept under the manifest name 'A_b'", spec("{name: A_b, type: directory, path: a} # <-")
    ),
    "a type": Case("unknown type 'helm'", spec("{name: a, type: helm, path: a} # <-")),
    "no path": Case("field 'path' is missing", spec("{name: a, type: kustomize} # <-")),
    "a path that is not there": Case("'none' does not exist", spec("{name: a, type: directory, path: none} # <-")),
    "a kustomization that is a file": Case("is not a folder", spec("{name: a, type: kustomize, path: a/cm.json} # <-")),
    "a secret that is a folder": Case("is not a file", spec("{name: a, type: genesissecret, path: a} # <-")),
    "a folder without a helmfile": Case("holds no helmfile", spec("{name: a, type: helmfile, path: a} # <-")),
    "dependsOn unknown": Case(
        "no manifest has that name", spec("{name: a, type: directory, path: a, dependsOn: [x]} # <-")
    ),
    "dependsOn itsel": Case(
        "depends on itsel", spec(f"{{name: a, type: directory, path: a, dependsOn: [a]}} {MARK}")
    ),
    "dependsOn in a circle": Case(
        "dependsOn goes round: a -> b -> a",
        spec(
            "{name: a, type: directory, path: a, dependsOn: [b]} # <-",
            "{name: b, type: directory, path: b, dependsOn: [a]}",
        ),
    ),
    "an include in an include": Case(
        "an included file cannot include others",
        spec("{includes: [{path: in.yaml}]}"),
        files={"in.yaml": spec("{includes: [{path: more.yaml}]} # <-")},
    ),
    "an include that is not there": Case(
        "the file 'in.yaml' does not exist", spec("{includes: [{path: in.yaml}]} # <-")
    ),
    "parallel without children": Case(
        "has no children", spec("{name: p, type: parallel, parallel: {children: []}} # <-")
    ),
    "a test without its part": Case("needs 'waitUntil'", root("tests:", "  - type: WaitUntil # <-")),
    # 2.2 variables
    "from": Case("unknown from 'vault'", var("{from: vault}")),
    "env without a name": Case("'from: env' needs 'env'", var("{from: env}")),
    "two statics": Case("found 'static' and 'staticMap'", var("{from: static, static: a, staticMap: {}}")),
    "an op without its field": Case("field 'field' is missing", var("{from: op, op: {key: id, vault: v, item: i}}")),
    "an op's key": Case("unknown key 'name'", var("{from: op, op: {key: name, vault: v, item: i, field: f}}")),
    "an unset variable": Case(
        "variable 'v': the environment variable UNSET_OF_TESTS is not set",
        HELMFILE.replace("VARS", "v: {from: env, env: UNSET_OF_TESTS}"), BUILD, 3,
    ),
    # tazuna.hint.yaml
    "a hint's type": Case("unknown type 'text'", **hint("vars:\n  v:\n    type: text # <-\n")),
    "a default that is required": Case(
        "'default'", **hint("vars:\n  v:\n    type: string\n    required: true\n    default: x # <-\n")
    ),
    "a format of a list": Case("'format'", **hint("vars:\n  v:\n    type: slice\n    format: url # <-\n")),
    "a rule's type": Case(
        "unknown type 'all'", **hint("vars: {v: {type: string}}\nrules:\n  - {type: all, vars: [v, v]} # <-\n")
    ),
    "a rule of one": Case(
        "rule number 1 names fewer than two variables",
        **hint("vars: {v: {type: string}}\nrules:\n  - {type: oneof_required, vars: [v]} # <-\n")
    ),
    # 2.3 secrets
    "the reserved provider": Case(
        "'default-op' is reserved", root("providers:", "  - {name: default-op, type: onepassword} # <-")
    ),
    "a provider twice": Case(
        "the provider name 'x' is given twice",
        root("providers:", "  - {name: x, type: onepassword}", "  - {name: x, type: onepassword} # <-"),
    ),
    "a provider's config": Case(
        "'envfile' does not go with 'type: onepassword'",
        root("providers:", "  - {name: x, type: onepassword, envfile: {path: a}} # <-"),
    ),
    "an output of both": Case(
        "output number 1 needs one of 'kubernetesSecret' and 'stdout', and has both", SECRET.replace(MARK, ""), BUILD,
        files={"s.yaml": "spec:\n  outputs:\n    - {stdout: {}, kubernetesSecret: {namespace: n, name: s}} # <-\n"},
    ),
    "an output of neither": Case(
        "and has neither", SECRET.replace(MARK, ""), BUILD, files={"s.yaml": "spec:\n  outputs:\n    - {} # <-\n"}
    ),
    "no outputs": Case(
        "'spec.outputs' is empty", SECRET.replace(MARK, ""), BUILD, files={"s.yaml": "spec:\n  outputs: [] # <-\n"}
    ),
    # 2.4 oras
    "no reference": Case(
        "field 'reference' is missing", spec("{name: o, type: oras, oras: {delegate: {type: kustomize}}} # <-")
    ),
    "a target outside": Case(
        "leads out of the artifact",
        spec("{name: o, type: oras, oras: {reference: h/x:1, target: ../x, delegate: {type: kustomize}}} # <-"),
    ),
    "a delegate": Case(
        "unknown type 'oras'", spec("{name: o, type: oras, oras: {reference: h/x:1, delegate: {type: oras}}} # <-")
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folders(tazuna: Command) -> None:
    for name in ("a", "b", "hf", "state"):
        Path(name).mkdir()
        Path(name, "cm.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        )
    Path("hf/helmfile.yaml").write_text("releases: []\n")
    Path("cluster.json").write_text(json.dumps({"schemaVersion": 1, "kind": "ClusterSnapshot", "objects": []}))


@pytest.mark.parametrize("name", CASES)
def test_error(tazuna: Command, name: str) -> None:
    case = CASES[name]
    files = {"tazuna.yaml": case.tazuna, **case.files}
    for path, text in files.items():
        Path(path).write_text(text)
    *_, wanted = [
        (path, number)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if MARK in line
    ]
    ran = tazuna(*case.command, "-o", "json")
    errors = ran.json()["errors"]
    found = [one for one in errors if case.says in one["message"]]
    assert found, errors
    assert (found[0]["file"], found[0]["line"]) == wanted
    assert found[0]["exitCode"] == case.code
    assert ran.code == case.code
    assert len(errors) == 1, errors


def test_flags_that_exclude_each_other(tazuna: Command) -> None:
    ran = tazuna("check", "--offline", "--no-cache")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr == "tazuna: --no-cache and --offline exclude each other\n  Give one of them.\n"
