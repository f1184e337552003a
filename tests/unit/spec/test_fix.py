"""`check --fix` on texts: what it changes, what it leaves, that nothing else moves, and that once is enough."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.spec.fix import fix
from tazuna_core.spec.load import load_spec
from tazuna_core.spec.misspelt import clear_match
from tazuna_core.spec.models_manifest import ManifestType
from tests.unit.spec.conftest import Write

TYPES = [str(one) for one in ManifestType]


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("paht", ["path", "tags", "type"], "path"),
        ("tpye", ["path", "tags", "type"], "type"),
        ("depends_on", ["dependsOn", "description"], "dependsOn"),
        ("Context-Matches", ["context_matches", "context_match_mode"], "context_matches"),
        ("kustomise", TYPES, "kustomize"),
        ("helmfil", TYPES, "helmfile"),
        ("helm", TYPES, ""),
        ("kustomization", TYPES, ""),
        ("ab", ["abc"], ""),
        ("tat", ["tag", "tas"], ""),
        ("ends", ["end-s", "en_ds"], ""),
        ("static", ["staticMap", "staticSlice"], ""),
        ("anything", [], ""),
    ],
)
def test_what_is_clearly_meant(word: str, known: Iterable[str], meant: str) -> None:
    assert clear_match(word, known) == meant


def fixed(write: Write, tazuna: str, environment: str = "", **others: str) -> tuple[str, list[str]]:
    """The text afterwards and what was said; a second run must find nothing."""
    path = write(tazuna, **others)
    changed = {file.path: file for file in fix(path, environment)}
    for file in changed.values():
        file.path.write_bytes(file.text.encode())
    assert fix(path, environment) == ()
    text = changed[path].text if path in changed else tazuna
    return text, [f"{one.place}: {one.message}" for file in changed.values() for one in file.remarks]


MANIFEST = "type: kustomize, path: p"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "spec:\n  manifest: # why\n    - {name: a, tpye: 'kustomise', \"paht\": p}\n",
            "spec:\n  manifests: # why\n    - {name: a, type: 'kustomize', \"path\": p}\n",
            [
                "tazuna.yaml:2:3: field 'manifest' is 'manifests' now",
                "tazuna.yaml:3:17: field 'tpye' is 'type' now",
                "tazuna.yaml:3:23: 'kustomise' is 'kustomize' now",
                "tazuna.yaml:3:36: field 'paht' is 'path' now",
            ],
        ),
        (
            f"spec: {{manifests: [{{{MANIFEST}}}, {{ {MANIFEST}/q }}]}}\n",
            f"spec: {{manifests: [{{name: p, {MANIFEST}}}, {{ name: q, {MANIFEST}/q }}]}}\n",
            [
                "tazuna.yaml:1:21: the manifest is named 'p'",
                "tazuna.yaml:1:59: the manifest is named 'q'",
            ],
        ),
        (
            "spec:\r\n  manifests:\r\n  - # it\r\n    type: kustomize\r\n    path: .\r\n"
            "  - path: ../a.B/\r\n    type: kustomize",
            "spec:\r\n  manifests:\r\n  - # it\r\n    name: kustomize\r\n    type: kustomize\r\n    path: .\r\n"
            "  - name: a-b\r\n    path: ../a.B/\r\n    type: kustomize",
            ["tazuna.yaml:4:5: the manifest is named 'kustomize'", "tazuna.yaml:7:5: the manifest is named 'a-b'"],
        ),
        (
            "spec:\n  manifests:\n  - name:   # none\n    type: directory\n    path: on\n"
            "  - name: ''\n    type: directory\n    path: on\n",
            "spec:\n  manifests:\n  - name: \"on\"   # none\n    type: directory\n    path: on\n"
            "  - name: on-2\n    type: directory\n    path: on\n",
            ["tazuna.yaml:3:5: the manifest is named 'on'", "tazuna.yaml:6:5: the manifest is named 'on-2'"],
        ),
        (
            f"spec:\n  manifests:\n  - {{name: W_A, {MANIFEST}}}\n  - {{name: b, {MANIFEST}, dependsOn: ['W_A']}}\n",
            f"spec:\n  manifests:\n  - {{name: w-a, {MANIFEST}}}\n  - {{name: b, {MANIFEST}, dependsOn: ['w-a']}}\n",
            ["tazuna.yaml:3:12: the manifest 'W_A' is named 'w-a' now"],
        ),
        (
            "spec:\n  manifests:\n  - type: helmfile\n    path: charts/redis/helmfile.yaml\n"
            "  - type: oras\n    oras: {reference: 'localhost:1/x/Art:1', delegate: {type: helmfile}}\n",
            "spec:\n  manifests:\n  - name: redis\n    type: helmfile\n    path: charts/redis/helmfile.yaml\n"
            "  - name: art\n    type: oras\n    oras: {reference: 'localhost:1/x/Art:1', delegate: {type: helmfile}}\n",
            ["tazuna.yaml:3:5: the manifest is named 'redis'", "tazuna.yaml:6:5: the manifest is named 'art'"],
        ),
        (
            f"spec:\n  manifests:\n  - type: parallel\n    parallel:\n      children:\n      - {{{MANIFEST}}}\n",
            "spec:\n  manifests:\n  - type: parallel\n    parallel:\n      children:\n"
            f"      - {{name: p, {MANIFEST}}}\n",
            ["tazuna.yaml:6:10: the manifest is named 'p'"],
        ),
    ],
)  # fmt: skip
def test_what_is_mended(write: Write, before: str, after: str, said: list[str]) -> None:
    assert fixed(write, before) == (after, said)


@pytest.mark.parametrize(
    "text",
    [
        "spec: [",
        "spec: {manifests: [{name: a, typ: kustomize, type: kustomize, path: p}]}",
        "spec: {manifests: [{name: a, type: kustomize, path: p, kustomize: {tags: [x]}}]}",
        "spec: {manifests: [{name: a, type: helm, path: p}]}",
        f"spec: {{manifests: [{{name: A, {MANIFEST}}}, {{name: a, {MANIFEST}}}]}}",
        f"spec: {{manifests: [{{name: A, {MANIFEST}}}, {{name: A, {MANIFEST}}}]}}",
        f"spec: {{manifests: [{{name: a--b, {MANIFEST}}}, {{name: -c, {MANIFEST}}}]}}",
        f"spec: {{manifests: [{{name: _, {MANIFEST}}}]}}",
        f"x: &m {{{MANIFEST}}}\nspec: {{manifests: [*m, *m]}}",
        f"spec: {{manifests: [{{{MANIFEST}}}], wrong: 1}}",
        f"spec: {{manifests: [{{{MANIFEST}}}, {{path: p}}]}}",
        f"spec: {{manifests: [{{{MANIFEST}}}, {{includes: [{{path: gone.yaml}}]}}]}}",
    ],
)
def test_what_is_left_alone(write: Write, text: str) -> None:
    assert fixed(write, text) == (text, [])


def test_a_template_stays_one(write: Write) -> None:
    text = "spec:\n  manifests:\n  - {tpye: kustomize, path: 'p/{{ .Environment }}'} # {{ if false }}x{{ end }}\n"
    after, _ = fixed(write, text, "prod")
    assert after == text.replace("{tpye", "{name: prod, type")
    made = 'spec:\n  manifests:\n  - {name: a, {{ "tpye" }}: kustomize, path: p}\n'
    assert fixed(write, made) == (made, []), "the word stands in no text"


def test_files_that_are_included_are_mended_too(write: Write) -> None:
    text = f"spec: {{manifests: [{{{MANIFEST}}}, {{includes: [{{path: inner/tazuna.yaml}}]}}]}}\n"
    after, said = fixed(write, text, inner__tazuna="spec: {manifests: [{name: p, tpye: kustomize, path: p}]}\n")
    assert after == text.replace("[{type", "[{name: p-2, type")
    assert said[-1] == "inner/tazuna.yaml:1:30: field 'tpye' is 'type' now"
    text = text.replace("]}\n", f", {{name: c, {MANIFEST}, dependsOn: [In]}}]}}\n")
    after, _ = fixed(write, text, inner__tazuna=f"spec: {{manifests: [{{name: In, {MANIFEST}}}]}}\n")
    assert "dependsOn: [in]" in after
    assert "name: in," in Path("inner/tazuna.yaml").read_text()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "web", "My_App", "x-", "db"]),
            st.sampled_from(["type", "tpye", "TYPE"]),
            st.sampled_from(["p", "apps/web", "on", "1", "é", "a b", "."]),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_mended_loads_as_it_did_but_for_names(write: Write, given: list[tuple[str, str, str, bool]]) -> None:
    lines = ["# top", "spec:", "  manifests:"]
    for name, key, path, flow in given:
        fields = [*([f"name: {name}"] if name else []), f"{key}: kustomize", f"path: '{path}'"]
        if flow:
            lines.append(f"    - {{{', '.join(fields)}}} # in one line")
        else:
            lines += ["    -   " + "\n        ".join(fields) + "  # in several"]
    text, _ = fixed(write, "\n".join(lines) + "\n")
    loaded = load_spec(Path("tazuna.yaml"))
    assert [one.path for one in loaded.manifests] == [path for _, _, path, _ in given]
    assert all(one.name for one in loaded.manifests)
    assert text.count("#") == len(given) + 1
    unnamed = sum(not name for name, *_ in given)
    assert len({one.name for one in loaded.manifests}) >= unnamed
