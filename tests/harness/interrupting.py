"""Ends runs of `tazuna apply` at random moments, and says whether what they leave is whole."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

from tests.harness.cluster import LocalCluster
from tests.harness.tazuna import Tazuna


@dataclass
class Kills:
    """What came of killing runs: how many died in the middle, and how many had ended before."""

    seed: int
    killed: int = 0
    ended: int = 0
    moments: list[float] = field(default_factory=list)


def kill_at_random(tazuna: Tazuna, seconds: float, chance: random.Random, kills: Kills) -> int:
    """Starts an apply and ends it after a random part of ``seconds``; every fourth time by SIGTERM. The exit code."""
    running = tazuna.start("apply", "--break-lock", "--no-wait")
    moment = chance.uniform(0.0, seconds)
    number = signal.SIGTERM if chance.random() < 0.25 else signal.SIGKILL
    try:
        running.communicate(timeout=moment)
        kills.ended += 1
    except subprocess.TimeoutExpired:
        running.send_signal(number)
        running.communicate()
        kills.killed += 1
        kills.moments.append(round(moment, 2))
    return int(running.returncode)


def torn(cluster: LocalCluster) -> list[str]:
    """Returns what is wrong with the stored states: an entry that is no whole hash, a record that cannot be read."""
    from tazuna_core.state.record import decode_record, parse_shard_name, parts_of

    listed = cluster.request("GET", "/api/v1/namespaces/tazuna/configmaps")
    maps: dict[str, Any] = {one["metadata"]["name"]: one for one in listed.body.get("items", [])}
    wrong = []
    for name, config_map in maps.items():
        if name.startswith("tazuna-state-"):
            for key, value in (config_map.get("data") or {}).items():
                entry = orjson.loads(value)
                whole = (
                    set(entry) == {"gitCommitHash", "lastSyncedAt"}
                    if key == "_metadata"
                    else len(entry.get("contentHash", "")) == 64
                )
                if not whole:
                    wrong.append(f"{name}: {key}: {value}")
        parsed = parse_shard_name(name)
        if parsed and parsed[1] == 0:
            numbers = [0, *parts_of(config_map)]
            try:
                decode_record({n: maps[f"tazuna-record-{parsed[0]}.{n}"] for n in numbers})
            except (KeyError, ValueError) as error:
                wrong.append(f"{name}: {error!r}")
    return wrong


class Cutter:
    """A way to the API server that can be cut: connections break, new ones are refused. A context manager."""

    def __init__(self, server: str) -> None:
        host, _, port = server.removeprefix("https://").partition(":")
        self._target = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._cut = threading.Event()
        self._flowing = threading.Event()
        self._flowing.set()
        self.address = f"https://127.0.0.1:{self._listening.getsockname()[1]}"

    def __enter__(self) -> Cutter:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()

    def cut(self) -> None:
        """Breaks everything, for good."""
        self._cut.set()
        self._flowing.set()
        self._listening.close()
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def hold(self) -> None:
        """Keeps everything back that is sent from now on; connections stay open."""
        self._flowing.clear()

    def release(self) -> None:
        """Lets all go on that was held."""
        self._flowing.set()

    def kubeconfig(self, original: Path, folder: Path) -> Path:
        """A kubeconfig that goes this way."""
        config = orjson.loads(original.read_bytes())
        config["clusters"][0]["cluster"]["server"] = self.address
        path = folder / f"kubeconfig-{self.address.rpartition(':')[2]}"
        path.write_bytes(orjson.dumps(config))
        return path

    def _accept(self) -> None:
        while not self._cut.is_set():
            try:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._target)
            except OSError:
                return
            self._open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self._flowing.wait()
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def until(condition: Any, seconds: float = 60.0) -> None:
    """Waits until something is so. Raises AssertionError when it does not come to that."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)
