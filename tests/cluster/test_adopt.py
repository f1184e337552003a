"""`adopt` as a person uses it: shown, written, committed, applied; and what it refuses, and why."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.harness.cluster import LocalCluster
from tests.harness.git_repository import git, start
from tests.harness.go_tools import go_tool
from tests.harness.tazuna import Ran, Tazuna

WEB = """\
# The shop's own things.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web     # the shop
spec:
  replicas: 2   # enough
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: main
          image: nginx:1.27
          # environment
          env:
            - name: A
              value: "1"
            - {name: B, value: 'two'}
---
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {password: hunter2-long-secret}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {a: "1", b: "2"}
"""


class Shop:
    """A git repository, its program, and a namespace."""

    def __init__(self, folder: Path, cluster: LocalCluster, namespace: str) -> None:
        self.folder, self.namespace, self._cluster = folder / "repo", namespace, cluster
        start(self.folder)
        programs = os.pathsep.join([*(str(go_tool(name).parent) for name in ("kustomize", "helm")), os.environ["PATH"]])
        environment = {"XDG_CACHE_HOME": str(folder / "cache"), "PATH": programs}
        self.tazuna = Tazuna(self.folder, cluster.kubeconfig, environment)

    def write(self, files: dict[str, str], *manifests: dict[str, Any]) -> None:
        """Writes files and a tazuna.yaml, commits, applies. Names of manifests are the namespace's own."""
        for manifest in manifests:
            options = {"defaultNamespace": self.namespace}
            manifest.setdefault(str(manifest["type"]), options)
            manifest["name"] = self.name(manifest["name"])
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.folder / "tazuna.yaml").write_text(yaml.safe_dump({"spec": {"manifests": list(manifests)}}))
        self.commit()
        applied = self.tazuna("apply", "--no-wait")
        assert applied.code == 0, applied.stdout + applied.stderr

    def name(self, short: str) -> str:
        return f"{short}-{self.namespace}"

    def commit(self) -> None:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "a commit")

    def kubectl(self, *arguments: str) -> None:
        self._cluster.kubectl("-n", self.namespace, *arguments)

    def patch(self, what: str, patch: str, manager: str = "kubectl-patch") -> None:
        self.kubectl("patch", what, "--type=merge", "-p", patch, f"--field-manager={manager}")

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def ref(self, kind_and_name: str) -> str:
        kind, _, name = kind_and_name.partition("/")
        return f"{kind}/{self.namespace}/{name}"

    def clean_after_apply(self) -> Ran:
        """Commits and applies; then there must be no drift."""
        self.commit()
        applied = self.tazuna("apply", "--sync", "--no-wait")
        assert applied.code == 0, applied.stdout + applied.stderr
        return self.tazuna("state", "drift", "--fail-on-drift")


@pytest.fixture
def shop(tmp_path: Path, cluster: LocalCluster, namespace: str) -> Shop:
    return Shop(tmp_path, cluster, namespace)


def left(ran: Ran) -> dict[str, str]:
    """What was left alone: the reason by object and path."""
    return {
        f"{one['key'].rpartition('/')[2]} {one['path']}".strip(): one["reason"]
        for one in ran.json()["adoption"]["left"]
    }


def diffs(ran: Ran) -> str:
    return "".join(file["diff"] for file in ran.json()["adoption"]["files"])


DIRECTORY = {"name": "plain", "type": "directory", "path": "plain"}


