"""The context guard: whether the kubeconfig context in use is one that tazuna.yaml may be applied to."""

from __future__ import annotations

from tazuna_core.errors import Place, RefusedError
from tazuna_core.spec.check import require_environment
from tazuna_core.spec.load import LoadedSpec
from tazuna_core.spec.models import MatchMode
from tazuna_core.spec.patterns import Match, match


def guard_context(loaded: LoadedSpec, context: str | None) -> None:
    """Lets pass a context that the environment's patterns, else the root's, allow; no patterns allow all.

    `context` is the name of the context actually used, None where there is none (in-cluster credentials without
    TAZUNA_CONTEXT). An environment's patterns replace the root's; an empty mode inherits the root's, then `or`.
    Patterns are RE2 and match the whole name. Raises RefusedError (code `context`), and UsageError where the
    environment is not declared, for its patterns can't be known then.
    """
    require_environment(loaded)
    spec = loaded.spec
    chosen = spec.environments[loaded.environment] if loaded.environment else spec
    patterns = chosen.context_matches
    if not patterns:
        return
    owner = ("spec", "environments", loaded.environment) if loaded.environment else ("spec",)
    places = [loaded.place(*owner, "context_matches", index) for index in range(len(patterns))]
    if context is None:
        raise _refused(
            f"context_matches is set ({_quoted(patterns)}), and there is no kubeconfig context to compare with it",
            "Inside a cluster, set TAZUNA_CONTEXT to the name of the context that this cluster has elsewhere.",
            places[0],
        )
    needs_all = (chosen.context_match_mode or spec.context_match_mode) is MatchMode.AND
    matches = [match(pattern, context) for pattern in patterns]
    failing = [index for index, one in enumerate(matches) if one is not Match.WHOLE]
    if not failing or (not needs_all and len(failing) < len(matches)):
        return
    environment = f" of environment '{loaded.environment}'" if loaded.environment else ""
    wanted = "all of" if needs_all and len(patterns) > 1 else "any of" if len(patterns) > 1 else ""
    failed = [patterns[index] for index in failing]
    partial = next((index for index in failing if matches[index] is Match.PART), None)
    raise _refused(
        f"the context '{context}' does not match {wanted + ' ' if wanted else ''}the context_matches{environment}:"
        f" {_quoted(failed)}",
        _advice(context, None if partial is None else patterns[partial]),
        places[failing[0] if partial is None else partial],
    )


def _advice(context: str, partial: str | None) -> str:
    if partial is None:
        return "Switch to the right context (--context), choose the environment (-e), or correct context_matches."
    return (
        f"'{partial}' matches only a part of '{context}', and a pattern must match the whole name,"
        f" so that 'prod' does not allow 'preprod'. If this context is meant, write '{_widened(partial)}'."
    )


def _widened(pattern: str) -> str:
    """The pattern that matches whole names where `pattern` matched parts of them."""
    inner = f"(?:{pattern})" if "|" in pattern else pattern
    start = "" if pattern.startswith("^") else ".*"
    end = "" if pattern.endswith("$") and not pattern.endswith("\\$") else ".*"
    return f"{start}{inner}{end}"


def _refused(message: str, advice: str, place: Place) -> RefusedError:
    return RefusedError(message, advice=advice, place=place, code="context")


def _quoted(patterns: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"'{pattern}'" for pattern in patterns)
