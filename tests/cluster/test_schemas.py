"""Schemas against what the API server itself does with the fields of an object."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tazuna_core.cluster.api_server import ApiServer, Response
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.schema_cache import SchemaCache
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.crd_schema import schemas_of_crd
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.manifest_objects import load_objects
from tests.cluster.owned_fields import differences, owned_fields
from tests.cluster.refresh_builtin_schema import SHIPPED, as_file, builtin_schema_of
from tests.harness.cluster import LocalCluster

MANAGER = "schema-test"
CRD = "CustomResourceDefinition"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
TRICKY = (Path(__file__).parent / "tricky_fields.yaml").read_text()
WIDGETS = (Path(__file__).parent / "widgets_crd.yaml").read_text()
WIDGET = (Path(__file__).parent / "widget.yaml").read_text()


def objects_of(text: str) -> list[dict[str, Any]]:
    return [built.data for built in load_objects(text, "test", "m").objects]


def ref_of(obj: dict[str, Any]) -> ObjectRef:
    metadata = obj["metadata"]
    return ObjectRef(obj["apiVersion"], obj["kind"], metadata.get("namespace", ""), metadata["name"])


def name_of(obj: dict[str, Any]) -> str:
    return f"{obj['kind']}-{obj['metadata']['name']}"


def mistakes(api: ApiServer, reader: KubeReader, obj: dict[str, Any]) -> list[str]:
    """Where the server's managedFields of an object differ from what its schema leads to. Nothing is written."""
    answer = api.apply(ref_of(obj), obj, field_manager=MANAGER, dry_run=True)
    assert answer.ok, answer.body
    entries = [entry for entry in answer.body["metadata"].get("managedFields", []) if entry["manager"] == MANAGER]
    schema = reader.schema(obj["apiVersion"], obj["kind"])
    assert schema is not None
    return list(differences(owned_fields(obj, schema), entries[0]["fieldsV1"] if entries else {}))


@pytest.fixture(scope="session")
def reader(cluster: LocalCluster) -> KubeReader:
    return KubeReader(ApiServer.open(cluster.kubeconfig))


@pytest.fixture(scope="module")
def crowded() -> Iterator[KubeReader]:
    """A cluster with our own CRD, and with the corpus's namespaces and CRDs where there is a corpus."""
    with LocalCluster() as running:
        reader = KubeReader(ApiServer.open(running.kubeconfig))
        first = [*objects_of(WIDGETS), *(obj for obj in corpus() if obj["kind"] in {"Namespace", CRD})]
        for obj in first:
            answer = reader.api.apply(ref_of(obj), obj, field_manager="setup")
            assert answer.ok, answer.body
        waiting = [obj["spec"] for obj in first if obj["kind"] == CRD]
        deadline = time.monotonic() + 90
        while waiting := unpublished(reader, waiting):
            assert time.monotonic() < deadline, "the CRDs were not published"
            time.sleep(0.5)
        yield KubeReader(reader.api)


