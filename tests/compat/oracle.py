"""The Go oracle: what the Go libraries of Kubernetes answer for a text, from one process that is asked in batches."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from tests.harness.build_cache import cached_folder
from tests.harness.go_tools import run_go

MODULE = Path(__file__).parent / "oracle"


@dataclass(frozen=True)
class Question:
    """One stream, with the manifest's name and its default namespace."""

    text: bytes
    manifest: str = "m"
    namespace: str = ""


@dataclass(frozen=True)
class Answer:
    """What Go makes of it: (state key, content hash, hashed JSON) of each object in order, or an error."""

    objects: tuple[tuple[str, str, bytes], ...]
    error: str

    @property
    def hashes(self) -> list[tuple[str, str]]:
        return [(key, content_hash) for key, content_hash, _ in self.objects]


@cache
def oracle_program() -> Path:
    """Builds the oracle once per user and source; raises the harness's BuildError when that fails."""
    digest = hashlib.sha256()
    for name in ("main.go", "go.mod", "go.sum"):
        digest.update((MODULE / name).read_bytes())

    def build(folder: Path) -> None:
        run_go(["build", "-trimpath", "-o", str(folder / "oracle"), "."], cwd=MODULE)

    return cached_folder(f"oracle/{digest.hexdigest()[:16]}", build) / "oracle"


def ask(questions: Sequence[Question]) -> list[Answer]:
    """Returns the answers to ``questions`` in order, from one run of the oracle."""
    with subprocess.Popen([oracle_program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        # Written beside reading: both pipes would fill up and each side wait for the other.
        writer = threading.Thread(target=_write, args=(process.stdin, questions))
        writer.start()
        answers = [_answer(line) for line in process.stdout]
        writer.join()
    assert process.returncode == 0 and len(answers) == len(questions)
    return answers


def _write(pipe: IO[bytes], questions: Iterable[Question]) -> None:
    with pipe:
        for question in questions:
            asked = {
                "text": base64.b64encode(question.text).decode(),
                "manifest": question.manifest,
                "namespace": question.namespace,
            }
            pipe.write(json.dumps(asked).encode() + b"\n")


def _answer(line: bytes) -> Answer:
    answer = json.loads(line)
    objects = tuple((o["key"], o["hash"], base64.b64decode(o["json"])) for o in answer["objects"] or ())
    return Answer(objects, answer.get("error", ""))
