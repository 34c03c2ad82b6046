"""The connection: target, TLS, keepalive."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

import grpc

DEFAULT_PORT = 7419
# A claim carries up to 1 MiB of bodies, raw and rendered; a body larger than that comes alone.
MESSAGE_BYTES_MAX = 16 * 1024 * 1024
CONNECT_SECONDS = 5  # shorter than an attempt may take, so that a machine that says nothing counts as unreachable
KEEPALIVE_SECONDS = 30
KEEPALIVE_TIMEOUT_SECONDS = 10
# Of several replicas each gets its share of the calls, unless it says that its database does not answer it.
SPREADING = '{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}'

Options = Sequence[tuple[str, int | str]]


def open_channel(target: str, *, tls: bool | None, root_certificates: bytes | None) -> grpc.aio.Channel:
    """Return a channel to `host:port`, or to replicas, over which the calls are spread.

    These are `ipv4:host:port,host:port`, whose certificates name the first address, or `dns:///name:port`, a name with
    an address for each.

    `tls` None means: TLS for every target that is not on this machine's loopback. `root_certificates`, PEM, takes the
    place of the system's and implies TLS. Raises ValueError when both are said and contradict each other.
    """
    credentials, options = _terms(target, root_certificates, tls=tls)
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    return grpc.aio.secure_channel(target, credentials, options=options)


def open_synchronous_channel(target: str, *, tls: bool | None, root_certificates: bytes | None) -> grpc.Channel:
    """Return the same for the synchronous stubs. Raises ValueError."""
    credentials, options = _terms(target, root_certificates, tls=tls)
    if credentials is None:
        return grpc.insecure_channel(target, options=options)
    return grpc.secure_channel(target, credentials, options=options)


def _terms(
    target: str, root_certificates: bytes | None, *, tls: bool | None
) -> tuple[grpc.ChannelCredentials | None, Options]:
    """Return a channel's credentials, None for a connection in the clear, and its options."""
    if root_certificates is not None and tls is False:
        raise ValueError("root_certificates are given, but tls is False")
    local = is_loopback(target)
    options = _options(through_proxy=not local)
    first, comma, _ = _addresses(target).partition(",")
    if comma or target.startswith("dns:"):
        options = (*options, ("grpc.service_config", SPREADING))
    if comma:
        # One channel checks for one name only, which would else be the whole list.
        options = (*options, ("grpc.default_authority", first))
    if root_certificates is not None or (not local if tls is None else tls):
        return grpc.ssl_channel_credentials(root_certificates), options
    return None, options


def is_loopback(target: str) -> bool:
    """Whether a target, as gRPC spells it, never leaves this machine."""
    if target.startswith(("unix:", "unix-abstract:")):
        return True
    return all(_is_address_of_loopback(address) for address in _addresses(target).split(","))


def _addresses(target: str) -> str:
    return target.removeprefix("dns:").removeprefix("ipv4:").removeprefix("ipv6:").lstrip("/")


def _is_address_of_loopback(address: str) -> bool:
    host = address.rpartition(":")[0] if not address.endswith("]") else address
    host = host.strip("[]") or address
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _options(*, through_proxy: bool) -> Options:
    return (
        # A quiet stream must notice that its server is gone; the server allows pings this often.
        ("grpc.keepalive_time_ms", KEEPALIVE_SECONDS * 1000),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_SECONDS * 1000),
        # Without it a ping may go unanswered for a minute, whatever the line above says.
        ("grpc.http2.ping_timeout_ms", KEEPALIVE_TIMEOUT_SECONDS * 1000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        # A restarted server is found within seconds, not after gRPC's two minutes.
        ("grpc.initial_reconnect_backoff_ms", 50),
        # This says how long one attempt to connect may take; where no server listens, that is known at once.
        ("grpc.min_reconnect_backoff_ms", CONNECT_SECONDS * 1000),
        ("grpc.max_reconnect_backoff_ms", 2000),
        ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
        # Calls are repeated here, with their identity, not in the channel.
        ("grpc.enable_retries", 0),
        ("grpc.enable_http_proxy", int(through_proxy)),
        ("grpc.use_local_subchannel_pool", 1),
    )
