"""Both languages say the same."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import tazuna_core.report
from tazuna_core.report.catalogue import LANGUAGES, say
from tazuna_core.report.sentences import SENTENCES
from tazuna_core.report.views import STATUSES


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.mark.parametrize("key", SENTENCES)
def test_every_sentence_has_the_same_placeholders_in_both_languages(key: str) -> None:
    english, japanese = SENTENCES[key]
    assert english
    assert japanese
    assert placeholders(english) == placeholders(japanese)


def test_numbers_inflect() -> None:
    assert say("en", "field.count", n=1) == "1 field"
    assert say("en", "field.count", n=1204) == "1,204 fields"
    assert say("ja", "field.count", n=1204) == "1,204 フィールド"


def test_every_status_has_a_word() -> None:
    assert all(say(lang, f"status.{status}") for lang in LANGUAGES for status in STATUSES)


def test_every_key_in_use_exists_and_every_sentence_is_used() -> None:
    folder = Path(tazuna_core.report.__file__).parent
    sources = [path for path in folder.rglob("*") if path.suffix in (".py", ".j2") and path.name != "sentences.py"]
    code = "\n".join(path.read_text() for path in sources)
    used = set(re.findall(r"""say\((?:lang|"en"|self\.lang|options\.lang), ?["']([a-z.-]+)["']""", code))
    used |= set(re.findall(r"""say\(["']([a-z-]+\.[a-z.-]+)["']""", code))  # templates
    assert used <= set(SENTENCES)
    families = set(re.findall(r"""["']([a-z]+(?:\.[a-z]+)*)\.\{""", code))
    unused = [
        key
        for key in SENTENCES
        if key.rpartition(".")[0] not in families and not re.search(f"[\"']{re.escape(key)}[\"']", code)
    ]
    assert not unused
