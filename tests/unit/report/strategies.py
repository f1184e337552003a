"""Hypothesis strategies for whole reports, with everything in them that has ever broken a renderer."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from tazuna_core.diff.verdicts import ObjectClass, Status, Verdict
from tazuna_core.report.model import (
    MASKED,
    Counts,
    Coverage,
    ErrorLine,
    Excluded,
    FieldChange,
    Hidden,
    ManifestReport,
    ObjectReport,
    Owner,
    Report,
    Reports,
    Run,
    Skipped,
    Target,
    Unchecked,
)

NASTY = (
    "```",
    "````\ncode",
    "`````````",
    "~~~",
    "</details>",
    "<details>",
    "<script>alert(1)</script>",
    "<!-- x -->",
    "@org/team",
    "#12",
    "GH-12",
    "0123456789abcdef0123456789abcdef01234567",
    "repo#1",
    "a|b",
    "\x1b[31mred\x1b[0m",
    "\x07",
    "\u202eevil",
    "a\r\nb",
    "a\nb",
    "- name: x\n- name: y\n",
    "日本語の値",
    "<!here>",
    "https://example.com/x",
    "x" * 300,
    "| --- |",
    "",
    " ",
    "true",
    "3",
    "-->",
)
CLASS_STATUSES: dict[str, Status] = {
    "conflict": "conflict",
    "missing": "live-missing",
    "added": "added",
    "removed": "removed",
    "modified": "modified",
    "drifted": "live-drifted",
    "unknown-extra": "live-drifted",
}
KINDS = (
    ("apps/v1", "Deployment"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "PersistentVolumeClaim"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
)
SECRET_VALUES = ("hunter2-plain", "aHVudGVyMi1wbGFpbg==", "YUhWdWRHVnlNaTF3YkdGcGJnPT0=")

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=30))
names = st.one_of(
    st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True), st.sampled_from([n for n in NASTY if n.strip()])
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
long_texts = st.lists(texts, min_size=5, max_size=40).map("\n".join)
owners = st.builds(
    Owner,
    manager=names,
    subresource=st.sampled_from(["", "scale"]),
    time=st.sampled_from([None, "2026-11-30T03:12:44Z"]),
)


@st.composite
def fields(draw: st.DrawFn, secret: bool = False) -> FieldChange:
    """A field; of a Secret, with values that must not be seen anywhere."""
    each = st.sampled_from([MASKED, *SECRET_VALUES]) if secret else st.one_of(values, long_texts)
    sides = draw(st.sets(st.sampled_from(["recorded", "desired", "live"]), min_size=1))
    given: dict[str, Any] = {side: draw(each) for side in sorted(sides)}
    path = (
        "data.password"
        if secret
        else draw(st.sampled_from(["spec.replicas", "spec.template.spec.x", 'data["a.conf"]']))
    )
    return FieldChange(
        path=path,
        pointer="/x",
        verdict=draw(st.sampled_from(get_args(Verdict))),
        owner=draw(st.none() | owners),
        on_merge=draw(st.sampled_from([None, "reverted", "kept"])),
        note=draw(st.sampled_from(["", "order changed", "@org/team"])),
        **given,
    )


@st.composite
def objects(draw: st.DrawFn, manifest: str) -> ObjectReport:
    """An object whose status and classes agree."""
    api_version, kind = draw(st.sampled_from(KINDS))
    classes: tuple[ObjectClass, ...] = tuple(
        draw(st.lists(st.sampled_from(get_args(ObjectClass)), max_size=2, unique=True))
    )
    quiet: list[Status] = ["unchanged", "always-sync", "moved", "expired"]
    ranked = [status for status in get_args(Status) if status in {CLASS_STATUSES[one] for one in classes}]
    name = draw(names)
    group = f"{api_version}" if "/" in api_version else f"/{api_version}"
    return ObjectReport(
        key=f"{manifest}/{group}/{kind}/ns/{name}",
        api_version=api_version,
        kind=kind,
        namespace="ns",
        name=name,
        status=ranked[0] if ranked else draw(st.sampled_from(quiet)),
        classes=classes,
        hashes={"stored": "5" * 64, "live": "7" * 64, "built": "b" * 64},
        fields=tuple(draw(st.lists(fields(secret=kind == "Secret"), max_size=4))) if classes else (),
        notes=tuple(draw(st.lists(texts, max_size=1))),
        confidence=draw(st.sampled_from(["exact", "high"])),
    )


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report whose counts, coverage and result agree with its objects, as the engine makes it."""
    command = draw(st.sampled_from(["plan", "state diff", "state drift"]))
    manifests = []
    for name in draw(st.lists(names, max_size=3, unique=True)):
        listed = tuple(draw(st.lists(objects(name), max_size=4, unique_by=lambda obj: obj.key)))
        manifests.append(ManifestReport(name=name, type="kustomize", objects=listed))
    everything = [obj for manifest in manifests for obj in manifest.objects]
    counted = {one.replace("-", "_"): sum(one in obj.classes for obj in everything) for one in get_args(ObjectClass)}
    unchecked = tuple(
        Unchecked(manifest="m", key=f"m//v1/ConfigMap/ns/{number}", reason="forbidden", message=draw(texts))
        for number in range(draw(st.sampled_from([0, 0, 1, 5])))
    )
    errors = draw(messages)
    expected = len(everything) + len(unchecked)
    drifted = any(counted[one] for one in ("drifted", "missing", "conflict", "unknown_extra"))
    changed = any(counted[one] for one in ("added", "modified", "removed"))
    findings = "drifted" if drifted else "changed" if changed else "clean"
    return Report(
        command=command,
        target=Target(
            file="tazuna.yaml", environment=draw(st.sampled_from(["", "prod"])), context=draw(st.none() | names)
        ),
        sides={"plan": ("recorded", "desired", "live"), "state diff": ("recorded", "desired")}.get(
            command, ("recorded", "live")
        ),
        result="error" if errors else "incomplete" if unchecked else findings,
        counts=Counts(objects=expected, unchecked=len(unchecked), **counted),
        coverage=Coverage(
            complete=not unchecked,
            expected=expected,
            checked=len(everything),
            unchecked=unchecked,
            skipped=tuple(Skipped(manifest=name, reason="no-state") for name in draw(st.lists(names, max_size=2))),
            excluded=tuple(Excluded(kind="Secret", reason=one, objects=2) for one in draw(st.lists(texts, max_size=1))),
        ),
        manifests=tuple(manifests),
        hidden=tuple(Hidden(rule=one, key="k", path="rules") for one in draw(st.lists(texts, max_size=2))),
        warnings=draw(messages),
        errors=errors,
        run=Run(started="2026-11-30T07:00:00Z", seconds=draw(st.floats(0, 9)), version="0.1.0"),
    )


messages = st.lists(
    st.builds(ErrorLine, code=st.just("build"), message=texts, advice=texts, exit_code=st.just(3)), max_size=2
).map(tuple)
many_reports = st.lists(reports(), max_size=3).map(lambda found: Reports(reports=tuple(found)))
any_report = st.one_of(reports(), many_reports)
