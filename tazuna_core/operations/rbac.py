"""`rbac`: the least rights that a command needs for the kinds in use, as YAML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tazuna_core.build.model import BuiltManifest
from tazuna_core.cluster.discovery import ServedKinds
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.cluster.reader import Kinds
from tazuna_core.errors import ClusterError, StateError, TazunaError
from tazuna_core.objects.identity import JsonObject, StateKey, split_api_version
from tazuna_core.operations.autoscaling import AUTOSCALERS
from tazuna_core.operations.desired import build
from tazuna_core.operations.drift import ALWAYS_SYNC
from tazuna_core.operations.options import Options
from tazuna_core.operations.render import to_yaml
from tazuna_core.operations.send import RE_CREATED_KINDS
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings
from tazuna_core.state.model import NAMESPACE

Purpose = Literal["drift", "plan", "record", "apply"]
RBAC = "rbac.authorization.k8s.io"
_API = f"{RBAC}/v1"
_LIST_NO_VALUES = ("", "Secret")
"""Secrets are asked for one by one, so that nobody has to give the right to list them all."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The YAML, and what could not be found out and so is not in it."""

    text: str
    notices: tuple[str, ...]


def rbac(options: Options, purpose: Purpose, *, prune: bool = False, dry_run: bool = False) -> Rights:
    """Returns the rights for `state drift`, `plan`, `state record` or `apply`, with ``prune`` those to delete as well.

    ``dry_run`` adds what `plan --dry-run=server` needs: the server asks for the rights of the real request.

    Kinds are those of the state, and for all but drift those of today's build. Without a cluster (or before the first
    apply) those of the build alone. Raises TazunaError where neither tells of any.
    """
    session = Session(options)
    notices: list[str] = []
    stored = _state_keys(session, notices)
    built = _built(session, notices) if purpose != "drift" or not stored else ()
    objects = [obj for one in built for obj in one.objects]
    kinds = _kinds(session, [obj.data for obj in objects])
    synced = _always_synced(session, notices) if purpose == "apply" else []
    used = {(key.api_version, key.kind) for key in (*stored, *(obj.key for obj in objects), *synced)}
    written = {(key.api_version, key.kind) for key in (*(obj.key for obj in objects), *synced)}
    rules = _Rules()
    for api_version, kind in sorted(used):
        group = split_api_version(api_version)[0]
        info = kinds.get(api_version, kind)
        if info is None:
            notices.append(f"{kind} of {api_version} is neither served nor defined by a build, so it is left out")
            continue
        verbs = ["get"] if (group, kind) == _LIST_NO_VALUES else ["get", "list"]
        if (purpose == "apply" or dry_run) and (api_version, kind) in written:
            verbs += ["create", "patch"]
        if purpose == "apply" and (prune or (group, kind) in RE_CREATED_KINDS):
            verbs.append("delete")
        rules.add(group, info.plural, verbs)
    for group, plural in _autoscalers(used, kinds):
        rules.add(group, plural, ["list"])
    if purpose == "apply":
        for api_version, kind in _tested(session):
            info = kinds.get(api_version, kind)
            if info is None:
                notices.append(f"{kind} of {api_version}, which a test looks at, is not served, so it is left out")
            else:
                rules.add(split_api_version(api_version)[0], info.plural, ["get"])
        if prune:
            for group, plural in _content(session, used, stored, notices):
                rules.add(group, plural, ["list"])
    grants = list(_grants(obj.data for obj in objects)) if purpose == "apply" or dry_run else []
    return Rights(_yaml(purpose, [*rules.merged(), *grants], options.state == "configmap"), tuple(notices))


class _Rules:
    """Verbs by group and resource."""

    def __init__(self) -> None:
        self._verbs: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, group: str, plural: str, verbs: Iterable[str]) -> None:
        self._verbs[group, plural] += [verb for verb in verbs if verb not in self._verbs[group, plural]]

    def merged(self) -> list[JsonObject]:
        """Resources of one group with the same verbs share a rule."""
        together: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        for (group, plural), verbs in sorted(self._verbs.items()):
            together[group, tuple(verbs)].append(plural)
        return [
            {"apiGroups": [group], "resources": plurals, "verbs": list(verbs)}
            for (group, verbs), plurals in together.items()
        ]


def _state_keys(session: Session, notices: list[str]) -> list[StateKey]:
    try:
        stored = session.store.load(manifest.name for manifest in session.manifests if manifest.name)
    except (ClusterError, StateError) as error:
        notices.append(f"the state is not read, so kinds are those of the build: {error.message}")
        return []
    return [StateKey.parse(text) for applied in stored.values() for text in applied.hashes()]


def _built(session: Session, notices: list[str]) -> Sequence[BuiltManifest]:
    findings: Findings = session.findings("rbac", ())
    named = [m for m in session.manifests if m.name and m.type not in ALWAYS_SYNC]
    built = build(session, named, findings, ask_cluster="cluster" in session.__dict__)
    notices += [f"not built, so its kinds are left out: {error.message}" for error in findings.errors]
    return built


