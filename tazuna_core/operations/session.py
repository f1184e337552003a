"""What the steps of every command share: the files, the cluster, the state, each opened when first needed."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path

from tazuna_core import tracing
from tazuna_core.build.git import Checkout, checkout_of
from tazuna_core.cluster.api_server import ApiServer
from tazuna_core.cluster.kube_reader import KubeReader
from tazuna_core.cluster.open import open_cluster
from tazuna_core.cluster.reader import ClusterReader
from tazuna_core.diff.ignore import IgnoreRule
from tazuna_core.diff.verdicts import Side
from tazuna_core.errors import RefusedError, StateError, UsageError
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.schema import ANY, Schema
from tazuna_core.operations.options import Options
from tazuna_core.report.assemble import Findings
from tazuna_core.report.model import Target
from tazuna_core.spec.drift_file import LoadedDriftFile, load_drift_file
from tazuna_core.spec.load import LoadedSpec, load_spec
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.problems import did_you_mean
from tazuna_core.spec.tags import all_tags, select
from tazuna_core.state.configmap_store import ClusterConfigMaps
from tazuna_core.state.folder_store import FolderConfigMaps
from tazuna_core.state.model import Source
from tazuna_core.state.store import StateStore

_FOLDER = "dir:"


class Session:
    """One command's view of files, cluster and state. Nothing is opened before it is asked for."""

    def __init__(self, options: Options, *, writes_state: bool = False) -> None:
        """``writes_state`` is for commands that may be the first to keep state in a folder."""
        self.options = options
        self._writes_state = writes_state
        self._schemas: dict[tuple[str, str], Schema] = {}

    @cached_property
    @tracing.traced(lambda *_: ("load tazuna.yaml", {}))
    def spec(self) -> LoadedSpec:
        return load_spec(self.options.file, self.options.environment)

    @cached_property
    def manifests(self) -> tuple[Manifest, ...]:
        """The selected manifests in declaration order, children in the place of their ``parallel``."""
        self.require_tags()
        return tuple(flat(select(self.spec.manifests, self.options.tags)))

    def require_tags(self) -> None:
        """Raises UsageError for a tag that no manifest has: selecting nothing must never look like finding nothing."""
        known = all_tags(self.spec.manifests)
        for tag in self.options.tags:
            if tag not in known:
                raise UsageError(
                    f"no manifest has the tag '{tag}'", advice=did_you_mean(tag, known) or "No tags are given."
                )

    @cached_property
    def drift_file(self) -> LoadedDriftFile:
        return load_drift_file(self.options.file.parent)

    @cached_property
    def cluster(self) -> ClusterReader:
        options = self.options
        return open_cluster(
            options.cluster,
            kubeconfig=options.kubeconfig,
            context=options.context,
            cache_directory=options.cache_directory,
        )

    def take_cluster_of(self, other: Session) -> None:
        """Uses the cluster of another session, if that has opened one: connections, discovery, schemas."""
        if "cluster" in other.__dict__:
            self.__dict__["cluster"] = other.cluster

    @property
    def api(self) -> ApiServer:
        """The API server, for what writes. Raises RefusedError where the cluster is a snapshot."""
        if not isinstance(self.cluster, KubeReader):
            raise RefusedError("a snapshot cannot be applied to", advice="Use --cluster kube.")
        return self.cluster.api

    @cached_property
    def store(self) -> StateStore:
        state = self.options.state
        if state.startswith(_FOLDER) and len(state) > len(_FOLDER):
            return StateStore(FolderConfigMaps(self._state_folder(Path(state.removeprefix(_FOLDER)))))
        if state != "configmap":
            raise UsageError(f"'{state}' is no place for state", advice="--state is configmap or dir:PATH.")
        api = self.cluster.api if isinstance(self.cluster, KubeReader) else None
        return StateStore(ClusterConfigMaps(self.cluster, api))

    def _state_folder(self, folder: Path) -> Path:
        """Raises StateError for a folder that is none: a slip in its name must not look like an empty state."""
        if folder.is_dir() or (self._writes_state and not folder.exists()):
            return folder
        reason = "is no folder" if folder.exists() else "does not exist"
        raise StateError(
            f"the folder of the state, '{folder}', {reason}",
            advice="Correct --state, or make it where nothing was applied yet; `apply` makes it by itself.",
            code="no-state-folder",
        )

    @cached_property
    def checkout(self) -> Checkout | None:
        return checkout_of(self.options.file.parent)

    @cached_property
    def source(self) -> Source:
        """Where the manifests come from, for the record."""
        file = self.options.file.resolve()
        root = self.checkout.root if self.checkout else file.parent
        shown = file.relative_to(root) if file.is_relative_to(root) else Path(file.name)
        repository = self.checkout.repository if self.checkout else ""
        # without git, a folder is only itself: two of them must never prune each other's objects
        return Source(repository or f"folder:{root}", str(shown), self.options.environment)

    def findings(self, command: str, sides: tuple[Side, ...]) -> Findings:
        """Starts the findings of a command, with what loading the files had to say."""
        target = Target(
            file=str(self.options.file),
            environment=self.options.environment,
            context=self.cluster.name if "live" in sides else None,
            commit=(self.checkout.commit or None) if self.checkout else None,
        )
        return Findings(command, target, sides)

    def schema(self, ref: ObjectRef) -> Schema:
        """Returns the schema of a kind: the cluster's, else the built-in table's, else one that knows nothing."""
        kind = (ref.api_version, ref.kind)
        if kind not in self._schemas:
            self._schemas[kind] = self.cluster.schema(*kind) or builtin_schema(*kind) or ANY
        return self._schemas[kind]

    def ignore_rules(self) -> tuple[IgnoreRule, ...]:
        """The user's rules, none under ``--no-ignore``."""
        if self.options.no_ignore:
            return ()
        return tuple(
            IgnoreRule(
                name=f"{self.drift_file.file}: {rule.reason}",
                reason=rule.reason,
                group=rule.group,
                kind=rule.kind or "",
                namespace=rule.namespace or "",
                object_name=rule.name or "",
                fields=rule.fields,
                managers=rule.managers,
                until=rule.until,
            )
            for rule in self.drift_file.content.ignore
        )

    def now(self) -> datetime:
        return datetime.now(UTC)

    def today(self) -> date:
        return self.now().date()
