"""The text frames, character for character (format reference 4.1, the seed documents)."""

from __future__ import annotations

import re

import pytest
from rich.text import Text

from tazuna_core.objects.identity import StateKey
from tazuna_core.report.model import MASKED, Coverage, ErrorLine, Excluded, Hidden, Reports, Skipped, Unchecked
from tazuna_core.report.render import Form, render
from tazuna_core.report.text import text
from tazuna_core.report.text_tables import StateTable, StatusRow, state_list_text, status_text
from tests.unit.report.examples import NEW, OLD, field, obj, owner, report

HEAD = "  STATUS         RESOURCE                                                     HASH\n"


def test_diff_frame_in_the_order_of_the_go_cli() -> None:
    shown = text(
        report(
            "state diff",
            obj("m//v1/ConfigMap/ns/a-sync", "always-sync"),
            obj("m//v1/ConfigMap/ns/b-gone", "removed", "removed"),
            obj("m/apps/v1/Deployment/ns/z", "modified", "modified"),
            obj("m/apps/v1/Deployment/ns/a", "modified", "modified"),
            obj("m//v1/ConfigMap/ns/new", "added", "added"),
        )
    )
    assert shown == (
        "Manifest: m\n"
        + HEAD
        + f"  added          m//v1/ConfigMap/ns/new                                       {NEW}\n"
        f"  modified       m/apps/v1/Deployment/ns/a                                    {OLD} -> {NEW}\n"
        f"  modified       m/apps/v1/Deployment/ns/z                                    {OLD} -> {NEW}\n"
        f"  removed        m//v1/ConfigMap/ns/b-gone                                    (was: {OLD})\n"
        f"  always-sync    m//v1/ConfigMap/ns/a-sync                                    {NEW}\n"
        "\n"
        "1 removed, 2 changed, 1 added (5 objects)\n"
    )


def test_drift_frame_with_fields_beneath() -> None:
    change = field("spec.replicas", "drifted", recorded=2, live=5, owner=owner())
    shown = text(
        report(
            "state drift",
            obj("ingress-nginx//v1/ConfigMap/ingress-nginx/extra", "live-missing", "missing"),
            obj(
                "ingress-nginx/apps/v1/Deployment/ingress-nginx/controller", "live-drifted", "drifted", fields=(change,)
            ),
        )
    )
    assert shown == (
        "Manifest: ingress-nginx\n" + HEAD +
        f"  live-drifted   ingress-nginx/apps/v1/Deployment/ingress-nginx/controller    {NEW} (stored: {OLD})\n"
        "      spec.replicas: 2 -> 5   (kubectl-edit, 2026-11-30T03:12:44Z)\n"
        f"  live-missing   ingress-nginx//v1/ConfigMap/ingress-nginx/extra              (stored: {OLD})\n"
        "\n"
        "1 missing, 1 drifted (2 objects)\n"
    )  # fmt: skip


def test_what_was_there_before_is_not_called_absent_where_nobody_knows_it() -> None:
    fields = (
        field("data.k", "drifted", live="b", owner=owner("kubectl-patch")),
        field("data.s", "drifted", live=MASKED, owner=owner("kubectl-patch")),
        field("data.long", "drifted", live="one\ntwo\n", owner=owner("kubectl-patch")),
    )
    found = obj("m//v1/ConfigMap/ns/a", "live-drifted", "drifted", fields=fields)
    by_owner = found.model_copy(update={"method": "managed-fields", "confidence": "high"})
    shown = text(report("state drift", by_owner))
    assert "data.k: (not recorded) -> b" in shown
    assert "data.s: value added or changed" in shown
    assert "data.long: (not recorded) -> (2 lines)" in shown
    assert "(absent)" not in shown
    assert "data.k: (absent) -> b" in text(report("state drift", found))
    page = render(report("state drift", by_owner), "html", "en")
    comment = render(report("state drift", by_owner), "markdown", "en")
    assert "(not recorded)" in page
    assert "(absent)" not in page
    assert "(not recorded)" in comment
    assert "(absent)" not in comment


