"""HTML, chat, digest, merge and render."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from tazuna_core.report.chat import chat, chat_event
from tazuna_core.report.digest import digest, drift_fingerprint
from tazuna_core.report.html import html
from tazuna_core.report.merge import merge
from tazuna_core.report.model import Counts, ErrorLine, Report, Reports, Run, dump_report, load_report
from tazuna_core.report.render import render
from tests.unit.report.examples import OLD, field, obj, owner, report


def drift(value: object = 5) -> Report:
    change = field("spec.replicas", "drifted", recorded=2, live=value, owner=owner())
    return report("state drift", obj("m/apps/v1/Deployment/ns/web", "live-drifted", "drifted", fields=(change,)))


class Balance(HTMLParser):
    """Counts what is open; collects everything that would load something."""

    VOID = frozenset({"meta", "input", "br", "wbr", "!doctype"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "action") or (name == "href" and not (value or "").startswith("#")):
                self.loads.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.append(value or "")
            assert name != "style"
            assert not name.startswith("on")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("found", [drift(), report("plan"), Reports(reports=()), Reports(reports=(drift(), drift()))])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_html_is_one_whole_file_without_network(found: Report | Reports, lang: str) -> None:
    text = html(found, lang=lang)  # type: ignore[arg-type]
    balance = Balance()
    balance.feed(text)
    assert not balance.open
    assert not balance.loads
    assert len(balance.ids) == len(set(balance.ids))
    assert "default-src 'none'" in text
    assert "url(" not in text


def test_html_escapes_everything() -> None:
    nasty = "<script>alert(1)</script>\"' onload="
    name = f"m{nasty}".replace("/", "")
    found = obj(f"{name}//v1/ConfigMap/ns/c", "modified", "modified", notes=(nasty,))
    text = html(report("plan", found, errors=(ErrorLine(code="x", message=nasty),), result="error"))
    assert "<script>alert" not in text
    assert text.count("<script>") == 1


def test_html_shows_values_side_by_side() -> None:
    change = field("data.f", recorded="a\nb", desired="a\nc", live="a\nb")
    text = html(report("plan", obj("m//v1/ConfigMap/ns/c", "modified", "modified", fields=(change,))))
    assert '<td class="from">b</td><td class="to">c</td>' in text


def test_b40_equal_plans_have_equal_digests() -> None:
    one = drift()
    other = one.model_copy(update={"warnings": (ErrorLine(code="x", message="y"),), "run": Run(started="later")})
    assert digest(one) == digest(other)
    assert digest(one) != digest(drift(6))
    assert digest(Reports(reports=(one,))) == digest(Reports(reports=(other,)))


def test_b60_the_same_drift_on_two_nights() -> None:
    one = drift()
    target = one.target.model_copy(update={"commit": "b" * 40})
    night = one.model_copy(update={"target": target, "counts": Counts(objects=9, drifted=1)})
    assert drift_fingerprint(one) == drift_fingerprint(night)
    assert digest(one) != digest(night)
    assert chat_event(night, drift_fingerprint(one)) is None


def test_chat_events() -> None:
    clean = report("state drift")
    failed = clean.model_copy(update={"result": "incomplete"})
    before = drift_fingerprint(drift())
    assert chat_event(drift(), None) == "drift"
    assert chat_event(drift(6), before) == "changed"
    assert chat_event(clean, before) == "clear"
    assert chat_event(clean, None) is None
    assert chat_event(failed, before) == "error"


def test_chat_pings_nobody_and_is_grouped_by_manifest() -> None:
    nasty = "<!here> @channel <@U123> & `x`"
    found = report("state drift", obj(f"m/apps/v1/Deployment/ns/{nasty}", "live-drifted", "drifted"),
                   errors=(ErrorLine(code="x", message=nasty),), result="error")  # fmt: skip
    payload = json.dumps(chat(found, "error", link="https://ghe.example/run/1"), ensure_ascii=False)
    assert "<!here>" not in payload
    assert "<@" not in payload
    assert not re.search(r"@\w", payload)
    assert "<https://ghe.example/run/1|Full report>" in payload
    assert "• `m`: drifted" in payload


def test_chat_stays_short() -> None:
    many = [
        obj(f"m{n}//v1/ConfigMap/ns/{'x' * 200}{k}", "live-missing", "missing") for n in range(40) for k in range(20)
    ]
    payload = chat(report("state drift", *many), "drift")
    assert len(payload["blocks"]) <= 50
    assert all(len(block["text"]["text"]) <= 3_000 for block in payload["blocks"])


def test_merge_keeps_order_and_drops_repetitions() -> None:
    one, other = drift(), report("plan")
    assert merge([one, Reports(reports=(other, one))]).reports == (one, other)


def test_render_again_from_json_is_the_same() -> None:
    found = drift()
    again = load_report(dump_report(found))
    for form in ("text", "json", "markdown", "html"):
        assert render(again, form) == render(found, form)  # type: ignore[arg-type]


def test_json_hides_hashes_of_secrets_too() -> None:
    found = report("state drift", obj("m//v1/Secret/ns/s", "live-drifted", "drifted"))
    assert OLD not in render(found, "json")
    assert OLD in render(found, "json", show_secret_hashes=True)
