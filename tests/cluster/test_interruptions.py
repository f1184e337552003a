"""Runs that are killed, cut off or meet each other: state is never torn, and the next run puts everything right."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.operations.run_guard import CUT_SHORT
from tests.harness.applying import Place, config_map, definition, namespace_object
from tests.harness.cluster import LocalCluster
from tests.harness.interrupting import Cutter, Kills, kill_at_random, torn, until
from tests.harness.tazuna import Tazuna

KILLS = 4
"""`python -m tests.bench.kills` makes fifty, on real add-ons."""


@pytest.fixture
def place(tmp_path: Path, cluster: LocalCluster) -> Place:
    return Place(tmp_path, cluster)


def write(place: Place, version: int, wait: bool = False) -> None:
    """Three manifests in two layers; every object of every version is another."""
    base, left, right = (place.name(name) for name in ("base", "left", "right"))
    group = f"{place.word}.example.com"
    text = str(version)
    crd = definition("gadgets", "Gadget", group, "v1")
    gadget = {
        "apiVersion": f"{group}/v1",
        "kind": "Gadget",
        "metadata": {"name": "g", "namespace": place.namespace},
        "spec": {"version": version},
    }
    job: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": place.namespace},
        "spec": {
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox:1.36", "args": [text]}],
                }
            }
        },
    }
    maps = [config_map(f"{side}-{number}", place.namespace, v=text) for side in "lr" for number in range(12)]
    slow = {
        "type": "ExistNonExist",
        "existNonExist": {
            "resource": {"apiVersion": "v1", "kind": "Namespace"},
            "name": place.namespace,
            "shouldExist": True,
        },
        "minConsecutiveSuccessCount": 3,
        "intervalSeconds": 1,
    }
    more: dict[str, Any] = {left: {"dependsOn": [base]}, right: {"dependsOn": [base]}}
    if wait:
        more[base] = {"tests": [slow]}
    place.repository.write(
        {base: [namespace_object(place.namespace), crd], left: [gadget, *maps[:12]], right: [job, *maps[12:]]}, more
    )


def is_right(place: Place, version: int) -> None:
    """Everything is as the repository says, and nothing is reported."""
    listed = place.get(f"/api/v1/namespaces/{place.namespace}/configmaps")["items"]
    versions = {one["data"]["v"] for one in listed if one["metadata"]["name"] != "kube-root-ca.crt"}
    assert versions == {str(version)}
    for command in (("state", "drift"), ("state", "diff"), ("plan",)):
        ran = place.tazuna(*command, "--fail-on-drift")
        assert ran.code == 0, ran.stdout


def test_killed_at_random_moments_the_next_run_converges(place: Place, cluster: LocalCluster) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    kills, chance = Kills(seed), random.Random(seed)
    write(place, 0)
    started = time.monotonic()
    assert place.tazuna("apply").code == 0
    seconds = time.monotonic() - started
    for version in range(1, KILLS + 1):
        write(place, version)
        kill_at_random(place.tazuna, seconds, chance, kills)
        assert torn(cluster) == [], kills
    ran = place.tazuna("apply", "--break-lock")
    assert ran.code == 0, (kills, ran.stdout)
    is_right(place, KILLS)
    assert place.tazuna("apply", "-o", "json").json()["counts"]["drifted"] == 0


def test_sigterm_ends_in_order_and_says_so(place: Place, cluster: LocalCluster) -> None:
    write(place, 1, wait=True)
    running = place.tazuna.start("apply", "-o", "json")
    until(lambda: place.get(f"/api/v1/namespaces/{place.namespace}") is not None)
    running.send_signal(signal.SIGTERM)
    stdout, _ = running.communicate()
    assert running.returncode == 6 and '"code": "interrupted"' in stdout and "SIGTERM" in stdout
    assert place.get("/apis/coordination.k8s.io/v1/namespaces/tazuna/leases/tazuna-apply") is None, (
        "the lock is given back"
    )
    assert torn(cluster) == []
    write(place, 2)
    assert place.tazuna("apply").code == 0
    is_right(place, 2)


def test_a_second_ctrl_c_says_that_state_was_not_saved_and_the_next_run_converges(
    place: Place, cluster: LocalCluster, tmp_path: Path
) -> None:
    maps = [config_map(f"m-{number}", place.namespace, v="1") for number in range(100)]
    place.repository.write({place.name("base"): [namespace_object(place.namespace), *maps]})
    with Cutter(cluster.server) as way:
        held = Tazuna(place.repository.folder, way.kubeconfig(cluster.kubeconfig, tmp_path), place.tazuna.environment)
        running = held.start("apply")
        until(lambda: place.config_map("m-0") is not None)
        way.hold()
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            time.sleep(0.5)  # two of one kind at once would be one
        way.release()
        _, stderr = running.communicate()
    assert running.returncode == 130, stderr
    assert stderr.endswith(f"tazuna: interrupted: {CUT_SHORT}\n")
    assert place.tazuna("apply").code == 0
    is_right(place, 1)


def test_a_cut_connection_is_said_and_the_next_run_converges(
    place: Place, cluster: LocalCluster, tmp_path: Path
) -> None:
    write(place, 1)
    with Cutter(cluster.server) as way:
        cut_off = Tazuna(
            place.repository.folder, way.kubeconfig(cluster.kubeconfig, tmp_path), place.tazuna.environment
        )
        running = cut_off.start("apply", "-o", "json")
        until(lambda: place.config_map("l-3") is not None)
        way.cut()
        stdout, stderr = running.communicate(timeout=120)
    assert running.returncode == 6, stdout + stderr
    assert "cannot reach" in stdout and "Traceback" not in stderr
    assert torn(cluster) == []
    assert place.tazuna("apply", "--break-lock").code == 0
    is_right(place, 1)


def test_of_two_runs_at_once_one_is_refused_and_names_the_other(place: Place) -> None:
    write(place, 1, wait=True)
    both = [place.tazuna.start("apply", "-o", "json") for _ in range(2)]
    answers = [(one.communicate()[0], one.returncode) for one in both]
    codes = sorted(code for _, code in answers)
    assert codes == [0, 5], answers
    refused = next(stdout for stdout, code in answers if code == 5)
    assert '"code": "lock"' in refused and "is applying since" in refused and "@" in refused
    is_right(place, 1)


def test_a_lock_taken_by_force_loses_no_entry(place: Place, cluster: LocalCluster) -> None:
    write(place, 1, wait=True)
    first = place.tazuna.start("apply")
    until(lambda: place.get("/apis/coordination.k8s.io/v1/namespaces/tazuna/leases/tazuna-apply") is not None)
    second = place.tazuna.start("apply", "--break-lock")
    codes = {one.communicate() and one.returncode for one in (first, second)}
    assert codes <= {0, 4, 5, 6} and torn(cluster) == []
    assert place.tazuna("apply", "--break-lock").code == 0
    is_right(place, 1)
    assert len(place.state("left") or {}) == 13 and len(place.state("right") or {}) == 13
