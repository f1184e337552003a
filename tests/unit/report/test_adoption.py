"""What `adopt` says, in every form and both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from jsonschema import Draft7Validator

from tazuna_core.operations import adopt, adopt_choice
from tazuna_core.report.json_schema import report_schema
from tazuna_core.report.model import AdoptedFile, Adoption, ErrorLine, LeftAlone, Report, load_report
from tazuna_core.report.phrases import in_japanese
from tazuna_core.report.render import Form, render
from tests.unit.report.examples import field, obj, report

KEY = "m/apps/v1/Deployment/ns/web"
DIFF = "--- a/web.yaml\n+++ b/web.yaml\n@@ -1 +1 @@\n-  replicas: 2   # <b>\n+  replicas: 5   # <b>\n"
SECRET = LeftAlone(
    key="m//v1/Secret/ns/s",
    reason="secret",
    message="changes of Secrets are not adopted",
    advice="Apply first.",
)


def adopted(**more: object) -> Report:
    changed = obj(KEY, "live-drifted", "drifted", fields=(field("spec.replicas", "drifted", recorded=2, live=5),))
    files = (AdoptedFile(path="web.yaml", keys=(KEY,), diff=DIFF),)
    adoption = Adoption.model_validate({"objects": 1, "fields": 1, "files": files, "left": (SECRET,), **more})
    return report("state drift", changed).model_copy(update={"command": "adopt", "adoption": adoption})


def test_text_holds_the_difference_as_it_is() -> None:
    text = render(adopted())
    assert DIFF in text
    assert "1 field of 1 object can be adopted by changing 1 file; --write puts it in place.\nLeft alone:\n" in text
    assert "  m//v1/Secret/ns/s: changes of Secrets are not adopted\n    Apply first.\n" in text
    assert "adopted in 1 file. Commit the change" in render(adopted(written=True))
    assert "adopted in 1 file. Then `tazuna apply --sync`.\n" in render(adopted(written=True, git=False))
    new = (AdoptedFile(path="top/adopted-a.yaml", created=True, keys=(KEY,), diff=DIFF),)
    assert "(`git add` them: top/adopted-a.yaml), then" in render(adopted(written=True, files=new))
    assert "`git add` し (top/adopted-a.yaml)" in render(adopted(written=True, files=new), lang="ja")
    assert "Commit" not in render(adopted(files=(), already=2, git=False))
    assert "Nothing to adopt.\n" in render(adopted(files=()))
    assert "Nothing to adopt: the repository says it already, in 2 fields." in render(adopted(files=(), already=2))


def test_what_is_refused_is_an_error_and_not_said_twice() -> None:
    refused = adopted(left=(SECRET.model_copy(update={"refused": True}),))
    line = ErrorLine(code="secret", message=f"cannot adopt {SECRET.key}: {SECRET.message}", exit_code=5)
    text = render(refused.model_copy(update={"errors": (line,)}))
    none = render(refused.model_copy(update={"errors": (line,), "adoption": Adoption(already=1)}))
    assert "Nothing to adopt" not in none and "Nothing was adopted, for the reason that the error says.\n" in none
    assert "Left alone" not in text and text.count("changes of Secrets") == 1
    assert "Secret の変更は取り込みません" in render(refused.model_copy(update={"errors": (line,)}), lang="ja")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_the_other_forms(form: Form) -> None:
    text = render(adopted(), form)
    assert "can be adopted" in text and "changes of Secrets" in text
    assert ("  replicas: 5   # &lt;b&gt;" if form == "html" else "+  replicas: 5   # <b>") in text
    japanese = render(adopted(), form, "ja")
    assert "取り込めます" in japanese and "Secret の変更は取り込みません" in japanese and "先に適用" in japanese


def test_json_fits_its_schema_and_comes_back() -> None:
    text = render(adopted(), "json", "ja")
    assert list(Draft7Validator(report_schema()).iter_errors(json.loads(text))) == []
    assert load_report(text.encode()) == adopted()
    assert "adoption" not in json.loads(render(report("plan"), "json"))


def sentences() -> Iterator[str]:
    """Why something is left alone and what to do instead, names filled in."""
    for module in (adopt, adopt_choice):
        for value in vars(module).values():
            if isinstance(value, tuple) and len(value) == 3 and all(isinstance(part, str) for part in value):
                yield from (part.format(key="KEY") for part in value[1:])
    yield from adopt_choice._OF_THE_CLUSTER.values()


def test_every_reason_has_its_japanese() -> None:
    found = list(sentences())
    assert len(found) > 14
    assert not [one for one in found if in_japanese(one) == one]
