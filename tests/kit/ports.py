"""Ports that stay one's own while nobody listens there, so that a server that comes again finds its own free."""

from __future__ import annotations

import socket


def hold_port() -> socket.socket:
    """Return a socket that holds a port of 127.0.0.1, chosen by the kernel, until it is closed.

    A server that sets SO_REUSEADDR, as gRPC's and PostgreSQL do, may listen there meanwhile; and nobody who asks the
    kernel for any port is given this one.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held
