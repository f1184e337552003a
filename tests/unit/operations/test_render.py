"""The YAML that `build` prints is read back as the object it was made of, whatever its texts are."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tazuna_core.objects.yaml_documents import load_documents
from tazuna_core.operations.render import to_yaml

nasty = st.text("ab :#-?{}[],&*!|>'\"%@`\n\t\\~=<\r\x85\u2028\u00e9\U0001f600\x07\ufeff01.eExX_+ynNtrufls", max_size=12)


@given(nasty | st.text(max_size=20), nasty)
@example("\x85\u2028n}", "k")
@example("  led by blanks\nand lines\n\n", "0x1F")
@example("on", "=")
@example("1_000", "y")
def test_texts_come_back(value: str, key: str) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {key: value, f"{key}2": "x"}}
    (document,) = load_documents(to_yaml(obj).encode(), "printed").documents
    assert document.data == obj


def test_a_value_that_two_fields_share_is_written_twice() -> None:
    labels = {"app": "web"}
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"labels": labels}, "spec": {"selector": labels}}
    assert "&" not in to_yaml(obj)
    assert to_yaml(obj).count("app: web") == 2
