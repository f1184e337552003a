"""Lints of a whole specification: builds what can be built here, and says what it could not look at."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tazuna_core.build.builder import build_all
from tazuna_core.build.genesis_secret import names_only
from tazuna_core.build.kustomization import reach
from tazuna_core.build.model import BuildSettings, BuiltManifest
from tazuna_core.cluster.known_kinds import known_kinds
from tazuna_core.errors import Place, TazunaError
from tazuna_core.lint.model import Finding
from tazuna_core.lint.objects import remarks
from tazuna_core.lint.order import Member, OrderRemark, duplicates, order_remarks
from tazuna_core.lint.places import SourceLines, release_way
from tazuna_core.lint.references import artifact_problem, base_problem, chart_problem
from tazuna_core.lint.switch_off import Sifted, SwitchOff, sift, switch_offs
from tazuna_core.objects.builtin_schema import builtin_schema
from tazuna_core.objects.identity import ObjectRef
from tazuna_core.objects.model import BuiltObject, Notice
from tazuna_core.objects.schema import ANY, Schema
from tazuna_core.operations.autoscaling import targets_of
from tazuna_core.operations.desired import build_settings
from tazuna_core.operations.reproducible import RENDERED, made_up, rendered_again
from tazuna_core.operations.session import Session
from tazuna_core.spec.check import source_problem
from tazuna_core.spec.load import LoadedSpec
from tazuna_core.spec.manifest import Manifest, flat
from tazuna_core.spec.models_manifest import ManifestType, VarSource
from tazuna_core.spec.order import layers
from tazuna_core.spec.source import SourceText

if TYPE_CHECKING:
    from tazuna_core.build.chart_list import UsedChart

NOT_HERE = frozenset({"missing-program", "offline", "untrusted-build", "variable", "provider"})
"""Errors of builds that tell of this machine, not of the manifest."""
_TWICE = "duplicate-object"
_OF_RENDERING = frozenset({"helm-capabilities", "helmfile-program", _TWICE})
"""Notices that say how something was rendered, which is no matter of the files; the last is a lint here."""
Lines = frozenset[tuple[str, int]]
_OF_ONE_OBJECT = frozenset({"image-tag", "replicas"})


@dataclass(frozen=True, slots=True)
class Linted:
    """What the lints found; ``errors`` are of manifests that do not build, ``not_linted`` of those that cannot here."""

    sifted: Sifted
    errors: tuple[TazunaError, ...]
    not_linted: tuple[TazunaError, ...]
    notices: tuple[Notice, ...]
    objects: int


def lint(session: Session, *, fetch: bool) -> Linted:
    """Runs all lints. No cluster is asked, and no provider for a genesissecret.

    Without ``fetch`` nothing is asked of a registry, a chart repository or 1Password: a manifest that needs that, and
    has it in no cache, is one of ``not_linted``.
    """
    return _Lint(session, fetch=fetch).run()


class _Lint:
    def __init__(self, session: Session, *, fetch: bool) -> None:
        self._spec: LoadedSpec = session.spec
        self._fetch, self._offline = fetch, session.options.offline
        settings = build_settings(session, (), ask_cluster=False)
        self._settings: BuildSettings = settings if fetch else replace(settings, offline=True)
        self._errors: list[TazunaError] = []
        self._not_linted: list[TazunaError] = []
        self._notices: list[Notice] = []

    def run(self) -> Linted:
        # a manifest whose path is wrong is an error already
        usable = [one for one in flat(self._spec.manifests) if source_problem(one) is None]
        built = self._built([one for one in usable if self._may_build(one)])
        charts = self._charts(usable, {one.manifest.index for one in built})
        texts = _texts(
            [obj.place.file for one in built if _is_read(one.manifest) for obj in one.objects if obj.place is not None]
            + [one.file for one in charts]
        )
        findings = [
            *self._of_references(usable),
            *self._of_charts(charts, texts),
            *self._of_objects(built, SourceLines(texts)),
            *self._made_up(built),
        ]
        given = [*self._switch_offs(), *(one for file, text in texts.items() for one in _in(file, text))]
        complete = not self._errors and not self._not_linted
        sifted = sift(
            _in_order(findings), given, lambda one: complete or (one.lint in _OF_ONE_OBJECT and one.place.file in texts)
        )
        return Linted(
            sifted,
            tuple(self._errors),
            tuple(self._not_linted),
            tuple(self._notices),
            sum(len(one.objects) for one in built),
        )

    def _built(self, manifests: Sequence[Manifest]) -> list[BuiltManifest]:
        """What builds; of a genesissecret the names alone."""
        others = iter(build_all([one for one in manifests if not _is_secret(one)], self._settings))
        out = []
        for manifest in manifests:
            one = _names(manifest) if _is_secret(manifest) else next(others)
            if one.error is None:
                out.append(one)
                self._notices += [notice for notice in one.notices if notice.code not in _OF_RENDERING]
            elif one.error.code in NOT_HERE:
                self._not_linted.append(self._in_our_words(one.error, manifest))
            else:
                self._errors.append(one.error)
        return out

    def _in_our_words(self, error: TazunaError, manifest: Manifest) -> TazunaError:
        """The error, which may tell of an `--offline` that nobody gave."""
        if error.code != "offline" or self._offline:
            return error
        message = f"{manifest.label} needs what is in no cache, and `check` alone fetches nothing"
        advice = "Run `tazuna check --strict`, or build it once."
        return TazunaError(message, advice=advice, place=manifest.place, code=error.code)

    def _may_build(self, manifest: Manifest) -> bool:
        if self._fetch or not _asks_a_provider(manifest):
            return True
        message = f"{manifest.label} takes variables from 1Password, which only `check --strict` asks"
        self._not_linted.append(TazunaError(message, place=manifest.place, code="provider"))
        return False

    def _charts(self, manifests: Iterable[Manifest], built: Container[int]) -> list[UsedChart]:
        """The charts of helmfiles; of one that did not build too, where it can be read all the same."""
        helmfiles = [one for one in manifests if one.type is ManifestType.HELMFILE]
        if not helmfiles:
            return []
        from tazuna_core.build.chart_list import used_charts

        found: list[UsedChart] = []
        for manifest in helmfiles:
            is_built = manifest.index in built
            if not (is_built or self._is_plain(manifest)):
                continue
            try:
                found += used_charts(manifest, self._settings)
            except TazunaError as error:
                if is_built:
                    self._not_linted.append(error)
        return found

    def _is_plain(self, manifest: Manifest) -> bool:
        """Whether a helmfile that did not build may be read: nobody's fork, and no variables from elsewhere."""
        return self._settings.trusted and not (manifest.helmfile and manifest.helmfile.vars)

    def _of_charts(self, charts: Iterable[UsedChart], texts: Mapping[str, str]) -> Iterator[Finding]:
        for one in charts:
            problem = chart_problem(one.release.chart, one.release.version) if one.remote else ""
            if problem:
                way = release_way(texts.get(one.file, ""), one.release.name)
                message = f"{one.manifest.label}: release '{one.release.name}': {problem}"
                place = Place(one.file, way[-1]) if way else None
                around = frozenset((one.file, line) for line in way)
                yield self._finding("mutable-reference", message, one.manifest, place, around)

    def _of_references(self, manifests: Iterable[Manifest]) -> Iterator[Finding]:
        for one in manifests:
            if one.type is ManifestType.ORAS and one.oras is not None:
                problem = artifact_problem(one.oras.reference)
                if problem:
                    place = self._spec.place_in(one, "oras", "reference")
                    yield self._finding("mutable-reference", f"{one.label}: {problem}", one, place)
            elif one.type is ManifestType.KUSTOMIZE:
                for address in dict.fromkeys(reach(one.source).remote):
                    problem = base_problem(address)
                    if problem:
                        yield self._finding("mutable-reference", f"{one.label}: {problem}", one)

    def _of_objects(self, built: Sequence[BuiltManifest], lines: SourceLines) -> Iterator[Finding]:
        members = self._members(built)
        by_index = {one.manifest.index: one.manifest for one in built}
        scaled = targets_of(one.built.data for one in members)
        for member in members:
            manifest = by_index[member.manifest]
            for remark in remarks(member.built, member.identity, scaled):
                way = lines.way(member.built, remark.path)
                yield self._object_finding(remark.lint, remark.message, manifest, member.built, way)
        found: list[OrderRemark] = [*order_remarks(members), *duplicates(members)]
        for one in found:
            way = lines.way(one.first.built, ())
            yield self._object_finding(one.lint, one.message, by_index[one.first.manifest], one.first.built, way)
        for result in built:
            for notice in result.notices:
                if notice.code == _TWICE:
                    place = notice.place if notice.place and notice.place.line else None
                    yield self._finding(_TWICE, f"{result.manifest.label}: {notice.message}", result.manifest, place)

    def _made_up(self, built: Sequence[BuiltManifest]) -> Iterator[Finding]:
        suspects = [one for one in built if one.manifest.type in RENDERED]
        for manifest, found in rendered_again(suspects, self._settings, _schema):
            if isinstance(found, TazunaError):
                self._not_linted.append(found)
                continue
            message = f"{manifest.label} builds to something else each time: {made_up(found)}"
            yield self._finding("not-reproducible", message, manifest)

    def _members(self, built: Sequence[BuiltManifest]) -> list[Member]:
        kinds = known_kinds(obj.data for one in built for obj in one.objects)
        layer = {
            manifest.index: number
            for number, together in enumerate(layers(self._spec.manifests))
            for manifest in flat(together)
        }
        return [
            Member(
                obj,
                kinds.effective(obj.ref).identity,
                one.manifest.index,
                layer[one.manifest.index],
                one.manifest.label,
                f"{obj.place.file}:{obj.place.line}" if obj.place and _is_read(one.manifest) else "",
            )
            for one in built
            for obj in one.objects
        ]

    def _finding(
        self, lint: str, message: str, manifest: Manifest, place: Place | None = None, around: Lines = frozenset()
    ) -> Finding:
        place = place or manifest.place
        return Finding(lint, message, place, self._manifest_lines(manifest) | {(place.file, place.line)} | around)

    def _object_finding(
        self, lint: str, message: str, manifest: Manifest, obj: BuiltObject, way: Sequence[int]
    ) -> Finding:
        place, around = manifest.place, self._manifest_lines(manifest)
        if way and obj.place is not None:
            place = Place(obj.place.file, way[-1])
            around |= {(place.file, line) for line in way}
        else:
            message = f"{manifest.label}: {message}"
        return Finding(lint, message, place, around, subject=str(obj.ref), key=str(obj.key))

    def _manifest_lines(self, manifest: Manifest) -> frozenset[tuple[str, int]]:
        """Where a manifest begins, and the `parallel` that it may be a child of; and where its name stands."""
        origin = self._spec.origins[manifest.index]
        begin = {origin.document.at_value(origin.loc[:3]), manifest.place, self._spec.place_in(manifest, "name")}
        return frozenset((place.file, place.line) for place in begin)

    def _switch_offs(self) -> Iterator[SwitchOff]:
        for document in self._spec.documents:
            if document.source is not None:
                yield from switch_offs(document.source)


