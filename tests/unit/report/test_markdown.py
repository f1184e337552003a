"""Comments and summaries: limits, fences, nothing that pings (cases b.1 to b.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt

from tazuna_core.report.markdown import Options, fit_page, markdown, page
from tazuna_core.report.model import ErrorLine, Hidden, Report, Reports
from tests.unit.report.examples import field, obj, owner, report
from tests.unit.report.strategies import NASTY

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def config_map(name: str, before: str, after: str, manifest: str = "m") -> object:
    return obj(
        f"{manifest}//v1/ConfigMap/ns/{name}",
        "modified",
        "modified",
        fields=(field("data.f", recorded=before, desired=after, live=before),),
    )


def lines(number: int, word: str) -> str:
    return "\n".join(f"{word} line {n} of the file" for n in range(number))


def large() -> Report:
    small = [config_map(f"small-{n}", lines(3, f"old-{n}"), lines(3, "new")) for n in range(3)]
    return report("plan", *small, config_map("a-big", lines(4_000, "old"), lines(4_000, "new")))  # type: ignore[arg-type]


def outside_of_code(text: str) -> Iterator[str]:
    """What GitHub would look for mentions and references in: text and HTML outside of code."""
    for token in PARSER.parse(text):
        for child in token.children or ():
            if child.type == "text":
                yield child.content
        if token.type == "html_block":
            yield re.sub(r"<code>.*?</code>", "", token.content)


def assert_closed(text: str) -> None:
    fence, depth = "", 0
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.rstrip("abcdefghijklmnopqrstuvwxyz")
        elif line.startswith("<details"):
            depth += 1
        elif line.startswith("</details>"):
            depth -= 1
            assert depth >= 0
    assert not fence, "an open fence"
    assert depth == 0, "an open <details>"


def test_b03_the_budget_is_used() -> None:
    text = markdown(large(), Options(limit=65_000))
    assert 65_000 * 0.9 <= len(text.encode()) <= 65_000
    for number in range(3):
        part = text.split(f"<code>ConfigMap/ns/small-{number}</code>")[1].split("</details>")[0]
        assert part.count("+new line") == 3
    assert_closed(text)


@pytest.mark.parametrize("limit", [120, 200, 400])
def test_b04_a_cut_never_reads_as_no_changes(limit: int) -> None:
    found = report("plan", *(config_map(f"c{n}", "a", "b") for n in range(5)))  # type: ignore[arg-type]
    text = markdown(found, Options(limit=limit))
    assert "5 changed" in text
    assert "no changes" not in text.lower()


def test_b05_counts_and_names_survive() -> None:
    found = report(
        "plan", *(config_map(f"c{n:03}", lines(50, f"old {n}"), lines(50, "new"), f"m{n % 3}") for n in range(300))
    )  # type: ignore[arg-type]
    text = markdown(found, Options(limit=20_000))
    assert [text.count(f"| `m{n}` | 100 |") for n in range(3)] == [1, 1, 1]
    assert all(f"ConfigMap/ns/c{n:03}" in text for n in range(300))
    short = markdown(found, Options(limit=3_000))
    named = len(re.findall(r"ConfigMap/ns/c\d{3}", short))
    assert f"… and {300 - named} more objects" in short


def test_b06_a_cut_is_said_on_top() -> None:
    text = markdown(large(), Options(limit=2_000, full_report="https://ghe.example/run/1", artifact="tazuna-report"))
    third = text.split("\n\n")[1]
    assert re.fullmatch(
        r"\*\*Shown \d of 4 objects; full report: "
        r"\[run summary\]\(https://ghe.example/run/1\) / artefact `tazuna-report`\*\*",
        third,
    )
    assert "Shown" not in markdown(large())


def test_b09_fences_and_details_are_closed_at_every_limit() -> None:
    blocks = page(
        report("plan", *(config_map(f"c{n}", lines(9, "```"), "\n".join(NASTY)) for n in range(8))), Options()
    )  # type: ignore[arg-type]
    for limit in range(500, 5_001):
        text = fit_page(blocks, Options(limit=limit))
        assert len(text.encode()) <= limit
        assert_closed(text)


def test_b12_a_summary_stays_below_its_limit_and_points_to_the_whole() -> None:
    found = report("plan", *(config_map(f"c{n}", lines(900, f"old {n}"), lines(900, "new")) for n in range(60)))  # type: ignore[arg-type]
    text = markdown(found, Options(limit=1_000_000, artifact="tazuna-report"))
    assert 900_000 < len(text.encode()) <= 1_000_000
    assert "artefact `tazuna-report`" in text


def test_b14_the_whole_report_is_whole_and_equal_for_equal_inputs() -> None:
    text = markdown(large())
    assert text == markdown(large())
    assert text.count("+new line") == 4_009


def test_b25_no_clock_in_the_body() -> None:
    other = large().model_copy(
        update={"run": large().run.model_copy(update={"started": "2027-01-01T00:00:00Z", "seconds": 9.0})}
    )
    assert markdown(other) == markdown(large())


def test_b27_backtick_fences() -> None:
    content = "start\n```\n````\n`````````\n~~~\nend"
    text = markdown(report("plan", config_map("c", "x\ny", content), config_map("d", "1\n2", "1\n3")))  # type: ignore[arg-type]
    fences = [token for token in PARSER.parse(text) if token.type == "fence"]
    assert len(fences) == 2
    assert "+`````````\n" in fences[0].content
    assert "+~~~\n" in fences[0].content
    assert "</details>" not in fences[0].content


def test_b28_markup_in_contents_names_and_errors() -> None:
    name = "a|b`c</details><script>"
    found = report(
        "plan",
        config_map(name, "x\ny", "<!-- x -->\n</details>\n<script>", "ma|ni`fest<b>"),  # type: ignore[arg-type]
        errors=(ErrorLine(code="x", message="</details><script>`|"),),
        result="error",
    )
    text = markdown(found)
    tokens = PARSER.parse(text)
    assert [token.content for token in tokens if token.type == "fence"][1].count("+</details>") == 1
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert not [token for token in tokens if token.type == "html_block" and "<script>" in token.content]
    assert_closed(text)


PINGS = re.compile(r"@\w|#\d|GH-\d|\b[0-9a-f]{7,40}\b|https?://", re.IGNORECASE)


def test_b30_no_pings_and_no_cross_references() -> None:
    nasty = "@org/team #12 GH-12 repo#1 0123456789abcdef0123456789abcdef01234567 https://github.com/o/r/issues/1"
    found = report(
        "plan",
        obj(
            f"m//v1/ConfigMap/ns/{nasty.split(maxsplit=1)[0].replace('/', '-')} #12",
            "conflict",
            "conflict",
            fields=(field("a", "conflict", recorded=nasty, desired=nasty + "1", owner=owner("@org/team"), note=nasty),),
            notes=(nasty,),
        ),
        errors=(ErrorLine(code="x", message=nasty),),
        warnings=(ErrorLine(code="x", message=nasty),),
        hidden=(Hidden(rule=nasty, key=nasty, path=nasty, reason=nasty),),
        result="error",
    )
    for text in (markdown(found, Options(header=nasty)), markdown(found, Options(header=nasty, limit=1_200))):
        assert not [words for words in outside_of_code(text) if PINGS.search(words)]


def test_b34_an_empty_report_says_what_was_checked() -> None:
    text = markdown(report("plan"))
    assert text == "## Tazuna plan: no changes\n\nfile `tazuna.yaml`\n\nNo changes detected. 0 of 0 objects checked.\n"
    assert markdown(Reports(reports=())).strip()


def test_b38_a_changed_field_of_ours_shows_with_its_owner() -> None:
    change = field("spec.replicas", "drifted", recorded=2, live=5, owner=owner())
    text = markdown(
        report("state drift", obj("m/apps/v1/Deployment/ns/web", "live-drifted", "drifted", fields=(change,)))
    )
    assert "- `spec.replicas`: `2` → `5` · by manager `kubectl-edit`, 2026-11-30T03:12:44Z\n" in text


def test_b39_hidden_changes_are_counted_by_rule() -> None:
    text = markdown(report("plan", hidden=(Hidden(rule="x", key="k", path="p"),)))
    assert "1 change hidden by rule `x`" in text


def test_b63_the_heading_has_the_counts() -> None:
    found = report(
        "plan",
        config_map("c", "a", "b"),
        obj("m//v1/ConfigMap/ns/d", "live-drifted", "drifted"),
        errors=(ErrorLine(code="x", message="y"),),  # type: ignore[arg-type]
    )
    assert markdown(found).splitlines()[0] == "## Tazuna plan: 1 drifted, 1 changed, 1 error"
    both = Reports(reports=(found, report("plan", config_map("c", "a", "b"))))  # type: ignore[arg-type]
    assert markdown(both).splitlines()[0] == "## Tazuna report: 1 drifted, 2 changed, 1 error"


def test_b64_header_text_is_words_above_the_table() -> None:
    header = "Nightly run\n<!-- tazuna-action {} -->\n```\n<details>"
    text = markdown(report("plan", config_map("c", "a", "b")), Options(header=header))  # type: ignore[arg-type]
    assert "<!--" not in text
    assert text.index("Nightly run") < text.index("| Manifest")
    assert_closed(text)
    assert len(markdown(report("plan"), Options(header="x y " * 90_000, limit=5_000)).encode()) <= 5_000


def test_b65_only_the_unhidden_field_is_drift() -> None:
    key = "m/apps/v1/Deployment/ns/web"
    change = field("spec.x", "drifted", recorded="a", live="b")
    hidden = (Hidden(rule="autoscaler", key=key, path="spec.replicas", reason="owned by HPA web"),)
    text = markdown(report("state drift", obj(key, "live-drifted", "drifted", fields=(change,)), hidden=hidden))
    assert "- `spec.replicas`: hidden by rule `autoscaler`" in text
    assert "1 field</summary>" in text


def test_conflicts_stand_on_top_with_three_sides() -> None:
    change = field("spec.x", "conflict", recorded="a", desired="b", live="c", owner=owner(), on_merge="reverted")
    found = report(
        "plan",
        config_map("c", "a", "b", "a-first"),
        obj("z//v1/ConfigMap/ns/z", "conflict", "conflict", fields=(change,)),
    )  # type: ignore[arg-type]
    text = markdown(found)
    assert text.index("### Conflicts") < text.index("### `a-first`")
    assert "  - recorded: `a`\n  - desired: `b`\n  - live: `c`\n" in text
