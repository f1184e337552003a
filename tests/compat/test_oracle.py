"""Reading and hashing agree with Go: edge cases, the shared vectors, whole add-ons, and random documents."""

from __future__ import annotations

import base64
import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.errors import InvalidObjectError, TazunaError
from tazuna_core.objects.canonical import canonical_json
from tazuna_core.objects.manifest_objects import load_objects, objects_of
from tazuna_core.objects.yaml_documents import load_documents
from tests.compat.comparing import difference, hashes_as_go
from tests.compat.edge_cases import EDGE_CASES
from tests.compat.generating import HEAD, Generator
from tests.compat.oracle import Answer, Question, ask

SHARED = Path(__file__).parents[3] / "shared"


def _vectors() -> list[dict[str, Any]]:
    file = SHARED / "vectors" / "documents.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _bundles() -> list[Path]:
    return sorted(file.parent for file in (SHARED / "corpus").glob("*/hashes.tsv"))


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    questions = [Question(text) for text in EDGE_CASES.values()]
    return dict(zip(EDGE_CASES, ask(questions), strict=True))


@pytest.mark.parametrize("name", EDGE_CASES)
def test_edge_cases_are_read_as_go_reads_them(name: str, answers: dict[str, Answer]) -> None:
    rule, what = difference(Question(EDGE_CASES[name]), answers[name])
    assert (rule, what) == ("byte order mark inside" if name == "two byte order marks" else "", "")


@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: vector["name"])
def test_shared_vectors(vector: dict[str, Any]) -> None:
    text, namespace = base64.b64decode(vector["yaml"]), vector["defaultNamespace"]
    question = Question(text, vector["manifest"], namespace)
    if vector.get("error"):
        with pytest.raises(TazunaError):
            load_documents(text, "f.yaml")
        return
    expected = [(o["key"], o["hash"]) for o in vector["objects"]]
    if "differs" in vector:
        _check_differs(vector["name"], text)
        return
    documents = load_documents(text, "f.yaml")
    assert list(hashes_as_go(documents, question)) == expected
    if "invalid" in vector:
        with pytest.raises(InvalidObjectError):
            objects_of(documents, vector["manifest"], namespace)
        return
    built = objects_of(documents, vector["manifest"], namespace).objects
    assert [(str(o.key), o.content_hash) for o in built] == expected


def _check_differs(name: str, text: bytes) -> None:
    """What ours answers where the vectors say that it answers otherwise on purpose."""
    if name in {"dup top-level kind", "... then doc without ---"}:
        with pytest.raises(TazunaError):
            load_documents(text, "f.yaml")
        return
    expected = {"ConfigMapList typed": ["m//v1/ConfigMap/a"], "List items null": []}[name]
    assert [str(o.key) for o in load_objects(text, "f.yaml", "m").objects] == expected


@pytest.mark.parametrize("bundle", _bundles(), ids=lambda folder: folder.name)
def test_hashes_of_whole_add_ons(bundle: Path) -> None:
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    rendered = subprocess.run([kubectl, "kustomize", bundle], capture_output=True, check=True).stdout
    loaded = load_objects(rendered, bundle.name, bundle.name)
    rows = [line.split("\t")[:2] for line in (bundle / "hashes.tsv").read_text().splitlines() if line]
    assert [[str(o.key), o.content_hash] for o in loaded.objects] == rows
    assert not loaded.notices


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=0, max_value=2**32))
def test_random_text_is_read_as_go_reads_it(seed: int) -> None:
    generator = Generator(seed)
    questions = [Question(generator.text(), "m", generator.random.choice(["", "ns"])) for _ in range(100)]
    for question, answer in zip(questions, ask(questions), strict=True):
        assert difference(question, answer)[1] == ""


_SCALARS = (
    st.none()
    | st.booleans()
    | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(2**63), 2**63 - 1)
)
_VALUES = st.recursive(
    _SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=8), v, max_size=4)
)


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(_VALUES, min_size=20, max_size=60))
def test_objects_are_encoded_as_go_encodes_them(values: list[Any]) -> None:
    objects = [{"kind": "A", "metadata": {}, "spec": value} for value in values]
    questions = [Question(json.dumps(data).encode()) for data in objects]
    for data, answer in zip(objects, ask(questions), strict=True):
        [(_, _, encoded)] = answer.objects
        assert canonical_json(data) == encoded


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=12), min_size=50, max_size=100))
def test_any_characters_after_a_key_are_read_as_go_reads_them(texts: list[str]) -> None:
    questions = [Question(f"{HEAD}data:\n  k: {text}\n".encode("utf-8", "surrogatepass")) for text in texts]
    for question, answer in zip(questions, ask(questions), strict=True):
        assert difference(question, answer)[1] == ""
