"""A chart repository on localhost: a folder of charts with helm's index, behind a password where one is wanted."""

from __future__ import annotations

import base64
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path


class _Charts(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object, login: tuple[str, str] | None, seen: list[str], **more: object) -> None:
        self._login, self._seen = login, seen
        super().__init__(*arguments, **more)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self._seen.append(self.path)
        wanted = f"Basic {base64.b64encode(':'.join(self._login or ()).encode()).decode()}"
        if self._login is None or self.headers["Authorization"] == wanted:
            super().do_GET()
        else:
            self.send_error(401)

    def log_message(self, *_: object) -> None:
        return


class ChartRepository:
    """A running repository: its address, and the paths that were asked for."""

    def __init__(self, url: str, seen: list[str]) -> None:
        self.url, self.seen = url, seen


@contextmanager
def chart_repository(folder: Path, login: tuple[str, str] | None = None) -> Iterator[ChartRepository]:
    """Serves ``folder``; ``login`` are the user and password it wants."""
    seen: list[str] = []
    handler = partial(_Charts, directory=str(folder), login=login, seen=seen)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield ChartRepository(f"http://127.0.0.1:{server.server_address[1]}", seen)
    finally:
        server.shutdown()
        server.server_close()