def test_from_drift_to_a_commit(shop: Shop) -> None:
    shop.write({"plain/all.yaml": WEB}, dict(DIRECTORY))
    mode = (shop.folder / "plain/all.yaml").stat().st_mode
    assert shop.tazuna("adopt").stdout.splitlines()[0] == "Nothing to adopt."
    shop.kubectl("scale", "deployment/web", "--replicas=5")
    shop.kubectl("set", "env", "deployment/web", "A-", "C=3")
    shop.patch("configmap/conf", '{"data": {"b": "it\'s", "c": "5"}}')

    shown = shop.tazuna("adopt", "-o", "json")
    assert shown.code == 0 and shown.json()["adoption"]["written"] is False
    assert shop.read("plain/all.yaml") == WEB, "nothing is written without --write"
    git(shop.folder, "apply", "--check", "--unidiff-zero", str(_file(shop.folder.parent / "d.patch", diffs(shown))))
    text = shop.tazuna("adopt").stdout
    assert "-  replicas: 2   # enough\n+  replicas: 5   # enough\n" in text
    assert "5 fields of 2 objects can be adopted by changing 1 file; --write puts it in place." in text
    assert "hunter2" not in text, "a line of a Secret beside what changes does not show"
    for form in ("markdown", "html"):
        other = shop.tazuna("adopt", "-o", form)
        assert other.code == 0 and "replicas: 5   # enough" in other.stdout and "hunter2" not in other.stdout
    assert "取り込めます" in shop.tazuna("adopt", "--lang", "ja").stdout

    one = shop.tazuna("adopt", shop.ref("Deployment/web"), "--write")
    assert one.code == 0 and "3 fields of 1 object adopted in 1 file." in one.stdout
    expected = WEB.replace("replicas: 2 ", "replicas: 5 ").replace(
        '            - name: A\n              value: "1"\n', ""
    )
    expected = expected.replace("value: 'two'}\n", "value: 'two'}\n            - name: C\n              value: \"3\"\n")
    assert shop.read("plain/all.yaml") == expected

    dirty = shop.tazuna("adopt", "--write", "-o", "json")
    assert (dirty.code, dirty.json()["errors"][0]["code"]) == (5, "dirty")
    assert shop.read("plain/all.yaml") == expected
    both = shop.tazuna("adopt", "--write", "--allow-dirty")
    assert both.code == 0 and "adopted in 1 file" in both.stdout
    assert shop.read("plain/all.yaml") == expected.replace('{a: "1", b: "2"}', '{a: "1", b: "it\'s", c: "5"}')
    assert stat.S_IMODE((shop.folder / "plain/all.yaml").stat().st_mode) == stat.S_IMODE(mode)
    again = shop.tazuna("adopt", "--write")
    assert "Nothing to adopt: the repository says it already, in 5 fields." in again.stdout
    clean = shop.clean_after_apply()
    assert (clean.code, clean.stdout.splitlines()[0]) == (0, "No drift detected.")


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_what_cannot_be_adopted_says_why_and_what_to_do(shop: Shop) -> None:
    shop.write({"plain/all.yaml": WEB}, dict(DIRECTORY))
    shop.patch("secret/key", '{"stringData": {"password": "another-long-secret"}}')
    shop.kubectl("delete", "deployment/web")
    shop.patch("configmap/conf", '{"data": {"a": "by a controller"}}', manager="kube-controller-manager")
    shop.patch("configmap/conf", '{"data": {"b": "by a person"}}')
    everything = shop.tazuna("adopt", "-o", "json")
    assert everything.code == 0
    assert left(everything) == {"key": "secret", "web": "missing", "conf data.a": "not-a-person"}
    assert '+data: {a: "1", b: "by a person"}' in diffs(everything)
    advice = {one["reason"]: one["advice"] for one in everything.json()["adoption"]["left"]}
    assert "apply --only" in advice["secret"] and "Remove it from the repository by hand" in advice["missing"]
    for name, reason in (("Secret/key", "secret"), ("Deployment/web", "missing")):
        named = shop.tazuna("adopt", shop.ref(name), "--write", "-o", "json")
        assert (named.code, [one["code"] for one in named.json()["errors"]]) == (5, [reason])
        assert "another-long" not in named.stdout + named.stderr
    named = shop.tazuna("adopt", shop.ref("ConfigMap/conf"), "-o", "json")
    assert named.code == 0 and 'a: "by a controller", b: "by a person"' in diffs(named)
    assert shop.tazuna("adopt", "ConfigMap/nowhere/conf").code == 2
    patch = shop.tazuna("adopt", shop.ref("ConfigMap/conf"), "--as", "kustomize-patch", "-o", "json")
    assert (patch.code, patch.json()["errors"][0]["code"]) == (5, "no-kustomization")
    assert shop.read("plain/all.yaml") == WEB


def test_what_both_sides_changed_is_given_up_only_by_name(shop: Shop) -> None:
    shop.write({"plain/all.yaml": WEB}, dict(DIRECTORY))
    shop.patch("configmap/conf", '{"data": {"a": "hand"}}')
    (shop.folder / "plain/all.yaml").write_text(WEB.replace('a: "1"', "a: repository"))
    shop.commit()
    everything = shop.tazuna("adopt", "-o", "json")
    assert (everything.code, left(everything), diffs(everything)) == (0, {"conf data.a": "conflict"}, "")
    named = shop.tazuna("adopt", shop.ref("ConfigMap/conf"), "--write")
    assert named.code == 0
    assert "data: {a: hand," in shop.read("plain/all.yaml")


