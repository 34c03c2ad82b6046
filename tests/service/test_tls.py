"""TLS: only those who trust the certificate come in, and a new one is served after SIGHUP."""

from __future__ import annotations

import asyncio
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from certificates import write_certificate
from kinpost_server.transport.tls import CertificateFault, Certificates

KINPOST = Path(sys.executable).with_name("kinpost")


def served_certificate(address: str) -> bytes:
    host, port = address.split(":")
    return ssl.get_server_certificate((host, int(port))).encode()


async def came(condition) -> None:
    """Wait until a condition holds that no event tells of: asked again after each turn of a thread."""
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(condition):
            pass


@pytest.fixture
def certificate(tmp_path):
    return write_certificate(tmp_path, "first")


@pytest.fixture
def overrides(tmp_path, certificate):
    return {"server": {"tls_cert_file": str(tmp_path / "cert.pem"), "tls_key_file": str(tmp_path / "key.pem")}}


async def test_who_trusts_the_certificate_comes_in(server, certificate):
    client = server.client(server.admin_secret, credentials=grpc.ssl_channel_credentials(certificate))
    assert (await client.session()).agent == "explore"


async def test_who_does_not_trust_it_or_speaks_plainly_stays_out(server, tmp_path):
    (tmp_path / "other").mkdir()
    stranger = write_certificate(tmp_path / "other", "other")
    for client in (server.client(""), server.client("", credentials=grpc.ssl_channel_credentials(stranger))):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.admin.GetServerInfo()
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_a_new_certificate_is_served_to_new_connections_and_old_ones_live_on(server, tmp_path, certificate):
    old = server.client(server.admin_secret, credentials=grpc.ssl_channel_credentials(certificate))
    session = await old.session()
    newer = write_certificate(tmp_path, "second")
    assert await asyncio.to_thread(served_certificate, server.address) == certificate
    assert server.certificates.reload()
    assert await asyncio.to_thread(served_certificate, server.address) == newer
    new = server.client(server.admin_secret, credentials=grpc.ssl_channel_credentials(newer))
    assert await new.look(session) == await old.look(session)


async def test_a_broken_certificate_is_not_taken_and_the_earlier_one_stays(server, tmp_path, certificate, service_log):
    (tmp_path / "cert.pem").write_text("nonsense")
    assert not server.certificates.reload()
    assert await asyncio.to_thread(served_certificate, server.address) == certificate
    assert [entry["event"] for entry in service_log if entry["log_level"] == "error"] == ["certificate_not_reloaded"]


@pytest.mark.parametrize("spoil", ["missing", "nonsense", "another's key"])
def test_what_cannot_be_used_is_said_at_once(tmp_path, certificate, spoil):
    if spoil == "missing":
        (tmp_path / "key.pem").unlink()
    elif spoil == "nonsense":
        (tmp_path / "cert.pem").write_text("nonsense")
    else:
        mine = (tmp_path / "cert.pem").read_bytes()
        write_certificate(tmp_path, "another")
        (tmp_path / "cert.pem").write_bytes(mine)
    with pytest.raises(CertificateFault, match=r"cannot use the certificate .*cert\.pem with the key .*key\.pem"):
        Certificates(tmp_path / "cert.pem", tmp_path / "key.pem")


async def test_the_process_reloads_on_sighup(process, tmp_path):
    first = write_certificate(tmp_path, "first")
    options = ("--tls-cert-file", str(tmp_path / "cert.pem"), "--tls-key-file", str(tmp_path / "key.pem"))
    await process.close_clients()
    await process.restart(*options)
    assert await asyncio.to_thread(served_certificate, process.address) == first
    second = write_certificate(tmp_path, "second")
    process.signal(signal.SIGHUP)
    await came(lambda: served_certificate(process.address) == second)
    client = process.client(process.admin_secret, credentials=grpc.ssl_channel_credentials(second))
    assert (await client.session()).agent == "explore"


async def test_sighup_without_tls_changes_nothing(process):
    process.signal(signal.SIGHUP)
    assert (await process.admin.session()).agent == "explore"


def test_listening_elsewhere_without_tls_is_refused_with_a_clear_text(tmp_path):
    ran = subprocess.run(
        [KINPOST, "serve", "--listen", "0.0.0.0:0", "--data", tmp_path / "data"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == (
        "kinpost: [server] listen: 0.0.0.0:0 can be reached from other machines, which could read tokens and mail; "
        "set tls_cert_file and tls_key_file, or say --insecure\n"
    )
    assert not (tmp_path / "data").exists()
