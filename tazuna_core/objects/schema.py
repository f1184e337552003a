"""What the API says of a kind's fields: lists by key, sets, atomic parts, quantities. Compiled from OpenAPI v3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Scalar = Literal["", "string", "integer", "number", "boolean", "quantity", "int-or-string", "bytes", "time"]
ListType = Literal["atomic", "map", "set"]


@dataclass(frozen=True, slots=True)
class Schema:
    """One node of a kind's schema.

    ``type`` is ``object`` (``properties`` and, for maps, ``values``), ``list`` (``items``), ``scalar``, or ``any``
    where nothing is known (then maps are granular and lists atomic, as in structured-merge-diff's deduced types).
    """

    type: Literal["object", "list", "scalar", "any"] = "any"
    scalar: Scalar = ""
    properties: Mapping[str, Schema] = field(default_factory=dict)
    values: Schema | None = None
    """The schema of a map's values; None for a struct."""
    items: Schema | None = None
    list_type: ListType = "atomic"
    list_keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of list keys (``protocol: TCP``), filled in before items are matched (C19)."""
    atomic: bool = False
    """An object that is owned as a whole (``nodeSelector``, a Service's ``selector``)."""
    open: bool = False
    """Fields that the schema does not name are kept (``x-kubernetes-preserve-unknown-fields``)."""
    embedded: bool = False
    """An embedded resource: has apiVersion, kind and metadata of its own."""

    def child(self, key: str) -> Schema:
        """Returns the schema of a map entry or struct field; ANY where the schema does not know it."""
        found = self.properties.get(key)
        if found is not None:
            return found
        return self.values if self.values is not None else ANY

    def knows(self, key: str) -> bool:
        """Whether the API has a field of this name here."""
        return self.type == "any" or self.open or self.values is not None or key in self.properties

    @property
    def item(self) -> Schema:
        """The schema of a list's items."""
        return self.items if self.items is not None else ANY


ANY = Schema()

_TEXTS = Schema("object", values=Schema("scalar", "string"))
_METADATA = Schema(
    "object",
    properties={
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "finalizers": Schema("list", items=Schema("scalar", "string"), list_type="set"),
        "ownerReferences": Schema("list", list_type="map", list_keys=("uid",)),
    },
    open=True,
)
ANY_OBJECT = Schema("object", properties={"metadata": _METADATA}, open=True)
"""What holds of every object, for kinds of which nothing else is known."""
