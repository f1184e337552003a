"""`rbac`: with exactly what it prints, and nothing more, every command does all that an administrator's does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.applying import Place, config_map, definition, namespace_object
from tests.harness.cluster import LocalCluster
from tests.harness.corpus import bundles, repository
from tests.harness.go_cli import go_apply
from tests.harness.tazuna import Ran, Tazuna

NAMES = tuple(name for name in bundles() if name in ("cert-manager", "ingress-nginx", "metallb", "metrics-server"))
"""Definitions and their objects, Jobs, webhooks, roles with more than the applier itself may, names with a colon."""


class Accounts:
    """Makes accounts with what `rbac` prints."""

    def __init__(self, cluster: LocalCluster, admin: Tazuna) -> None:
        self.cluster, self.admin = cluster, admin

    def __call__(self, purpose: str, *options: str) -> Tazuna:
        printed = self.admin("rbac", "--for", purpose, *options)
        assert printed.code == 0, printed.stderr
        name, user = f"tazuna-{purpose}", f"{purpose}-{'-'.join(options).strip('-')}"
        self.cluster.kubectl("apply", "-f", "-", stdin=printed.stdout)
        bind = ("--dry-run=client", "-o=yaml", f"--user={user}")
        for arguments in (
            ("clusterrolebinding", user, f"--clusterrole={name}"),
            ("rolebinding", user, f"--role={name}", "-n", "tazuna"),
        ):
            binding = self.cluster.kubectl("create", *arguments, *bind).stdout
            self.cluster.kubectl("apply", "-f", "-", stdin=binding)
        return Tazuna(self.admin.folder, self.cluster.kubeconfig_for(user), self.admin.environment)


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    folder = repository(tmp_path_factory.mktemp("rbac") / "repo", NAMES)
    with LocalCluster() as cluster:
        cache = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
        yield Accounts(cluster, Tazuna(folder, cluster.kubeconfig, cache))


def test_apply_with_the_rights_for_apply(accounts: Accounts) -> None:
    # nothing is served of what the build defines yet
    applier = accounts("apply")
    ran = applier("apply", "-o", "json")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert accounts.admin("state", "drift", "--fail-on-drift").code == 0


READING = {
    "drift": [("state", "drift"), ("state", "drift", "--all-state"), ("state", "list"), ("status",)],
    "plan": [("plan",), ("state", "diff"), ("state", "drift"), ("state", "list"), ("status",)],
    "record": [("state", "record"), ("state", "drift")],
}


@pytest.mark.parametrize("purpose", READING)
def test_reading_with_the_rights_for_it(accounts: Accounts, purpose: str) -> None:
    account = accounts(purpose)
    for command in READING[purpose]:
        mine, theirs = account(*command, *_form(command)), accounts.admin(*command, *_form(command))
        assert mine.code == theirs.code, (command, mine.stdout, mine.stderr)
        assert _comparable(mine) == _comparable(theirs), command


def test_a_snapshot_with_the_rights_for_drift(accounts: Accounts, tmp_path: Path) -> None:
    ran = accounts("drift")("snapshot", "--to", str(tmp_path / "cluster.json"))
    assert (ran.code, "not read" in ran.stderr) == (0, False), ran.stderr
    offline = Tazuna(accounts.admin.folder, environment={"KUBECONFIG": str(tmp_path / "none")})
    again = offline("state", "drift", "--cluster", f"snapshot:{tmp_path / 'cluster.json'}", "-o", "json")
    theirs = accounts.admin("state", "drift", "-o", "json").json()
    assert (again.code, again.json()["counts"]) == (0, theirs["counts"])


def test_a_record_is_written_with_the_rights_for_it(accounts: Accounts) -> None:
    go_apply(accounts.cluster, accounts.admin)
    ran = accounts("record")("state", "record", "-o", "json")
    assert (ran.code, ran.statuses()) == (0, {}), ran.stdout
    assert accounts("drift")("state", "drift").code == 0


def test_less_is_not_enough(accounts: Accounts) -> None:
    reader = accounts("drift")
    assert reader("apply").code != 0
    assert reader("state", "drift").code == 0
    stranger = Tazuna(accounts.admin.folder, accounts.cluster.kubeconfig_for("stranger"), accounts.admin.environment)
    for command in (("state", "drift"), ("plan",), ("state", "list"), ("status",), ("snapshot", "--to", "x.json")):
        ran = stranger(*command)
        assert ran.code == 4, (command, ran.stdout, ran.stderr)
        assert "`tazuna rbac` prints the rights that are needed" in ran.stdout + ran.stderr
        assert "Traceback" not in ran.stderr


def test_pruning_and_tests_with_the_rights_for_it(fresh_cluster: LocalCluster, tmp_path: Path) -> None:
    """A definition with instances and a namespace with content go; a test looks at a kind that nothing else uses."""
    place = Place(tmp_path, fresh_cluster)
    group = f"x{place.word}.example.com"
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": place.namespace}}
    gone = [
        definition("things", "Thing", group, "v1"),
        namespace_object(place.namespace),
        config_map("c", place.namespace),
        thing,
    ]
    kept, going = place.name("kept"), place.name("going")
    absent = {
        "resource": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"},
        "namespace": "default",
        "name": "no",
    }
    tests = [{"type": "ExistNonExist", "existNonExist": {**absent, "shouldExist": False}, "timeoutSeconds": 5}]
    objects = {kept: [config_map(f"k-{place.word}", "default")]}
    place.repository.write({**objects, going: gone})
    assert place.tazuna("apply").code == 0
    place.repository.write({**objects, going: [config_map(f"g-{place.word}", "default")]}, {kept: {"tests": tests}})
    account = Accounts(fresh_cluster, place.tazuna)("apply", "--prune")
    ran = account("apply", "--sync", "--prune", "-o", "json")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert place.get(f"/apis/{group}/v1/namespaces/{place.namespace}/things/t") is None
    assert place.get(f"/api/v1/namespaces/{place.namespace}/configmaps/c") is None


def _form(command: tuple[str, ...]) -> tuple[str, ...]:
    return () if command in (("state", "list"), ("status",)) else ("-o", "json", "--all")


def _comparable(ran: Ran) -> object:
    if not ran.stdout.startswith("{"):
        return ran.stdout
    return {key: value for key, value in ran.json().items() if key not in ("run", "target")}
