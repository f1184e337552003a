"""The GitOps lab of the seed documents, step by step, on a real server with a real git repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import orjson
import pytest

from tests.harness.applying import Place, Repository
from tests.harness.cluster import LocalCluster
from tests.harness.corpus import LAB
from tests.harness.tazuna import Tazuna


class Git:
    """A repository of its own, untouched by whoever runs the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self("init", "--quiet", "--initial-branch=main")
        self("config", "user.name", "Lab")
        self("config", "user.email", "lab@example.com")

    def __call__(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self, message: str) -> str:
        """Commits everything and returns the commit's full hash."""
        self("add", "--all")
        self("commit", "--quiet", "-m", message)
        assert self("status", "--porcelain") == ""
        return self("rev-parse", "HEAD")


@pytest.fixture
def lab(tmp_path: Path) -> Git:
    return Git(tmp_path / "gitops" / "repo")


def replicas(cluster: LocalCluster) -> int:
    path = "/apis/apps/v1/namespaces/gitops-lab/deployments/web"
    return int(cluster.request("GET", path).body["spec"]["replicas"])


def test_the_lab_step_by_step(lab: Git, fresh_cluster: LocalCluster) -> None:
    out = lab.folder.parent / "out"
    out.mkdir()
    tazuna = Tazuna(lab.folder, fresh_cluster.kubeconfig, {"XDG_CACHE_HOME": str(out / "cache")})
    deployment = lab.folder / "apps" / "web" / "deployment.yaml"

    # 1 to 3: a repository with the declarations, committed
    (lab.folder / "README.md").write_text("# GitOps lab\n")
    lab.commit("Begin the repository")
    shutil.copytree(LAB / "apps" / "web", lab.folder / "apps" / "web")
    shutil.copy(LAB / "tazuna.yaml", lab.folder)
    text = deployment.read_text()
    count = next(line for line in text.splitlines() if line.strip().startswith("replicas:"))
    deployment.write_text(text.replace(count, count[: count.index(":")] + ": 2"))
    lab.commit("Declare the web server with two replicas")
    assert tazuna("check").code == 0

    # 4: applied
    applied = tazuna("apply")
    assert applied.code == 0, applied.stdout
    labelled = ("get", "deployment,service", "-l", "app.kubernetes.io/name=web", "-o", "name")
    assert fresh_cluster.kubectl("-n", "gitops-lab", *labelled).stdout.split() == ["deployment.apps/web", "service/web"]
    by_gitops = ("get", "deployment", "-l", "app.kubernetes.io/managed-by=gitops", "-o", "name")
    assert fresh_cluster.kubectl("-n", "gitops-lab", *by_gitops).stdout.strip() == "deployment.apps/web"
    assert replicas(fresh_cluster) == 2

    # 5: a change goes through a commit
    deployment.write_text(deployment.read_text().replace("replicas: 2", "replicas: 3"))
    head = lab.commit("Raise replicas to 3")
    assert "  modified       web/apps/v1/Deployment/gitops-lab/web" in tazuna("state", "diff").stdout
    plan = tazuna("plan", "-o", "json")
    assert plan.fields()["Deployment/web spec.replicas"]["verdict"] == "planned"
    report = out / "sync-report.json"
    synced = tazuna("apply", "--sync", "--sync-report", str(report))
    assert synced.code == 0, synced.stdout + synced.stderr
    assert orjson.loads(report.read_bytes()) == {"repo_commit": head, "drift": False, "applied": 3}
    assert replicas(fresh_cluster) == 3

    # 6: a change by hand is drift, with its own exit code
    fresh_cluster.kubectl("-n", "gitops-lab", "scale", "deployment/web", "--replicas=5")
    drift = tazuna("state", "drift", "--fail-on-drift")
    assert drift.code == 1
    assert "spec.replicas: 3 -> 5   (kubectl/scale, time unknown)" in drift.stdout
    synced = tazuna("apply", "--sync", "--sync-report", str(report))
    assert synced.code == 0
    assert orjson.loads(report.read_bytes())["drift"] is True, "--sync sends what changed in the repository, no more"

    # 7: put back, and clean
    put_back = tazuna("apply", "-o", "json")
    assert put_back.code == 0
    field = put_back.fields()["Deployment/web spec.replicas"]
    assert (field["recorded"], field["live"], field["onMerge"]) == (3, 5, "reverted")
    clean = tazuna("state", "drift", "--fail-on-drift")
    assert (clean.code, clean.stdout.splitlines()[0]) == (0, "No drift detected.")
    assert replicas(fresh_cluster) == 3
    assert "replicas: 3" in deployment.read_text() and lab("status", "--porcelain") == ""

    # 8: the report, exactly
    assert tazuna("apply", "--sync", "--sync-report", str(report)).code == 0
    content = orjson.loads(report.read_bytes())
    assert list(content) == ["repo_commit", "drift", "applied"]
    assert content == {"repo_commit": lab("rev-parse", "HEAD"), "drift": False, "applied": 3}
    assert len(content["repo_commit"]) == 40
    assert int(lab("rev-list", "--count", "HEAD")) >= 2


def test_a_report_that_could_not_be_true_is_refused(lab: Git, tmp_path: Path, cluster: LocalCluster) -> None:
    place = Place(tmp_path / "place", cluster)
    place.repository = Repository(lab.folder)
    tazuna = Tazuna(lab.folder, cluster.kubeconfig, place.tazuna.environment)
    name = place.name("m")
    metadata = {"name": f"c-{place.word}", "namespace": "default"}
    place.repository.write({name: [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}]})
    report = tmp_path / "report.json"
    none = tazuna("apply", "--sync", "--sync-report", str(report), "-o", "json")
    assert (none.code, none.json()["errors"][0]["code"]) == (5, "no-commit")
    head = lab.commit("Declare a ConfigMap")
    for inside in ("report.json", str(lab.folder / name / "report.json"), f"../repo/{name}/../report.json"):
        ran = tazuna("apply", "--sync", "--sync-report", inside, "-o", "json")
        assert (ran.code, ran.json()["errors"][0]["code"]) == (5, "report-in-tree")
    (lab.folder / "untracked").write_text("x")
    dirty = tazuna("apply", "--sync", "--sync-report", str(report), "-o", "json")
    assert (dirty.code, dirty.json()["errors"][0]["code"]) == (5, "dirty")
    assert place.get(f"/api/v1/namespaces/default/configmaps/c-{place.word}") is None, "refused before any write"
    allowed = tazuna("apply", "--sync", "--sync-report", str(report), "--allow-dirty")
    assert allowed.code == 0
    assert orjson.loads(report.read_bytes()) == {"repo_commit": head, "drift": False, "applied": 1}
