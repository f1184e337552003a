"""`build`: the rendered objects as YAML that every reader of Kubernetes manifests reads back the same."""

from __future__ import annotations

from typing import Any

import yaml

from tazuna_core.diff.secrets import masked
from tazuna_core.errors import TazunaError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.objects.sendable import is_secret
from tazuna_core.objects.yaml_resolver import resolve_plain
from tazuna_core.operations.desired import build
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.spec.manifest import flat
from tazuna_core.spec.order import layers


def rendered(options: Options, *, show_secrets: bool = False) -> tuple[str, list[TazunaError]]:
    """Returns the YAML of the selected manifests in apply order, and the errors of those that do not build."""
    session = Session(options)
    findings = session.findings("build", ("desired",))
    session.require_tags()
    ordered = [one for layer in layers(session.spec.manifests, options.tags) for one in flat(layer)]
    built = build(session, ordered, findings)
    documents = []
    for one in built:
        for obj in one.objects:
            data = obj.data if show_secrets or not is_secret(obj.data) else _masked(obj.data)
            documents.append(f"---\n{to_yaml(data)}")
    return "".join(documents), [one.error for one in built if one.error is not None]


def to_yaml(obj: JsonObject) -> str:
    """Returns an object as YAML; text that a YAML 1.1 reader would take for something else is quoted (C62, C64)."""
    return str(yaml.dump(obj, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000))


class _Dumper(yaml.CSafeDumper):
    """Knows what other readers make of plain text, and writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text(dumper: yaml.CSafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value and value == value.strip(" ") and "\r" not in value else None
    if style is None and not isinstance(resolve_plain(value), str):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _masked(obj: JsonObject) -> JsonObject:
    """A masked Secret stays valid YAML of a Secret: every value is text that says so."""
    out = masked(obj)
    for field in ("data", "stringData"):
        if isinstance(out.get(field), dict):
            out[field] = dict.fromkeys(out[field], "(masked)")
    return out