def unpublished(reader: KubeReader, specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The CRDs whose kind is not served yet, or its schema not public; both come some time after the CRD."""
    kinds = reader.kinds(refresh=True)
    schemas = SchemaCache(reader.api)

    def ready(spec: dict[str, Any], version: str) -> bool:
        of = (f"{spec['group']}/{version}", spec["names"]["kind"])
        return kinds.get(*of) is not None and schemas.schema(*of) is not None

    return [
        spec
        for spec in specs
        if not all(ready(spec, version["name"]) for version in spec["versions"] if version["served"])
    ]


def corpus() -> list[dict[str, Any]]:
    files = sorted(CORPUS.glob("*/*.yaml"))
    return [
        obj
        for file in files
        if file.name != "kustomization.yaml"
        for obj in (built.data for built in load_objects(file.read_bytes(), str(file), "m").objects)
    ]


def test_the_shipped_file_is_what_the_server_says(cluster: LocalCluster) -> None:
    current = as_file(builtin_schema_of(ApiServer.open(cluster.kubeconfig)))
    assert SHIPPED.read_bytes() == current, "run: python -m tests.cluster.refresh_builtin_schema"


@pytest.mark.parametrize("obj", objects_of(TRICKY), ids=name_of)
def test_built_in_fields_are_owned_as_their_schema_says(
    cluster: LocalCluster, reader: KubeReader, obj: dict[str, Any]
) -> None:
    assert mistakes(reader.api, reader, obj) == []


@pytest.mark.parametrize("obj", objects_of(TRICKY), ids=name_of)
def test_the_shipped_schema_and_the_servers_are_one(
    cluster: LocalCluster, reader: KubeReader, obj: dict[str, Any]
) -> None:
    shipped = builtin_schema(obj["apiVersion"], obj["kind"])
    published_now = reader.schema(obj["apiVersion"], obj["kind"])
    assert shipped is not None
    assert published_now is not None
    assert owned_fields(obj, shipped) == owned_fields(obj, published_now)


def test_a_custom_resource_with_every_mark_there_is(crowded: KubeReader) -> None:
    for obj in objects_of(WIDGET):
        assert mistakes(crowded.api, crowded, obj) == []


def test_what_a_custom_resources_schema_does_not_name_is_pruned(crowded: KubeReader) -> None:
    schema = crowded.schema("example.com/v1", "Widget")
    assert schema is not None
    spec = schema.child("spec")
    assert not spec.knows("typo")
    assert spec.child("opened").knows("typo")
    assert spec.child("embedded").embedded
    assert spec.child("quota").scalar == "quantity"
    assert spec.child("port").scalar == "int-or-string"


def test_a_crd_says_what_its_server_publishes(crowded: KubeReader) -> None:
    crds = {}
    for crd in (obj for obj in (*objects_of(WIDGETS), *corpus()) if obj["kind"] == CRD):
        crds.update(schemas_of_crd(crd))
    (widget,) = objects_of(WIDGET)
    del widget["spec"]["embedded"]["metadata"]  # only a server publishes the fields of metadata within metadata
    for obj in (widget, *corpus()):
        of = (obj["apiVersion"], obj["kind"])
        if of in crds:
            published = crowded.schema(*of)
            assert published is not None
            assert owned_fields(obj, crds[of]) == owned_fields(obj, published)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus lies beside the repository where it is developed")
def test_real_add_ons_are_owned_as_their_schemas_say(crowded: KubeReader) -> None:
    found = {name_of(obj): mistakes(crowded.api, crowded, obj) for obj in corpus()}
    assert {name: paths for name, paths in found.items() if paths} == {}
    assert len(found) > 300


def test_a_schema_is_kept_by_its_hash(cluster: LocalCluster, tmp_path: Path) -> None:
    api = ApiServer.open(cluster.kubeconfig)
    assert SchemaCache(api, tmp_path / "cache").schema("apps/v1", "Deployment") is not None
    (file,) = (tmp_path / "cache").iterdir()
    kept = file.read_bytes()
    assert len(kept) < 50_000

    asked: list[str] = []

    class Counting(ApiServer):
        def request(self, method: str, path: str, *arguments: Any, **named: Any) -> Response:
            asked.append(path)
            return super().request(method, path, *arguments, **named)

    again = SchemaCache(Counting.open(cluster.kubeconfig), tmp_path / "cache").schema("apps/v1", "Deployment")
    assert again is not None
    assert again.child("spec").child("selector").atomic
    assert asked == ["/openapi/v3"]

    file.write_text('{"format": 1')  # a disk that was full
    assert SchemaCache(api, tmp_path / "cache").schema("apps/v1", "Deployment") is not None
    assert file.read_bytes() == kept


def test_a_cache_that_cannot_be_written_is_no_error(cluster: LocalCluster, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert SchemaCache(ApiServer.open(cluster.kubeconfig), blocked).schema("v1", "Pod") is not None


def test_a_kind_without_a_schema(cluster: LocalCluster, reader: KubeReader) -> None:
    assert reader.schema("example.org/v1", "Nothing") is None
    assert reader.schema("v1", "Nothing") is None
