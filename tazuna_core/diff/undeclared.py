"""Differences at paths that we never declared: whose are they, and do they count (verdicts 4)."""

from __future__ import annotations

from tazuna_core.diff.sensitive import is_sensitive
from tazuna_core.diff.subject import Subject
from tazuna_core.diff.walk import Difference
from tazuna_core.objects.managed_fields import FieldsEntry, entries_of
from tazuna_core.objects.paths import Item, Key, Path, Value

SERVER_DEFAULT = "server default"
CONTROLLER = "controller"

_COUNTED_SWITCHES = frozenset({"replicas", "paused", "suspend"})
_OWN_DATA = frozenset({"data", "binaryData", "stringData"})
_KEYED_METADATA = frozenset({"labels", "annotations"})


def hidden_extra(subject: Subject, difference: Difference, owner: FieldsEntry | None) -> str:
    """Returns the name of the rule that hides an undeclared difference, or the empty string where it is an extra.

    A controller's is hidden, unless a name alone must not hide it. A person's, our own manager name's and an unknown
    manager's count. Where nobody holds the path, the switches and the object's own data count, and all else is a
    default of the server; but where somebody cleared managedFields nobody holds anything, and that proves nothing.
    """
    if owner is not None:
        return CONTROLLER if is_controllers(subject, owner, difference.path) else ""
    if _counts_without_owner(difference.path):
        return ""
    return "" if _forgotten(subject) and is_sensitive(subject.ref, difference.path) else SERVER_DEFAULT


def is_controllers(subject: Subject, owner: FieldsEntry, path: Path) -> bool:
    """Whether a path is left to its holder: a controller, at a sensitive path only one that the user named as such."""
    if subject.origin(owner) != "controller":
        return False
    return owner.manager in subject.context.controllers or not is_sensitive(subject.ref, path)


def _forgotten(subject: Subject) -> bool:
    """Whether the entry of our own apply is gone: then the server has forgotten who wrote what."""
    recorded = subject.recorded
    if recorded is None or not recorded.manager:
        return False
    return all(entry.manager != recorded.manager for entry in entries_of(subject.live))


def _counts_without_owner(path: Path) -> bool:
    last = path[-1]
    if isinstance(last, (Item, Value)):
        return True
    if not isinstance(last, Key):
        return False
    parents = tuple(element.name for element in path[:-1] if isinstance(element, Key))
    if len(path) == 2 and parents == ("spec",):
        return last.name in _COUNTED_SWITCHES
    if len(path) == 2 and parents and parents[0] in _OWN_DATA:
        return True
    return len(parents) >= 2 and parents[-1] in _KEYED_METADATA and parents[-2] == "metadata"