def test_a_value_that_others_share_is_not_changed_for_them(shop: Shop) -> None:
    shared = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
  labels: &labels {team: a}
  annotations: *labels
data: {k: v}
"""
    shop.write({"plain/a.yaml": shared, "plain/all.yaml": WEB}, dict(DIRECTORY))
    shop.kubectl("label", "--overwrite", "configmap/one", "team=b")
    shop.patch("configmap/one", '{"data": {"k": "w"}}')
    shop.kubectl("scale", "deployment/web", "--replicas=3")
    ran = shop.tazuna("adopt", "--write", "-o", "json")
    assert ran.code == 5 and [one["code"] for one in ran.json()["errors"]] == ["not-possible"]
    (error,) = ran.json()["errors"]
    assert "the value is shared: it is anchored as '&labels' and used again in line 6" in error["message"]
    assert (error["file"], error["line"]) == ("plain/a.yaml", 5)
    assert [one["path"] for one in ran.json()["adoption"]["left"]] == ["metadata.labels.team"]
    assert shop.read("plain/a.yaml") == shared.replace("k: v", "k: w"), "nor one field the others"
    shop.commit()
    assert "replicas: 3 " in shop.read("plain/all.yaml"), "one object never hides the rest"
    shop.kubectl("label", "--overwrite", "configmap/one", "team=a")
    shop.kubectl("annotate", "--overwrite", "configmap/one", "team=c")
    assert shop.tazuna("adopt", shop.ref("ConfigMap/one"), "--write").code == 0
    assert "  labels: &labels {team: a}\n  annotations:\n    team: c\n" in shop.read("plain/a.yaml")


def test_files_outside_of_the_repository_are_left_alone(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(WEB)
    (shop.folder / "plain").mkdir()
    (shop.folder / "plain" / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    shop.write({}, dict(DIRECTORY))
    shop.patch("configmap/conf", '{"data": {"a": "hand"}}')
    ran = shop.tazuna("adopt", "--write", "-o", "json")
    assert ran.code == 5 and "lies outside of the repository" in ran.json()["errors"][0]["message"]
    assert (tmp_path / "outside.yaml").read_text() == WEB


SIDE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: side
  annotations: {p/q: x}
spec:
  replicas: 2
  selector: {matchLabels: {app: side}}
  template:
    metadata: {labels: {app: side}}
    spec:
      nodeSelector: {disk: ssd}
      tolerations: [{key: a, operator: Exists}]
      initContainers: [{name: first, image: "busybox:1"}]
      containers: [{name: main, image: "busybox:1", resources: {limits: {cpu: "1"}}}]
"""
BASE = {
    "base/kustomization.yaml": """\
resources: [web.yaml, side.yaml]
configMapGenerator:
  - {name: made, literals: [x=1]}
""",
    "base/web.yaml": WEB,
    "base/side.yaml": SIDE,
    "top/kustomization.yaml": """\
# what this cluster has of its own
resources:
  - ../base   # all
namePrefix: p-
images:
  - name: nginx
    newTag: "1.28"   # release
replicas:
  - {name: web, count: 4}
  - {name: side, count: 1}
labels:
  - pairs: {from: overlay}
""",
}
KUSTOMIZE = {"name": "top", "type": "kustomize", "path": "top"}


