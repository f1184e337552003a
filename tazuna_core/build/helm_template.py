"""Renders the template that a helmfile is with Helm's own engine: a throw-away chart asks it to.

Differences to the Go CLI: a variable that is not there prints nothing (not `<no value>`), and functions that only Helm
has (`include`, `toYaml`, `required`, ...) work. `env` and `expandenv` do not exist in either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tazuna_core.build.helm import Helm
from tazuna_core.build.workspace import write_private
from tazuna_core.errors import BuildError, Place

_CHART = b"apiVersion: v2\nname: helmfile\nversion: 0.0.0\n"
_TEXT = "helmfile.text"
_DATA = '"Values" .Values.vars "StateValues" .Values.vars "Environment" (dict "Name" .Values.environment)'
_RENDER = f'{{{{- dict "text" (tpl (.Files.Get "{_TEXT}") (dict {_DATA} "Template" .Template)) | toJson }}}}\n'
_UNKNOWN_FUNCTION = re.compile(r'function "([^"]+)" not defined')
_LINE = re.compile(r"template: gotpl:(\d+)(?::\d+)?: ?(.*)")
_FAILED = re.compile(r"execution error at \(helmfile/[^)]*\): (.*)")  # what `fail` and `required` say, without a line
_LEFT = "{{"


class UnknownFunctionError(BuildError):
    """The template calls a function that Helm's engine does not have; helmfile's own may."""

    default_code = "template"

    def __init__(
        self, message: str, *, advice: str = "", place: Place | None = None, code: str = "", function: str = ""
    ) -> None:
        super().__init__(message, advice=advice, place=place, code=code)
        self.function = function


@dataclass(frozen=True, slots=True)
class TemplateData:
    """What a helmfile's template sees: ``given`` values, which may be secret, ``defaults``, and the environment."""

    given: Mapping[str, object] = field(repr=False)
    defaults: Mapping[str, object]
    environment: str


def has_actions(text: str) -> bool:
    """Whether there is anything to carry out."""
    return _LEFT in text


def render(text: str, data: TemplateData, helm: Helm, shown: str) -> str:
    """The text with its actions carried out; one without `{{` is left alone, and helm is not run.

    Raises BuildError at the line of ``shown`` (the file's name) that is wrong.
    """
    if not has_actions(text):
        return text
    chart = helm.folder / "helmfile-chart"
    (chart / "templates").mkdir(parents=True)
    write_private(chart / "Chart.yaml", _CHART)
    write_private(chart / _TEXT, text.encode())
    # Defaults as literals: through a values file every number would be a float64, and `eq .Values.n 3` fail.
    defaults = "".join(
        f"{{{{- $_ := set .Values.vars {_literal(name)} {_literal(value)} }}}}\n"
        for name, value in data.defaults.items()
    )
    write_private(chart / "templates" / "render.yaml", (defaults + _RENDER).encode())
    values = {"vars": dict(data.given), "environment": data.environment or "default"}
    file = write_private(helm.folder / "helmfile-vars.json", json.dumps(values).encode())
    try:
        output = helm.run("template", "helmfile", str(chart), "--namespace=default", f"--values={file}")
    except BuildError as error:
        if type(error) is not BuildError:
            raise
        raise _explained(error, shown) from None
    line = next(line for line in output.stdout.decode().splitlines() if line.startswith("{"))
    return str(json.loads(line)["text"])


def _literal(value: object) -> str:
    """A value as Go's templates write it."""
    if isinstance(value, Mapping):
        return f"(dict {' '.join(f'{_literal(str(key))} {_literal(one)}' for key, one in value.items())})"
    if isinstance(value, list):
        return f"(list {' '.join(map(_literal, value))})"
    if value is None:
        return "nil"
    return json.dumps(value, ensure_ascii=False)


def _explained(error: BuildError, shown: str) -> BuildError:
    """What helm said, reduced to the line of the helmfile and the reason."""
    found = _LINE.search(error.message)
    if not found:
        failed = _FAILED.search(error.message)
        return BuildError(f"template: {failed[1]}", place=Place(shown), code="template") if failed else error
    place, reason = Place(shown, int(found[1])), found[2].strip()
    function = _UNKNOWN_FUNCTION.search(reason)
    if function:
        return UnknownFunctionError(
            f"template: there is no function '{function[1]}'", place=place, function=function[1]
        )
    return BuildError(f"template: {reason}", advice="Variables are .Values.<name>.", place=place, code="template")


def read_text(path: Path, shown: str) -> str:
    """The text of a helmfile; raises BuildError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise BuildError(f"{shown} is not UTF-8", advice="Save the file as UTF-8.") from None
    except OSError as error:
        raise BuildError(f"{shown} cannot be read: {error.strerror}") from None
