"""What tazuna.yaml becomes when it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tazuna_core.errors import Place
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.manifest import flat
from tazuna_core.spec.models import MatchMode
from tazuna_core.spec.models_manifest import DelegateType, ManifestType, VarSource
from tazuna_core.spec.models_tests import TestType
from tests.unit.spec.conftest import Write

WHOLE = """\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  minimumSupportedTazunaVersion: v0.1.0
  context_matches: [staging-.*]
  context_match_mode: and
  environments:
    prod:
      context_matches: [prod-tokyo]
    bare:
  providers:
    - {name: ops, type: envfile, envfile: {path: ./ops.env}}
    - {name: op, type: onepassword, onepassword: {}}
  tests:
    - type: ExistNonExist
      existNonExist: {resource: {apiVersion: v1, kind: Secret}, namespace: x, name: y, shouldExist: no}
  manifests:
    - name: cni
      description: the network
      type: kustomize
      path: ./cni
      tags: [base, 1]
      kustomize: {defaultNamespace: kube-system}
      tests:
        - type: WaitUntil
          timeoutSeconds: 60
          waitUntil:
            resource: {apiVersion: apps/v1, kind: Deployment}
            namespace: a
            name: b
            condition: object.status.readyReplicas == 1
    - name: ingress
      type: helmfile
      path: ./ingress
      dependsOn: [cni]
      helmfile:
        includeCRDs: true
        wait: yes
        kubeVersion: 1.30
        extraValueFiles: [a.yaml]
        timeoutSeconds: 120
        defaultNamespace: ingress
        vars:
          a: {from: env, env: A}
          b: {from: static, staticSlice: [x, 2]}
          c: {from: static, staticMap: {k: true}}
          d: {from: op, op: {key: label, vault: v, item: i, field: f}}
    - {name: secret, type: genesissecret, path: s.yaml, genesisSecret: {}}
    - name: bundle
      type: oras
      oras:
        reference: registry.example/x@sha256:00
        target: a/b
        plainHTTP: true
        insecureSkipVerify: true
        auth: {username: u, password: p4ss}
        delegate: {type: kustomize, kustomize: {defaultNamespace: z}}
    - name: both
      type: parallel
      path: ./ignored
      parallel:
        children:
          - {name: one, type: directory, path: one, directory: {recurse: true, defaultNamespace: d}}
          - {name: two, type: kustomize, path: two}
"""


def test_the_whole_format(write: Write) -> None:
    loaded = load_spec(write(WHOLE), "prod")
    assert loaded.file == Path("tazuna.yaml")
    assert loaded.directory == Path()
    assert loaded.environment == "prod"
    assert loaded.notices == ()
    spec = loaded.spec
    assert spec.context_matches == ("staging-.*",)
    assert spec.context_match_mode is MatchMode.AND
    assert spec.environments["prod"].context_matches == ("prod-tokyo",)
    assert spec.environments["bare"].context_match_mode is MatchMode.UNSET
    assert [provider.name for provider in spec.providers] == ["ops", "op"]
    assert spec.tests[0].exist_non_exist is not None
    assert spec.tests[0].exist_non_exist.should_exist is False
    cni, ingress, secret, bundle, both = loaded.manifests
    assert cni.tags == ("base", "1")
    assert cni.default_namespace == "kube-system"
    assert cni.tests[0].type is TestType.WAIT_UNTIL
    assert cni.tests[0].min_consecutive_success_count == 1
    assert cni.source == Path("cni")
    assert cni.place == Place("tazuna.yaml", 18, 7)
    assert ingress.helmfile is not None
    assert ingress.depends_on == ("cni",)
    assert (ingress.helmfile.include_crds, ingress.helmfile.wait, ingress.helmfile.kube_version) == (True, True, "1.30")
    assert ingress.helmfile.vars["a"].from_ is VarSource.ENV
    assert ingress.helmfile.vars["b"].static_slice == ("x", "2")
    assert ingress.helmfile.vars["c"].static_map == {"k": "true"}
    assert secret.type is ManifestType.GENESIS_SECRET
    assert bundle.oras is not None
    assert bundle.oras.delegate.type is DelegateType.KUSTOMIZE
    assert bundle.default_namespace == ""
    assert [manifest.name for manifest in flat([both])] == ["one", "two"]
    assert both.children[0].default_namespace == "d"
    assert loaded.place_in(both.children[0], "path") == Place("tazuna.yaml", 63, 48)


def test_no_secret_is_shown(write: Write) -> None:
    assert "p4ss" not in repr(load_spec(write(WHOLE)))


@pytest.mark.parametrize(("environment", "path"), [("", "overlays"), ("prod", "overlays/prod")])
def test_environment_in_paths(write: Write, environment: str, path: str) -> None:
    text = "spec: {manifests: [{name: a, type: kustomize, path: './overlays/{{ .Environment }}'}]}"
    assert load_spec(write(text), environment).manifests[0].source == Path(path)


def test_template_keeps_lines(write: Write) -> None:
    text = """\
{{/* a
comment */ -}}
spec:
  manifests:
  {{- if .Environment }}
    - {}
  {{- end }}
    - {name: a, type: kustomize, path: p}
