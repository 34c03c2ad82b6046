"""The address that a server listens on."""

from __future__ import annotations

import ipaddress


def split_address(listen: str) -> tuple[str, int | None]:
    """Return host and port of `host:port` or `[v6 address]:port`; no port when it is not of that form."""
    host, _, port = listen.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or not (port.isascii() and port.isdigit()) or int(port) > 0xFFFF or (":" in bare and bare == host):
        return bare, None
    return bare, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
