"""Fetches artifacts from OCI registries with the user's `oras` program, which knows logins and credential helpers."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tazuna_core.build.model import BuildSettings
from tazuna_core.build.process import Command, find_program, run_to_file
from tazuna_core.build.workspace import write_private
from tazuna_core.errors import BuildError
from tazuna_core.spec.models_manifest import OrasOptions

INSTALL = "Install oras, version 1.2 or later."
LARGEST_LAYER = 1 << 30
_LARGEST_MANIFEST = 4 << 20
_INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
_DIGEST = r"sha256:[0-9a-f]{64}"
_REFERENCE = re.compile(
    rf"(?P<repository>[A-Za-z0-9][\w.-]*(?::\d+)?(?:/[a-z0-9][a-z0-9._-]*)+)"
    rf"(?::(?P<tag>\w[\w.-]{{0,127}}))?(?:@(?P<digest>{_DIGEST}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """An artifact's name; with a digest, the tag says nothing."""

    repository: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Reads `host/name:tag` or `host/name@sha256:...`; raises BuildError for anything else."""
        found = _REFERENCE.fullmatch(text)
        if not found or not (found["tag"] or found["digest"]):
            raise BuildError(
                f"'{text}' is no reference of an artifact",
                advice="Write host/name:tag or host/name@sha256:<64 hex digits>.",
                code="reference",
            )
        return cls(found["repository"], found["tag"] or "", found["digest"] or "")

    def at(self, digest: str) -> str:
        return f"{self.repository}@{digest}"

    def __str__(self) -> str:
        return self.at(self.digest) if self.digest else f"{self.repository}:{self.tag}"


@dataclass(frozen=True, slots=True)
class ArtifactManifest:
    """What a registry says of an artifact: its digest, and digest and size of its one layer."""

    digest: str
    layer: str
    size: int


class Registry:
    """One artifact's registry, reached as its manifest's options say. ``folder`` is private."""

    def __init__(self, options: OrasOptions, settings: BuildSettings, folder: Path, needed_by: str) -> None:
        _, self._program = find_program("oras", needed_by=needed_by, advice=INSTALL)
        self._seconds, self._folder = settings.seconds, folder
        self._reference = Reference.parse(options.reference)
        self._flags = [
            *(["--plain-http"] if options.plain_http else []),
            *(["--insecure"] if options.insecure_skip_verify else []),
        ]
        self._hidden: tuple[str, ...] = ()
        auth = options.auth
        if auth and (auth.username or auth.password):
            login = base64.b64encode(f"{auth.username}:{auth.password}".encode()).decode()
            host = self._reference.repository.partition("/")[0]
            config = write_private(folder / "login.json", json.dumps({"auths": {host: {"auth": login}}}).encode())
            self._flags.append(f"--registry-config={config}")
            self._hidden = (auth.password, login)

    def manifest(self) -> ArtifactManifest:
        """What the reference names now.

        Raises BuildError when the registry fails, BuildError for an artifact that is not one layer, or not what its
        digest says.
        """
        content = self._fetch("manifest", str(self._reference), "manifest.json", _LARGEST_MANIFEST).read_bytes()
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if self._reference.digest and digest != self._reference.digest:
            raise _refused(f"the registry gave {digest} for {self._reference}")
        try:
            data = json.loads(content)
            layer, size = _one_layer(data)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise _refused("its manifest is not readable") from None
        return ArtifactManifest(digest, layer, size)

    def layer(self, manifest: ArtifactManifest) -> Path:
        """The layer, in a file of the private folder, and just as its digest says; raises as `manifest` does."""
        if manifest.size > LARGEST_LAYER:
            raise _refused(f"its layer has {manifest.size} bytes, and at most {LARGEST_LAYER} are taken")
        file = self._fetch("blob", self._reference.at(manifest.layer), "layer", manifest.size)
        with file.open("rb") as opened:
            digest = f"sha256:{hashlib.file_digest(opened, 'sha256').hexdigest()}"
        if digest != manifest.layer:
            raise _refused("its layer is not what its digest says")
        return file

    def _fetch(self, what: str, reference: str, name: str, most: int) -> Path:
        target = self._folder / name
        command = Command(
            (self._program, what, "fetch", "--output=-", *self._flags, reference),
            seconds=self._seconds,
            hidden=self._hidden,
        )
        try:
            run_to_file(command, target, most)
        except BuildError as error:
            if error.code == "too-large":
                raise _refused(f"the registry sends more than the {most} bytes that it may") from None
            if type(error) is not BuildError:
                raise
            raise BuildError(f"{self._reference}: {error.message}", advice=_advice(error), code="registry") from None
        return target


def _one_layer(data: Mapping[str, Any]) -> tuple[str, int]:
    if data.get("mediaType") in _INDEXES or "manifests" in data:
        raise _refused("it is an index of several artifacts")
    layers = data["layers"]
    if len(layers) != 1:
        raise _refused(f"it has {len(layers)} layers, and one is taken")
    layer, size = layers[0]["digest"], layers[0]["size"]
    if not isinstance(layer, str) or not re.fullmatch(_DIGEST, layer) or not isinstance(size, int) or size < 0:
        raise ValueError
    return layer, size


def _advice(error: BuildError) -> str:
    if "server gave HTTP response to HTTPS client" in error.message:
        return "Write `plainHTTP: true` for a registry without TLS."
    if "certificate" in error.message:
        return "Write `insecureSkipVerify: true` for a registry whose certificate cannot be checked."
    if "401" in error.message or "credential" in error.message or "unauthorized" in error.message.casefold():
        return "Log in (`oras login`, `docker login`), or write `auth`."
    return "Check the reference and the network; --offline builds from the cache."


def _refused(reason: str) -> BuildError:
    advice = "Nothing of it was used. Look at who pushed it."
    return BuildError(f"the artifact is refused: {reason}", advice=advice, code="artifact")