def test_plan_rows_and_values() -> None:
    image = "spec.template.spec.containers[name=web].image"
    shown = text(
        report(
            "plan",
            obj("m//v1/Service/ns/new", "added", "added"),
            obj("m//v1/Service/ns/old", "removed", "removed"),
            obj("m//v1/Namespace/lost", "live-missing", "missing"),
            obj(
                "m/apps/v1/Deployment/ns/web",
                "modified",
                "modified",
                fields=(field(image, recorded="a:1", desired="a:2", live="a:1"),),
            ),
            obj(
                "m/apps/v1/Deployment/ns/hot",
                "conflict",
                "conflict",
                fields=(
                    field(
                        image, "conflict", recorded="a:1", desired="a:2", live="a:3", owner=owner(), on_merge="reverted"
                    ),
                    field(
                        "spec.paused",
                        "extra",
                        live=True,
                        owner=owner("kubectl", None, subresource="scale"),
                        on_merge="kept",
                    ),
                ),
            ),
        )
    )
    assert shown.splitlines()[:10] == [
        "Manifest: m",
        "  + Service/ns/new (to be created)",
        "  ~ Deployment/ns/hot (conflict)",
        f"      {image}: a:1 -> a:2, live: a:3   (kubectl-edit, 2026-11-30T03:12:44Z)"
        "   [conflict, merging overwrites it]",
        "      spec.paused: (absent) -> true   (kubectl/scale, time unknown)   [extra, merging leaves it as it is]",
        "  ~ Deployment/ns/web",
        f"      {image}: a:1 -> a:2",
        "  ! Namespace/lost (missing in the cluster)",
        "  - Service/ns/old (no longer declared; --sync --prune deletes it)",
        "",
    ]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("state diff", "No changes detected.\n"),
        ("plan", "No changes detected.\n"),
        ("state drift", "No drift detected.\n"),
    ],
)
def test_clean_is_one_line_that_both_languages_say(command: str, sentence: str) -> None:
    assert text(report(command)) == sentence
    assert text(report(command), lang="ja").startswith(sentence)
    assert text(report(command, obj("m//v1/ConfigMap/ns/a", "unchanged"))) == sentence


@pytest.mark.parametrize(
    ("written", "english", "japanese"),
    [
        (
            0,
            "5 objects confirmed as applied; this run changed none.",
            "5 件のオブジェクトが適用済みです。今回の実行では何も変更していません。",
        ),
        (2, "5 objects applied: 2 changed, 3 unchanged.", "5 件のオブジェクトを適用しました (変更 2、変更なし 3)。"),
        (None, "5 objects applied.", "5 件のオブジェクトを適用しました。"),
    ],
)
def test_an_apply_says_how_much_it_changed(written: int | None, english: str, japanese: str) -> None:
    clean = report("apply", applied=5, written=written)
    assert text(clean) == f"{english}\n"
    assert text(clean, lang="ja") == f"{japanese}\n"
    changed = report("apply", obj("m//v1/Service/ns/new", "added", "added"), applied=5, written=written)
    forms: tuple[Form, ...] = ("text", "markdown", "html")
    for form in forms:
        assert english in render(changed, form)
        assert japanese in render(changed, form, "ja")


def test_what_could_not_be_checked_is_never_clean() -> None:
    unchecked = (Unchecked(manifest="x", key="x/apps/v1/Deployment/ns/n", reason="forbidden"),)
    coverage = Coverage(complete=False, expected=311, checked=310, unchecked=unchecked)
    shown = text(report("state drift", coverage=coverage, result="incomplete"))
    assert "No drift detected." not in shown
    assert (
        "No drift in what could be checked: 310 of 311 objects. Not checked: x/apps/v1/Deployment/ns/n (forbidden)\n"
        in shown
    )


def test_an_error_is_never_clean() -> None:
    error = ErrorLine(
        code="build", message="chart not found", advice="Update the repository.", exit_code=3, file="t.yaml", line=4
    )
    shown = text(report("plan", errors=(error,), result="error"))
    assert shown == "1 error\nError: t.yaml:4: chart not found\n  Update the repository.\n"


def test_always_sync_alone_is_listed_and_no_change() -> None:
    shown = text(report("state diff", obj("m//v1/Secret/ns/s", "always-sync")))
    assert shown.endswith("\nNo other differences.\n")


def test_what_was_left_out_is_named_beside_the_sentence() -> None:
    coverage = Coverage(
        skipped=(Skipped(manifest="new", reason="no-state"),),
        excluded=(Excluded(kind="Secret", reason="not ours", objects=12),),
    )
    assert text(report("state drift", coverage=coverage)) == (
        "No drift detected.\n"
        "Never applied, so not compared: new\n"
        "Kind Secret is excluded by tazuna.drift.yaml: 12 objects (not ours)\n"
    )


def test_b39_hidden_changes_are_counted_by_rule() -> None:
    hidden = tuple(Hidden(rule="aggregated role", key=f"k{n}", path="rules") for n in range(9))
    shown = text(report("state drift", hidden=hidden))
    assert "9 changes hidden by rule `aggregated role`" in shown
    assert "k3" not in shown
    assert "k3" in text(report("state drift", hidden=hidden), show_all=True)


def test_b39_several_rules_are_one_line_and_what_follows_from_our_own_apply_is_none() -> None:
    hidden = tuple(Hidden(rule=rule, key="k", path="p") for rule in ("aggregated role", "controller", "controller"))
    count = tuple(Hidden(rule=rule, key="k", path="q") for rule in ("deployment revision", "kept by the server"))
    shown = text(report("state drift", hidden=(*hidden, *count)))
    assert shown.splitlines() == [
        "No drift detected.",
        "3 changes hidden by 2 rules: `controller` (2), `aggregated role` (1)"
        " (--all lists them; --no-ignore shows what rules of tazuna.drift.yaml hide)",
    ]
    assert text(report("state drift", hidden=count)) == "No drift detected.\n"
    everything = text(report("state drift", hidden=(*hidden, *count)), show_all=True)
    assert "5 changes hidden by 4 rules" in everything
    assert "`deployment revision` (1)" in everything


