"""The cache of programs built for the tests: built once, whole or not at all."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.harness.assets import cluster_assets
from tests.harness.build_cache import cache_root, cached_folder
from tests.harness.go_tools import BuildError


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_those_who_ask_at_once_wait_for_one_build() -> None:
    begun = []
    others_have_asked = threading.Barrier(4)

    def build(folder: Path) -> None:
        begun.append(folder)
        (folder / "program").write_text("whole")

    def ask() -> str:
        others_have_asked.wait()
        return (cached_folder("tools/some-1.0", build) / "program").read_text()

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(ask) for _ in range(4)]
    assert [answer.result() for answer in answers] == ["whole"] * 4
    assert len(begun) == 1


def test_a_failed_build_leaves_nothing_and_is_tried_again() -> None:
    def half(folder: Path) -> None:
        (folder / "program").write_text("ha")
        raise BuildError("no compiler")

    with pytest.raises(BuildError, match="no compiler"):
        cached_folder("tools/some-1.0", half)
    assert [path.name for path in cache_root().rglob("*") if path.is_file()] == ["some-1.0.lock"]

    folder = cached_folder("tools/some-1.0", lambda folder: (folder / "program").touch())
    assert (folder / "program").exists()


def test_assets_of_the_user_must_be_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    for name in ("etcd", "kube-apiserver"):  # what envtest's archives hold
        (tmp_path / name).touch(mode=0o755)
    with pytest.raises(BuildError, match=r"lacks kube-controller-manager; unset it"):
        cluster_assets()
    (tmp_path / "kube-controller-manager").touch(mode=0o755)
    assert cluster_assets() == tmp_path
