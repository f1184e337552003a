"""What the repository builds to, with who owns each identity among manifests, and what state no longer finds there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tazuna_core.build.builder import build_all
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.reader import Kinds
from tazuna_core.errors import ClusterError, StateError
from tazuna_core.objects.identity import Identity, ObjectRef
from tazuna_core.objects.model import BuiltObject
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings
from tazuna_core.report.model import ErrorLine, Skipped
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType
from tazuna_core.state.model import Applied

_WITH_CHARTS = frozenset({ManifestType.HELMFILE, ManifestType.ORAS})


@dataclass(frozen=True, slots=True)
class Desired:
    """One built object with its effective reference; ``superseded_by`` is the later manifest of the same identity."""

    built: BuiltObject
    ref: ObjectRef
    superseded_by: str = ""


def build(
    session: Session, manifests: Sequence[Manifest], findings: Findings, *, ask_cluster: bool = True
) -> tuple[BuiltManifest, ...]:
    """Builds manifests; errors and notices go to the findings, and the others are built all the same."""
    built = build_all(manifests, build_settings(session, manifests, ask_cluster=ask_cluster))
    for one in built:
        findings.warn(one.notices)
        if one.error is not None:
            findings.fail(one.error)
    return built


def build_settings(session: Session, manifests: Sequence[Manifest], *, ask_cluster: bool = True) -> BuildSettings:
    """Returns what builders are told; the cluster's capabilities where a chart is among the manifests.

    The Go CLI renders charts with them too (format reference, 4.2), and one cluster must give one hash whichever
    command builds. A cluster that cannot be reached leaves them to the chart's own settings.
    """
    options = session.options
    settings = BuildSettings(
        environment=options.environment,
        offline=options.offline,
        no_cache=options.no_cache,
        cache_directory=options.cache_directory,
        environ=options.environ,
        providers=session.spec.spec.providers,
        directory=session.spec.directory,
        trusted=options.trusted,
    )
    if not ask_cluster or not any(manifest.type in _WITH_CHARTS for manifest in manifests):
        return settings
    try:
        cluster = session.cluster
    except ClusterError:
        # Building takes no cluster. One that was named and cannot be had is a mistake of the user's.
        if options.kubeconfig is not None or options.context is not None:
            raise
        return settings
    if not isinstance(cluster, KubeReader):
        return settings
    try:
        kinds, version = cluster.kinds().served, cluster.server_version()
    except ClusterError:
        return settings
    apis = sorted({version for version, _ in kinds} | {f"{version}/{kind}" for version, kind in kinds})
    return replace(settings, kube_version=version, api_versions=tuple(apis))


def desired_objects(built: Sequence[BuiltManifest], kinds: Kinds) -> dict[str, list[Desired]]:
    """Returns the objects of each manifest; of several that declare one identity the last owns it (verdicts 2)."""
    owner: dict[Identity, str] = {}
    effective: dict[str, list[tuple[BuiltObject, ObjectRef]]] = {}
    for one in built:
        objects = [(obj, kinds.effective(obj.ref)) for obj in one.objects]
        effective[one.manifest.name] = objects
        owner.update({ref.identity: one.manifest.name for _, ref in objects})
    return {
        manifest: [
            Desired(obj, ref, owner[ref.identity] if owner[ref.identity] != manifest else "") for obj, ref in objects
        ]
        for manifest, objects in effective.items()
    }


def warn_of_superseded(desired: Mapping[str, Sequence[Desired]], findings: Findings) -> None:
    """Warns of identities that two manifests declare: only the later one's object can be in the cluster."""
    for manifest, objects in desired.items():
        for obj in objects:
            if obj.superseded_by:
                message = f"{obj.ref} is declared by manifest '{manifest}' and by '{obj.superseded_by}', which wins"
                place = obj.built.place
                findings.warnings.append(
                    ErrorLine(
                        code="superseded",
                        message=message,
                        file=place.file if place else "",
                        line=place.line if place else 0,
                    )
                )


def served_soon(desired: Iterable[Desired]) -> frozenset[tuple[str, str]]:
    """Returns group and kind of what the built CRDs will serve: their objects are created with them (C52)."""
    out = set()
    for obj in desired:
        spec = obj.built.data.get("spec")
        if obj.ref.kind == "CustomResourceDefinition" and isinstance(spec, dict):
            names = spec.get("names")
            out.add((str(spec.get("group", "")), str(names.get("kind", "")) if isinstance(names, dict) else ""))
    return frozenset(out)


def stored_states(session: Session, names: Sequence[str], findings: Findings) -> dict[str, Applied]:
    """Returns what is stored of the manifests ``names``, and after them of those that are gone from tazuna.yaml.

    A manifest is gone when its record names this source. A state of another or unknown source is one notice. Without
    the right to list ConfigMaps only ``names`` are read, which is said.
    """
    if session.options.tags:
        return session.store.load(names)
    try:
        everything = session.store.load_all()
    except StateError as error:
        findings.warnings.append(
            ErrorLine(
                code="orphans-unknown", message=f"manifests gone from tazuna.yaml are not looked for: {error.message}"
            )
        )
        return session.store.load(names)
    stored = {name: everything.get(name, Applied(name)) for name in names}
    declared = {manifest.name for manifest in session.manifests}
    for name, applied in everything.items():
        if name in declared:
            continue
        if applied.record is not None and applied.record.source == session.source:
            stored[name] = applied
        else:
            source = applied.record.source if applied.record else "an unknown source"
            findings.skipped.append(Skipped(manifest=name, reason=f"applied from {source}"))
    return stored
