"""Which contexts a specification may be applied to."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tazuna_core.errors import RefusedError, UsageError
from tazuna_core.spec.context_guard import guard_context
from tazuna_core.spec.load import load_spec
from tests.unit.spec.conftest import Write

TEXT = """\
spec:
  context_matches: ROOT
  context_match_mode: MODE
  environments:
    bare: {}
    prod:
      context_matches: [prod-.*, .*-tokyo]
    either:
      context_matches: [prod-.*, .*-tokyo]
      context_match_mode: or
  manifests: [{name: a, type: directory, path: .}]
"""


def guard(write: Write, root: str, context: str | None, *, mode: str = "''", environment: str = "") -> str:
    """Why it refuses; "" if it lets the context pass."""
    loaded = load_spec(write(TEXT.replace("ROOT", root).replace("MODE", mode)), environment)
    try:
        guard_context(loaded, context)
    except RefusedError as error:
        assert (error.exit_code, error.code) == (5, "context")
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("root", "context", "mode", "environment"),
    [
        ("[]", "any", "''", ""),
        ("[]", None, "''", ""),
        ("[prod]", "prod", "''", ""),
        ("[^prod$]", "prod", "or", ""),
        ("[x, prod]", "prod", "or", ""),
        ("[prod|stage]", "stage", "''", ""),
        ("[pro.*, .*d]", "prod", "and", ""),
        ("['(?i)PROD']", "prod", "''", ""),
        ("['\\p{Hiragana}+']", "とうきょう", "''", ""),
        ("[root]", "prod-osaka", "''", "prod"),  # an environment replaces the root's patterns
        ("[root]", "anything", "''", "bare"),
        ("[]", "prod-tokyo", "and", "prod"),  # an unset mode is the root's
        ("[]", "prod-osaka", "and", "either"),
    ],
)
def test_passes(write: Write, root: str, context: str | None, mode: str, environment: str) -> None:
    assert guard(write, root, context, mode=mode, environment=environment) == ""


OTHERWISE = "  Switch to the right context (--context), choose the environment (-e), or correct context_matches."


ANY = "the context_matches"
NO_CONTEXT = (
    "context_matches is set ('a'), and there is no kubeconfig context to compare with it\n"
    "  Inside a cluster, set TAZUNA_CONTEXT to the name of the context that this cluster has elsewhere."
)
OF_PROD = "the context_matches of environment 'prod'"


@pytest.mark.parametrize(
    ("root", "context", "mode", "environment", "refusal"),
    [
        ("[prod]", "stage", "''", "", f"2:21: the context 'stage' does not match {ANY}: 'prod'\n{OTHERWISE}"),
        ("[a, b]", "c", "''", "", f"2:21: the context 'c' does not match any of {ANY}: 'a', 'b'\n{OTHERWISE}"),
        ("[c, b]", "c", "and", "", f"2:24: the context 'c' does not match all of {ANY}: 'b'\n{OTHERWISE}"),
        ("[]", "prod-a", "and", "prod", f"7:34: the context 'prod-a' does not match all of {OF_PROD}: '.*-tokyo'\n"),
        ("[x]", "x", "''", "prod", f"7:25: the context 'x' does not match any of {OF_PROD}: 'prod-.*', '.*-tokyo'\n"),
        ("[prod]", "prod\n", "''", "", "2:21: the context 'prod\n' does not match"),
        ("[a]", None, "''", "", f"2:21: {NO_CONTEXT}"),
        ("['']", "prod", "''", "", "2:21: the context 'prod' does not match"),
    ],
)
def test_refuses(write: Write, root: str, context: str | None, mode: str, environment: str, refusal: str) -> None:
    assert guard(write, root, context, mode=mode, environment=environment).startswith(f"tazuna.yaml:{refusal}")


@pytest.mark.parametrize(
    ("pattern", "context", "better"),
    [
        ("prod", "preprod", ".*prod.*"),
        ("^kind-", "kind-dev", "^kind-.*"),
        ("-tokyo$", "prod-tokyo", ".*-tokyo$"),
        ("a|b", "xa", ".*(?:a|b).*"),
    ],
)
def test_a_pattern_that_only_searches_gets_the_hint(write: Write, pattern: str, context: str, better: str) -> None:
    text = guard(write, f"[no, '{pattern}']", context)
    assert text.startswith("tazuna.yaml:2:25: ")
    assert f"'{pattern}' matches only a part of '{context}'" in text
    assert text.endswith(f"write '{better}'.")
    assert guard(write, f"['{better}']", context) == ""


def test_an_undeclared_environment_never_falls_back_to_the_root(write: Write) -> None:
    with pytest.raises(UsageError, match="environment 'porD' is not declared"):
        guard(write, "[prod]", "prod", environment="porD")


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.from_regex(r"[a-z0-9@:/_.-]{1,20}", fullmatch=True), other=st.from_regex(r"[a-z]{1,5}", fullmatch=True))
def test_a_literal_name_matches_itself_alone(write: Write, name: str, other: str) -> None:
    pattern = "['" + name.replace(".", "[.]") + "']"
    assert guard(write, pattern, name) == ""
    assert guard(write, pattern, name + other)
    assert guard(write, pattern, other + name)
