"""`check`: what it reads and builds without programs, its lints in place, and what is an error when."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command

SPEC = """\
spec:
  manifests:
    - name: apps
      type: directory
      path: apps
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n    - {{name: c, image: {image}}}\n"


def write(**files: str) -> None:
    for name, text in files.items():
        path = Path(name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_all_is_well(tazuna: Command) -> None:
    write(tazuna=SPEC, apps__a=POD.format(name="a", image="app:1"))
    for arguments in (["check"], ["check", "--strict"]):
        ran = tazuna(*arguments)
        assert (ran.code, ran.stdout) == (0, "ok\n")
    assert tazuna("check", "-o", "json").json()["counts"]["objects"] == 1


def test_a_lint_is_a_warning_and_under_strict_an_error(tazuna: Command) -> None:
    write(infra__tazuna=SPEC, infra__apps__a=POD.format(name="a", image="app"))
    message = (
        "infra/apps/a.yaml:6: Pod/a: the image 'app' of container 'c' has no tag, which means 'latest' [image-tag]"
    )
    advice = "  Name a tag that stays, or a digest (`@sha256:...`).\n"
    ran = tazuna("check", "-f", "infra/tazuna.yaml")
    assert (ran.code, ran.stdout) == (0, f"ok\nWarning: {message}\n{advice}")
    ran = tazuna("check", "-f", "infra/tazuna.yaml", "--strict")
    assert (ran.code, ran.stdout) == (2, f"1 error (1 object)\nError: {message}\n{advice}")
    for form in ("markdown", "html"):
        assert (
            message.replace("'", "&#39;" if form == "html" else "'")
            in tazuna("check", "-f", "infra/tazuna.yaml", "-o", form).stdout
        )
    (line,) = tazuna("check", "-f", "infra/tazuna.yaml", "-o", "json").json()["warnings"]
    assert (line["code"], line["file"], line["line"], line["exitCode"]) == ("image-tag", "infra/apps/a.yaml", 6, 0)


def test_the_yaml_of_directories_is_read(tazuna: Command) -> None:
    write(tazuna=SPEC, apps__a=POD.format(name="a", image="app:1"), apps__b="a: [1\nb: 2\n")
    ran = tazuna("check")
    assert ran.code == 3
    assert "Error: apps/b.yaml:2: manifest 'apps': " in ran.stdout
    assert "ok" not in ran.stdout.splitlines()


def test_switched_off_at_the_field_the_object_and_the_manifest(tazuna: Command) -> None:
    pods = (
        POD.format(name="a", image="app")
        + "---\n# tazuna: ignore[image-tag] all of b\n"
        + POD.format(name="b", image="app")
    )
    write(tazuna=SPEC, apps__a=pods.replace("app}", "app} # tazuna: ignore[image-tag] this one", 1))
    ran = tazuna("check", "--strict")
    assert (ran.code, ran.stdout) == (
        0, "ok\n2 warnings of lint `image-tag` switched off in place (--all lists them)\n"
    )  # fmt: skip
    hidden = tazuna("check", "-o", "json").json()["hidden"]
    assert [(one["rule"], one["key"], one["path"], one["reason"]) for one in hidden] == [
        ("image-tag", "apps//v1/Pod/a", "apps/a.yaml:6", "this one"),
        ("image-tag", "apps//v1/Pod/b", "apps/a.yaml:14", "all of b"),
    ]
    off = "    # tazuna: ignore[image-tag Pod/b] why\n    - name: apps"
    write(tazuna=SPEC.replace("    - name: apps", off), apps__a=pods.replace("# tazuna: ", "# "))
    ran = tazuna("check", "--strict")
    assert ran.code == 2
    assert "1 warning of lint `image-tag` switched off" in ran.stdout
    assert "apps/a.yaml:6: Pod/a" in ran.stdout
    assert "Pod/b" not in ran.stdout


def test_a_dead_switch_off(tazuna: Command) -> None:
    write(
        tazuna=SPEC.replace("apps\n", "apps # tazuna: ignore[replicas] why\n", 1),
        apps__a=POD.format(name="a", image="app:1"),
    )
    ran = tazuna("check", "--strict")
    assert ran.code == 2
    assert "tazuna.yaml:3: this switch-off of replicas switches nothing off\n" in ran.stdout


MISSING = """\
spec:
  manifests:
    - name: apps # tazuna: ignore[image-tag] of a chart that could not be looked at
      type: helmfile
      path: chart
"""


def test_what_cannot_be_built_here_is_said_and_never_clean(tazuna: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tazuna=MISSING, chart__helmfile="releases: [{name: a, chart: ./c}]\n")
    monkeypatch.setenv("PATH", "/nowhere")
    ran = tazuna("check")
    assert (ran.code, ran.stdout.splitlines()[:2]) == (
        0, ["ok", "Warning: tazuna.yaml:3: not linted: manifest 'apps' needs helm, and it is not on PATH"]
    )  # fmt: skip
    assert "switches nothing off" not in ran.stdout
    ran = tazuna("check", "--strict")
    assert ran.code == 3
    assert "Error: tazuna.yaml:3: manifest 'apps' needs helm" in ran.stdout


def test_nothing_is_fetched_or_asked_for_unless_strict(tazuna: Command) -> None:
    variables = "{v: {from: op, op: {key: id, vault: v, item: i, field: f}}}"
    vault = f"{{name: vault, type: helmfile, path: chart, helmfile: {{vars: {variables}}}}}"
    art = "{name: art, type: oras, oras: {reference: 'localhost:1/x:latest', delegate: {type: kustomize}}}"
    write(tazuna=f"spec:\n  manifests:\n    - {vault}\n    - {art}\n", chart__helmfile="")
    ran = tazuna("check")
    assert ran.code == 0
    assert "not linted: manifest 'vault' takes variables from 1Password, which only `check --strict` asks" in ran.stdout
    assert "not linted: manifest 'art' needs what is in no cache, and `check` alone fetches nothing" in ran.stdout
    assert "the artifact 'localhost:1/x:latest' has the tag 'latest', which moves [mutable-reference]" in ran.stdout
    assert tazuna("check", "--strict").code == 3


def test_lints_of_several_manifests_and_a_genesissecret(tazuna: Command) -> None:
    write(
        tazuna="""\
spec:
  manifests:
    - {name: secret, type: genesissecret, path: secret.yaml}
    - {name: late, type: directory, path: late, directory: {recurse: true}}
    - {name: apps, type: directory, path: apps}
""",
        secret="spec: {static: {k: v}, outputs: [{kubernetesSecret: {namespace: shop, name: s}}]}\n",
        late__more__ns="apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
        late__hpa="""\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h, namespace: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: scaled}}
""",
        apps__a="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled, namespace: shop}
spec: {}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: single, namespace: shop}
spec: {}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: twice, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: twice, namespace: shop}
""",
    )
    found = [
        (line["file"], line["line"], line["code"], line["message"].split(" ")[0])
        for line in tazuna("check", "-o", "json").json()["warnings"]
    ]
    assert found == [
        ("apps/a.yaml", 9, "replicas", "Deployment/shop/single"),
        ("apps/a.yaml", 15, "duplicate-object", "manifest"),
        ("tazuna.yaml", 3, "namespace-order", "manifest"),
    ]


def test_one_wrong_path_hides_no_lint(tazuna: Command) -> None:
    write(
        tazuna=f"{SPEC}    - {{name: gone, type: kustomize, path: gone}}\n", apps__a=POD.format(name="a", image="app")
    )
    ran = tazuna("check")
    assert ran.code == 2
    assert "'gone' does not exist" in ran.stdout
    assert ran.stdout.count("Error: ") == 1
    assert "[image-tag]" in ran.stdout


def test_fix_writes_says_and_keeps_the_rest(tazuna: Command) -> None:
    before = "\ufeff# ours\r\nspec:\r\n  manifests:\r\n    - {type: directory, paht: apps} # here\r\n"
    write(apps__a=POD.format(name="a", image="app:1"))
    Path("real.yaml").write_bytes(before.encode())
    Path("real.yaml").chmod(0o600)
    Path("tazuna.yaml").symlink_to("real.yaml")
    ran = tazuna("check", "--fix")
    assert (ran.code, ran.stdout) == (
        0,
        "ok\nFixed: tazuna.yaml:4: the manifest is named 'apps'\nFixed: tazuna.yaml:4: field 'paht' is 'path' now\n",
    )
    assert Path("tazuna.yaml").is_symlink()
    assert Path("real.yaml").stat().st_mode & 0o777 == 0o600
    after = before.replace("{type: directory, paht:", "{name: apps, type: directory, path:")
    assert Path("real.yaml").read_bytes() == after.encode()
    again = tazuna("check", "--fix", "-o", "json").json()
    assert (again["result"], "fixed" in again) == ("clean", False)


@pytest.mark.parametrize("form", ["json", "markdown", "html"])
def test_what_is_fixed_is_in_every_form_beside_what_is_not(tazuna: Command, form: str) -> None:
    write(tazuna="spec: {manifests: [{name: a, tpye: helmchart, path: p}]}\n")
    ran = tazuna("check", "--fix", "-o", form)
    assert ran.code == 2
    for said in ("field &#39;tpye&#39; is &#39;type&#39; now", "unknown type &#39;helmchart&#39;"):
        assert (said if form == "html" else said.replace("&#39;", "'")) in ran.stdout
    assert Path("tazuna.yaml").read_text() == "spec: {manifests: [{name: a, type: helmchart, path: p}]}\n"


def test_a_file_that_may_not_be_written_is_exit_2(tazuna: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tazuna="spec: {manifests: [{type: kustomize, path: p}]}\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tazuna_core.operations.fix_files.replace_file", full)
    ran = tazuna("check", "--fix")
    assert ran.code == 2
    assert "tazuna.yaml: it cannot be written: No space left on device" in ran.stdout
