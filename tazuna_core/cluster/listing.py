"""Answers of the API server, read as what they are: an object, a page of a list, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tazuna_core.cluster.api_server import ApiServer, Response
from tazuna_core.cluster.reader import Answer, Reason, Unavailable
from tazuna_core.errors import ClusterError
from tazuna_core.objects.identity import JsonObject

PAGE = 500
"""Objects in one page; kubectl asks for as many."""
_RESTARTS = 2


@dataclass(frozen=True, slots=True)
class Form:
    """How much of each object is wanted: the ``Accept`` headers for one object and for a list."""

    one: str
    many: str
    metadata_only: bool

    def reduced(self, api_version: str, kind: str, obj: JsonObject) -> JsonObject:
        """Returns an object with its apiVersion and kind, which items of a list lack."""
        if self.metadata_only:
            obj = {"metadata": obj.get("metadata")}
        return {**obj, "apiVersion": api_version, "kind": kind}


def _metadata_accept(kind: str) -> str:
    # An aggregated API server may not know the short form; it then answers with whole objects, which are reduced.
    return f"application/json;as={kind};g=meta.k8s.io;v=v1,application/json"


FULL = Form("application/json", "application/json", metadata_only=False)
METADATA = Form(
    _metadata_accept("PartialObjectMetadata"), _metadata_accept("PartialObjectMetadataList"), metadata_only=True
)


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list. ``first`` voids all pages before it: the list was begun again. ``remaining`` is an estimate."""

    items: list[JsonObject]
    first: bool
    remaining: int


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, as messages name it. Without a name it is a list."""

    plural: str
    namespace: str
    name: str = ""

    def __str__(self) -> str:
        what = f"get {self.plural}/{self.name}" if self.name else f"list {self.plural}"
        return f"{what} in namespace {self.namespace}" if self.namespace else what


def pages(api: ApiServer, path: str, form: Form, request: Request, limit: int = PAGE) -> Iterator[Page | Unavailable]:
    """Yields a list in pages of ``limit`` objects, ending with the last one or with why it could not be had.

    A list whose ``continue`` token expired is begun again; the last attempt asks for all at once, which cannot expire.
    """
    for restart in range(_RESTARTS + 1):
        query: dict[str, str | int] = {"limit": limit} if restart < _RESTARTS else {}
        first = True
        while True:
            try:
                response = api.request("GET", path, query, accept=form.many)
            except ClusterError as error:
                yield unreachable(error)
                return
            if response.status == 410:
                break
            page = _page(response, request, first)
            yield page
            token = response.json["metadata"].get("continue") if isinstance(page, Page) else None
            if not token:
                return
            query["continue"] = token
            first = False
    yield Unavailable(Reason.SERVER_ERROR, f"{request}: the list expired while it was read, {_RESTARTS + 1} times")


def complete_list(
    api: ApiServer, path: str, request: Request, api_version: str, kind: str
) -> list[JsonObject] | Unavailable:
    """Returns a whole list, or why it could not be had; never a part of it."""
    objects: list[JsonObject] = []
    for page in pages(api, path, FULL, request):
        if isinstance(page, Unavailable):
            return page
        if page.first:
            objects.clear()
        objects += (FULL.reduced(api_version, kind, item) for item in page.items)
    return objects


def answered(response: Response, request: Request, form: Form, api_version: str, kind: str) -> Answer:
    """Reads the answer to a GET of one object."""
    obj = response.json
    if not response.ok:
        return failure(response, request)
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict) or metadata.get("name") != request.name:
        return Unavailable(Reason.SERVER_ERROR, f"{request}: the answer is not this object")
    return form.reduced(api_version, kind, obj)


def failure(response: Response, request: Request) -> Unavailable:
    """Reads an answer that is no success (verdicts 6)."""
    reason = _reason(response, request.name)
    if reason is Reason.FORBIDDEN:
        return Unavailable(reason, f"may not {request}")
    return Unavailable(reason, f"{request}: {response.message[:300]}")


def unreachable(error: ClusterError) -> Unavailable:
    """Turns "no answer" into the answer for one object."""
    reason = {"timeout": Reason.TIMEOUT, "unauthorized": Reason.UNAUTHORIZED}.get(error.code, Reason.UNREACHABLE)
    return Unavailable(reason, error.message)


def _page(response: Response, request: Request, first: bool) -> Page | Unavailable:
    if not response.ok:
        return failure(response, request)
    listing = response.json
    metadata = listing.get("metadata") if isinstance(listing, dict) else None
    items = listing.get("items") or [] if isinstance(listing, dict) else None
    if not isinstance(metadata, dict) or not isinstance(items, list):
        return Unavailable(Reason.SERVER_ERROR, f"{request}: the answer is not a list")
    return Page(items, first, metadata.get("remainingItemCount") or 0)


_REASONS = {
    400: Reason.INVALID,
    401: Reason.UNAUTHORIZED,
    403: Reason.FORBIDDEN,
    405: Reason.INVALID,
    408: Reason.TIMEOUT,
    422: Reason.INVALID,
    504: Reason.TIMEOUT,
}


def _reason(response: Response, name: str) -> Reason:
    if response.status == 404:
        # Any proxy, and any API server about a kind that it does not know, can say 404. Only a Status that names
        # the object speaks of the object.
        details = response.json.get("details") if isinstance(response.json, dict) else None
        named = isinstance(details, dict) and bool(name) and details.get("name") == name
        return Reason.NOT_FOUND if named else Reason.NOT_SERVED
    return _REASONS.get(response.status, Reason.SERVER_ERROR)