"""
    assert load_spec(write(text)).manifests[0].place == Place("tazuna.yaml", 8, 7)


def test_includes_take_the_place_of_their_manifest(write: Write) -> None:
    root = """\
spec:
  manifests:
    - {name: first, type: kustomize, path: a}
    - name: infra
      description: d
      type: anything
      tags: {}
      includes:
        - path: infra/one.yaml
        - path: ./infra/../two.yaml
    - {name: last, type: kustomize, path: a}
"""
    one = """\
spec:
  context_matches: [x]
  manifests:
    - {name: one, type: kustomize, path: ../a}
    - {name: b, type: kustomize, path: b}
"""
    two = "spec: {manifests: [{name: two, type: kustomize, path: a, dependsOn: [one]}]}"
    loaded = load_spec(write(root, infra__one=one, two=two))
    assert [manifest.name for manifest in loaded.manifests] == ["first", "one", "b", "two", "last"]
    assert [str(manifest.source) for manifest in loaded.manifests] == ["a", "a", "infra/b", "a", "a"]
    assert [str(manifest.place) for manifest in loaded.manifests[1:3]] == ["infra/one.yaml:4:7", "infra/one.yaml:5:7"]
    assert [f"{notice.place}: {notice.code}: {notice.message}" for notice in loaded.notices] == [
        "tazuna.yaml:6:7: ignored-fields: manifest 'infra' includes files,"
        " so these fields of it count for nothing: 'type', 'tags'",
        "infra/one.yaml:2:3: ignored-fields: 'spec.context_matches' of an included file counts for nothing",
    ]


def test_same_file_through_another_folder(write: Write, tmp_path: Path) -> None:
    inner = "spec: {manifests: [{name: a, type: kustomize, path: p}]}"
    write("spec: {manifests: [{includes: [{path: sub/x.yaml}]}]}", sub__x=inner)
    loaded = load_spec(tmp_path / "tazuna.yaml")
    assert loaded.manifests[0].base == tmp_path / "sub"
    assert loaded.manifests[0].place.file == str(tmp_path / "sub" / "x.yaml")


UNNAMED = "this manifest has no name, so nothing about it can be recorded: commands that use state skip it"


@pytest.mark.parametrize(
    ("manifest", "notice"),
    [
        ("{type: kustomize, path: p}", f"1:20: unnamed: {UNNAMED}"),
        (
            "{name: a, type: kustomize, path: p, helmfile: {wait: true}}",
            "1:56: ignored-fields: 'helmfile' counts for nothing in manifest 'a', whose type is 'kustomize'",
        ),
        ("{name: a, type: kustomize, path: p, helmfile: null, oras: }", None),
    ],
)
def test_notices(write: Write, manifest: str, notice: str | None) -> None:
    notices = load_spec(write(f"spec: {{manifests: [{manifest}]}}")).notices
    texts = [f"{one.place.line}:{one.place.column}: {one.code}: {one.message}" for one in notices if one.place]
    assert texts == ([notice] if notice else [])


def test_an_unguarded_environment_is_said(write: Write) -> None:
    text = """\
spec:
  context_matches: [a]
  environments:
    dev: {}
  manifests: [{name: a, type: kustomize, path: p}]
"""
    (notice,) = load_spec(write(text), "dev").notices
    assert (notice.code, notice.place) == ("unguarded", Place("tazuna.yaml", 4, 5))
    assert load_spec(write(text)).notices == ()


def test_aliases_merges_and_nulls(write: Write) -> None:
    text = """\
spec:
  tests:
  manifests:
    - &base
      name: a
      type: kustomize
      path: p
      tags: &tags [x]
      kustomize: {defaultNamespace: n}
    - <<: *base
      name: b
      tags: *tags
    - {<<: [{name: c, path: q}, *base], kustomize: ~}
"""
    loaded = load_spec(write(text))
    assert [(m.name, m.path, m.tags, m.default_namespace) for m in loaded.manifests] == [
        ("a", "p", ("x",), "n"), ("b", "p", ("x",), "n"), ("c", "q", ("x",), ""),
    ]  # fmt: skip
    assert loaded.place_in(loaded.manifests[1], "path") == Place("tazuna.yaml", 7, 13)


def test_byte_order_mark_crlf_and_empty_last_document(write: Write) -> None:
    text = "\ufeff---\r\nspec:\r\n  manifests:\r\n    - {name: a, type: kustomize, path: p}\r\n---\r\n# the end\r\n"
    assert load_spec(write(text)).manifests[0].place == Place("tazuna.yaml", 4, 7)


def test_an_anchor_may_be_defined_anew_without_a_word(write: Write) -> None:
    lines = ["spec:", "  manifests:", "    - {name: &x a, type: directory, path: &x b}"]
    file = write("\n".join([*lines, "    - {name: c, type: directory, path: *x}"]))
    assert [one.source for one in flat(load_spec(file, "").manifests)] == [Path("b"), Path("b")]
