"""A real OCI registry on localhost, built from its Go module like the other programs of the tests."""

from __future__ import annotations

import json
import socket
import time
from functools import cache
from pathlib import Path
from types import TracebackType

from tests.harness.build_cache import cached_folder
from tests.harness.go_tools import linker_flags, run_go
from tests.harness.processes import ReservedPort, Server

VERSION = "3.0.0"
USER, PASSWORD = "robot", "s3cret-of-tests"
_HTPASSWD = f"{USER}:$2b$04$gZn9SillRwszIuOxBIiS3.Kosrq.xivBHAf5EnOTLk0JpPLrRX8JG\n"  # bcrypt, the only kind it takes
_START_SECONDS = 20.0


@cache
def registry_program() -> Path:
    """The registry's program; built on first use, in about two minutes."""

    def build(folder: Path) -> None:
        package = f"github.com/distribution/distribution/v3/cmd/registry@v{VERSION}"
        run_go(["install", "-trimpath", linker_flags(()), package], cwd=folder, gobin=folder)

    return cached_folder(f"tools/registry-{VERSION}", build) / "registry"


class Registry:
    """A registry with an empty store in ``folder``; with a password if ``login``, with TLS if given a certificate."""

    def __init__(self, folder: Path, *, login: bool = False, certificate: tuple[Path, Path] | None = None) -> None:
        self.store = folder / "store"
        port = ReservedPort()
        self.host = f"127.0.0.1:{port.number}"
        http: dict[str, object] = {"addr": self.host}
        if certificate:
            http["tls"] = {"certificate": str(certificate[0]), "key": str(certificate[1])}
        config: dict[str, object] = {
            "version": 0.1,
            "log": {"level": "error", "accesslog": {"disabled": False}},
            "storage": {"filesystem": {"rootdirectory": str(self.store)}},
            "http": http,
        }
        if login:
            (folder / "htpasswd").write_text(_HTPASSWD)
            config["auth"] = {"htpasswd": {"realm": "tests", "path": str(folder / "htpasswd")}}
        (folder / "config.yml").write_text(json.dumps(config))
        self._log = folder / "log"
        port.release()
        self._server = Server([registry_program(), "serve", folder / "config.yml"], self._log)
        self._wait(port.number)

    def _wait(self, port: int) -> None:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end and self._server.running():
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(f"the registry did not start:\n{self._server.log_tail()}")

    def requests(self) -> int:
        """How many requests it has answered."""
        return self._log.read_text(errors="replace").count(' HTTP/1.1" ')

    def blob(self, digest: str) -> Path:
        """The file that holds a blob (`sha256:...`)."""
        hexadecimal = digest.removeprefix("sha256:")
        return self.store / "docker/registry/v2/blobs/sha256" / hexadecimal[:2] / hexadecimal / "data"

    def __enter__(self) -> Registry:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.ask_to_stop()
        self._server.wait(5)
