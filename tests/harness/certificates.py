"""A certificate authority for one test cluster: server, client and service account keys."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Certificates start in the past because clocks of containers and hosts differ by moments.
_BEFORE = dt.timedelta(hours=1)
_LIFETIME = dt.timedelta(days=7)


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its key, both PEM."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Writes `name.crt` and `name.key`; returns their paths."""
        certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        certificate.write_bytes(self.certificate)
        key.write_bytes(self.key)
        return certificate, key


class Authority:
    """Signs certificates; its own is `certificate` (PEM)."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        unsigned = self._builder(self._name, self._key.public_key())
        unsigned = unsigned.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.certificate = _pem(unsigned.sign(self._key, hashes.SHA256()))

    def server(self, host_names: Sequence[str], addresses: Sequence[str]) -> KeyPair:
        """A certificate a server shows under these names and IP addresses."""
        names: list[x509.GeneralName] = [x509.DNSName(name) for name in host_names]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host_names[0])])
        return self._leaf(subject, ExtendedKeyUsageOID.SERVER_AUTH, x509.SubjectAlternativeName(names))

    def client(self, user: str, groups: Sequence[str] = ()) -> KeyPair:
        """A certificate that Kubernetes reads as this user (common name) in these groups (organizations)."""
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, user)])
        return self._leaf(subject, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _leaf(
        self, subject: x509.Name, usage: x509.ObjectIdentifier, alternatives: x509.SubjectAlternativeName | None
    ) -> KeyPair:
        key = ec.generate_private_key(ec.SECP256R1())
        unsigned = self._builder(subject, key.public_key())
        unsigned = unsigned.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if alternatives is not None:
            unsigned = unsigned.add_extension(alternatives, critical=False)
        return KeyPair(_pem(unsigned.sign(self._key, hashes.SHA256())), private_pem(key))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _BEFORE)
            .not_valid_after(now + _LIFETIME)
        )


def signing_key() -> bytes:
    """A private key (PEM) for service account tokens."""
    return private_pem(ec.generate_private_key(ec.SECP256R1()))


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key as unencrypted PEM, in the form from which Kubernetes also reads the public key (SEC 1)."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def base64_text(data: bytes) -> str:
    """Bytes as a kubeconfig holds them."""
    return base64.b64encode(data).decode()


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
