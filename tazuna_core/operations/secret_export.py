"""`secret-to-genesissecret`: Secrets of a cluster into 1Password, and a genesissecret file for each. A one-way move.

No value is in a file, a message or an argument: values go from the API server to the standard input of `op`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.onepassword import OnePassword, require_names
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.reader import Unavailable
from tazuna_core.errors import BuildError, ClusterError, RefusedError, TazunaError, UsageError
from tazuna_core.objects.identity import JsonObject
from tazuna_core.operations.options import Options
from tazuna_core.operations.render import to_yaml
from tazuna_core.operations.session import Session
from tazuna_core.spec.patterns import Match, match, pattern_problem

Status = Literal["created", "there already", "dry run", "left out", "failed"]

MANAGED_BY = ("tazuna.pepabo.com/managed-by", "tazuna")
MADE_BY_OTHERS = {
    "kubernetes.io/service-account-token": "the cluster makes it",
    "bootstrap.kubernetes.io/token": "the cluster makes it",
    "helm.sh/release.v1": "it is helm's record of a release",
}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The flags of `secret-to-genesissecret` (format reference, 4)."""

    op_host: str
    vault: str
    namespace: str = "default"
    label_selector: str = ""
    name_regex: str = ""
    note: str = ""
    dump_dir: Path = Path()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ExportRow:
    """What became of one Secret: the item that holds its values now, the file that names it, why it was left out."""

    namespace: str
    name: str
    status: Status
    item: str = ""
    file: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Secret:
    namespace: str
    name: str
    type: str
    labels: Mapping[str, str]
    values: Mapping[str, str] = field(repr=False)


def export_secrets(options: Options, how: ExportOptions) -> tuple[list[ExportRow], list[TazunaError]]:
    """Returns a row for each chosen Secret, in order of names, and the errors of those that failed.

    tazuna.yaml is not read. Raises UsageError for a wrong selector or pattern, RefusedError for a snapshot (it holds no
    values), ClusterError where Secrets cannot be listed, MissingProgramError without `op` (a dry run needs none).
    """
    wanted = _labels(how.label_selector)
    wrong = pattern_problem(how.name_regex)
    if wrong:
        raise UsageError(f"--name-regex '{how.name_regex}' is not a regular expression: {wrong}")
    require_names(how.vault)
    chosen = [
        obj
        for obj in _listed(Session(options), how.namespace)
        if wanted.items() <= (obj["metadata"].get("labels") or {}).items()
        and (not how.name_regex or match(how.name_regex, obj["metadata"]["name"]) is not Match.NONE)
    ]
    vault = OnePassword(BuildSettings(), "secret-to-genesissecret")
    titles = vault.titles(how.vault) if chosen and not how.dry_run else frozenset()
    rows: list[ExportRow] = []
    errors: list[TazunaError] = []
    for obj in sorted(chosen, key=lambda obj: str(obj["metadata"]["name"])):
        name = str(obj["metadata"]["name"])
        try:
            rows.append(_export(obj, how, vault, there=name in titles))
        except TazunaError as error:
            message = f"Secret {how.namespace}/{name}: {error.message}"
            errors.append(type(error)(message, advice=error.advice, code=error.code))
            rows.append(ExportRow(how.namespace, name, "failed", reason=error.message))
    return rows, errors


def _listed(session: Session, namespace: str) -> list[JsonObject]:
    cluster = session.cluster
    if not isinstance(cluster, KubeReader):
        raise RefusedError("a snapshot holds no values of Secrets", advice="Use --cluster kube.")
    found = cluster.list_kind("v1", "Secret", namespace)
    if isinstance(found, Unavailable):
        why = found.message or str(found.reason)
        raise ClusterError(f"the Secrets of namespace '{namespace}' cannot be listed: {why}")
    return found


def _export(obj: JsonObject, how: ExportOptions, vault: OnePassword, *, there: bool) -> ExportRow:
    kind, data = str(obj.get("type") or "Opaque"), obj.get("data") or {}
    namespace, name = str(obj["metadata"]["namespace"]), str(obj["metadata"]["name"])
    reason = MADE_BY_OTHERS.get(kind) or ("" if data else "it holds nothing")
    if reason:
        return ExportRow(namespace, name, "left out", reason=reason)
    secret = _Secret(namespace, name, kind, obj["metadata"].get("labels") or {}, _texts(data))
    file = how.dump_dir / f"{name}.yaml"
    item = f"op://{quote(how.op_host)}/{quote(how.vault)}/{quote(name)}"
    if how.dry_run:
        return ExportRow(namespace, name, "dry run", item, str(file))
    _require_free(file, text := genesis_text(secret.namespace, secret.name, secret.type, secret.labels, data, item))
    if not there:
        vault.create(how.vault, name, secret.values, _note(secret, how.note))
    _require_same(secret, how.vault, vault)
    _write(file, text)
    return ExportRow(namespace, name, "there already" if there else "created", item, str(file))


def genesis_text(
    namespace: str, name: str, kind: str, labels: Mapping[str, str], keys: Mapping[str, object], item: str
) -> str:
    """Returns the genesissecret file that makes a Secret from its item: of the Secret's values it names the keys."""
    own, value = MANAGED_BY
    output = {"namespace": namespace, "name": name, "labels": {**labels, own: value}, "type": kind}
    fetched = {"uri": item, "preferLabel": True, "items": {key: {"mapTo": key} for key in sorted(keys)}}
    spec = {"secrets": [fetched], "outputs": [{"kubernetesSecret": output}]}
    return to_yaml({"apiVersion": "tazuna.pepabo.com/v1", "kind": "GenesisSecret", "spec": spec})


def _texts(data: Mapping[str, str]) -> dict[str, str]:
    out = {}
    for key in sorted(data):
        try:
            out[key] = base64.b64decode(data[key], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise BuildError(
                f"the value of '{key}' is no text, and 1Password keeps texts alone", code="binary"
            ) from None
    return out


def _require_same(secret: _Secret, vault_name: str, vault: OnePassword) -> None:
    """Raises BuildError where the item would not give the Secret back: the file is only written when it does."""
    found = {one.label: one.value for one in vault.fields(vault_name, secret.name)}
    other = [key for key, value in secret.values.items() if found.get(key) != value]
    if other:
        raise BuildError(
            f"item '{secret.name}' of vault '{vault_name}' does not hold the same under {', '.join(other)}",
            advice="Compare the two, and correct or rename the item. No file was written.",
            code="other-values",
        )


def _require_free(file: Path, text: str) -> None:
    try:
        if file.exists() and file.read_text(encoding="utf-8") != text:
            raise UsageError(f"{file} is there and says something else", advice="Move it, or choose --dump-dir.")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read", advice="Choose another --dump-dir.") from None


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}", advice="Choose another --dump-dir.") from None


def _note(secret: _Secret, note: str) -> str:
    return f"From Secret {secret.namespace}/{secret.name}, by tazuna.\n{note}".rstrip()


def _labels(selector: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in selector.split(",") if part]
    if not all(key and equals for key, equals, _ in pairs):
        raise UsageError(f"--label-selector '{selector}' is none", advice="Write key=value,key=value.")
    return {key.strip(): value.strip() for key, _, value in pairs}
