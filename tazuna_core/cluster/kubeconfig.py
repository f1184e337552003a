"""Which cluster, and as whom: a client of the `kubernetes` package, from the kubeconfig or the pod's own account."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tazuna_core.errors import ClusterError, Place

_TOKENS = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*|k8s-aws-v1\.[\w-]+|(?<=bearer )(?!token\b)\S+", re.IGNORECASE)

_HOME = "~/.kube/config"


@dataclass(frozen=True)
class Connection:
    """A client with its credentials. ``context`` is None inside a pod; ``host`` is the API server's address."""

    client: Any
    host: str
    context: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Headers of every request: whom the user asked to act as."""

    @property
    def place(self) -> str:
        """How error messages name the cluster."""
        return f"context '{self.context}' ({self.host})" if self.context else self.host


def connect(kubeconfig: Path | None = None, context: str | None = None, *, connections: int = 8) -> Connection:
    """Reads the kubeconfig (default: ``KUBECONFIG``, ``~/.kube/config``, else the pod's account); sends no request.

    An exec plugin of the kubeconfig is run. ``connections`` is the number of connections that are kept. Raises
    ClusterError for a missing or broken kubeconfig, an unknown context and credentials that cannot be had.
    """
    from kubernetes.client import Configuration

    configuration = Configuration()
    configuration.connection_pool_maxsize = connections
    paths = str(kubeconfig) if kubeconfig is not None else _default_paths()
    with _readable(paths):
        merged = _package().KubeConfigMerger(paths)
        if merged.config is not None:
            name = _chosen_context(merged.config.value, context, paths)
            user = _load_context(merged, name, configuration)
            return _connection(configuration, name, user)
    if kubeconfig is None and context is None and _load_pod_account(configuration):
        return _connection(configuration, None, {})
    raise ClusterError(
        f"no kubeconfig at {paths}",
        code="kubeconfig",
        advice="Pass --kubeconfig, set KUBECONFIG, or log in to the cluster so that ~/.kube/config is written.",
    )


def _default_paths() -> str:
    """Returns where kubectl looks: the files of KUBECONFIG, of which an empty one is none, else the one of the home."""
    named = os.environ.get("KUBECONFIG", "").split(os.pathsep)
    return os.pathsep.join(path for path in named if path) or _HOME


def redacted(text: str) -> str:
    """Returns a message of another program without anything that looks like a bearer token."""
    return _TOKENS.sub("[token]", text)


def _package() -> Any:
    """Returns the package's kubeconfig module, without its half-written types."""
    from kubernetes.config import kube_config

    return kube_config


def _connection(configuration: Any, context: str | None, user: dict[str, Any]) -> Connection:
    from kubernetes.client import ApiClient

    if not configuration.verify_ssl:
        import urllib3

        # The kubeconfig says insecure-skip-tls-verify; a warning a request would only hide what matters.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return Connection(ApiClient(configuration), configuration.host.rstrip("/"), context, tuple(_impersonation(user)))


@contextmanager
def _readable(paths: str) -> Iterator[None]:
    """Turns what the package raises about a kubeconfig into ClusterError, without a word of the file's content."""
    import yaml

    try:
        yield
    except yaml.YAMLError as error:
        # The error's own text quotes the file, and the file holds credentials.
        mark = getattr(error, "problem_mark", None)
        raise _broken("it is not YAML", paths, mark.line + 1 if mark else 0) from None
    except _package().ConfigException as error:
        # The package's messages can go on with the entry itself, credentials included.
        raise _broken(redacted(str(error).partition("{")[0].strip()), paths) from None
    except UnicodeDecodeError:
        raise _broken("it is not text", paths) from None
    except OSError as error:
        raise _broken(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror), paths) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _broken("it has not the form of a kubeconfig", paths) from None


def _broken(why: str, paths: str, line: int = 0) -> ClusterError:
    return ClusterError(
        f"the kubeconfig cannot be used: {why}",
        code="kubeconfig",
        place=Place(paths, line),
        advice="`kubectl config view` reads the same file.",
    )


def _chosen_context(config: dict[str, Any], context: str | None, paths: str) -> str:
    """Returns the context to use. Raises ClusterError with the known ones where there is none of that name."""
    known = [str(item["name"]) for item in config.get("contexts") or []]
    name = str(context or config.get("current-context") or "")
    if name in known:
        return name
    listed = f"Contexts there: {', '.join(sorted(known)) or 'none'}."
    if name:
        raise ClusterError(f"there is no context '{name}'", code="context", place=Place(paths), advice=listed)
    raise ClusterError(
        "there is no current context",
        code="context",
        place=Place(paths),
        advice=f"Choose one with --context. {listed}",
    )


def _load_context(merged: Any, name: str, configuration: Any) -> dict[str, Any]:
    """Puts address and credentials of a context into ``configuration``; returns the user's entry."""
    with _complaints() as complaints:
        loader = _package().KubeConfigLoader(
            merged.config, active_context=name, config_base_path=None, config_persister=merged.save_changes
        )
        loader.load_and_set(configuration)
    user = _user(merged.config.value, loader.current_context)
    # The package logs what an exec plugin complains of, and goes on without credentials.
    if "exec" in user and not configuration.api_key and not configuration.cert_file:
        raise _plugin_failed(user["exec"], name, complaints)
    return user


def _user(config: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    wanted = (context.get("context") or {}).get("user")
    for item in config.get("users") or []:
        if item["name"] == wanted:
            user = item["user"]
            return dict(getattr(user, "value", user) or {})
    return {}


def _plugin_failed(plugin: Any, context: str, complaints: list[str]) -> ClusterError:
    import shutil

    command = str(plugin.get("command", ""))
    hint = " ".join(str(plugin.get("installHint") or "").split())
    if "/" not in command and shutil.which(command) is None:
        return ClusterError(
            f"context '{context}' logs in with the program '{command}', which is not installed",
            code="exec-plugin",
            advice=hint or f"Install '{command}' or put it on PATH; kubectl needs it as well.",
        )
    said = redacted(" ".join(complaints)[:400]) or "it gave no credentials"
    return ClusterError(
        f"context '{context}' logs in with the program '{command}', which failed: {said}",
        code="exec-plugin",
        advice="Log in again, then retry.",
    )


def _impersonation(user: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the headers of a user entry's ``as`` fields, which the package does not know.

    Without them requests would be made with more rights than the user asked for.
    """
    if user.get("as"):
        yield "Impersonate-User", str(user["as"])
    if user.get("as-uid"):
        yield "Impersonate-Uid", str(user["as-uid"])
    for group in user.get("as-groups") or []:
        yield "Impersonate-Group", str(group)
    for key, values in (user.get("as-user-extra") or {}).items():
        for value in values:
            yield f"Impersonate-Extra-{key}", str(value)


def _load_pod_account(configuration: Any) -> bool:
    """Takes the service account of the pod this runs in; returns whether there is one."""
    from kubernetes import config

    package: Any = config  # half of its functions have types
    try:
        package.load_incluster_config(client_configuration=configuration)
    except (package.ConfigException, OSError):
        return False
    return True


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Collects what the package logs meanwhile, and keeps it from every handler: it may hold tokens."""
    lines: list[str] = []

    def collect(record: logging.LogRecord) -> bool:
        if record.module != "kube_config":
            return True
        lines.append(record.getMessage())
        return False

    root = logging.getLogger()
    handler = logging.NullHandler()  # a root without any would be given one that writes to stderr
    root.addHandler(handler)
    root.addFilter(collect)
    try:
        yield lines
    finally:
        root.removeFilter(collect)
        root.removeHandler(handler)