def _always_synced(session: Session, notices: list[str]) -> list[StateKey]:
    from tazuna_core.build.genesis_secret import names_only

    out: list[StateKey] = []
    for manifest in session.manifests:
        if manifest.type in ALWAYS_SYNC and manifest.name:
            try:
                out += names_only(manifest)
            except TazunaError as error:
                notices.append(f"not read, so its kinds are left out: {error.message}")
    return out


def _kinds(session: Session, objects: list[JsonObject]) -> Kinds:
    """What the cluster serves, and what the build defines; the built-in kinds without a cluster."""
    defined = known_kinds(objects)
    try:
        served = session.cluster.kinds()
    except ClusterError:
        return defined
    return _Either(served, defined)


class _Either:
    """Kinds of the first that knows them."""

    def __init__(self, first: Kinds, second: Kinds) -> None:
        self.get = lambda api_version, kind: first.get(api_version, kind) or second.get(api_version, kind)
        self.effective = first.effective


def _autoscalers(used: Iterable[tuple[str, str]], kinds: Kinds) -> Iterator[tuple[str, str]]:
    """What `by design` needs to know: whether replicas are an autoscaler's. Without it the run goes on."""
    if not any(api_version.startswith("apps/") for api_version, _ in used):
        return
    for api_version, kind in AUTOSCALERS:
        info = kinds.get(api_version, kind)
        if info is not None:
            yield split_api_version(api_version)[0], info.plural


def _content(
    session: Session, used: Iterable[tuple[str, str]], stored: Iterable[StateKey], notices: list[str]
) -> Iterator[tuple[str, str]]:
    """What is listed to know what goes with a definition or a Namespace; without it pruning these is refused."""
    for key in stored:
        if (key.group, key.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
            plural, _, group = key.name.partition(".")  # a definition's name is made of these two
            yield group, plural
    if ("v1", "Namespace") not in used:
        return
    try:
        kinds = session.cluster.kinds()
    except ClusterError:
        return
    if isinstance(kinds, ServedKinds):
        notices.append("to know what would go with a Namespace, every kind in it is listed, Secrets too; without these"
                       " rights pruning a Namespace needs --prune-with-content")  # fmt: skip
        for (api_version, _), one in sorted(kinds.served.items()):
            if one.info.namespaced and {"list", "delete"} <= one.verbs:
                yield split_api_version(api_version)[0], one.info.plural


def _tested(session: Session) -> list[tuple[str, str]]:
    every = [*session.spec.spec.tests, *(test for manifest in session.manifests for test in manifest.tests)]
    asked = [one.resource for test in every for one in (test.wait_until, test.exist_non_exist) if one is not None]
    return sorted({(resource.api_version, resource.kind) for resource in asked})


def _grants(objects: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """Rights to give rights: without them the server refuses roles with more than the account itself may."""
    roles: dict[str, set[str]] = defaultdict(set)
    bound: dict[str, set[str]] = defaultdict(set)
    plurals: Mapping[str, str] = {"Role": "roles", "ClusterRole": "clusterroles"}
    for obj in objects:
        if not str(obj.get("apiVersion", "")).startswith(f"{RBAC}/"):
            continue
        kind, reference = str(obj.get("kind")), obj.get("roleRef")
        if kind in plurals:
            roles[plurals[kind]].add(str((obj.get("metadata") or {}).get("name")))
        elif isinstance(reference, dict) and reference.get("kind") in plurals:
            bound[plurals[reference["kind"]]].add(str(reference.get("name")))
    for verb, found in (("escalate", roles), ("bind", bound)):
        for plural, names in sorted(found.items()):
            yield {"apiGroups": [RBAC], "resources": [plural], "verbs": [verb], "resourceNames": sorted(names)}


_OWN_READ = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]
_OWN_WRITE = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "create", "update", "delete"]}]
_LOCK = [
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update", "delete"]}
]
_OWN: Mapping[Purpose, list[JsonObject]] = {
    "drift": _OWN_READ,
    "plan": _OWN_READ,
    "record": _OWN_WRITE,
    "apply": [*_OWN_WRITE, *_LOCK],
}
_HEAD = """\
# The least rights for `tazuna {command}`. Discovery and schemas (/api, /apis, /openapi/v3, /version) come with
# system:discovery, which every account has. Bind with:
#   kubectl create clusterrolebinding {name} --clusterrole={name} --user=USER
"""
_BIND_STATE = "#   kubectl create rolebinding {name} -n tazuna --role={name} --user=USER\n"


def _yaml(purpose: Purpose, rules: list[JsonObject], with_state: bool) -> str:
    name = f"tazuna-{purpose}"
    command = f"state {purpose}" if purpose in ("drift", "record") else purpose
    metadata = {"name": name}
    documents: list[JsonObject] = [{"apiVersion": _API, "kind": "ClusterRole", "metadata": metadata, "rules": rules}]
    head = _HEAD.format(command=command, name=name)
    if with_state:
        head += _BIND_STATE.format(name=name)
        inside = {"name": name, "namespace": NAMESPACE}
        own = _OWN[purpose]
        documents = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
            *documents,
            {"apiVersion": _API, "kind": "Role", "metadata": inside, "rules": own},
        ]
    return head + "".join(f"---\n{to_yaml(document)}" for document in documents)
