"""The configuration: where values come from, which wins, and what a fault says."""

import dataclasses
import os
import tomllib

import pytest
from kinpost_server.domain.guards import MessagingLimits
from kinpost_server.engine.settings import DeliveryLimits, EngineSettings
from kinpost_server.settings import SettingsFault, keys, load
from kinpost_server.store.settings import StoreSettings
from kinpost_server.transport.address import is_loopback, split_address
from kinpost_server.transport.limits import TransportLimits


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    """No variable of the machine's, and a working folder without kinpost.toml."""
    for name in list(os.environ):
        if name.upper().startswith("KINPOST_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def write(tmp_path, text, name="kinpost.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_without_anything_the_defaults_hold():
    settings = load({}, None)
    assert settings.for_engine() == EngineSettings()
    assert settings.for_store() == StoreSettings()
    assert settings.for_transport() == TransportLimits()
    assert settings.server.listen == "127.0.0.1:7419"
    assert settings.storage.data_folder == "kinpost-data"


def test_messaging_has_exactly_the_keys_and_defaults_of_the_contract():
    contract = tomllib.loads(
        "[messaging]\nenabled = true\nmax_hops = 0\nmax_body_bytes = 32768\n"
        "max_pending_per_session = 32\nmax_inflight_per_pair = 4\n"
    )
    settings = load({}, None)
    assert settings.messaging.model_dump() == contract["messaging"]
    assert settings.for_engine().messaging == MessagingLimits(**contract["messaging"])


def test_delivery_has_every_limit_of_the_engine():
    assert {key.name for key in keys() if key.section == "delivery"} == {
        field.name for field in dataclasses.fields(DeliveryLimits)
    }


def test_option_beats_environment_beats_file_beats_default(tmp_path, monkeypatch):
    write(tmp_path, "[messaging]\nmax_hops = 1\nmax_body_bytes = 1\nmax_pending_per_session = 1\n")
    monkeypatch.setenv("KINPOST_MESSAGING__MAX_HOPS", "2")
    monkeypatch.setenv("KINPOST_MESSAGING__MAX_BODY_BYTES", "2")
    messaging = load({"messaging": {"max_hops": 3}}, None).messaging
    assert messaging.model_dump() == {
        "enabled": True,
        "max_hops": 3,
        "max_body_bytes": 2,
        "max_pending_per_session": 1,
        "max_inflight_per_pair": 4,
    }


def test_the_file_is_the_given_one_else_that_of_the_environment_else_the_one_that_is_there(tmp_path, monkeypatch):
    write(tmp_path, "[messaging]\nmax_hops = 1\n")
    other = write(tmp_path, "[messaging]\nmax_hops = 2\n", "other.toml")
    third = write(tmp_path, "[messaging]\nmax_hops = 3\n", "third.toml")
    assert load({}, None).messaging.max_hops == 1
    monkeypatch.setenv("KINPOST_CONFIG", str(other))
    assert load({}, None).messaging.max_hops == 2
    assert load({}, third).messaging.max_hops == 3


@pytest.mark.parametrize(
    "text, fault",
    [
        ("[messaging]\nmax_hop = 1\n", "[messaging] max_hop: there is no such key; did you mean max_hops?"),
        ("[mesaging]\nmax_hops = 1\n", "[mesaging]: there is no such section; did you mean messaging?"),
        ("[zzz]\n", "[zzz]: there is no such section"),
        ("max_hops = 1\n", "[max_hops]: there is no such section"),
        ("messaging = 1\n", "messaging: is a section, not a key"),
        ('[messaging]\nmax_hops = "1"\n', "[messaging] max_hops: input should be a valid integer"),
        ("[messaging]\nmax_hops = 1.5\n", "[messaging] max_hops: "),
        ("[messaging]\nenabled = 1\n", "[messaging] enabled: input should be a valid boolean"),
        ("[messaging]\nmax_body_bytes = -1\n", "[messaging] max_body_bytes: input should be greater than"),
        ("[delivery]\nrun_lease_seconds = inf\n", "[delivery] run_lease_seconds: input should be"),
        ("[server]\nlisten = 7419\n", "[server] listen: input should be a valid string"),
        ("[server.listen]\nport = 1\n", "[server] listen: input should be a valid string"),
        ('[log]\nlevel = "loud"\n', "[log] level: input should be 'debug', 'info', 'warning' or 'error'"),
        ("[messaging\n", "kinpost.toml: "),
    ],
)
def test_a_fault_of_the_file_names_the_file_and_the_key(tmp_path, text, fault):
    path = write(tmp_path, text)
    with pytest.raises(SettingsFault) as caught:
        load({}, path)
    assert str(caught.value).startswith(f"{path}: ")
    assert fault in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path):
    path = write(tmp_path, "[messaging]\nmax_hop = 1\n[log]\nlevel = 1\n[zzz]\n")
    with pytest.raises(SettingsFault) as caught:
        load({}, path)
    assert len(str(caught.value).splitlines()) == 3


def test_a_file_that_is_not_there_is_a_fault_when_it_was_named(tmp_path):
    with pytest.raises(SettingsFault, match=r"absent\.toml"):
        load({}, tmp_path / "absent.toml")