def test_a_kustomization_changes_where_it_sets_the_field_and_else_gets_a_patch(shop: Shop) -> None:
    shop.write(dict(BASE), dict(KUSTOMIZE))
    shop.kubectl("set", "image", "deployment/p-web", "main=nginx:1.29")
    shop.kubectl("scale", "deployment/p-web", "--replicas=6")
    shop.kubectl("set", "env", "deployment/p-web", "C=3")  # at the end, where a strategic merge cannot put it
    shop.kubectl("label", "--overwrite", "configmap/p-conf", "from=hand")  # which only a transformer can change
    shop.kubectl("label", "--overwrite", "deployment/p-side", "from=hand")
    shop.kubectl("scale", "deployment/p-side", "--replicas=3")
    shop.patch("configmap/p-conf", '{"data": {"b": null, "c": "5"}}')
    ran = shop.tazuna("adopt", "--write", "-o", "json")
    assert ran.code == 0, ran.stdout
    text = shop.read("top/kustomization.yaml")
    before = BASE["top/kustomization.yaml"].replace("count: 4", "count: 6").replace("count: 1", "count: 3")
    assert text.startswith(before.replace('"1.28"   # release', '"1.29"   # release'))
    added = sorted(file["path"] for file in ran.json()["adoption"]["files"] if file["created"])
    assert [Path(name).name.replace(shop.namespace, "N") for name in added] == [
        "adopted-configmap-N-p-conf.transformer.yaml",
        "adopted-deployment-N-p-side.transformer.yaml",
        "adopted-deployment-N-p-web.json6902.yaml",
    ]
    assert "replicas" not in shop.read("top/" + next(Path(one).name for one in added if "p-side" in one))
    clean = shop.clean_after_apply()
    assert (clean.code, clean.stdout.splitlines()[0]) == (0, "No drift detected.")

    shop.patch("configmap/p-conf", '{"metadata": {"labels": {"from": "again"}}}')
    shop.kubectl("set", "env", "deployment/p-web", "D=4")
    again = shop.tazuna("adopt", "--write", "-o", "json")
    assert again.code == 0 and not any(file["created"] for file in again.json()["adoption"]["files"])
    assert shop.read("top/kustomization.yaml") == text
    assert shop.clean_after_apply().code == 0


def test_what_was_removed_goes_by_itself_and_what_the_base_adds_later_arrives(shop: Shop) -> None:
    shop.write(BASE | {"top/kustomization.yaml": "resources: [../base]\n"}, dict(KUSTOMIZE))
    removed = ["nodeSelector", "tolerations", "initContainers", "containers/0/resources/limits"]
    operations = [{"op": "remove", "path": f"/spec/template/spec/{name}"} for name in removed]
    shop.kubectl("patch", "deployment/side", "--type=json", "-p", json.dumps(operations))
    first = shop.tazuna("adopt", "--write", "-o", "json")
    assert first.code == 0, first.stdout
    (file,) = [one for one in first.json()["adoption"]["files"] if one["created"]]
    assert yaml.safe_load(shop.read(file["path"]))["spec"]["template"]["spec"] == {
        "nodeSelector": {"disk": None},
        "tolerations": None,
        "initContainers": [{"$patch": "delete", "name": "first"}],
        "containers": [{"name": "main", "resources": {"limits": {"cpu": None}}}],
    }
    assert shop.clean_after_apply().code == 0
    shop.kubectl("annotate", "deployment/side", "p/q-")
    second = shop.tazuna("adopt", "--write")
    assert (
        second.code == 0 and f"`git add` them: top/adopted-deployment-{shop.namespace}-side.json6902" in second.stdout
    )
    assert shop.clean_after_apply().code == 0
    later = SIDE.replace("{p/q: x}", "{p/q: x, r: s}").replace("{disk: ssd}", "{disk: ssd, zone: a}")
    (shop.folder / "base/side.yaml").write_text(later)
    built = shop.tazuna("build").stdout
    assert "r: s" in built and "zone: a" in built and "disk: ssd" not in built and "p/q" not in built


def test_a_new_file_that_git_ignores_is_a_warning(shop: Shop) -> None:
    files = BASE | {"top/kustomization.yaml": "resources: [../base]\n", ".gitignore": "adopted-*\n"}
    shop.write(files, dict(KUSTOMIZE))
    shop.patch("configmap/conf", '{"data": {"a": "hand"}}')
    shop.patch("configmap/conf", '{"data": {"b": "argo"}}', manager="argocd-controller")
    ran = shop.tazuna("adopt", "-o", "json")
    assert left(ran) == {"conf data.b": "not-a-person"}
    name = f"top/adopted-configmap-{shop.namespace}-conf.yaml"
    assert [(one["code"], one["file"]) for one in ran.json()["warnings"]] == [("ignored", name)]


def test_what_a_generator_makes_is_changed_at_its_source(shop: Shop) -> None:
    shop.write(dict(BASE), dict(KUSTOMIZE))
    (name,) = [key for key in shop.tazuna("state", "list").stdout.split() if "p-made-" in key]
    shop.patch(f"configmap/{name.rpartition('/')[2]}", '{"data": {"x": "2"}}')
    ran = shop.tazuna("adopt", name, "--write", "-o", "json")
    assert ran.code == 5 and ran.json()["errors"][0]["code"] == "generated"
    assert git(shop.folder, "status", "--porcelain") == ""


