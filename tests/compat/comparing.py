"""Our answer to a question of the oracle, and the only reasons for which it may be another than Go's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tazuna_core.errors import InvalidObjectError, TazunaError
from tazuna_core.objects.canonical import content_hash
from tazuna_core.objects.identity import StateKey
from tazuna_core.objects.yaml_documents import Documents, load_documents
from tazuna_core.objects.yaml_failures import TEXT_AFTER_DOCUMENT
from tazuna_core.objects.yaml_resolver import resolve_plain
from tests.compat.oracle import Answer, Question

ON_PURPOSE = {
    "text after the document": "Go reads one document a chunk and loses the rest silently (verdicts, 8.4)",
    "lost object": "a repeated apiVersion, kind or metadata loses an object in Go silently (C67)",
    "unfolds too far": "our limit on what aliases unfold to; Go would take the memory",
    "nested too deeply": "libyaml and we stop far below Go's 10,000 levels, far above what Kubernetes objects have",
    "byte order mark inside": "Go takes it for a part of a key, and loses the object silently",
    "tag and comma": "Go takes a comma or bracket after a tag for a part of the tag",
    "question mark": "Go ends an unquoted text in [] or {} at '?', and then sometimes reads on",
    "colon in flow": "libyaml refuses an unquoted ':' at an end of a text in [] or {}, which Go reads",
    "unread": "Go does not look at values that a repeated key replaces, at separator lines, or behind a document's end",
    "nothing found": "we refuse a key that is a collection, where Go ends the document, finds no object and is silent",
    "short rest": "Go's decoder gives up when fewer than four bytes follow a JSON object",
    "float tie": "the key 2**-12 lies between two float32 texts; Go 1.26 takes the larger, we the even one",
    "keys collide": "keys of different types that become one string: Go takes whichever its map yields last, at random",
}
"""Each difference that is no mistake, and why."""

_UNREAD = ("infinity and NaN", "be a key in JSON", "control character", "valid UTF-8")


def difference(question: Question, answer: Answer) -> tuple[str, str]:
    """Returns ("", "") if we answer as Go, (rule, "") if a rule of ON_PURPOSE excuses it, else ("", what differs)."""
    try:
        documents = load_documents(question.text, "f.yaml")
        ours = list(hashes_as_go(documents, question))
    except TazunaError as error:
        if answer.error:
            return "", ""
        rule = _excuse(error, answer) or ("unread" if _is_unread(question, error, answer) else "")
        return (rule, "") if rule else ("", f"we refuse it ({error}), Go reads {answer.objects}")
    if answer.error:
        if answer.error.startswith("json: offset") and len(question.text.rpartition(b"}")[2]) < 4:
            return "short rest", ""
        return "", f"Go refuses it ({answer.error}), we read {documents}"
    if ours == answer.hashes:
        return "", ""
    if b"0.00024414063" in b"".join(text for _, _, text in answer.objects) and "0.00024414062'" in repr(documents):
        return "float tie", ""
    if _keys_collide(documents):
        return "keys collide", ""
    return "", f"we read {documents}, Go reads {answer.objects}"


def hashes_as_go(documents: Documents, question: Question) -> Iterator[tuple[str, str]]:
    """Yields state keys and hashes with lists expanded and nothing validated, as the Go CLI does.

    `objects_of` expands more and refuses more on purpose; that has its own tests.
    """
    first: list[tuple[str, str]] = []
    rest: list[tuple[str, str]] = []
    for written in (each for document in documents.documents for each in _expand_as_go(document.data)):
        metadata = {} if written.get("metadata") is None else written["metadata"]
        if not isinstance(metadata, dict):
            raise InvalidObjectError("metadata is no mapping")
        if question.namespace and metadata.get("namespace") is None:
            metadata = {**metadata, "namespace": question.namespace}
        data = {**written, "metadata": metadata}
        key = StateKey.of(question.manifest, data)
        crd = (key.group, key.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
        (first if crd else rest).append((str(key), content_hash(data)))
    yield from (*first, *rest)


def _expand_as_go(data: dict[str, Any]) -> list[dict[str, Any]]:
    if "kind" not in data:
        return []
    items = data.get("items")
    if data["kind"] != "List" or not isinstance(items, list):
        return [data]
    return [item for item in items if isinstance(item, dict)]


def _excuse(error: TazunaError, answer: Answer) -> str:
    if error.code == TEXT_AFTER_DOCUMENT:
        return "text after the document"
    return next(
        (
            rule
            for part, rule in {
                "so one object would be lost": "lost object",
                "unfolds through its aliases": "unfolds too far",
                "nesting is deeper": "nested too deeply",
                "maximum nesting depth": "nested too deeply",
                "byte order mark": "byte order mark inside",
                "a tag is followed at once": "tag and comma",
                "did not find expected whitespace or line break": "tag and comma",
                "null or a collection": "" if answer.objects else "nothing found",
                "did not find expected tag URI": "tag and comma",
                "an unquoted '?'": "question mark",
                "found unexpected ':'": "colon in flow",
            }.items()
            if part in error.message
        ),
        "",
    )


def _is_unread(question: Question, error: TazunaError, answer: Answer) -> bool:
    """Tells whether Go only never looks at what we refuse: with something harmless in its place we answer as Go."""
    lines = question.text.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    for _ in range(20):
        if _excuse(error, answer):
            return True
        if error.place is None or not any(part in error.message for part in _UNREAD):
            return False
        line = lines[error.place.line - 1]
        column = error.place.column - 1 + line.startswith("\ufeff")  # which columns do not count
        before, after = line[:column], line[column:]
        if "valid UTF-8" in error.message:
            line = re.sub("[\udc80-\udcff]", "x", line)
        elif "control character" in error.message:
            line = before + "x" + after[1:]
        else:
            anchor = re.match(r"&\w+", after)  # of a null key: it must go on naming null
            line = before + (f"0: {anchor[0]}" if anchor else re.sub(r"^[^\s,:\]}]*", "0", after) if after else " 0")
        lines[error.place.line - 1] = line
        try:
            documents = load_documents("\n".join(lines), "f.yaml")
        except TazunaError as another:
            error = another
            continue
        return list(hashes_as_go(documents, question)) == answer.hashes
    return False


def _keys_collide(documents: Documents) -> bool:
    for notice in documents.notices:
        match = re.search(r"repeats the key '(.*?)'( \(written '.*'\))? in one mapping", notice.message, re.DOTALL)
        if match and (match[2] or not isinstance(resolve_plain(match[1]), str)):
            return True
    return False
