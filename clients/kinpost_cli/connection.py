"""Where the server is and who calls: options, environment, and what lies beside a local server."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from kinpost_client.channel import DEFAULT_PORT, is_loopback

from kinpost_cli.endings import WrongUse

ADDRESS_VARIABLE = "KINPOST_ADDRESS"
TOKEN_VARIABLE = "KINPOST_TOKEN"  # noqa: S105 - the name of a variable
FOLDER_VARIABLE = "KINPOST_STORAGE__DATA_FOLDER"
DEFAULT_ADDRESS = f"127.0.0.1:{DEFAULT_PORT}"
DEFAULT_FOLDER = "kinpost-data"
ADMIN_TOKEN_FILE = "admin.token"  # noqa: S105 - a file's name
TOKEN_FILE_BYTES_MAX = 4096
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+)(:(?P<port>[0-9]{1,5}))?")
SECONDS_MIN, SECONDS_MAX = 0.1, 3600.0


class Connection(NamedTuple):
    """Where to call, and as whom; `token_source` says where the token comes from, `token` is None without one."""

    address: str
    token: str | None
    token_source: str
    tls: bool | None
    root_certificates: bytes | None
    seconds: float


def read_connection(
    address: str | None,
    token: str | None,
    token_file: Path | None,
    root_certificates: Path | None,
    *,
    tls: bool | None,
    seconds: float,
) -> Connection:
    """Return the connection that options and environment name. Raises WrongUse."""
    if not SECONDS_MIN <= seconds <= SECONDS_MAX:
        raise WrongUse(f"--seconds: {seconds:g} is not between {SECONDS_MIN:g} and {SECONDS_MAX:g}")
    where = _address(address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS)
    secret, source = _token(where, token, token_file)
    certificates = None
    if root_certificates is not None:
        if tls is False:
            raise WrongUse("--root-certificates goes with TLS", "leave --no-tls away")
        certificates = _read(root_certificates, "--root-certificates")
    return Connection(where, secret, source, tls, certificates, seconds)


def _address(text: str) -> str:
    """Return an address as gRPC spells it; without a port it is Kinpost's. Raises WrongUse."""
    text = text.strip()
    if text.startswith(("unix:", "unix-abstract:")):
        return text
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    found = _ADDRESS.fullmatch(text)
    port = found["port"] or str(DEFAULT_PORT) if found is not None else ""
    if found is None or not 0 < int(port) < 65536:
        raise WrongUse(f"--address: {text!r} is no HOST:PORT", f"for instance --address {DEFAULT_ADDRESS}")
    return f"{found['host']}:{port}"


def _token(address: str, token: str | None, token_file: Path | None) -> tuple[str | None, str]:
    """Return the secret and where it comes from. The local admin's is shown to this machine's servers only."""
    if token is not None and token_file is not None:
        raise WrongUse("--token and --token-file exclude each other")
    if token is not None:
        return _secret(token, "--token"), "--token"
    if token_file is not None:
        return _secret(_read(token_file, "--token-file").decode("utf-8", "replace"), "--token-file"), str(token_file)
    if given := os.environ.get(TOKEN_VARIABLE):
        return _secret(given, TOKEN_VARIABLE), TOKEN_VARIABLE
    path = Path(os.environ.get(FOLDER_VARIABLE) or DEFAULT_FOLDER) / ADMIN_TOKEN_FILE
    if not is_loopback(address):
        return None, f"none: {path} is for servers of this machine only"
    try:
        return _secret(path.read_text("utf-8", "replace"), str(path)), str(path)
    except FileNotFoundError:
        return None, f"none: {path} is not there"
    except OSError as fault:
        return None, f"none: {path}: {fault.strerror}"


def _secret(text: str, source: str) -> str:
    secret = text.strip()
    if not secret or not (secret.isascii() and secret.isprintable()) or " " in secret:
        raise WrongUse(f"{source} holds no token", "`kinpost tokens create` makes one")
    return secret


def _read(path: Path, option: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(TOKEN_FILE_BYTES_MAX if option == "--token-file" else -1)
    except OSError as fault:
        raise WrongUse(f"{option}: {path}: {fault.strerror}") from None
