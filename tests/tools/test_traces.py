"""What traces say of real programs that a build runs: that they ran and how they ended, never with what."""

from __future__ import annotations

import json
from pathlib import Path

from tests.harness.otlp import receiver
from tests.harness.tazuna import Tazuna
from tests.tools.building import write_files
from tests.tools.conftest import OnPath

SNAPSHOT = Path(__file__).resolve().parents[2] / "examples/gitops-lab/cluster.json"
VALUE = "hunter2-in-a-value"
CHART = {
    "hf/chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "hf/chart/templates/secret.yaml": """
{{- if .Values.broken }}{{ fail (printf "the password is %s" .Values.password) }}{{ end }}
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: {{ .Values.password }}}
""",
}
HELMFILE = """
releases:
  - {name: shop, chart: ./chart, values: [{password: "{{ .Values.password }}", broken: {{ .Values.broken }}}]}
"""


def test_a_program_is_named_with_its_exit_code_and_nothing_else(on_path: OnPath, tmp_path: Path) -> None:
    on_path("helm", "kustomize")
    manifests = [
        {"name": "web", "type": "kustomize", "path": "k"},
        *(
            {
                "name": name,
                "type": "helmfile",
                "path": "hf",
                "helmfile": {
                    "vars": {
                        "password": {"from": "static", "static": VALUE},
                        "broken": {"from": "static", "static": broken},
                    }
                },
            }
            for name, broken in (("good", "false"), ("bad", "true"))
        ),
    ]
    write_files(
        tmp_path,
        {
            **CHART,
            "hf/helmfile.yaml.gotmpl": HELMFILE,
            "k/kustomization.yaml": f"secretGenerator: [{{name: g, literals: [password={VALUE}]}}]\n",
            "tazuna.yaml": json.dumps({"spec": {"manifests": manifests}}),
        },
    )
    with receiver() as received:
        ran = Tazuna(tmp_path)("build", "--cluster", f"snapshot:{SNAPSHOT}", f"--otlp-endpoint={received.endpoint}")
    assert ran.code == 3, ran.stderr
    asked = received.of("run kustomize")
    assert {tuple(received.above(span)) for span in asked} == {("build web", "tazuna build")}
    ended = {
        received.above(span)[0]: (span.attributes["process.executable.name"], span.attributes["process.exit.code"])
        for span in received.of("run helm")
        if span.error or received.above(span)[0] == "build good"
    }
    assert ended == {"build good": ("helm", 0), "build bad": ("helm", 1)}
    failed = {span.name: span.error for span in received.spans if span.error}
    assert {name: failed[name] for name in ("build bad", "tazuna build")} == {
        "build bad": received.one("build bad").attributes["error.type"],
        "tazuna build": "exit code 3",
    }
    assert "build good" not in failed
    assert VALUE.encode() not in b"".join(received.raw)