def test_b65_a_hidden_field_stands_beside_the_drift_of_its_object() -> None:
    key = "m/apps/v1/Deployment/ns/web"
    drifted = obj(
        key, "live-drifted", "drifted", fields=(field("spec.x", "drifted", recorded="a", live="b", owner=owner()),)
    )
    shown = text(report("state drift", drifted, hidden=(Hidden(rule="autoscaler", key=key, path="spec.replicas"),)))
    assert "      spec.x: a -> b" in shown
    assert "      spec.replicas: hidden by rule autoscaler\n" in shown


def test_hash_of_a_secret_is_hidden_unless_asked_for() -> None:
    found = report("state drift", obj("m//v1/Secret/ns/s", "live-drifted", "drifted"))
    assert "(secret)" in text(found)
    assert OLD not in text(found)
    assert NEW not in text(found)
    assert f"{NEW} (stored: {OLD})" in text(found, show_secret_hashes=True)


def test_b43_changed_secret_keys_are_named_without_values() -> None:
    masked = {"masked": True}
    fields = (
        field("data.a", "drifted", recorded=masked, live=masked, owner=owner()),
        field("data.b", "extra", live="cGxhaW4=", owner=owner()),
        field("data.c", "drifted", recorded=masked),
    )
    shown = text(report("state drift", obj("m//v1/Secret/ns/s", "live-drifted", "drifted", fields=fields)))
    assert "      data.a: value changed   (kubectl-edit" in shown
    assert "      data.b: value added   (kubectl-edit" in shown
    assert "      data.c: value removed   (manager unknown)" in shown
    assert "cGxhaW4" not in shown


def test_a_long_value_is_a_line_diff() -> None:
    old = "a\nb\nc\nd\ne\nf\ng\n"
    found = obj(
        "m//v1/ConfigMap/ns/c",
        "modified",
        "modified",
        fields=(field("data.f", recorded=old, desired=old.replace("g", "G")),),
    )
    lines = text(report("plan", found)).splitlines()
    assert lines[2:9] == [
        "      data.f: (7 lines) -> (7 lines)",
        "        @ 3 unchanged lines",
        "         d",
        "         e",
        "         f",
        "        -g",
        "        +G",
    ]


def test_a_huge_schema_is_shortened_with_its_size() -> None:
    schema = {"properties": {f"p{n}": {"type": "string"} for n in range(4_000)}}
    found = obj("m//v1/ConfigMap/ns/c", "modified", "modified", fields=(field("spec.schema", desired=schema),))
    shown = text(report("plan", found))
    assert len(shown) < 4_000
    assert "(absent) -> (8,001 lines)" in shown
    assert "@ 7,961 more lines" in shown


def test_no_value_can_say_the_sentence_that_people_grep_for() -> None:
    change = field("data.x", "drifted", recorded="a", live="No drift detected.", owner=owner())
    found = report("state drift", obj("m//v1/ConfigMap/ns/c", "live-drifted", "drifted", fields=(change,)))
    assert "No drift detected." not in text(found)
    assert "No drift\u00a0detected." in text(found)


def test_colour_is_a_thin_layer() -> None:
    change = field("spec.replicas", "drifted", recorded="x", live="\x1b[31my", owner=owner())
    found = report("state drift", obj("m/apps/v1/Deployment/ns/web", "live-drifted", "drifted", fields=(change,)))
    coloured = text(found, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text(found)
    assert Text.from_ansi(coloured).plain == text(found)


def test_several_reports_have_a_heading_each() -> None:
    shown = text(Reports(reports=(report("state drift"), report("state drift"))))
    assert shown == "Target: file tazuna.yaml\n\nNo drift detected.\n\nTarget: file tazuna.yaml\n\nNo drift detected.\n"


def test_status_rows() -> None:
    rows = [
        StatusRow("m", "Ready", "Deployment", "ns", "web"),
        StatusRow("m", "Error", "ClusterRole", "", "r", "forbidden"),
    ]
    assert status_text(rows, ["m", "empty"]) == (
        "Manifest: m\n"
        "  STATUS    KIND                 NAMESPACE/NAME\n"
        "  Ready     Deployment           ns/web\n"
        "  Error     ClusterRole          r   (forbidden)\n"
        "\n"
        "Manifest: empty\n"
        "  (no state)\n"
        "\n"
    )


def test_state_list() -> None:
    entries = [
        (StateKey("m", "", "v1", "Secret", "ns", "s"), OLD),
        (StateKey("m", "", "v1", "ConfigMap", "ns", "c"), NEW),
    ]
    shown = state_list_text([StateTable("m", entries, "2026-11-30T03:12:44Z", "abc"), StateTable("n")])
    assert shown == (
        "Manifest: m\n"
        "  Last synced: 2026-11-30T03:12:44Z\n"
        "  Git commit: abc\n"
        "  RESOURCE                                                     HASH\n"
        f"  m//v1/ConfigMap/ns/c                                         {NEW}\n"
        "  m//v1/Secret/ns/s                                            (secret)\n"
        "\n"
        "Manifest: n\n"
        "  No state found\n"
        "\n"
    )
