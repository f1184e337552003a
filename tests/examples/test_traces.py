"""Traces of the lab's commands, sent by the real program to a real receiver; and of receivers that are none."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import grpc
import pytest

from tests.harness.certificates import Authority
from tests.harness.otlp import Received, receiver
from tests.harness.tazuna import Ran, Tazuna

LAB = Path(__file__).resolve().parents[2] / "examples/gitops-lab"
OFFLINE = ("--state", "dir:state", "--cluster", "snapshot:cluster.json")
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return Path(shutil.copytree(LAB, tmp_path / "lab"))


@pytest.fixture
def received() -> Iterator[Received]:
    with receiver() as running:
        yield running


def run(lab: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Ran:
    return Tazuna(lab, environment=environment or {})(*arguments, *OFFLINE)


def test_one_trace_tells_of_one_command(lab: Path, received: Received) -> None:
    plain = run(lab, "plan", "--fail-on-drift")
    traced = run(lab, "plan", "--fail-on-drift", f"--otlp-endpoint={received.endpoint}")
    assert traced == plain
    root = received.root()
    assert (root.name, root.error, root.kind) == ("tazuna plan", None, "internal")
    expected = {
        "tazuna.command": "plan",
        "tazuna.file": "tazuna.yaml",
        "tazuna.result": "drifted",
        "tazuna.count.objects": 3,
        "tazuna.count.drifted": 2,
        "tazuna.count.missing": 0,
        "process.exit.code": 1,
    }
    assert expected.items() <= root.attributes.items()
    built = received.one("build web")
    assert built.attributes == {"tazuna.manifest.type": "directory", "tazuna.objects": 3}
    for step in ("load tazuna.yaml", "build web", "read state", "read cluster", "compare web"):
        assert received.above(received.one(step)) == ["tazuna plan"], step
    assert {span.trace_id for span in received.spans} == {root.trace_id}
    assert received.resources[0]["service.name"] == "tazuna"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("state", "list"), "tazuna state list"),
        (("--lang", "ja", "status"), "tazuna status"),
        (("version",), "tazuna version"),
    ],
)
def test_every_command_has_a_trace_that_bears_its_name(
    lab: Path, received: Received, command: tuple[str, ...], name: str
) -> None:
    run(lab, *command, "--otlp-endpoint", received.endpoint)
    assert received.root().name == name


def test_what_fails_says_so_by_its_code_alone(lab: Path, received: Received) -> None:
    (lab / "apps/web/broken.yaml").write_text("kind: Secret\nstringData: {password: tr0ub4dor-in-broken-yaml\n")
    assert run(lab, "plan", f"--otlp-endpoint={received.endpoint}").code == 3
    built, root = received.one("build web"), received.root()
    assert built.error == built.attributes["error.type"] == root.attributes["tazuna.errors"][0]
    assert (root.error, root.attributes["process.exit.code"]) == ("exit code 3", 3)
    assert b"tr0ub4dor" not in b"".join(received.raw)


def test_a_command_that_never_began_is_traced_as_well(lab: Path, received: Received) -> None:
    assert run(lab, "plan", "-f", "nothing.yaml", "--otlp-endpoint", received.endpoint).code == 2
    assert received.root().error == "exit code 2"


def test_the_environment_of_opentelemetry_counts(lab: Path, received: Received) -> None:
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{received.endpoint}",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20b34r3r",
        "OTEL_SERVICE_NAME": "nightly-drift",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=prod,service.version=as-said",
        "TRACEPARENT": f"00-{TRACE}-{PARENT}-01",
        "TRACESTATE": "vendor=1",
    }
    assert run(lab, "state", "drift", environment=environment).code == 0
    root = received.root()
    assert (root.trace_id, root.parent_id) == (TRACE, PARENT)
    named = {"service.name": "nightly-drift", "deployment.environment.name": "prod", "service.version": "as-said"}
    assert named.items() <= received.resources[0].items()
    # where it was meant to be, and nowhere else
    assert received.headers[0]["authorization"] == "Bearer b34r3r"
    assert b"b34r3r" not in b"".join(received.raw)


def test_a_parent_that_is_not_sampled_is_obeyed(lab: Path, received: Received) -> None:
    environment = {"TRACEPARENT": f"00-{TRACE}-{PARENT}-00"}
    assert run(lab, "state", "drift", "--otlp-endpoint", received.endpoint, environment=environment).code == 0
    assert received.spans == []


def test_a_flag_goes_before_the_environment(lab: Path, received: Received) -> None:
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
    ran = run(lab, "state", "drift", "--otlp-endpoint", received.endpoint, environment=environment)
    assert (ran.code, ran.stderr) == (0, "")
    assert received.root().name == "tazuna state drift"


@pytest.mark.parametrize(
    "environment",
    [
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:p4ssw0rd@127.0.0.1:1"},
    ],
    ids=lambda environment: next(iter(environment)),
)
def test_an_environment_that_cannot_be_followed_stops_nothing(
    lab: Path, received: Received, environment: Mapping[str, str]
) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{received.endpoint}", **environment}
    plain = run(lab, "state", "drift")
    assert run(lab, "state", "drift", environment=variables) == plain
    assert received.spans == []
    told = run(lab, "state", "drift", "-l", "info", environment=variables).stderr
    assert "p4ssw0rd" not in told


@pytest.mark.parametrize(
    "flags",
    [
        ("--otlp-endpoint=a b",),
        ("--otlp-endpoint", "u:p4ssw0rd@h:1"),
        ("--otlp-endpoint=",),
        ("--otlp-endpoint=nonsense",),
        ("--otlp-endpoint=https://collector",),
        ("--otlp-endpoint=host:99999",),
        ("--otlp-endpoint=host:0",),
    ],
)
def test_an_endpoint_that_is_none_is_an_error_which_does_not_quote_it(lab: Path, flags: tuple[str, ...]) -> None:
    ran = run(lab, "state", "drift", *flags)
    assert (ran.code, ran.stdout) == (2, "")
    assert "--otlp-endpoint is not HOST:PORT" in ran.stderr
    assert "p4ssw0rd" not in ran.stderr


def test_a_receiver_that_is_not_there_changes_no_result(lab: Path) -> None:
    plain = run(lab, "state", "drift", "--fail-on-drift")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody listens
        ran = run(lab, "state", "drift", "--fail-on-drift", f"--otlp-endpoint=127.0.0.1:{closed.getsockname()[1]}")
    assert (ran.code, ran.stdout) == (1, plain.stdout)
    assert ran.stderr == "tazuna: the trace of this command could not be sent, or not all of it: UNAVAILABLE\n"


def test_a_receiver_that_never_answers_is_not_waited_for(lab: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"--otlp-endpoint=127.0.0.1:{silent.getsockname()[1]}"
        tazuna = Tazuna(lab, environment={"OTEL_EXPORTER_OTLP_TIMEOUT": "86400"})
        process = tazuna.start("state", "drift", endpoint, *OFFLINE)
        stdout, stderr = process.communicate(timeout=600)  # by its own limit it would wait for a day
    assert process.returncode == 0
    assert stdout == run(lab, "state", "drift").stdout
    assert "no answer within 2 s" in stderr


BLOCKER = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"opentelemetry", "grpc"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""


def test_without_the_extra_a_flag_is_an_error_and_the_environment_is_not(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    without = {"PYTHONPATH": str(tmp_path)}
    ran = run(lab, "state", "drift", "--otlp-endpoint=localhost:4317", environment=without)
    assert (ran.code, ran.stdout) == (2, "")
    assert "pip install 'tazuna-core[otlp]'" in ran.stderr
    plain = run(lab, "state", "drift", environment=without)
    by_environment = {**without, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317"}
    assert (plain.code, run(lab, "state", "drift", environment=by_environment)) == (0, plain)
    told = run(lab, "state", "drift", "-l", "info", environment=by_environment)
    assert "tazuna-core[otlp]" in told.stderr


def test_tls_is_on_where_the_flag_says_so(lab: Path, tmp_path: Path) -> None:
    authority = Authority("collectors")
    (tmp_path / "authority.crt").write_bytes(authority.certificate)
    pair = authority.server(["localhost"], ["127.0.0.1"])
    credentials = grpc.ssl_server_credentials([(pair.key, pair.certificate)])
    with receiver(credentials) as received:
        flags = (f"--otlp-endpoint=localhost:{received.endpoint.rpartition(':')[2]}", "--otlp-insecure=false")
        environment = {"OTEL_EXPORTER_OTLP_CERTIFICATE": str(tmp_path / "authority.crt")}
        assert run(lab, "state", "drift", *flags, environment=environment).stderr == ""
        assert received.root().name == "tazuna state drift"
        received.spans.clear()
        # a certificate of an unknown authority, and plain text to a port that wants TLS
        for arguments in (flags, flags[:1]):
            ran = run(lab, "state", "drift", *arguments)
            assert ran.code == 0
            assert "UNAVAILABLE" in ran.stderr
        assert received.spans == []
