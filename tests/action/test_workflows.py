"""Our workflows and those that we tell others to copy: linted, pinned, least permissions, inputs that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from entrypoints.inputs import PREFIX, parse_inputs
from tests.action.recipes import OURS, RECIPES, ROOT, blocks_of
from tests.harness.go_tools import go_tool

OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COPIED = sorted(RECIPES.glob("*.yaml"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
PINNED = re.compile(r"uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with all of them: files as they are, blocks of the pages as files, the linters' settings."""
    folder = tmp_path_factory.mktemp("workflows")
    shutil.copytree(ROOT / ".github", folder / ".github")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "action.yml", folder)
    for path in COPIED:
        shutil.copy(path, folder / ".github" / "workflows" / f"recipe-{path.name}")
    for page in PAGES:
        for number, text in enumerate(blocks_of(page)):
            name = "-".join(page.relative_to(ROOT).with_suffix("").parts)
            (folder / ".github" / "workflows" / f"{name}-{number}.yaml").write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def workflows() -> dict[str, dict[Any, Any]]:
    """All of them by a name for the test."""
    found = {str(path.relative_to(ROOT)): yaml.safe_load(path.read_text()) for path in [*OWN, *COPIED]}
    for page in PAGES:
        for number, text in enumerate(blocks_of(page)):
            found[f"{page.relative_to(ROOT)}[{number}]"] = yaml.safe_load(text)
    return found


ALL = workflows()


def test_there_is_something_to_check() -> None:
    assert len(OWN) >= 3
    assert len(COPIED) >= 10
    assert any(name.startswith("docs/action.md") for name in ALL)


def test_actionlint_finds_nothing(everything: Path) -> None:
    done = subprocess.run(
        [go_tool("actionlint"), "-no-color"], cwd=everything, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_b47_zizmor_finds_nothing(everything: Path) -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [zizmor, "--offline", "--quiet", "--no-progress", "--persona", "regular", "."]
    done = subprocess.run(command, cwd=everything, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [*OWN, *COPIED], ids=lambda path: path.name)
def test_third_party_actions_are_pinned_by_commit(path: Path) -> None:
    for line in path.read_text().splitlines():
        if "uses:" in line and "uses: ./" not in line and f"uses: {OURS}" not in line:
            assert PINNED.search(line), line


def test_one_pin_for_one_version() -> None:
    pins: dict[str, set[str]] = {}
    pages = [page.read_text() for page in PAGES]
    for text in [*(path.read_text() for path in [*OWN, *COPIED]), *pages]:
        for name, commit, version in re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v[\d.]+)", text):
            pins.setdefault(name, set()).add(f"{commit} {version}")
    assert {name: found for name, found in pins.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", ALL)
def test_permissions_are_the_jobs_and_the_least(name: str) -> None:
    workflow = ALL[name]
    assert "permissions" in workflow
    for job in workflow["jobs"].values():
        granted = {**workflow["permissions"], **job.get("permissions", {})}
        uses = [step.get("uses", "") for step in job["steps"]]
        ours = [step.get("with", {}) for step in job["steps"] if step.get("uses", "").startswith((OURS, "./"))]
        assert "write-all" not in str(granted)
        if any(use.startswith("actions/checkout") for use in uses):
            assert granted.get("contents") in ("read", "write")
        if any(str(given.get("drift-issue")) == "true" for given in ours):
            assert granted.get("issues") == "write"
        elif name.startswith("docs"):
            assert "issues" not in granted
        comments = on_pull_request(workflow) and any(given.get("comment") != "never" for given in ours)
        assert (granted.get("pull-requests") == "write") == comments


def on_pull_request(workflow: dict[Any, Any]) -> bool:
    """Whether some event of it has a pull request to comment on. YAML 1.1 reads `on` as true."""
    return bool(
        {"pull_request", "workflow_run"} & set(workflow[True] if workflow[True] != "pull_request" else [workflow[True]])
    )


@pytest.mark.parametrize("name", ALL)
def test_inputs_and_outputs_exist(name: str) -> None:
    for job in ALL[name]["jobs"].values():
        ours = [step for step in job["steps"] if step.get("uses", "").startswith((OURS, "./"))]
        for step in ours:
            given = step.get("with", {})
            assert set(given) <= set(ACTION["inputs"])
            values = {key: value for key, value in given.items() if "${{" not in str(value)}
            parse_inputs({PREFIX + key.upper().replace("-", "_"): str(value) for key, value in values.items()})
        for output in re.findall(r"steps\.tazuna\.outputs\.([\w-]+)", yaml.safe_dump(job)):
            assert output in ACTION["outputs"]


def test_every_recipe_is_explained() -> None:
    text = (ROOT / "docs" / "workflows.md").read_text()
    linked = set(re.findall(r"\(workflows/([\w-]+\.yaml)\)", text))
    assert linked == {path.name for path in COPIED}


def test_no_place_of_ours_is_named() -> None:
    for path in [*OWN, *COPIED]:
        assert not re.search(r"/home/|/work/|index-url|localhost|127\.0\.0\.1", path.read_text())
