"""The HTTP port of `kinpost serve`: its address, its certificate, its end."""

from __future__ import annotations

import asyncio
import datetime as dt
import signal
import ssl
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kinpost_server.settings import SettingsFault, load
from peer_doors import HttpDoor
from running import ServerProcess

KINPOST = Path(sys.executable).with_name("kinpost")


def write_certificate(folder: Path) -> bytes:
    """Write a self-signed certificate for loopback and its key into the folder; return the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kinpost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(private)
    return certificate.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
async def started(tmp_path, storage_url):
    """Start a server with both ports; `http` is the address of the second."""
    config = tmp_path / "kinpost.toml"
    config.touch()
    made = ServerProcess(tmp_path / "data", config, storage_url)
    made.with_http = True

    async def start(*options: str) -> ServerProcess:
        await made.start("--http-listen", "127.0.0.1:0", *options)
        line = (await made.process.stdout.readline()).decode()
        assert line.startswith("kinpost listening for HTTP on 127.0.0.1:")
        made.http = line.split()[-1]
        return made

    try:
        yield start
    finally:
        await made.close()


async def test_it_says_where_it_listens_and_ends_gracefully(started):
    process = await started()
    session = await process.admin.session()
    door = HttpDoor(process.http)
    told = await door.send(process.admin, session, session, "kept")
    assert told.delivered
    process.signal(signal.SIGTERM)  # with a connection that is kept open
    assert await process.ended() == 0
    await door.close()
    process = await started()
    door = HttpDoor(process.http)
    events = await process.admin.log(session_id=session.session_id)
    assert "producer_message_accepted" in [event.WhichOneof("payload") for event in events]
    await door.close()


async def test_a_port_that_is_taken_is_a_fault_of_the_configuration(started, tmp_path):
    process = await started()
    command = [KINPOST, "serve", "--data", tmp_path / "other", "--listen", "127.0.0.1:0", "--http-listen", process.http]
    ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=100, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"kinpost: cannot listen on {process.http} for HTTP: Address already in use" in ran.stderr
    assert "Traceback" not in ran.stderr


async def test_neither_bodies_nor_tokens_reach_the_log(started):
    process = await started("--log-level", "debug")
    session = await process.admin.session()
    door = HttpDoor(process.http)
    await door.send(process.admin, session, session, "a body that is nobody's business", tldr="nor is its summary")
    await door.send(process.admin, session, session, "refused: nobody's business", tldr="x" * 601)
    await door.ask(SimpleNamespace(secret="a token that is wrong"), "GET", "/peer-dead-letters")
    await door.close()
    process.signal(signal.SIGTERM)
    await process.ended()
    log = process.log.read_text()
    for word in ("business", "summary", "a token", process.admin_secret):
        assert word not in log


async def test_it_has_the_certificate_of_grpc_and_follows_it(started, tmp_path):
    first = write_certificate(tmp_path)
    files = ("--tls-cert-file", str(tmp_path / "cert.pem"), "--tls-key-file", str(tmp_path / "key.pem"))
    process = await started(*files)
    host, port = process.http.split(":")

    def served() -> bytes:
        return ssl.get_server_certificate((host, int(port))).encode()

    assert await asyncio.to_thread(served) == first
    context = ssl.create_default_context(cadata=first.decode())
    async with httpx.AsyncClient(verify=context, timeout=60) as client:
        assert (await client.get(f"https://{process.http}/readyz")).json() == {"ok": True}
    with pytest.raises(httpx.TransportError):
        async with httpx.AsyncClient() as client:
            await client.get(f"http://{process.http}/readyz")
    second = write_certificate(tmp_path)
    process.signal(signal.SIGHUP)
    async with asyncio.timeout(60):
        while await asyncio.to_thread(served) != second:
            pass


def test_its_address_is_the_contracts_unless_it_is_told_another():
    assert (load({}, None).http.enabled, load({}, None).http.listen) == (True, "127.0.0.1:19519")


def test_listening_elsewhere_needs_tls_or_the_word_insecure():
    for listen in ("0.0.0.0:19519", "[::]:19519", "example.org:19519"):
        with pytest.raises(SettingsFault, match=r"\[http\] listen: .* --insecure"):
            load({"http": {"listen": listen}}, None)
        assert load({"http": {"listen": listen, "enabled": False}}, None).http.listen == listen
        assert load({"http": {"listen": listen}, "server": {"insecure": True}}, None).http.listen == listen


def test_its_bounds_fit_each_other():
    with pytest.raises(SettingsFault, match=r"\[http\] listen: '19519' is not of the form host:port"):
        load({"http": {"listen": "19519"}}, None)
    with pytest.raises(SettingsFault, match=r"\[http\] requests_bytes_max: must be at least request_bytes_max"):
        load({"http": {"requests_bytes_max": 1024}}, None)