def test_as_yaml_edits_the_resource_unless_another_manifest_is_built_from_it(shop: Shop) -> None:
    other = {
        "other/kustomization.yaml": "resources: [../base]\nnamePrefix: o-\nreplicas:\n  - {name: web, count: 1}\n",
    }
    shop.write(BASE | other, dict(KUSTOMIZE), {"name": "other", "type": "kustomize", "path": "other"})
    (shop.folder / "top/kustomization.yaml").write_text("resources: [../base]\n")
    shop.patch("configmap/p-conf", '{"data": {"a": "hand"}}')
    ran = shop.tazuna("adopt", shop.ref("ConfigMap/p-conf"), "--as", "yaml", "--write", "-o", "json")
    assert ran.code == 5, "the name has a prefix, or another manifest changes too"
    assert shop.read("base/web.yaml") == WEB


def test_as_yaml_edits_the_resource_of_a_kustomization(shop: Shop) -> None:
    shop.write(BASE | {"top/kustomization.yaml": "resources: [../base]\n"}, dict(KUSTOMIZE))
    shop.patch("configmap/conf", '{"data": {"a": "hand"}}')
    ran = shop.tazuna("adopt", "--as", "yaml", "--write")
    assert ran.code == 0, ran.stdout
    assert shop.read("base/web.yaml") == WEB.replace('data: {a: "1"', 'data: {a: "hand"')
    assert shop.clean_after_apply().code == 0


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/values.yaml": "count: 1\nimage: {tag: '1.27'}\n",
    "chart/templates/d.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: {{ .Values.replicaCount }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "nginx:{{ .Values.image.tag }}"}]}
""",
    "values.yaml": "# of this cluster\nreplicaCount: 2\n",
}


def test_a_chart_gets_a_hint_where_its_values_say_it(shop: Shop) -> None:
    release = {"name": "r", "chart": "./chart", "values": ["values.yaml"]}
    files = {**CHART, "helmfile.yaml": yaml.safe_dump({"releases": [release]})}
    shop.write(files, {"name": "chart", "type": "helmfile", "path": "helmfile.yaml"})
    shop.kubectl("scale", "deployment/web", "--replicas=5")
    shop.kubectl("set", "image", "deployment/web", "main=nginx:1.29")
    ran = shop.tazuna("adopt", "-o", "json")
    assert ran.code == 0 and left(ran) == {"web": "chart"}
    (one,) = ran.json()["adoption"]["left"]
    assert "spec.replicas = 5" in one["message"] and "image = nginx:1.29" in one["message"]
    assert "values.yaml:2 (`replicaCount: 2`)" in one["advice"]
    assert 'chart/values.yaml:2 (`image.tag: "1.27"`)' in one["advice"]
    assert shop.tazuna("adopt", shop.ref("Deployment/web"), "--write").code == 5


def test_all_is_put_back_when_the_build_is_another_after_writing(shop: Shop) -> None:
    """A chart that reads an object's file as its values: no copy of the directory alone can show that."""
    values = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {count: '2'}\n"
    chart = CHART | {"chart/templates/d.yaml": CHART["chart/templates/d.yaml"].replace("replicaCount", "data.count")}
    release = {"name": "r", "chart": "./chart", "values": ["objects/conf.yaml"]}
    files = {f"all/{name}": text for name, text in chart.items()}
    files |= {"all/objects/conf.yaml": values, "all/helmfile.yaml": yaml.safe_dump({"releases": [release]})}
    manifests = ({"name": "objects", "type": "directory", "path": "all/objects"},
                 {"name": "chart", "type": "helmfile", "path": "all"})  # fmt: skip
    shop.write(files, *manifests)
    shop.patch("configmap/conf", '{"data": {"count": "5"}}')
    ran = shop.tazuna("adopt", "--write", "-o", "json")
    (error,) = ran.json()["errors"]
    assert (ran.code, error["code"]) == (5, "not-verified")
    assert "would change as well" in error["message"] and "All files are as they were" in error["advice"]
    assert shop.read("all/objects/conf.yaml") == values and git(shop.folder, "status", "--porcelain") == ""
