"""A stand-in for 1Password's `op`: items in a folder, answers as the real program was recorded to give them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """#!{python}
import json, pathlib, sys
vault = pathlib.Path({folder!r})
arguments = sys.argv[1:]
with (vault.parent / "log").open("a") as log:
    log.write(json.dumps(arguments) + "\\n")
options = {{name: value for name, value in zip(arguments, arguments[1:]) if name.startswith("--")}}
if options.get("--vault") != "Platform":
    sys.exit(f'[ERROR] 2026/11/30 00:00:00 "{{options.get("--vault")}}" isn\\'t a vault in this account.')
if arguments[:2] == ["item", "list"]:
    print(json.dumps([{{"id": path.stem, "title": path.stem, "category": "LOGIN"}} for path in vault.iterdir()]))
elif arguments[:2] == ["item", "create"]:
    item = json.load(sys.stdin)
    for number, field in enumerate(item["fields"]):
        field.setdefault("id", f"field{{number}}")
    (vault / f"{{options['--title']}}.json").write_text(json.dumps(item))
    print(json.dumps(item))
else:
    path = vault / f"{{arguments[2]}}.json"
    if not path.exists():
        sys.exit(f'[ERROR] 2026/11/30 00:00:00 "{{arguments[2]}}" isn\\'t an item in the "Platform" vault.')
    print(path.read_text())
"""


class FakeOp:
    """The program in ``bin``, to be put on PATH, and what it was asked; its one vault is `Platform`."""

    def __init__(self, folder: Path) -> None:
        self.bin, self._vault, self._log = folder / "bin", folder / "vault", folder / "log"
        for made in (self.bin, self._vault):
            made.mkdir(parents=True)
        program = self.bin / "op"
        program.write_text(_PROGRAM.format(python=sys.executable, folder=str(self._vault)))
        program.chmod(0o755)

    def put(self, title: str, **values: str) -> None:
        """Adds an item with a field for each value."""
        fields = [{"id": f"id-{label}", "label": label, "value": value} for label, value in values.items()]
        (self._vault / f"{title}.json").write_text(json.dumps({"title": title, "fields": fields}))

    def item(self, title: str) -> Any:
        """An item as it is kept, None where there is none."""
        path = self._vault / f"{title}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def calls(self) -> list[list[str]]:
        """The arguments of each call."""
        return [json.loads(line) for line in self._log.read_text().splitlines()] if self._log.exists() else []