def _is_secret(manifest: Manifest) -> bool:
    return manifest.type is ManifestType.GENESIS_SECRET


def _names(manifest: Manifest) -> BuiltManifest:
    """A genesissecret with its Secret by name alone: no provider is asked."""
    try:
        keys = names_only(manifest)
    except TazunaError as error:
        return BuiltManifest(manifest, error=error)
    return BuiltManifest(
        manifest, tuple(BuiltObject(key, {"apiVersion": key.api_version, "kind": key.kind}) for key in keys)
    )


def _asks_a_provider(manifest: Manifest) -> bool:
    delegate = manifest.oras.delegate.helmfile if manifest.oras else None
    options = delegate if manifest.type is ManifestType.ORAS else manifest.helmfile
    return options is not None and any(one.from_ is VarSource.OP for one in options.vars.values())


def _is_read(manifest: Manifest) -> bool:
    """Whether its objects stand in files as they are."""
    return manifest.type is ManifestType.DIRECTORY


def _texts(files: Iterable[str]) -> dict[str, str]:
    return {file: text for file in dict.fromkeys(files) if (text := _text(file)) is not None}


def _text(file: str) -> str | None:
    try:
        return Path(file).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    except OSError:
        return None  # it went away since it was built; findings are shown at the manifest


def _in(file: str, text: str) -> Iterator[SwitchOff]:
    yield from switch_offs(SourceText.plain(file, text))


def _schema(ref: ObjectRef) -> Schema:
    return builtin_schema(ref.api_version, ref.kind) or ANY


def _in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By file, files in the order in which they first occur, then by line."""
    ordered = list(findings)
    files: dict[str, int] = {}
    for one in ordered:
        files.setdefault(one.place.file, len(files))
    return sorted(ordered, key=lambda one: (files[one.place.file], one.place.line))
