"""Manifests whose objects are fetched from a secret provider: listed by name, never compared, no provider called."""

from __future__ import annotations

from tazuna_core.diff.verdicts import ObjectVerdict
from tazuna_core.errors import TazunaError
from tazuna_core.report.assemble import Findings
from tazuna_core.spec.manifest import Manifest


def always_sync_verdicts(manifest: Manifest, findings: Findings) -> list[ObjectVerdict]:
    """Returns ``always-sync`` for each object that a genesissecret manifest names; its errors go to the findings."""
    from tazuna_core.build.genesis_secret import names_only

    try:
        keys = names_only(manifest)
    except TazunaError as error:
        findings.fail(error)
        return []
    return [ObjectVerdict(key, "always-sync", method="hash") for key in keys]
