"""TLS: the client speaks it when told, and then trusts only what it was given."""

import datetime as dt
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kinpost_client import Retry
from kinpost_client.errors import Unreachable

ONCE = Retry(give_up_seconds=0)


def certificate_and_key() -> tuple[bytes, bytes]:
    """A certificate for this machine's loopback that signs itself, and its key, both PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    return (
        certificate.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()),
    )


@pytest.fixture
def certificate(tmp_path) -> bytes:
    certificate, key = certificate_and_key()
    (tmp_path / "cert.pem").write_bytes(certificate)
    (tmp_path / "key.pem").write_bytes(key)
    return certificate


@pytest.fixture
def overrides(tmp_path, certificate):
    return {"server": {"tls_cert_file": str(tmp_path / "cert.pem"), "tls_key_file": str(tmp_path / "key.pem")}}


async def test_whom_it_trusts_it_speaks_to(server, link, certificate):
    admin = await link(server.address, server.admin_secret, root_certificates=certificate)
    made = await admin.create_session("explore")
    async with admin.subscribe(session_id=made.session_id) as events:
        assert (await anext(events)).type == "session_created"


@pytest.mark.parametrize("target", ["ipv4:{address},{address}", "dns:///{address}"])
async def test_replicas_are_trusted_by_the_first_address_or_by_their_name(server, link, certificate, target):
    client = await link(target.format(address=server.address), server.admin_secret, root_certificates=certificate)
    for _ in range(4):
        assert (await client.create_session("explore")).agent == "explore"


async def test_an_address_that_no_certificate_names_is_not_trusted(server, link, certificate):
    target = f"ipv4:127.0.0.2:1,{server.address}"
    client = await link(target, server.admin_secret, root_certificates=certificate, retry=ONCE)
    with pytest.raises(Unreachable):
        await client.create_session("explore")


@pytest.mark.parametrize(
    "options",
    [{"tls": True}, {"root_certificates": certificate_and_key()[0]}, {"tls": False}, {}],
    ids=["the system's roots", "another's certificate", "no TLS", "no TLS, since it is loopback"],
)
async def test_whom_it_does_not_trust_it_does_not_reach(server, link, options):
    stranger = await link(server.address, "a secret", retry=ONCE, **options)
    with pytest.raises(Unreachable):
        await stranger.server_info()
