"""Whose comment or issue it is: the identity of a target, and the hidden first line that carries it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

VERSION = 1
_FIRST_LINE = re.compile(r"<!-- tazuna-action (\{.*\}) -->\r?", re.ASCII)
_SLUG = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Marker:
    """What the hidden line says: whose text it is, the commit and run it speaks of, and the digest of its content."""

    id: str
    sha: str
    run: int
    attempt: int
    digest: str

    def line(self) -> str:
        """Returns the line, without its newline. No value can end the HTML comment early."""
        data = {
            "v": VERSION,
            "id": self.id,
            "sha": self.sha,
            "run": self.run,
            "attempt": self.attempt,
            "digest": self.digest,
        }
        return f"<!-- tazuna-action {_inert_json(data)} -->"

    @classmethod
    def read(cls, body: str) -> Marker | None:
        """Reads the first line of ``body``; None when it is no marker of this version (a quoted one never is)."""
        match = _FIRST_LINE.fullmatch(body.partition("\n")[0])
        data = _json_object(match.group(1)) if match else None
        if data is None or data.get("v") != VERSION or not isinstance(data.get("id"), str):
            return None
        return cls(
            id=data["id"],
            sha=str(data.get("sha", "")),
            run=_number(data.get("run")),
            attempt=_number(data.get("attempt")),
            digest=str(data.get("digest", "")),
        )

    def newer_than(self, other: Marker) -> bool:
        """Tells whether this comes from a later run, or a later attempt of the same run."""
        return (self.run, self.attempt) > (other.run, other.attempt)


def target_identity(
    *,
    workflow: str,
    job: str,
    matrix: str,
    files: Sequence[str],
    environment: str,
    tags: Sequence[str],
    context: str,
) -> str:
    """Returns the default identity: equal for the same step of the next run, different for every other leg and target.

    ``matrix`` is the JSON of the leg's matrix values, or empty; ids look like ``plan:5f0c…`` and hold no value.
    """
    parts = [workflow, job, _json_object(matrix), list(files), environment, sorted(tags), context]
    digest = hashlib.sha256(_canonical(parts).encode()).hexdigest()
    return f"{_SLUG.sub('-', job)[:40] or 'job'}:{digest[:20]}"


def content_digest(text: str) -> str:
    """Returns the digest by which two contents are equal."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _inert_json(data: Any) -> str:
    # Inside strings alone can these characters stand where they would end the comment: there JSON may escape them.
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d").replace("&", "\\u0026")


def _canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text) if text else None
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
