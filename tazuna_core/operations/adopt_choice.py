"""Which drift is adopted: what was asked for, and of that what a repository can say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tazuna_core.diff.adopting import Adopting
from tazuna_core.diff.verdicts import FieldVerdict, ObjectVerdict
from tazuna_core.errors import UsageError
from tazuna_core.objects.identity import JsonObject, StateKey
from tazuna_core.objects.paths import ABSENT, Key, path_text
from tazuna_core.report.model import LeftAlone
from tazuna_core.spec.manifest import Manifest
from tazuna_core.spec.models_manifest import ManifestType

PUT_BACK = "Put it back with `tazuna apply --only {key}`"
_SECRET = (
    "secret",
    "changes of Secrets are not adopted",
    "Change the value where the manifest takes it from (a provider, an encrypted file), then apply. "
    "Or put it back with `tazuna apply --only {key}`.",
)
_MISSING = (
    "missing",
    "it was deleted in the cluster; there is nothing to adopt",
    "Remove it from the repository by hand, or put it back with `tazuna apply --only {key}`.",
)
_DELETING = ("deleting", "it is being deleted in the cluster", "Wait until it is gone, or put it back afterwards.")
_ARTIFACT = (
    "artifact",
    "it comes from an artifact of a registry, whose files are not in this repository",
    "Change it where the artifact is made. " + PUT_BACK + " until then.",
)
_UNDECLARED = (
    "undeclared",
    "the server had set it and the repository does not declare it, so it cannot say that it is gone",
    PUT_BACK + ", or hide it with a rule of tazuna.drift.yaml.",
)
_OF_THE_CLUSTER: Mapping[tuple[str, str], str] = {
    ("", "ownerReferences"): "it names uids of this cluster",
    ("PersistentVolume", "claimRef"): "it names a claim by its uid in this cluster",
    ("Pod", "nodeName"): "it names a node of this cluster",
    ("Namespace", "finalizers"): "the namespace controller owns it",
}
"""Fields by kind ("" for metadata of any) that a repository should not say."""


@dataclass
class Choice:
    """What is to be adopted, and what is left alone with the reason."""

    wishes: list[Wish] = field(default_factory=list)
    left: list[LeftAlone] = field(default_factory=list)
    already: int = 0
    """Fields of which the repository says what is live already."""

    def leave(
        self, key: StateKey, why: tuple[str, str, str], *, refused: bool, path: str = "", file: str = "", line: int = 0
    ) -> None:
        """Leaves an object, or one path of it, alone. ``refused`` where somebody asked for it by name."""
        reason, message, advice = why
        self.left.append(
            LeftAlone(
                key=str(key),
                path=path,
                reason=reason,
                message=message,
                advice=advice.format(key=key),
                refused=refused,
                file=file,
                line=line,
            )
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """One drifted object whose fields are to be adopted; ``named`` where it was asked for by its key."""

    manifest: Manifest
    verdict: ObjectVerdict
    fields: tuple[FieldVerdict, ...]
    named: bool

    @property
    def key(self) -> StateKey:
        return self.verdict.key


def named_verdicts(
    verdicts: Mapping[str, Sequence[ObjectVerdict]], keys: Iterable[str]
) -> dict[str, list[ObjectVerdict]]:
    """Returns the verdicts that ``keys`` name: state keys, or ``Kind[/namespace]/name``; all without keys.

    Raises UsageError for a name that no object of the state has, or several.
    """
    wanted = list(keys)
    if not wanted:
        return {name: list(found) for name, found in verdicts.items()}
    every = [verdict for found in verdicts.values() for verdict in found if verdict.status != "superseded"]
    chosen: set[str] = set()
    for key in wanted:
        found = [one for one in every if key == str(one.key)] or [one for one in every if key == str(one.key.ref)]
        if not found:
            raise UsageError(f"no object of the state is '{key}'", advice="`tazuna state list` lists every object.")
        if len(found) > 1:
            names = ", ".join(str(one.key) for one in found)
            raise UsageError(f"'{key}' is the name of several objects: {names}", advice="Give one of these keys.")
        chosen.add(str(found[0].key))
    return {name: [one for one in found if str(one.key) in chosen] for name, found in verdicts.items()}


def choose(choice: Choice, manifest: Manifest, verdict: ObjectVerdict, *, named: bool) -> None:
    """Sorts one object's verdict: what of it can be adopted, what is left alone and why."""
    key = verdict.key
    if verdict.status == "live-missing":
        choice.leave(key, _MISSING, refused=named)
    elif verdict.status == "deleting":
        choice.leave(key, _DELETING, refused=named)
    elif not verdict.fields:
        return
    elif (key.group, key.kind) == ("", "Secret"):
        choice.leave(key, _SECRET, refused=named)
    elif manifest.type is ManifestType.ORAS:
        choice.leave(key, _ARTIFACT, refused=named)
    else:
        fields = tuple(one for one in verdict.fields if _adoptable(choice, verdict, one, named=named))
        if fields:
            choice.wishes.append(Wish(manifest, verdict, fields, named))


def _adoptable(choice: Choice, verdict: ObjectVerdict, one: FieldVerdict, *, named: bool) -> bool:
    key, path = verdict.key, path_text(one.path)
    owner = one.owner
    if owner is not None and owner.api_version not in ("", key.api_version):
        advice = f"Declare the object at {owner.api_version}, or put it back with `tazuna apply --only {{key}}`."
        why = ("other-version", f"it was written at {owner.api_version}, which the repository does not use", advice)
        choice.leave(key, why, refused=named, path=path)
        return False
    if reason := _cluster_bound(key.kind, one):
        choice.leave(key, ("of-the-cluster", reason, PUT_BACK + "."), refused=named, path=path)
        return False
    if named or owner is None:
        return True
    if one.origin in ("controller", "unknown"):
        who = "a controller's" if one.origin == "controller" else "of a manager that is not known to be a person"
        advice = "Adopt it by naming the object, or hide it with a rule of tazuna.drift.yaml."
        why = ("not-a-person", f"the change is {who} ({owner.manager})", advice)
        choice.leave(key, why, refused=False, path=path)
        return False
    return True


def _cluster_bound(kind: str, one: FieldVerdict) -> str:
    names = [element.name for element in one.path[:2] if isinstance(element, Key)]
    if len(names) < 2:
        return ""
    return _OF_THE_CLUSTER.get(("" if names[0] == "metadata" else kind, names[1]), "")


def agreed(choice: Choice, wish: Wish, built: JsonObject, adopting: Adopting) -> tuple[FieldVerdict, ...]:
    """Returns the fields that the repository does not say already.

    What it changed since the last apply is a conflict: it is only given up for an object that was named.
    """
    out = []
    for one in wish.fields:
        if one.verdict == "extra" and one.live is ABSENT:
            choice.leave(wish.key, _UNDECLARED, refused=wish.named, path=path_text(one.path))
            continue
        if adopting.said_already(built, one):
            choice.already += 1
            continue
        exact = wish.verdict.method != "managed-fields"
        if exact and not wish.named and adopting.contradicts(built, one):
            advice = "Name the object to give up the repository's value, or apply it."
            why = ("conflict", "the repository has changed it as well since the last apply", advice)
            choice.leave(wish.key, why, refused=False, path=path_text(one.path))
            continue
        out.append(one)
    return tuple(out)
