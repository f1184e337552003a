"""`check`: tazuna.yaml and the files beside it, without a cluster."""

from __future__ import annotations

from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import assemble
from tazuna_core.report.model import Report
from tazuna_core.spec.check import check_spec


def check(options: Options) -> Report:
    """Returns a report whose errors are what is wrong; none means that the files can be used."""
    session = Session(options)
    findings = session.findings("check", ())
    findings.warn(session.spec.notices)
    for error in check_spec(session.spec):
        findings.fail(error)
    _ = session.drift_file
    return assemble(findings)
