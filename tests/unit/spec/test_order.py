"""Order and selection of manifests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tazuna_core.errors import Place
from tazuna_core.spec.manifest import Manifest, declared
from tazuna_core.spec.models_manifest import DeclaredManifest
from tazuna_core.spec.order import dependency_problems, layers
from tazuna_core.spec.tags import all_tags, parse_tags, select


def manifests(*entries: str) -> list[Manifest]:
    """Manifests from `name [tag ...] [<dependency ...]`; `parallel:child,child` has children."""
    made: list[Manifest] = []

    def one(entry: str, children: list[Manifest]) -> Manifest:
        name, *rest = entry.split()
        content = {
            "name": name,
            "type": "parallel" if children else "kustomize",
            "tags": [word for word in rest if word[0] != "<"],
            "dependsOn": [word[1:] for word in rest if word[0] == "<"],
        }
        model = DeclaredManifest.model_validate(content)
        return declared(model, base=Path(), place=Place("tazuna.yaml"), index=next(numbers), children=children)

    numbers = iter(range(1000))
    for entry in entries:
        name, _, inside = entry.partition(":")
        made.append(one(name, [one(child, []) for child in inside.split(",") if child]))
    return made


def names(ordered: tuple[tuple[Manifest, ...], ...]) -> list[list[str]]:
    return [[manifest.name for manifest in layer] for layer in ordered]


@pytest.mark.parametrize(
    ("entries", "tags", "expected"),
    [
        (["a", "b", "c"], "", [["a"], ["b"], ["c"]]),
        ([], "", []),
        # the documented example
        (["cni", "cert <cni", "ingress <cni", "app <cert <ingress"], "", [["cni"], ["cert", "ingress"], ["app"]]),
        (["app <cni", "free", "cni"], "", [["free", "cni"], ["app"]]),
        (["c <b", "b <a", "a"], "", [["a"], ["b"], ["c"]]),
        (["a", "b <a <a"], "", [["a"], ["b"]]),
        (["p:x,y", "z <x"], "", [["p"], ["z"]]),
        (["a t", "b u", "c t u", "d"], "t", [["a"], ["c"]]),
        (["a t", "b u", "c v"], "u,t", [["a"], ["b"]]),
        (["c t <b", "b <a", "a t"], "t", [["a"], ["c"]]),
        (["a t"], "nothing", []),
    ],
)
def test_layers(entries: list[str], tags: str, expected: list[list[str]]) -> None:
    assert names(layers(manifests(*entries), parse_tags(tags))) == expected


def test_children_are_selected_by_their_own_tags() -> None:
    made = manifests("p:x t,y u", "q t:z u")
    assert [(one.name, [child.name for child in one.children]) for one in select(made, ["t"])] == [
        ("p", ["x"]),
        ("q", ["z"]),
    ]
    assert all_tags(made) == ("t", "u")
    assert parse_tags(" a, ,b,") == ("a", "b")


def test_a_circle_is_never_ordered() -> None:
    with pytest.raises(ValueError, match="goes round"):
        layers(manifests("a <b", "b <a"))


EDGES = st.integers(1, 8).flatmap(
    lambda size: st.tuples(st.just(size), st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))))
)


@given(EDGES)
def test_every_graph_is_ordered_or_explained(graph: tuple[int, set[tuple[int, int]]]) -> None:
    size, edges = graph
    made = manifests(
        *(" ".join([f"m{number}", *(f"<m{to}" for at, to in sorted(edges) if at == number)]) for number in range(size))
    )
    problems = list(dependency_problems(made))
    if problems:
        for problem in problems:
            assert problem.manifest.depends_on[problem.entry]
        return
    ordered = layers(made)
    layer_of = {manifest.name: number for number, layer in enumerate(ordered) for manifest in layer}
    assert len(layer_of) == size
    for at, to in edges:
        assert layer_of[f"m{to}"] < layer_of[f"m{at}"]
    if edges:
        # As early as possible, and in declaration order within a layer.
        for layer in ordered:
            assert [one.index for one in layer] == sorted(one.index for one in layer)
        for manifest in made:
            earliest = max((layer_of[name] + 1 for name in manifest.depends_on), default=0)
            assert layer_of[manifest.name] == earliest
