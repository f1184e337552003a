"""The tazuna.yaml that `init` writes: the least that a repository starts from, with comments in the user's language."""

from __future__ import annotations

from tazuna_core.report.catalogue import Lang, say

FIRST_PATH = "./app"

_FILE = """\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  # {version}
  minimumSupportedTazunaVersion: "{line}"
  # {manifests}
  manifests:
    - name: app
      type: kustomize
      path: {path}
  # {includes}
  #   - name: infra
  #     includes:
  #       - path: ./infra/tazuna.yaml
"""


def first_file(lang: Lang, line: str) -> str:
    """Returns the file. ``line`` is the line of Tazuna that this program implements."""
    return _FILE.format(
        line=line,
        path=FIRST_PATH,
        version=say(lang, "init.version"),
        manifests=say(lang, "init.manifests"),
        includes=say(lang, "init.includes"),
    )


def next_step(lang: Lang) -> str:
    """Returns what to do after `init`."""
    return say(lang, "init.next", path=FIRST_PATH)
