"""Whom the client trusts without TLS, and how patient it is."""

from itertools import islice

import pytest
from kinpost_client import Retry
from kinpost_client.channel import SPREADING, _terms, is_loopback, open_channel


@pytest.mark.parametrize(
    "target, local",
    [
        ("127.0.0.1:7419", True),
        ("127.8.8.8:1", True),
        ("localhost:7419", True),
        ("[::1]:7419", True),
        ("dns:localhost:7419", True),
        ("dns:///localhost:7419", True),
        ("ipv4:127.0.0.1:7419", True),
        ("ipv6:[::1]:7419", True),
        ("ipv4:127.0.0.1:7419,127.0.0.2:7420", True),
        ("ipv4:127.0.0.1:7419,10.0.0.1:7419", False),
        ("ipv4:127.0.0.1:7419,", False),
        ("unix:/run/kinpost.sock", True),
        ("localhost", True),
        ("10.0.0.1:7419", False),
        ("[2001:db8::1]:7419", False),
        ("kinpost.example:7419", False),
        ("localhost.example:7419", False),
        ("127.0.0.1.example:7419", False),
        ("dns:///127.0.0.1.example:7419", False),
    ],
)
def test_only_a_target_of_this_machine_goes_without_tls(target, local):
    assert is_loopback(target) is local


@pytest.mark.parametrize(
    "target, spread, authority",
    [
        ("10.0.0.1:7419", False, None),
        ("kinpost.example:7419", False, None),
        ("ipv4:10.0.0.1:7419", False, None),
        ("ipv4:10.0.0.1:7419,10.0.0.2:7419", True, "10.0.0.1:7419"),
        ("ipv6:[2001:db8::1]:7419,[2001:db8::2]:7419", True, "[2001:db8::1]:7419"),
        ("dns:///kinpost.example:7419", True, None),
    ],
)
def test_what_names_several_replicas_is_spread_over_them(target, spread, authority):
    _, options = _terms(target, None, tls=None)
    assert dict(options).get("grpc.service_config", "") == (SPREADING if spread else "")
    assert dict(options).get("grpc.default_authority") == authority


def test_certificates_and_no_tls_contradict_each_other():
    with pytest.raises(ValueError, match="tls is False"):
        open_channel("127.0.0.1:7419", tls=False, root_certificates=b"pem")


def test_waits_double_up_to_the_longest_and_are_shortened_by_at_most_a_half():
    waits = list(islice(Retry(first_seconds=1, max_seconds=8).delays(), 6))

    for wait, longest in zip(waits, [1, 2, 4, 8, 8, 8], strict=True):
        assert longest / 2 <= wait <= longest
