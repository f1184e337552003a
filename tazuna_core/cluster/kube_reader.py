"""Live objects from the API server, in as few requests as that takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from tazuna_core.cluster.api_server import CONCURRENCY, ApiServer, impossible_name, resource_path
from tazuna_core.cluster.discovery import ServedKinds
from tazuna_core.cluster.listing import FULL, METADATA, PAGE, Form, Request, answered, complete_list, pages, unreachable
from tazuna_core.cluster.reader import Answer, KindInfo, Reason, Unavailable
from tazuna_core.cluster.schema_cache import SchemaCache
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject, ObjectRef
from tazuna_core.objects.schema import Schema

LIST_FROM = 2
"""So many objects of one kind in one namespace are listed rather than asked for one by one."""
LIST_EVERYWHERE_FROM = 3
"""A kind wanted in so many namespaces is listed in all of them at once."""
_ITEMS_WORTH_A_GET = 20
"""Reading so many items of a list costs about as much as asking for one object."""
_DISTRUST_AFTER = 3
"""So many server errors of one group, and its other objects are not asked for any more."""
_SERVER_AT_FAULT = frozenset({Reason.SERVER_ERROR, Reason.TIMEOUT})
_PERHAPS_ONE_BY_ONE = frozenset({Reason.FORBIDDEN, Reason.INVALID, Reason.SERVER_ERROR})
"""A list that fails so may hold objects that can be read: names in a Role, one broken object among good ones."""
_PERHAPS_BY_NAMESPACE = _PERHAPS_ONE_BY_ONE | {Reason.TIMEOUT}


@dataclass(slots=True)
class _Group:
    """Wanted objects of one kind: in one namespace (empty for kinds without), or ``everywhere``."""

    api_version: str
    kind: str
    namespace: str
    info: KindInfo
    listable: bool
    everywhere: bool = False
    refs: list[ObjectRef] = field(default_factory=list)
    server_errors: list[Unavailable] = field(default_factory=list)

    @property
    def to_list(self) -> bool:
        return self.everywhere or (self.listable and len(self.refs) >= LIST_FROM)

    def path(self, name: str = "") -> str:
        return resource_path(self.api_version, self.info, self.namespace, name)

    def request(self, name: str = "") -> Request:
        return Request(self.info.plural, self.namespace, name)

    def within(self, refs: Iterable[ObjectRef]) -> list[_Group]:
        """Returns the groups, one a namespace, of some of the objects."""
        groups: dict[str, _Group] = {}
        for ref in refs:
            known = groups.get(ref.namespace)
            if known is None:
                known = _Group(self.api_version, self.kind, ref.namespace, self.info, self.listable)
                groups[ref.namespace] = known
            known.refs.append(ref)
        return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Part:
    """What one request settled, and the objects that have to be asked for more narrowly."""

    group: _Group
    answers: dict[ObjectRef, Answer]
    left: tuple[ObjectRef, ...] = ()


class KubeReader:
    """``ClusterReader`` over an API server. ``cache_directory`` keeps compiled schemas between runs."""

    def __init__(self, api: ApiServer, cache_directory: Path | None = None) -> None:
        self.api = api
        self._schemas = SchemaCache(api, cache_directory)

    @property
    def name(self) -> str | None:
        return self.api.context

    def kinds(self, *, refresh: bool = False) -> ServedKinds:
        """Returns what is served, asked for once; again with ``refresh``, after a CRD was applied."""
        return self.api.kinds(refresh=refresh)

    def read(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        return self._read(refs, FULL)

    def read_metadata(self, refs: Iterable[ObjectRef]) -> Mapping[ObjectRef, Answer]:
        """As ``read``, but objects hold apiVersion, kind and metadata alone; their bodies are never transferred."""
        return self._read(refs, METADATA)

    def list_kind(self, api_version: str, kind: str, namespace: str = "") -> list[JsonObject] | Unavailable:
        kinds = self.kinds()
        problem = kinds.unavailable(api_version, kind) or impossible_name(ObjectRef(api_version, kind, namespace, "-"))
        info = kinds.get(api_version, kind)
        if problem is not None or info is None:
            return problem or Unavailable(Reason.NOT_SERVED)
        request = Request(info.plural, namespace if info.namespaced else "")
        path = resource_path(api_version, info, namespace)
        return complete_list(self.api, path, request, api_version, kind)

    def schema(self, api_version: str, kind: str) -> Schema | None:
        return self._schemas.schema(api_version, kind)

    def server_version(self) -> str:
        answer = self.api.request("GET", "/version")
        version = answer.json.get("gitVersion") if answer.ok and isinstance(answer.json, dict) else None
        return version if isinstance(version, str) else ""

    def _read(self, refs: Iterable[ObjectRef], form: Form) -> Mapping[ObjectRef, Answer]:
        kinds = self.kinds()
        effective = {ref: kinds.effective(ref) for ref in refs}
        groups, answers = _grouped(dict.fromkeys(effective.values()), kinds)
        for part in self._settle(groups, form):
            answers.update(part.answers)
        return {ref: answers[asked] for ref, asked in effective.items()}

    def _settle(self, groups: list[_Group], form: Form) -> Iterable[_Part]:
        """Runs the requests of all groups, lists first, and those that follow from them."""
        pool = ThreadPoolExecutor(CONCURRENCY)

        def begin(groups: Iterable[_Group]) -> Iterator[Future[_Part]]:
            for group in sorted(groups, key=lambda group: not group.to_list):
                if group.to_list:
                    yield pool.submit(self._list, group, form)
                else:
                    yield from one_by_one(group, group.refs)

        def one_by_one(group: _Group, refs: Iterable[ObjectRef]) -> Iterator[Future[_Part]]:
            return (pool.submit(self._get, group, ref, form) for ref in refs)

        try:
            running = set(begin(groups))
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    part = future.result()
                    yield part
                    if part.group.everywhere:
                        running.update(begin(part.group.within(part.left)))
                    else:
                        running.update(one_by_one(part.group, part.left))
        finally:
            pool.shutdown(cancel_futures=True)

    def _list(self, group: _Group, form: Form) -> _Part:
        """Looks for a group's objects in its list.

        Names that the list lacks are left to be asked for by themselves: "missing" is said only by an answer that
        names the object, for a server may list no more than the account may see.
        """
        wanted = {(ref.namespace, ref.name): ref for ref in group.refs}
        found: dict[ObjectRef, Answer] = {}
        limit = min(PAGE, len(wanted) * _ITEMS_WORTH_A_GET)
        for page in pages(self.api, group.path(), form, group.request(), limit):
            if isinstance(page, Unavailable):
                if page.reason in (_PERHAPS_BY_NAMESPACE if group.everywhere else _PERHAPS_ONE_BY_ONE):
                    break
                return _Part(group, {**dict.fromkeys(group.refs, page), **found})
            if page.first:
                found.clear()
            for item in page.items:
                metadata = item.get("metadata") or {}
                ref = wanted.get((str(metadata.get("namespace", "")), str(metadata.get("name"))))
                if ref is not None:
                    found[ref] = form.reduced(group.api_version, group.kind, item)
            missing = len(wanted) - len(found)
            if not missing or missing * _ITEMS_WORTH_A_GET < page.remaining:
                break
        return _Part(group, found, tuple(ref for ref in group.refs if ref not in found))

    def _get(self, group: _Group, ref: ObjectRef, form: Form) -> _Part:
        if len(group.server_errors) >= _DISTRUST_AFTER:
            return _Part(group, {ref: group.server_errors[-1]})
        try:
            response = self.api.request("GET", group.path(ref.name), accept=form.one)
        except ClusterError as error:
            answer: Answer = unreachable(error)
        else:
            answer = answered(response, group.request(ref.name), form, group.api_version, group.kind)
        if isinstance(answer, Unavailable) and answer.reason in _SERVER_AT_FAULT:
            group.server_errors.append(answer)
        return _Part(group, {ref: answer})


def _grouped(refs: Iterable[ObjectRef], kinds: ServedKinds) -> tuple[list[_Group], dict[ObjectRef, Answer]]:
    """Sorts refs into groups; those that cannot be asked for are answered at once."""
    found: dict[tuple[str, str], _Group] = {}
    answers: dict[ObjectRef, Answer] = {}
    for ref in refs:
        info = kinds.get(ref.api_version, ref.kind)
        problem = kinds.unavailable(ref.api_version, ref.kind) or impossible_name(ref)
        if problem is not None or info is None:
            answers[ref] = problem or Unavailable(Reason.NOT_SERVED)
            continue
        group = found.get(ref[:2])
        if group is None:
            # Secrets one by one: a list would fetch values that nobody asked about.
            secret = ref.kind == "Secret" and not ref.group
            listable = "list" in kinds.verbs(ref.api_version, ref.kind) and not secret
            group = found[ref[:2]] = _Group(*ref[:2], "", info, listable)
        group.refs.append(ref)
    groups: list[_Group] = []
    for group in found.values():
        narrow = group.within(group.refs)
        group.everywhere = group.listable and len(narrow) >= LIST_EVERYWHERE_FROM
        groups += [group] if group.everywhere else narrow
    return groups, answers
