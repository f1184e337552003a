"""`check`: tazuna.yaml, the files beside it and what its manifests build, without a cluster."""

from __future__ import annotations

from tazuna_core.errors import TazunaError, UsageError
from tazuna_core.lint.model import ADVICE, Finding
from tazuna_core.lint.switch_off import SwitchOff
from tazuna_core.operations.lint import lint
from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.assemble import Findings, assemble
from tazuna_core.report.failed import failure_report
from tazuna_core.report.model import Counts, Coverage, ErrorLine, Hidden, Report, Target
from tazuna_core.spec.check import check_spec


def check(options: Options, *, strict: bool = False, fix: bool = False) -> Report:
    """Returns the report of a check; ``fix`` mends the files first, and says in ``fixed`` what it did.

    Raises TazunaError where the files cannot be read at all; not with ``fix``, which may have changed some by then.
    """
    if not fix:
        return _check(options, strict=strict)
    from tazuna_core.operations.fix_files import fix_files

    try:
        fixed = fix_files(options.file, options.environment)
    except TazunaError as error:
        return failure_report("check", _target(options), error)
    try:
        report = _check(options, strict=strict)
    except TazunaError as error:
        report = failure_report("check", _target(options), error)
    return report.model_copy(update={"fixed": fixed})


def _target(options: Options) -> Target:
    return Target(file=str(options.file), environment=options.environment)


def _check(options: Options, *, strict: bool) -> Report:
    """Returns a report whose errors are what is wrong, and whose warnings are what lints found; ``strict`` makes
    these errors too, and what could not be linted.

    Without ``strict`` nothing is fetched, unless ``no_cache`` asks for that.
    """
    session = Session(options)
    findings = session.findings("check", ())
    findings.warn(session.spec.notices)
    for error in check_spec(session.spec):
        findings.fail(error)
    _ = session.drift_file
    fetch = (strict or options.no_cache) and not options.offline
    linted = lint(session, fetch=fetch)
    findings.warn(linted.notices)
    for error in linted.errors:
        findings.fail(error)
    for error in linted.not_linted:
        _tell_not_linted(error, findings, strict=strict)
    for finding in (*linted.sifted.left, *linted.sifted.wrong):
        (findings.errors if strict else findings.warnings).append(_line(finding, strict=strict))
    report = assemble(findings)
    return report.model_copy(
        update={
            "counts": Counts(objects=linted.objects),
            "coverage": Coverage(expected=linted.objects, checked=linted.objects),
            "hidden": tuple(_hidden(*one) for one in linted.sifted.switched_off),
        }
    )


def _tell_not_linted(error: TazunaError, findings: Findings, *, strict: bool) -> None:
    if strict:
        findings.fail(error)
        return
    line = ErrorLine.of(error)
    findings.warnings.append(
        line.model_copy(update={"code": "not-linted", "message": f"not linted: {line.message}", "exit_code": 0})
    )


def _line(finding: Finding, *, strict: bool) -> ErrorLine:
    return ErrorLine(
        code=finding.lint,
        message=finding.message,
        advice=ADVICE[finding.lint],
        file=finding.place.file,
        line=finding.place.line,
        exit_code=UsageError.exit_code if strict else 0,
    )


def _hidden(finding: Finding, by: SwitchOff) -> Hidden:
    return Hidden(
        rule=finding.lint,
        key=finding.key or finding.message,
        path=f"{finding.place.file}:{finding.place.line}",
        reason=by.reason,
    )