@pytest.mark.parametrize(
    "name, value, fault",
    [
        ("KINPOST_MESSAGING__MAX_HOP", "1", "KINPOST_MESSAGING__MAX_HOP: there is no such setting; did you mean"),
        ("KINPOST_MESSAGING", "{}", "KINPOST_MESSAGING: there is no such setting"),
        ("KINPOST_ZZZ__A", "1", "KINPOST_ZZZ__A: there is no such setting"),
        ("kinpost_listen", "1", "kinpost_listen: there is no such setting"),
        ("KINPOST_MESSAGING__MAX_HOPS", "many", "KINPOST_MESSAGING__MAX_HOPS: [messaging] max_hops: input should be"),
        ("KINPOST_MESSAGING__MAX_HOPS", "", "KINPOST_MESSAGING__MAX_HOPS: [messaging] max_hops: input should be"),
        ("KINPOST_SERVER__LISTEN", "", "[server] listen: '' is not of the form host:port"),
    ],
)
def test_a_fault_of_the_environment_names_the_variable(monkeypatch, name, value, fault):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsFault) as caught:
        load({}, None)
    assert fault in str(caught.value)


def test_variables_of_clients_are_not_the_servers_business(monkeypatch):
    monkeypatch.setenv("KINPOST_TOKEN", "secret")
    monkeypatch.setenv("KINPOST_ADDRESS", "127.0.0.1:7419")
    assert load({}, None).server.listen == "127.0.0.1:7419"


@pytest.mark.parametrize("key", list(keys()), ids=lambda key: key.variable)
def test_each_key_can_be_set_in_the_environment(monkeypatch, key):
    default = key.field.default
    other = {"debug": "warning", "info": "warning", "text": "json", "open": "token"}.get(default)
    if isinstance(default, bool):
        other = not default
    elif isinstance(default, int):
        other = default + 1
    elif isinstance(default, float):
        other = default * 0.75
    elif other is None:
        other = {"listen": "127.0.0.1:7000", "endpoint": "http://127.0.0.1:4318"}.get(key.name, "something")
    monkeypatch.setenv(key.variable, str(other))
    if key.name.startswith("tls_"):
        monkeypatch.setenv("KINPOST_SERVER__TLS_CERT_FILE", "something")
        monkeypatch.setenv("KINPOST_SERVER__TLS_KEY_FILE", "something")
    assert getattr(getattr(load({}, None), key.section), key.name) == other


def test_each_key_is_described_and_has_an_option_and_a_variable_of_its_own():
    every = list(keys())
    assert all(key.field.description for key in every)
    assert len({key.option for key in every}) == len(every)
    assert len({key.variable for key in every}) == len(every)


def test_each_length_of_time_and_each_size_has_its_unit_in_its_name_and_in_its_description():
    for key in keys():
        if key.section == "messaging":  # its names are the contract's
            continue
        if key.field.annotation is float:
            assert "_seconds" in key.name
            assert key.field.description.endswith("; seconds")
        elif "bytes" in key.name:
            assert key.field.description.endswith("; bytes")


@pytest.mark.parametrize("listen", ["0.0.0.0:7419", "[::]:7419", "192.0.2.1:7419", "example.org:7419", "*:7419"])
def test_listening_elsewhere_needs_tls_or_the_word_insecure(listen):
    with pytest.raises(SettingsFault, match=r"\[server\] listen: .* --insecure"):
        load({"server": {"listen": listen}}, None)
    assert load({"server": {"listen": listen, "insecure": True}}, None).server.listen == listen
    tls = {"tls_cert_file": "a", "tls_key_file": "b"}
    assert load({"server": {"listen": listen, **tls}}, None).server.listen == listen


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.9.9.9:1", "[::1]:7419", "localhost:7419"])
def test_loopback_needs_neither(listen):
    assert load({"server": {"listen": listen}}, None).server.listen == listen


@pytest.mark.parametrize("listen", ["7419", ":7419", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "::1:7419", "a:65536"])
def test_an_address_has_a_host_and_a_port(listen):
    with pytest.raises(SettingsFault, match="is not of the form host:port"):
        load({"server": {"listen": listen, "insecure": True}}, None)


@pytest.mark.parametrize(
    "options, fault",
    [
        ({"server": {"tls_cert_file": "a"}}, "one needs the other"),
        ({"delivery": {"heartbeat_seconds": 60.0}}, "must be shorter than run_lease_seconds"),
        ({"server": {"request_bytes_max": 65536}}, "[producers] body_bytes_max: 262144 does not fit"),
        ({"server": {"requests_bytes_max": 65536}}, "requests_bytes_max: must be at least request_bytes_max"),
    ],
)
def test_keys_that_do_not_go_together_are_a_fault(options, fault):
    with pytest.raises(SettingsFault) as caught:
        load(options, None)
    assert fault in str(caught.value)


def test_an_address_is_split():
    assert split_address("127.0.0.1:7419") == ("127.0.0.1", 7419)
    assert split_address("[::1]:0") == ("::1", 0)
    assert is_loopback("::1")
    assert not is_loopback("10.0.0.1")
