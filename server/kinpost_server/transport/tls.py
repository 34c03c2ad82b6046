"""TLS: certificate and key from files, read again on demand without breaking a connection."""

from __future__ import annotations

import ssl
from pathlib import Path

import grpc
import structlog

log = structlog.get_logger(__name__)


class CertificateFault(Exception):
    """The certificate or its key cannot be used; the text says why, for whoever runs the server."""


class Certificates:
    """A certificate chain with its key. New connections get what was read last. Raises CertificateFault."""

    def __init__(self, cert_file: Path, key_file: Path) -> None:
        self._cert_file = cert_file
        self._key_file = key_file
        self._configuration = self._read()
        self._served = self._configuration
        self._contexts: list[ssl.SSLContext] = []

    def credentials(self) -> grpc.ServerCredentials:
        """Return credentials that follow `reload`."""
        return grpc.dynamic_ssl_server_credentials(
            self._configuration,
            self._newer,  # type: ignore[arg-type]  # None, for nothing new, is what gRPC documents
            require_client_authentication=False,
        )

    def context(self) -> ssl.SSLContext:
        """Return a context of the standard library that follows `reload`."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._cert_file, self._key_file)
        self._contexts.append(context)
        return context

    def reload(self) -> bool:
        """Read the files again; what cannot be used is logged, and the earlier certificate stays."""
        try:
            self._configuration = self._read()
            for context in self._contexts:
                context.load_cert_chain(self._cert_file, self._key_file)
        except CertificateFault as fault:
            log.error("certificate_not_reloaded", fault=str(fault))  # noqa: TRY400 - the text says it all
            return False
        log.info("certificate_reloaded", cert_file=str(self._cert_file))
        return True

    def _newer(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what was read since gRPC last asked, None for nothing new; called at each handshake."""
        configuration = self._configuration
        if configuration is self._served:
            return None
        self._served = configuration
        return configuration

    def _read(self) -> grpc.ServerCertificateConfiguration:
        try:
            # gRPC would take anything and fail each handshake: the standard library says now what is wrong.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
                self._cert_file, self._key_file, password=lambda: b""
            )
            pair = (self._key_file.read_bytes(), self._cert_file.read_bytes())
        except (OSError, ValueError) as fault:  # ssl.SSLError is an OSError
            raise CertificateFault(
                f"cannot use the certificate {self._cert_file} with the key {self._key_file}: {fault}"
            ) from None
        return grpc.ssl_server_certificate_configuration([pair])
